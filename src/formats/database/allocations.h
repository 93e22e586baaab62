// Memory that tables say was taken and given back, in any order, as lifetimes of buffers.
//
// Memory: 40 bytes for each, in a spool, and what profile/memory.h says.

#ifndef OPSCOPE_FORMATS_DATABASE_ALLOCATIONS_H
#define OPSCOPE_FORMATS_DATABASE_ALLOCATIONS_H

#include "base/spool.h"
#include "profile/profile.h"

struct allocation {
    uint64_t time;
    uint64_t address;
    uint64_t bytes; // 0: given back
    uint64_t place; // which memory, in the reader's own numbers
    uint64_t order; // of the rows; allocations_add sets it
};

// Start with ALLOCATIONS_EMPTY.
struct allocations {
    struct spool spool;
    uint64_t count;
};

#define ALLOCATIONS_EMPTY ((struct allocations){.spool = SPOOL_EMPTY})

status allocations_add(struct allocations *allocations, struct allocation allocation);

// Says which memory a place is: its name, device and core.
typedef void (*allocations_describe)(void *context, uint64_t place,
                                     struct buffer_lifetime *out_like);

// Adds the lifetimes; what was not given back lives until `end`.
status allocations_finish(struct allocations *allocations, struct profile *profile, uint64_t end,
                          allocations_describe describe, void *context);
void allocations_free(struct allocations *allocations);

#endif
