// DeformConv: a convolution whose taps are moved by offsets from another tensor.

#ifndef OPSCOPE_KERNELS_ONNX_DEFORM_CONVOLUTION_H
#define OPSCOPE_KERNELS_ONNX_DEFORM_CONVOLUTION_H

#include "kernels/kernel.h"

status deform_convolution_run(struct kernel_call *call);

#endif
