// Kernels of the family in files of their own.

#ifndef OPSCOPE_KERNELS_ONNX_UNARY_H
#define OPSCOPE_KERNELS_ONNX_UNARY_H

#include "kernels/kernel.h"

status unary_clip(struct kernel_call *call);
status unary_crop(struct kernel_call *call);
status unary_image_scaler(struct kernel_call *call);

#endif
