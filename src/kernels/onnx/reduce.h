// Kernels of the family in files of their own.

#ifndef OPSCOPE_KERNELS_ONNX_REDUCE_H
#define OPSCOPE_KERNELS_ONNX_REDUCE_H

#include "kernels/kernel.h"

status reduce_arg_max(struct kernel_call *call);
status reduce_arg_min(struct kernel_call *call);
status reduce_cumulative(struct kernel_call *call);

#endif
