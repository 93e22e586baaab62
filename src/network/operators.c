#include "operators.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/memory.h"
#include "operator_tables.h"

static const struct operator_table *const TABLES[] = {OPERATOR_TABLES};

enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

static struct operator_definition *definitions; // of all tables, by id
static size_t definition_count;
static struct hash_index by_name;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void operators_gather_tables(void)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        definition_count += TABLES[i]->count;
    definitions = memory_allocate(definition_count * sizeof *definitions);
    uint16_t id = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        for (size_t j = 0; j < TABLES[i]->count; j++, id++) {
            definitions[id] = TABLES[i]->items[j];
            definitions[id].id = id;
            const char *name = definitions[id].name;
            hash_add(&by_name, hash_bytes(name, strlen(name)), id);
        }
    }
}

size_t operator_count(void)
{
    pthread_once(&once, operators_gather_tables);
    return definition_count;
}

const struct operator_definition *operator_at(size_t id)
{
    return id < operator_count() ? &definitions[id] : NULL;
}

const struct operator_definition *operator_computing(enum operator_function function)
{
    for (size_t i = 0; i < operator_count(); i++) {
        if (definitions[i].function == function)
            return &definitions[i];
    }
    return NULL;
}

// ONNX's own domain has two spellings, and TOSA's operators and the compiler's own carry theirs
// in their names; no two operators of the domains known here share a name.
static bool knows_domain(struct view domain)
{
    return domain.size == 0 || view_is(domain, "ai.onnx") || view_is(domain, "tosa") ||
           view_is(domain, "ai.onnx.preview.training");
}

const struct operator_definition *operator_find(struct view domain, struct view name)
{
    if (!knows_domain(domain))
        return NULL;
    pthread_once(&once, operators_gather_tables);
    const uint32_t hash = hash_bytes(name.data, name.size);
    uint32_t id;
    for (uint32_t at = hash_first(&by_name, hash);
         (id = hash_next(&by_name, hash, &at)) != HASH_NONE;) {
        if (view_is(name, definitions[id].name))
            return &definitions[id];
    }
    return NULL;
}

const struct operator_definition *operator_imported(struct view domain, struct view name)
{
    const struct operator_definition *definition = operator_find(domain, name);
    return definition != NULL && definition->class != OPERATOR_LAYOUT ? definition : NULL;
}

const char *operator_sort_name(enum operator_sort sort)
{
    static const char *const NAMES[OPERATOR_SORTS] = {
        [SORT_SUM] = "sum",     [SORT_PRODUCT] = "product", [SORT_CHOICE] = "choice",
        [SORT_NOT] = "not",     [SORT_SHIFT] = "shift",     [SORT_SELECT] = "select",
        [SORT_SCALE] = "scale", [SORT_CLIP] = "clip",       [SORT_UNARY] = "unary",
        [SORT_CURVE] = "curve",
    };
    return NAMES[sort];
}

const char *operator_class_name(enum operator_class class)
{
    static const char *const NAMES[OPERATOR_CLASSES] = {
        [OPERATOR_ELEMENTWISE] = "elementwise", [OPERATOR_CONVOLUTION] = "convolution",
        [OPERATOR_MATMUL] = "matmul",           [OPERATOR_POOLING] = "pooling",
        [OPERATOR_REDUCTION] = "reduction",     [OPERATOR_NORMALIZATION] = "normalization",
        [OPERATOR_MOVEMENT] = "movement",       [OPERATOR_VIEW] = "view",
        [OPERATOR_LAYOUT] = "layout",           [OPERATOR_GATHER] = "gather",
        [OPERATOR_RECURRENT] = "recurrent",     [OPERATOR_CONTROL] = "control",
        [OPERATOR_CONSTANT] = "constant",       [OPERATOR_OTHER] = "other",
    };
    return NAMES[class];
}
