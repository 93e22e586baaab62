// An input and an output of real numbers in the element that they are computed in:
// f64 for f64, f32 for all others.

#ifndef OPSCOPE_KERNELS_ONNX_REALS_H
#define OPSCOPE_KERNELS_ONNX_REALS_H

#include "kernels/core/widened.h"

struct reals {
    enum element element; // f32 or f64
    const void *x;
    void *y; // NULL: nothing reads it
    struct widened from;
    struct widened to;
};

// `y` may be NULL. `reals_close` frees also after a failure.
status reals_open(struct kernel_call *call, const struct tensor *x, struct tensor *y,
                  struct reals *out_reals);

// Rounds the output into its tensor.
void reals_finish(struct reals *reals, struct parallel *parallel);

void reals_close(struct reals *reals);

// A copy of a tensor as `element`, for the caller to free. NULL for NULL.
status reals_copy(const struct tensor *tensor, enum element element, void **out_data);

#endif
