// Pad: a tensor with a border around it, or with parts of it cut off.

#ifndef OPSCOPE_KERNELS_ONNX_PAD_H
#define OPSCOPE_KERNELS_ONNX_PAD_H

#include "kernels/kernel.h"
#include "network/onnx/movement.h"

// The border is the element at `value`.
void pad_constant(struct parallel *parallel, const struct tensor *input, struct tensor *output,
                  const struct padding *padding, const void *value);

// The whole operator.
status pad_run(struct kernel_call *call, struct tensor *output);

#endif
