// What stays inside one task, or is made when it runs.

#ifndef OPSCOPE_PROGRAM_VERIFY_INSIDE_H
#define OPSCOPE_PROGRAM_VERIFY_INSIDE_H

#include "verify_state.h"

// Pipelines, and dynamic buffers that are no operands, are of one task. What is made when it
// runs and graphs are left to the host, or to a processor that does one task after the other.
status verify_inside(const struct verify_state *state);

#endif
