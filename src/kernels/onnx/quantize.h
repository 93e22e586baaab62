// What the quantized operators share.

#ifndef OPSCOPE_KERNELS_ONNX_QUANTIZE_H
#define OPSCOPE_KERNELS_ONNX_QUANTIZE_H

#include "kernels/kernel.h"

status quantize_convolution_integer(struct kernel_call *call);
status quantize_qlinear_convolution(struct kernel_call *call);
status quantize_matmul_integer(struct kernel_call *call);
status quantize_qlinear_matmul(struct kernel_call *call);

// `value` rounded to the nearest integer, ties to even, and clamped; NaN gives `lowest`.
static inline float quantize_round(float value, float lowest, float highest)
{
    value = value > lowest ? value : lowest;
    value = value < highest ? value : highest;
    return __builtin_rintf(value);
}

#endif
