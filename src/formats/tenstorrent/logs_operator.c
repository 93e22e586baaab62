// Operators of a profile from the JSON of Tenstorrent's operations.

#include <stdio.h>

#include "logs_profile.h"
#include "python_text.h"

struct lister {
    struct profile *profile;
    struct bytes values;
    struct bytes text;
};

static uint32_t logs_operator_key_of(struct lister *to, const char *prefix, struct view name)
{
    char key[256];
    snprintf(key, sizeof key, "%s%.*s", prefix, (int)(name.size < 200 ? name.size : 200),
             name.data);
    return profile_string(to->profile, view_of(key));
}

// What repeats from operator to operator is stored once.
static void add_string(struct lister *to, uint32_t key, struct view text)
{
    value_add_string(&to->values, key, profile_string(to->profile, text));
}

static void add_json(struct lister *to, uint32_t key, const struct json_value *value)
{
    uint64_t number;
    if (value == NULL)
        return;
    if (value->kind == JSON_NUMBER && view_to_u64(value->text, &number)) {
        value_add_uint(&to->values, key, number);
        return;
    }
    to->text.size = 0;
    python_text_append(&to->text, value);
    add_string(to, key, bytes_view(&to->text));
}

static void logs_operator_add_members(struct lister *to, const char *prefix,
                                      const struct json_value *object)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return;
    for (const struct json_value *item = object->first; item != NULL; item = item->next)
        add_json(to, logs_operator_key_of(to, prefix, item->key), item);
}

// "1x1x32x800"
static void logs_operator_add_shape(struct lister *to, const char *prefix,
                                    const struct json_value *shape)
{
    static const char *const SIDES[] = {"W", "Z", "Y", "X"};
    struct bytes text = {0};
    for (unsigned i = 0; i < 4; i++) {
        const struct json_value *side = json_find(shape, SIDES[i]);
        if (i > 0)
            bytes_append(&text, "x", 1);
        if (side != NULL)
            python_text_append(&text, side);
    }
    add_string(to, logs_operator_key_of(to, prefix, VIEW_LITERAL("shape")), bytes_view(&text));
    bytes_free(&text);
}

static void logs_operator_add_memory(struct lister *to, const char *prefix,
                                     const struct json_value *storage)
{
    const struct json_value *config = json_find(storage, "memory_config");
    if (config == NULL) {
        add_json(to, logs_operator_key_of(to, prefix, VIEW_LITERAL("memory")), storage);
        return;
    }
    add_json(to, logs_operator_key_of(to, prefix, VIEW_LITERAL("memory")),
             json_find(config, "buffer_type"));
    add_json(to, logs_operator_key_of(to, prefix, VIEW_LITERAL("memory_layout")),
             json_find(config, "memory_layout"));
}

static unsigned add_tensors(struct lister *to, const char *kind, unsigned from,
                            const struct json_value *list)
{
    for (const struct json_value *item = list != NULL ? list->first : NULL;
         item != NULL && from < 4096; item = item->next, from++) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%s_%u.", kind, from);
        logs_operator_add_shape(to, prefix, json_find(item, "shape"));
        add_json(to, logs_operator_key_of(to, prefix, VIEW_LITERAL("layout")),
                 json_find(item, "layout"));
        add_json(to, logs_operator_key_of(to, prefix, VIEW_LITERAL("datatype")),
                 json_find(item, "dtype"));
        logs_operator_add_memory(to, prefix, json_find(item, "storage_type"));
    }
    return from;
}

static void add_kernels(struct lister *to, const char *kind, const struct json_value *list)
{
    unsigned index = 0;
    for (const struct json_value *item = list != NULL ? list->first : NULL;
         item != NULL && index < 4096; item = item->next, index++) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%s_%u.", kind, index);
        logs_operator_add_members(to, prefix, item);
    }
}

static void list_json(struct lister *to, const struct json_value *json)
{
    add_json(to, logs_operator_key_of(to, "op_type", VIEW_LITERAL("")), json_find(json, "op_type"));
    const unsigned inputs = add_tensors(to, "input", 0, json_find(json, "input_tensors"));
    add_tensors(to, "input", inputs, json_find(json, "optional_input_tensors"));
    add_tensors(to, "output", 0, json_find(json, "output_tensors"));
    logs_operator_add_members(to, "attributes.", json_find(json, "attributes"));
    const struct json_value *info = json_find(json, "kernel_info");
    add_kernels(to, "compute_kernel", json_find(info, "compute_kernels"));
    add_kernels(to, "data_movement_kernel", json_find(info, "datamovement_kernels"));
    logs_operator_add_members(to, "", json_find(info, "kernel_sizes"));
    logs_operator_add_members(to, "performance_model.", json_find(json, "performance_model"));
}

void logs_operators_start(struct logs_operators *operators)
{
    *operators = (struct logs_operators){0};
    segments_start(&operators->entries, sizeof(struct logs_operator));
}

void logs_operators_free(struct logs_operators *operators)
{
    hash_free(&operators->index);
    segments_free(&operators->entries);
}

static uint32_t operator_find(const struct profile *profile, const struct logs_operators *operators,
                              uint32_t hash, const struct json_value *json,
                              const struct operator_description *description)
{
    uint32_t found;
    for (uint32_t at = hash_first(&operators->index, hash);
         (found = hash_next(&operators->index, hash, &at)) != HASH_NONE;) {
        const struct logs_operator *entry = segments_get(&operators->entries, found);
        const struct operator_description *other = profile_operator(profile, entry->id);
        if (entry->json == json && other->name == description->name &&
            other->location == description->location)
            return entry->id;
    }
    return HASH_NONE;
}

uint32_t logs_operator_add(struct profile *profile, struct logs_operators *operators,
                           const struct host_op *op)
{
    struct operator_description description = {
        .name = profile_string(profile, op->code),
        .type = profile_string(profile, op->code),
        .location = op->has_location ? profile_string(profile, op->location) : 0};
    const uint32_t hash = hash_u64((uint64_t)(uintptr_t)op->json ^
                                   (uint64_t)description.name << 32 ^ description.location);
    const uint32_t found = operator_find(profile, operators, hash, op->json, &description);
    if (found != HASH_NONE)
        return found;
    struct lister to = {.profile = profile};
    if (op->json != NULL)
        list_json(&to, op->json);
    description.values = bytes_view(&to.values);
    const struct logs_operator entry = {op->json, profile_operator_add(profile, &description)};
    hash_add(&operators->index, hash, operators->entries.count);
    *(struct logs_operator *)segments_add(&operators->entries) = entry;
    bytes_free(&to.values);
    bytes_free(&to.text);
    return entry.id;
}
