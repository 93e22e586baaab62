// The lines of a tensor along one axis, for what is computed line by line: searches,
// running sums, softmax.

#ifndef OPSCOPE_KERNELS_CORE_AXIS_H
#define OPSCOPE_KERNELS_CORE_AXIS_H

#include "kernels/parallel.h"
#include "network/shape.h"

struct axis {
    uint64_t length; // of a line, in elements
    uint64_t inner;  // distance between neighbours on a line, and lines side by side
    uint64_t lines;
};

struct axis axis_of(const struct shape *shape, uint32_t dimension);

// Computes `count` lines that lie side by side: element k of line i is element
// base + k * inner + i of the tensor. Lines are numbered row-major over the other
// dimensions, these from `first` on.
typedef void (*axis_lines)(void *context, uint64_t base, uint64_t first, uint64_t count,
                           void *scratch);

// Calls `lines` for all of them in parallel, at most `most` at a time, each worker with
// `scratch` bytes of its own. Does nothing when there are no lines.
void axis_for(struct parallel *parallel, const struct axis *axis, uint64_t most, size_t scratch,
              axis_lines lines, void *context);

#endif
