// Reductions over some dimensions of a tensor.
//
// Floats are accumulated in f64 and rounded once at the end; integers are exact
// modulo 2^64 and keep the low bits of their type. The order of additions is fixed:
// along the innermost run of reduced elements, element k goes to lane k mod 256; the
// lanes go through all runs in turn and are then combined in pairs, the upper half
// onto the lower one, until one is left. Every result is computed by one worker, so
// nothing depends on the number of threads.

#ifndef OPSCOPE_KERNELS_CORE_REDUCE_H
#define OPSCOPE_KERNELS_CORE_REDUCE_H

#include "kernels/parallel.h"
#include "network/tensor.h"

enum reduce_kind {
    REDUCE_SUM,
    REDUCE_MEAN,
    REDUCE_MAX, // NaN wins; of bools: any
    REDUCE_MIN, // NaN wins; of bools: all
    REDUCE_PRODUCT,
    REDUCE_L1,
    REDUCE_L2,
    REDUCE_LOG_SUM,
    REDUCE_LOG_SUM_EXP,
    REDUCE_SUM_SQUARE,
};

// `axes[d]` says whether dimension d goes; `out` has as many elements as the others
// make, and the element of `in`. Nothing reduced gives 0, 1 for a product, the
// lowest and highest number for maximum and minimum (infinities for floats), the
// logarithm of 0, and 0/0 for the mean (0 for integers).
void reduce_run(struct parallel *parallel, const struct tensor *in, const bool *axes,
                enum reduce_kind kind, const struct tensor *out);

#endif
