// How things were before values were laid out, for the case that a group turns out to run
// elsewhere than where it was placed: then values lie otherwise.

#ifndef OPSCOPE_COMPILER_UNLAID_H
#define OPSCOPE_COMPILER_UNLAID_H

#include "plan.h"

// Keeps groups and network as they are, in the plan.
void unlaid_keep(struct plan *plan);

// Where cutting took groups with values in tiles to an engine that needs rows: takes layouts and
// tiles back, with these groups on that engine, and returns true. Groups that have no engine any
// more are left: such a network cannot be compiled.
bool unlaid_return(struct plan *plan);

#endif
