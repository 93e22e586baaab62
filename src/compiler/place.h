// Which engine does what.

#ifndef OPSCOPE_COMPILER_PLACE_H
#define OPSCOPE_COMPILER_PLACE_H

#include "plan.h"

// The first engine of the target's file that takes a group, whose inputs and outputs are known;
// their number: none does.
uint32_t place_find(const struct plan *plan, const struct plan_group *group);

// Puts a group, whose inputs and outputs are known, on it, or on the host.
void place_group(struct plan *plan, struct plan_group *group);

#endif
