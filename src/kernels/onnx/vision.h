// Kernels of the family that have files of their own.

#ifndef OPSCOPE_KERNELS_ONNX_VISION_H
#define OPSCOPE_KERNELS_ONNX_VISION_H

#include "kernels/kernel.h"

status vision_roi_align(struct kernel_call *call);
status vision_max_roi_pool(struct kernel_call *call);
status vision_image_decoder(struct kernel_call *call);

#endif
