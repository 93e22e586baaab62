// Into which pieces a convolution is cut: by its shapes alone, whatever the threads are.

#ifndef OPSCOPE_KERNELS_CORE_FUSED_CUTS_H
#define OPSCOPE_KERNELS_CORE_FUSED_CUTS_H

#include "convolution.h"

// Whether all lengths are such that its pieces can be counted, and each row of the output sees some
// row of the input.
bool fused_cuts_suit(const struct convolution *c);

// Rows or columns from the first to the last that a window sees.
int64_t fused_cuts_reach(const struct convolution *c, uint32_t axis);

// What a piece has at most.
struct fused_cuts {
    int64_t rows, channels;
};
struct fused_cuts fused_cuts_choose(const struct convolution *c);

static inline int64_t divide_up(int64_t count, int64_t parts)
{
    return (count + parts - 1) / parts;
}

#endif
