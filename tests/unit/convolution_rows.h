// Rows of a convolution's output as its callers cut them.

#ifndef OPSCOPE_TESTS_CONVOLUTION_ROWS_H
#define OPSCOPE_TESTS_CONVOLUTION_ROWS_H

#include "kernels/core/panel_convolution.h"

// What rows [from, to) of the output see of the input, from its row `out_first` on.
static inline struct panel_convolution_rows rows_of(const struct convolution *c, int64_t from,
                                                    int64_t to, int64_t *out_first)
{
    const int64_t start = from * c->strides[0] - c->pads[0];
    const int64_t end =
        (to - 1) * c->strides[0] - c->pads[0] + (c->kernel[0] - 1) * c->dilations[0] + 1;
    const int64_t first = start > 0 ? start : 0;
    const int64_t last = end < c->input[0] ? end : c->input[0];
    *out_first = first;
    return (struct panel_convolution_rows){last - first, first - start, end - last, to - from};
}

#endif
