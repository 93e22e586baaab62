// When all would end if pieces took another time: every piece of a profile (dependence.h) is put
// down again, as early as what it waits for lets it, in the same order on each lane.
//
// The gap between a piece and what it waited for last stays as long as it was after that one:
// launching and waking up take their time. What it did not wait for last lets it go without a gap,
// a launch after the least that was seen from a launch to a start.

#ifndef OPSCOPE_ANALYSIS_RESCHEDULE_H
#define OPSCOPE_ANALYSIS_RESCHEDULE_H

#include "dependence.h"

struct reschedule_rules {
    // How long a node takes now, ns; NULL: as long as it did.
    uint64_t (*lasts)(const void *context, uint32_t node);
    // How long it holds a way that it shares, ns; NULL: as long as it did.
    uint64_t (*carries)(const void *context, uint32_t node);
    const void *context;
    bool no_gaps;
    bool no_assumed;     // only what the profile says
    bool overlap_copies; // copies are on lanes of their own, and wait for nothing that is assumed
};

// The time from the first start to the last end, ns. Memory: 16 bytes a node in a temporary file,
// 32 a track.
status reschedule(const struct dependence *dependence, const struct reschedule_rules *rules,
                  uint64_t *out_length);

#endif
