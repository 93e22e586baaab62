// Items that a signal handler may look at: taken and given back without locks, never freed.
// An item begins with a `struct slot`.

#ifndef OPSCOPE_BASE_SLOTS_H
#define OPSCOPE_BASE_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct slot {
    struct slot *next;
    atomic_bool taken;
};

// One that was given back, or a new one of `size` bytes, which begins as a copy of `fresh`.
struct slot *slots_take(struct slot *_Atomic *slots, const struct slot *fresh, size_t size);

#endif
