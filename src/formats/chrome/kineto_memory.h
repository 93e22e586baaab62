// What PyTorch's allocator takes and gives back: instants called "[memory]", with address, bytes
// (less than 0 where they are given back) and device, as lifetimes of buffers.

#ifndef OPSCOPE_FORMATS_CHROME_KINETO_MEMORY_H
#define OPSCOPE_FORMATS_CHROME_KINETO_MEMORY_H

#include "base/spool.h"
#include "events.h"
#include "profile/profile.h"

struct kineto_memory {
    struct spool spool; // of what was seen; SPOOL_EMPTY at first
    int64_t last;       // time of any event
};

// Any event of the trace; those of memory are kept, 40 bytes each, in a spool.
status kineto_memory_see(struct kineto_memory *memory, const struct chrome_event *event);

// Adds the lifetimes to the profile; times are moved by `base`.
status kineto_memory_finish(struct kineto_memory *memory, struct profile *profile, int64_t base);

#endif
