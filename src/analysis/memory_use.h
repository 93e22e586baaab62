// How full a memory was over time, from the lifetimes of its buffers, as points that a picture has
// room for: in each of equal stretches of time the most that was in use.

#ifndef OPSCOPE_ANALYSIS_MEMORY_USE_H
#define OPSCOPE_ANALYSIS_MEMORY_USE_H

#include "profile/profile.h"

struct memory_use {
    uint32_t memory;       // string id
    uint32_t device, core; // number + 1; 0: not said, or of none
    uint64_t from, to;     // ns, of all points
    uint64_t *most;        // bytes, by stretch
    size_t count;
};

// Of the unit with this name, device and core; all of it where it has buffers, else no points.
// Memory: 16 bytes for each end of a buffer.
void memory_use_find(const struct profile *profile, uint32_t memory, uint32_t device, uint32_t core,
                     size_t points, struct memory_use *out_use);
void memory_use_free(struct memory_use *use);

#endif
