// Kernels that sample at the places of a grid, and that make grids.

#ifndef OPSCOPE_KERNELS_ONNX_GRIDDING_H
#define OPSCOPE_KERNELS_ONNX_GRIDDING_H

#include "kernels/kernel.h"

status gridding_sample(struct kernel_call *call);
status gridding_affine(struct kernel_call *call);

#endif
