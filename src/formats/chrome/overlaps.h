// Whether the spans of a lane lie inside or beside one another, as calls do. Those that cut into
// another are counted: they cannot both be true.

#ifndef OPSCOPE_FORMATS_CHROME_OVERLAPS_H
#define OPSCOPE_FORMATS_CHROME_OVERLAPS_H

#include "profile/profile.h"

// All zero is fresh. Memory: the spans that are open at once.
struct chrome_overlaps {
    uint64_t *ends; // of the spans around the latest one, outermost first
    size_t depth;
    size_t capacity;
    uint64_t last_start;
    uint64_t last_end;
    bool unsorted; // spans do not come in order of start, longest first: look again
    uint64_t count;
};

void chrome_overlaps_add(struct chrome_overlaps *overlaps, uint64_t start, uint64_t end);

// Looks at the kept spans of a track, in order.
status chrome_overlaps_look_again(struct chrome_overlaps *overlaps, struct profile *profile,
                                  uint32_t track);

void chrome_overlaps_free(struct chrome_overlaps *overlaps);

#endif
