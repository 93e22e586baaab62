// The lanes that a Torq file's events go to, each made when it is first used.

#ifndef OPSCOPE_FORMATS_TORQ_LANES_H
#define OPSCOPE_FORMATS_TORQ_LANES_H

#include "base/hash.h"
#include "engines.h"

// A file with more event types than this is not a Torq file of any version:
// the rest of them share one lane, "OTHER".
enum { LANES_MOST = 4096 };

// All zero with `profile` and `like` set is an empty set.
struct lanes {
    struct profile *profile;
    struct track like; // what all lanes have in common
    struct hash_index index;
    uint32_t count;
};

// Order of the lanes of one process. Slice n comes at LANES_SLICE + n.
enum lanes_rank {
    LANES_DMA_IN,
    LANES_DMA_OUT,
    LANES_SLICE,
    LANES_CDMA = 1 << 20,
    LANES_CSS,
    LANES_HOST,
    LANES_OTHER, // and on, as they come
};

// The track id of the lane with this name. The engine, its index and the rank
// are those of a new lane; `rank` LANES_OTHER stands for the next free one.
uint32_t lanes_named(struct lanes *lanes, struct view name, const struct torq_engine *engine,
                     uint32_t index, int32_t rank);

void lanes_free(struct lanes *lanes);

#endif
