// The runs of a side of a comparison as one: its parts, found in each run by name, type and shape,
// in the order in which they first worked, and where each run has what was measured of them.

#ifndef OPSCOPE_ANALYSIS_COMPARISON_SIDES_H
#define OPSCOPE_ANALYSIS_COMPARISON_SIDES_H

#include "comparison.h"

// Takes the runs.
void compared_side_make(struct compared_side *side, struct work_run *runs, size_t count);
void compared_side_free(struct compared_side *side);

#endif
