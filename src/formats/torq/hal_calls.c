#include "hal_calls.h"

#include <stdlib.h>

#include "base/memory.h"

void hal_calls_keep(struct hal_calls *calls, const struct hal_call *call)
{
    calls->items = memory_grow(calls->items, calls->count, &calls->capacity, sizeof *calls->items);
    calls->items[calls->count++] = *call;
}

bool hal_calls_are_detailed(const struct hal_calls *calls, uint64_t invocation)
{
    const uint32_t hash = hash_u64(invocation);
    uint32_t id;
    for (uint32_t at = hash_first(&calls->index, hash);
         (id = hash_next(&calls->index, hash, &at)) != HASH_NONE;) {
        if (calls->detailed[id] == invocation)
            return true;
    }
    return false;
}

void hal_calls_add_detailed(struct hal_calls *calls, uint64_t invocation)
{
    if (hal_calls_are_detailed(calls, invocation))
        return;
    calls->detailed = memory_grow(calls->detailed, calls->detailed_count, &calls->detailed_capacity,
                                  sizeof *calls->detailed);
    hash_add(&calls->index, hash_u64(invocation), (uint32_t)calls->detailed_count);
    calls->detailed[calls->detailed_count++] = invocation;
}

void hal_calls_free(struct hal_calls *calls)
{
    free(calls->items);
    free(calls->detailed);
    hash_free(&calls->index);
    *calls = (struct hal_calls){0};
}
