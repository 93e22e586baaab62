// Why a device rests: between the end of all that it did and the start of the next piece of work it
// waits for the host, which has not launched that yet, or for the work that was launched to begin.
// The launch of a piece of work is where the flow that ends in it starts; it counts from its
// beginning, where both are times of one clock: others are laid beside one another, nobody measured
// how.
//
// A gap belongs to the process of the device's lanes and to the step of the work that ends it. So
// the first one of a step may lie before all work of the step.
// Memory: 24 bytes a start of a flow and 40 a piece of work, in spools.

#ifndef OPSCOPE_ANALYSIS_LAUNCH_GAPS_H
#define OPSCOPE_ANALYSIS_LAUNCH_GAPS_H

#include "profile/profile.h"

// The gaps of a step of a process, in ns.
struct launch_gap {
    uint32_t scope;          // track id of the process; 0: of none
    uint64_t step;           // UINT64_MAX: of a call that is not known
    uint64_t gaps;           // how many
    uint64_t before;         // in which the work had not been launched
    uint64_t after;          // in which it had
    uint64_t other;          // of work whose launch is not known
    uint64_t lead, leads_to; // the first of them: how long it is, and when it ends
};

struct launch_gaps {
    struct launch_gap *items; // by scope and step
    size_t count;
};

// Lanes that wait, and those of which nobody said what they do, do no work. `*out_gaps` has nothing
// where no work has a launch.
status launch_gaps_measure(struct profile *profile, struct launch_gaps *out_gaps);

// All steps of a process together; false where nothing is known of it.
bool launch_gaps_of(const struct launch_gaps *gaps, uint32_t scope, struct launch_gap *out_gap);

// One step of it; false where there is none.
bool launch_gaps_of_step(const struct launch_gaps *gaps, uint32_t scope, uint64_t step,
                         struct launch_gap *out_gap);

void launch_gaps_free(struct launch_gaps *gaps);

#endif
