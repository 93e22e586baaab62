// Which row of its track an operation stands in. Threads of a group work side by side, and
// transfers are under way together: viewers drop what overlaps on a track, so that it stands on
// further ones.

#ifndef OPSCOPE_REPORTS_QAIC_OPSTATS_LANES_H
#define OPSCOPE_REPORTS_QAIC_OPSTATS_LANES_H

#include "opstats.h"

enum { OPSTATS_LANES_MOST = 250 }; // of a track; beyond, operations overlap

struct opstats_lanes {
    uint8_t *lane;   // by operation: from 0
    uint8_t *counts; // by core and place: how many lanes it has
    uint32_t places; // of a core: groups, or threads
};

// `merged`: a place is a group of threads, else a thread. Memory: a byte an operation, and 16 while
// they are sorted, where the buffer does not have them in order.
void opstats_lanes_find(const struct opstats *opstats, bool merged,
                        struct opstats_lanes *out_lanes);
void opstats_lanes_free(struct opstats_lanes *lanes);

#endif
