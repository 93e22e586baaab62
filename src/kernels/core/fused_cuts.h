// Into which pieces a convolution is cut: by its shapes alone, whatever the threads are.

#ifndef OPSCOPE_KERNELS_CORE_FUSED_CUTS_H
#define OPSCOPE_KERNELS_CORE_FUSED_CUTS_H

#include "convolution.h"

// Whether all lengths are such that its pieces can be counted, and each row of the output sees some
// row of the input.
bool fused_cuts_suit(const struct convolution *c);

// Rows or columns from the first to the last that a window sees.
int64_t fused_cuts_reach(const struct convolution *c, uint32_t axis);

// Parts that rows of an image and output channels of a group are cut into, as even as can be, the
// larger ones first. Where there are more than one, their number is even if that is possible, so
// that two threads end at the same time.
struct fused_cuts {
    int64_t row_parts, channel_parts;
    int64_t channel_unit; // channels that stay together
};
struct fused_cuts fused_cuts_choose(const struct convolution *c);

// Where a part begins; the last one ends where the part after it would begin.
int64_t fused_cuts_row(const struct convolution *c, const struct fused_cuts *cuts, int64_t part);
int64_t fused_cuts_channel(const struct convolution *c, const struct fused_cuts *cuts,
                           int64_t part);

static inline int64_t divide_up(int64_t count, int64_t parts)
{
    return (count + parts - 1) / parts;
}

#endif
