// Goes over the time of a scope from edge to edge, and adds up how long each set of parts, each
// lane and each group of lanes was busy.

#ifndef OPSCOPE_ANALYSIS_SWEEP_H
#define OPSCOPE_ANALYSIS_SWEEP_H

#include "busy.h"

enum { SWEEP_PARTS_MOST = 12 };

struct sweep_lane {
    const struct busy *busy; // finished
    unsigned part;           // below SWEEP_PARTS_MOST
    size_t group;
    uint64_t total; // what the sweep adds to
};

struct sweep_input {
    struct interval range;
    struct sweep_lane *lanes;
    size_t lane_count;
    uint64_t *group_totals; // what the sweep adds to
    size_t group_count;
    uint64_t *times; // the same, by set of parts: 1 << SWEEP_PARTS_MOST
};

void sweep_lanes(const struct sweep_input *input);

#endif
