// What a performance engineer would want to know of a compiled network: where its
// modelled time is lost, and by how much.

#ifndef OPSCOPE_COMPILER_WARNINGS_H
#define OPSCOPE_COMPILER_WARNINGS_H

#include "device/sim.h"
#include "plan.h"

// Fills `plan->warnings`, kind by kind, what costs most first. Left out is what
// takes less than a hundredth of the whole time. A text does not name its group.
//
// - host: work that no engine of the accelerator does
// - idle: engines that wait for others, or have nothing to do
// - spill: values that leave the local memory and come back for the next group
//   although they would have fitted
// - small-tiles: work too small for the width of an engine, or transfers that take
//   longer to set up than to do
// - unaligned: transfers in runs shorter than a burst
void warnings_find(struct plan *plan, const struct program *program,
                   const struct sim_result *result);

#endif
