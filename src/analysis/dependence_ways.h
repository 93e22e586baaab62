// The way to a memory that several lanes share: transfers begin one after the other, each when the
// way has carried what the one before it moves, and go on side by side at their own pace.
//
// Nobody says so in a profile: it is seen where many transfers begin, after the one that began
// before them, in proportion to what that one moves.

#ifndef OPSCOPE_ANALYSIS_DEPENDENCE_WAYS_H
#define OPSCOPE_ANALYSIS_DEPENDENCE_WAYS_H

#include "dependence.h"

// A transfer that began while the one that had begun last before it was under way.
struct way_step {
    uint32_t node;
    uint32_t edge;  // to that one, of kind DEPENDENCE_WAY
    uint64_t bytes; // that that one moves
};

// Finds the rate that most steps agree on, says of every node how long it holds the way, and makes
// edges of steps what nodes waited for last where that explains their start. Edges that contradict
// it, or all where steps agree on no rate, are dropped.
void ways_settle(struct dependence *dependence, const struct way_step *steps, size_t count);

#endif
