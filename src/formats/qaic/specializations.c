#include "specializations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "wire/json_reader.h"

#define RETAINED "_RetainedState"

static const char *const KINDS[] = {"null",   "a truth value", "a number",
                                    "a text", "an array",      "an object"};

// Choices ------------------------------------------------------------------------------

static status specialization_read(const char *name, size_t index, const struct json_value *object,
                                  struct arena *arena, struct qaic_specialization *specialization)
{
    if (object->kind != JSON_OBJECT)
        return status_make(STATUS_DATA,
                           "%s: specialization %zu is %s: expected an object with the lengths of "
                           "dimensions: {\"batch_size\": \"1\"}",
                           name, index, KINDS[object->kind]);
    specialization->symbols =
        arena_allocate(arena, ((size_t)object->count + 1) * sizeof *specialization->symbols);
    for (const struct json_value *item = object->first; item != NULL; item = item->next) {
        uint64_t length;
        if (item->kind == JSON_OBJECT || item->kind == JSON_ARRAY)
            return status_make(STATUS_UNSUPPORTED,
                               "%s: specialization %zu: '%.*s' is %s, a form of later compilers: "
                               "give each dimension its length: {\"batch_size\": \"1\"}",
                               name, index, VIEW_ARGUMENTS(item->key), KINDS[item->kind]);
        if (!json_u64_of(item, &length) || length == 0 || length > INT32_MAX)
            return status_make(STATUS_DATA,
                               "%s: specialization %zu: '%.*s' is no length: expected a number "
                               "from 1, or a text of one",
                               name, index, VIEW_ARGUMENTS(item->key));
        const struct view symbol =
            arena_print(arena, "%.*s,%" PRIu64, VIEW_ARGUMENTS(item->key), length);
        specialization->symbols[specialization->symbol_count++] = symbol.data;
    }
    return STATUS_OK;
}

static status specializations_read(const char *name, struct view text,
                                   struct qaic_specializations *all)
{
    const struct json_value *root;
    STATUS_TRY(status_within(json_read(text, &all->arena, &root), "%s", name));
    const struct json_value *list = json_find(root, "specializations");
    if (list == NULL || list->kind != JSON_ARRAY || list->count == 0 ||
        list->count > QAIC_SPECIALIZATIONS_MOST)
        return status_make(STATUS_DATA,
                           "%s: expected {\"specializations\": [...]} with 1 to %d of them", name,
                           QAIC_SPECIALIZATIONS_MOST);
    all->items = arena_allocate(&all->arena, list->count * sizeof *all->items);
    memset(all->items, 0, list->count * sizeof *all->items);
    for (const struct json_value *item = list->first; item != NULL; item = item->next) {
        STATUS_TRY(
            specialization_read(name, all->count, item, &all->arena, &all->items[all->count]));
        all->count++;
    }
    return STATUS_OK;
}

status qaic_specializations_read(const char *name, struct view text,
                                 struct qaic_specializations *out_specializations)
{
    *out_specializations = (struct qaic_specializations){0};
    const status failure = specializations_read(name, text, out_specializations);
    if (failure != STATUS_OK)
        qaic_specializations_free(out_specializations);
    return failure;
}

void qaic_specializations_free(struct qaic_specializations *specializations)
{
    arena_free(&specializations->arena);
    *specializations = (struct qaic_specializations){0};
}

struct view qaic_specialization_text(const struct qaic_specialization *specialization,
                                     struct arena *arena)
{
    struct bytes text = {0};
    for (size_t i = 0; i < specialization->symbol_count; i++) {
        const struct view symbol = view_of(specialization->symbols[i]);
        const size_t comma = view_find_last(symbol, ',');
        bytes_append_format(&text, "%s%.*s=%.*s", i > 0 ? " " : "",
                            VIEW_ARGUMENTS(view_slice(symbol, 0, comma)),
                            VIEW_ARGUMENTS(view_slice(symbol, comma + 1, symbol.size)));
    }
    const struct view kept = arena_copy(arena, bytes_view(&text));
    bytes_free(&text);
    return kept;
}

// What stays -----------------------------------------------------------------------------

static bool same_type(const struct program_value *a, const struct program_value *b)
{
    return a->element == b->element && a->rank == b->rank && a->rank != PROGRAM_NONE &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static status find_input(const struct program *program, const struct program_value *output,
                         struct view name, uint32_t *out_input)
{
    for (uint32_t i = 0; i < program->input_count; i++) {
        const struct program_value *input = &program->values[program->inputs[i]];
        if (!view_equal(view_of(program_text(program, input->name)), name))
            continue;
        *out_input = i;
        return same_type(input, output)
                   ? STATUS_OK
                   : status_make(STATUS_DATA,
                                 "output '%.*s" RETAINED "' has another type or shape than the "
                                 "input '%.*s' that it becomes",
                                 VIEW_ARGUMENTS(name), VIEW_ARGUMENTS(name));
    }
    return status_make(STATUS_DATA,
                       "output '%.*s" RETAINED "' is to stay on the device, but there is no input "
                       "'%.*s' that it could become",
                       VIEW_ARGUMENTS(name), VIEW_ARGUMENTS(name));
}

static status find_pairs(const struct program *program, struct device_pair *pairs, size_t *count)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        const struct program_value *output = &program->values[program->outputs[i]];
        const struct view name = view_of(program_text(program, output->name));
        const size_t ending = strlen(RETAINED);
        if (name.size <= ending ||
            !view_is(view_slice(name, name.size - ending, name.size), RETAINED))
            continue;
        struct device_pair *pair = &pairs[*count];
        pair->output = i;
        STATUS_TRY(
            find_input(program, output, view_slice(name, 0, name.size - ending), &pair->input));
        (*count)++;
    }
    return STATUS_OK;
}

status qaic_retained_find(const struct program *program, struct device_pair **out_pairs,
                          size_t *out_count)
{
    struct device_pair *pairs =
        memory_allocate_zeroed((size_t)program->output_count + 1, sizeof *pairs);
    *out_count = 0;
    const status failure = find_pairs(program, pairs, out_count);
    if (failure == STATUS_OK)
        *out_pairs = pairs;
    else
        free(pairs);
    return failure;
}
