#include "backward_calls.h"

#include "base/memory.h"

static uint32_t forward_of_call(const struct profile *profile, uint32_t call, uint32_t key)
{
    struct value_reader reader = value_read(profile_call(profile, call)->values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == key && value.kind == VALUE_UINT && value.number < profile->calls.count)
            return (uint32_t)value.number;
    }
    return 0;
}

uint32_t *backward_calls_find(const struct profile *profile)
{
    const uint32_t key = strings_find(&profile->strings, VIEW_LITERAL("forward"));
    if (key == HASH_NONE)
        return NULL;
    uint32_t *forwards = memory_allocate_zeroed(profile->calls.count, sizeof *forwards);
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        const uint32_t parent = profile_call(profile, i)->parent;
        forwards[i] = forward_of_call(profile, i, key);
        if (forwards[i] == 0 && parent < i) // callers come before what they call
            forwards[i] = forwards[parent];
    }
    return forwards;
}
