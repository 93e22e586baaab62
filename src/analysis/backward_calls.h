// Which calls are of a backward pass, and what they are the backward of: calls that have the value
// `forward`, and all that these call.

#ifndef OPSCOPE_ANALYSIS_BACKWARD_CALLS_H
#define OPSCOPE_ANALYSIS_BACKWARD_CALLS_H

#include "profile/profile.h"

// By call: the call of the forward pass; 0: it is of no backward, or nobody said of which. NULL
// where no call is. Free it. Memory: 4 bytes a call.
uint32_t *backward_calls_find(const struct profile *profile);

#endif
