#include "operators.h"

#include <pthread.h>

#include "base/hash.h"
#include "operator_tables.h"

static const struct operator_table *const TABLES[] = {OPERATOR_TABLES};

enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

const struct operator_definition *operator_at(size_t index)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (index < TABLES[i]->count)
            return &TABLES[i]->items[index];
        index -= TABLES[i]->count;
    }
    return NULL;
}

static struct hash_index by_name;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void index_names(void)
{
    const struct operator_definition *definition;
    for (uint32_t i = 0; (definition = operator_at(i)) != NULL; i++)
        hash_add(&by_name, hash_bytes(definition->name, strlen(definition->name)), i);
}

// ONNX's own domain has two spellings, and TOSA's operators carry theirs in
// their names; no two operators of the domains known here share a name.
static bool knows_domain(struct view domain)
{
    return domain.size == 0 || view_is(domain, "ai.onnx") || view_is(domain, "tosa") ||
           view_is(domain, "ai.onnx.preview.training");
}

const struct operator_definition *operator_find(struct view domain, struct view name)
{
    if (!knows_domain(domain))
        return NULL;
    pthread_once(&once, index_names);
    const uint32_t hash = hash_bytes(name.data, name.size);
    uint32_t id;
    for (uint32_t at = hash_first(&by_name, hash);
         (id = hash_next(&by_name, hash, &at)) != HASH_NONE;) {
        const struct operator_definition *definition = operator_at(id);
        if (view_is(name, definition->name))
            return definition;
    }
    return NULL;
}

const char *operator_class_name(enum operator_class class)
{
    static const char *const NAMES[OPERATOR_CLASSES] = {
        [OPERATOR_ELEMENTWISE] = "elementwise",
        [OPERATOR_CONVOLUTION] = "convolution",
        [OPERATOR_MATMUL] = "matmul",
        [OPERATOR_POOLING] = "pooling",
        [OPERATOR_REDUCTION] = "reduction",
        [OPERATOR_NORMALIZATION] = "normalization",
        [OPERATOR_MOVEMENT] = "movement",
        [OPERATOR_VIEW] = "view",
        [OPERATOR_GATHER] = "gather",
        [OPERATOR_RECURRENT] = "recurrent",
        [OPERATOR_CONTROL] = "control",
        [OPERATOR_CONSTANT] = "constant",
        [OPERATOR_OTHER] = "other",
    };
    return NAMES[class];
}
