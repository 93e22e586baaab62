// Parts of operators that need all of a line: reductions, softmax, normalizations; and of what
// puts lines together.

#ifndef OPSCOPE_COMPILER_REGION_LINES_H
#define OPSCOPE_COMPILER_REGION_LINES_H

#include "region.h"

// All of the first input along an axis, which has length 1 in the output, or is gone from it.
bool region_lines_find_along(const struct region_request *request, struct region_answer *answer);
bool region_lines_find_without(const struct region_request *request, struct region_answer *answer);

// All inputs along the axis that they are put together along.
bool region_lines_find_concat(const struct region_request *request, struct region_answer *answer);

uint32_t region_lines_axes_but_one(const struct network *network, const struct network_node *node,
                                   uint32_t axes[SHAPE_RANK_MOST]);

// The same places of the first input, and all of the others.
bool region_lines_find(const struct region_request *request, struct region_answer *answer);

// The same places of the first input, and of the others what goes with its channels.
bool region_lines_find_channels(const struct region_request *request, struct region_answer *answer);

// All dimensions but that of the line.
uint32_t region_lines_axes(const struct network *network, const struct network_node *node,
                           uint32_t axes[SHAPE_RANK_MOST]);

// All dimensions of an operator that gives no more than its result.
uint32_t region_lines_axes_channels(const struct network *network, const struct network_node *node,
                                    uint32_t axes[SHAPE_RANK_MOST]);

#endif
