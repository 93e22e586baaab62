#ifndef OPSCOPE_KERNELS_ONNX_TRAINING_H
#define OPSCOPE_KERNELS_ONNX_TRAINING_H

#include "kernels/kernel.h"

// Gradient: goes back from y through the operators that made it.
status training_gradient(struct kernel_call *call);

#endif
