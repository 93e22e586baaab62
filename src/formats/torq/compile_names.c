#include "compile_names.h"

#include "unit.h"

static uint32_t compile_names_find_hashed(const struct compile_names *names, struct view text,
                                          uint32_t hash)
{
    const struct shared_table *table = shared_index_table(&names->types);
    uint32_t number;
    for (uint32_t at = hash; (number = shared_index_next(table, hash, &at)) != HASH_NONE;) {
        if (view_equal(compile_names_type(names, number)->text, text))
            return number;
    }
    return HASH_NONE;
}

uint32_t compile_names_find_type(const struct compile_names *names, struct view text)
{
    return compile_names_find_hashed(names, text, hash_bytes(text.data, text.size));
}

uint32_t compile_names_add_type(struct compile_names *names, struct view text)
{
    const uint32_t hash = hash_bytes(text.data, text.size);
    const uint32_t known = compile_names_find_hashed(names, text, hash);
    if (known != HASH_NONE)
        return known;
    const struct unit unit = unit_of_event(text);
    const uint32_t name = strings_add_hashed(&names->profile->strings, hash, text);
    struct compile_type *type = segments_add(&names->type_items);
    *type = (struct compile_type){.text = profile_text(names->profile, name),
                                  .name = name,
                                  .unit = unit_number(unit),
                                  .slice = unit.slice};
    const uint32_t number = names->type_items.count - 1;
    shared_index_add(&names->types, hash, number);
    return number;
}

// What is streamed is looked for here alone, and has no place in the index of all texts.
uint32_t compile_names_add_location(struct compile_names *names, struct view text, uint32_t hash,
                                    const struct compile_found *found, bool lent)
{
    struct strings *strings = &names->profile->strings;
    struct compile_found now = {.ended =
                                    shared_index_resume(&names->locations, hash, found->ended)};
    now.id = shared_index_next(now.ended.table, hash, &now.ended.at);
    compile_names_decide(names, text, hash, &now);
    if (now.id != HASH_NONE)
        return now.id;
    const uint32_t id = names->streams ? strings_append_unlisted(strings, text, lent)
                                       : strings_add_hashed(strings, hash, text);
    shared_index_add_at(&names->locations, now.ended, hash, id);
    return id;
}

uint32_t compile_names_add_call(struct compile_names *names, uint32_t type, uint32_t location)
{
    const uint32_t known = compile_names_find_call(names, type, location);
    if (known != 0)
        return known;
    const struct operator_description op = {.type = type, .location = location};
    const struct call call = {.operator_id = profile_operator_add(names->profile, &op)};
    const uint32_t id = profile_call_add(names->profile, &call);
    *(struct compile_call *)segments_add(&names->call_items) =
        (struct compile_call){.type = type, .location = location, .call = id};
    shared_index_add(&names->calls, hash_u64((uint64_t)type << 32 | location),
                     names->call_items.count - 1);
    return id;
}

void compile_names_free(struct compile_names *names)
{
    shared_index_free(&names->locations);
    shared_index_free(&names->types);
    shared_index_free(&names->calls);
    segments_free(&names->type_items);
    segments_free(&names->call_items);
}
