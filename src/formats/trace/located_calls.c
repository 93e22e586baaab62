#include "located_calls.h"

#include <stdlib.h>

#include "base/memory.h"

enum { LOCATED_FIRST = 64 };

static uint32_t located_calls_hash(uint32_t name, uint32_t location)
{
    return hash_u64((uint64_t)name << 32 | location);
}

// Where the pair is, or would be.
static struct located_slot *located_calls_find(const struct located_calls *calls, uint32_t name,
                                               uint32_t location)
{
    uint32_t at = located_calls_hash(name, location) & calls->mask;
    while (calls->slots[at].location != 0 &&
           (calls->slots[at].location != location || calls->slots[at].name != name))
        at = (at + 1) & calls->mask;
    return &calls->slots[at];
}

// A table is at most three quarters full.
static void located_calls_make_room(struct located_calls *calls)
{
    const struct located_calls old = *calls;
    const uint32_t size = old.slots == NULL ? 0 : old.mask + 1;
    if (calls->count < size / 4 * 3)
        return;
    const uint32_t wanted = size == 0 ? LOCATED_FIRST : size * 2;
    calls->slots = memory_allocate_zeroed(wanted, sizeof *calls->slots);
    calls->mask = wanted - 1;
    for (uint32_t i = 0; i < size; i++) {
        const struct located_slot *slot = &old.slots[i];
        if (slot->location != 0)
            *located_calls_find(calls, slot->name, slot->location) = *slot;
    }
    free(old.slots);
}

uint32_t located_call(struct located_calls *calls, uint32_t name, uint32_t location)
{
    if (location == 0)
        return 0;
    located_calls_make_room(calls);
    struct located_slot *slot = located_calls_find(calls, name, location);
    if (slot->location == 0) {
        const struct operator_description op = {.type = name, .location = location};
        const struct call call = {.operator_id = profile_operator_add(calls->profile, &op)};
        *slot = (struct located_slot){name, location, profile_call_add(calls->profile, &call)};
        calls->count++;
    }
    return slot->call;
}

void located_call_soon(const struct located_calls *calls, uint32_t name, uint32_t location)
{
    if (location != 0 && calls->slots != NULL)
        __builtin_prefetch(&calls->slots[located_calls_hash(name, location) & calls->mask]);
}

void located_calls_free(struct located_calls *calls)
{
    free(calls->slots);
}
