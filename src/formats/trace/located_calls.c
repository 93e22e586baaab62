#include "located_calls.h"

static uint32_t located_calls_find(const struct located_calls *calls, uint32_t hash, uint32_t name,
                                   uint32_t location)
{
    uint32_t id;
    for (uint32_t at = hash_first(&calls->index, hash);
         (id = hash_next(&calls->index, hash, &at)) != HASH_NONE;) {
        const struct operator_description *op =
            profile_operator(calls->profile, profile_call(calls->profile, id)->operator_id);
        if (op->type == name && op->location == location)
            return id;
    }
    return HASH_NONE;
}

uint32_t located_call(struct located_calls *calls, uint32_t name, uint32_t location)
{
    if (location == 0)
        return 0;
    const uint32_t hash = hash_u64((uint64_t)name << 32 | location);
    const uint32_t found = located_calls_find(calls, hash, name, location);
    if (found != HASH_NONE)
        return found;
    const struct operator_description op = {.type = name, .location = location};
    const struct call call = {.operator_id = profile_operator_add(calls->profile, &op)};
    const uint32_t added = profile_call_add(calls->profile, &call);
    hash_add(&calls->index, hash, added);
    return added;
}

void located_calls_free(struct located_calls *calls)
{
    hash_free(&calls->index);
}
