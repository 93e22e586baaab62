// f16, bf16 and f8 computed in f32: whole tensors widened before, and rounded once after.

#ifndef OPSCOPE_KERNELS_CORE_WIDENED_H
#define OPSCOPE_KERNELS_CORE_WIDENED_H

#include "kernels/kernel.h"

// A tensor as f32. All zero stands for a tensor that is not there.
struct widened {
    float *data;
    bool owned; // a copy, to be freed
    const struct tensor *tensor;
};

// The numbers of `tensor` (f32 or narrower; NULL: none). An f32 tensor is taken as it lies.
status widened_input(const struct tensor *tensor, struct parallel *parallel,
                     struct widened *out_widened);

// Room for numbers that `widened_finish` rounds into `tensor`.
status widened_output(const struct tensor *tensor, struct widened *out_widened);

// Rounds into the tensor, and frees.
void widened_finish(struct widened *widened, struct parallel *parallel);

void widened_free(struct widened *widened);

#endif
