#include "slots.h"

#include <stdlib.h>
#include <string.h>

#include "recovery.h"

struct slot *slots_take(struct slot *_Atomic *slots, const struct slot *fresh, size_t size)
{
    struct slot *at = *slots;
    for (; at != NULL; at = at->next) {
        bool taken = false;
        if (atomic_compare_exchange_strong(&at->taken, &taken, true))
            return at;
    }
    // It outlives every scope.
    at = malloc(size);
    if (at == NULL)
        recovery_fail(size);
    memcpy(at, fresh, size);
    at->taken = true;
    at->next = *slots;
    while (!atomic_compare_exchange_weak(slots, &at->next, at))
        continue;
    return at;
}
