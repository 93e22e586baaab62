// BatchNormalization: with given statistics, or with those of the batch.

#ifndef OPSCOPE_KERNELS_ONNX_BATCH_NORMALIZATION_H
#define OPSCOPE_KERNELS_ONNX_BATCH_NORMALIZATION_H

#include "kernels/kernel.h"

status batch_normalization_run(struct kernel_call *call);

#endif
