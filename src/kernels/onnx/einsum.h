// Einsum: operand after operand, by products of matrices.

#ifndef OPSCOPE_KERNELS_ONNX_EINSUM_H
#define OPSCOPE_KERNELS_ONNX_EINSUM_H

#include "kernels/kernel.h"

status einsum_run(struct kernel_call *call);

#endif
