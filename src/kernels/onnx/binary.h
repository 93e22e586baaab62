// Kernels of the family in files of their own.

#ifndef OPSCOPE_KERNELS_ONNX_BINARY_H
#define OPSCOPE_KERNELS_ONNX_BINARY_H

#include "kernels/kernel.h"

status binary_max(struct kernel_call *call);
status binary_mean(struct kernel_call *call);
status binary_min(struct kernel_call *call);
status binary_pow(struct kernel_call *call);
status binary_sum(struct kernel_call *call);
status binary_where(struct kernel_call *call);

#endif
