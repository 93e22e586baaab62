// Which lane of a track the next span goes to: the first that is free, or has an open span that the
// next one fits into. Spans come in order of their starts.
//
// A tree over the lanes, by the end of the innermost span that is open on each: finding one, and
// changing one, takes steps by the logarithm of their number. Memory: 32 bytes a lane.

#ifndef OPSCOPE_FORMATS_TRACE_LANE_SEARCH_H
#define OPSCOPE_FORMATS_TRACE_LANE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All zero has no lanes.
struct lane_search {
    struct lane_ends {
        uint64_t least;
        uint64_t most;
    } * nodes;     // [1] is the root, [leaves + i] lane i
    size_t leaves; // a power of two
};

// A lane's innermost span ends at `end`; 0: none is open. `full`: nothing more fits into it.
void lane_search_set(struct lane_search *search, size_t lane, uint64_t end, bool full);

// The first lane from `from` on, of `count`, whose innermost span ends at `start` or before, or,
// where they nest, at `end` or after and is not full; `count` when there is none.
size_t lane_search_next(const struct lane_search *search, size_t from, size_t count, bool nests,
                        uint64_t start, uint64_t end);

void lane_search_free(struct lane_search *search);

#endif
