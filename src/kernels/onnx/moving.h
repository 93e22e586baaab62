// What the kernels that move elements share.

#ifndef OPSCOPE_KERNELS_ONNX_MOVING_H
#define OPSCOPE_KERNELS_ONNX_MOVING_H

#include "kernels/core/copy.h"
#include "kernels/kernel.h"
#include "network/onnx/lists.h"

// A list of integers of the call: its input `index`, else the attribute.
status moving_list(const struct kernel_call *call, const char *attribute, uint32_t index,
                   struct list *out_list);

// The tensor as `infer` sees known values.
static inline struct constant moving_constant(const struct tensor *tensor)
{
    return (struct constant){.tensor = *tensor, .bytes = tensor_bytes(tensor)};
}

// Fails unless the output, which may have been planned from what a file declares,
// has the shape that the elements of the inputs ask for.
status moving_check(const struct tensor *output, const struct shape *shape);

// Makes the texts of output `index`, which are those of inputs, its own. Nothing
// to do for other elements.
void moving_own_texts(struct kernel_call *call, uint32_t index);

// Copies an input of the output's size as it lies.
void moving_give_all(struct kernel_call *call, uint32_t input, uint32_t output);

// Repeats the input along the dimensions that the output has more of (numpy's
// broadcasting).
void moving_expand(struct parallel *parallel, const struct tensor *input, struct tensor *output);

// `axis` where it counts from the end; infer has checked it.
static inline uint32_t moving_axis(int64_t axis, uint32_t rank)
{
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

#endif
