// The tables of kernels, one for each family of operators.

#ifndef OPSCOPE_KERNELS_KERNEL_TABLES_H
#define OPSCOPE_KERNELS_KERNEL_TABLES_H

#include "kernel.h"

extern const struct kernel_table ONNX_UNARY_KERNELS;
extern const struct kernel_table ONNX_BINARY_KERNELS;
extern const struct kernel_table ONNX_CAST_KERNELS;
extern const struct kernel_table ONNX_REDUCE_KERNELS;
extern const struct kernel_table ONNX_SOFTMAX_KERNELS;
extern const struct kernel_table ONNX_RANDOM_KERNELS;
extern const struct kernel_table ONNX_SHAPE_KERNELS;
extern const struct kernel_table ONNX_MOVEMENT_KERNELS;
extern const struct kernel_table ONNX_GATHER_KERNELS;
extern const struct kernel_table ONNX_RESIZE_KERNELS;
extern const struct kernel_table ONNX_SEQUENCE_KERNELS;
extern const struct kernel_table ONNX_TEXT_KERNELS;
extern const struct kernel_table ONNX_CONVOLUTION_KERNELS;
extern const struct kernel_table ONNX_POOLING_KERNELS;
extern const struct kernel_table ONNX_MATMUL_KERNELS;
extern const struct kernel_table ONNX_NORMALIZATION_KERNELS;
extern const struct kernel_table ONNX_RECURRENT_KERNELS;
extern const struct kernel_table ONNX_QUANTIZE_KERNELS;
extern const struct kernel_table ONNX_SIGNAL_KERNELS;
extern const struct kernel_table ONNX_TRAINING_KERNELS;
extern const struct kernel_table ONNX_VISION_KERNELS;
extern const struct kernel_table ONNX_CONTROL_KERNELS;
extern const struct kernel_table TOSA_ELEMENTWISE_KERNELS;
extern const struct kernel_table TOSA_COMPUTE_KERNELS;
extern const struct kernel_table TOSA_POOLING_KERNELS;
extern const struct kernel_table TOSA_FOURIER_KERNELS;
extern const struct kernel_table TOSA_REDUCE_KERNELS;
extern const struct kernel_table TOSA_MOVEMENT_KERNELS;
extern const struct kernel_table TOSA_RESIZE_KERNELS;
extern const struct kernel_table TOSA_SCALE_KERNELS;
extern const struct kernel_table TOSA_CONTROL_KERNELS;
extern const struct kernel_table LAYOUT_KERNELS;

// All of them, in this order.
#define KERNEL_TABLES                                                                              \
    &ONNX_UNARY_KERNELS, &ONNX_BINARY_KERNELS, &ONNX_CAST_KERNELS, &ONNX_REDUCE_KERNELS,           \
        &ONNX_SOFTMAX_KERNELS, &ONNX_RANDOM_KERNELS, &ONNX_SHAPE_KERNELS, &ONNX_MOVEMENT_KERNELS,  \
        &ONNX_GATHER_KERNELS, &ONNX_RESIZE_KERNELS, &ONNX_SEQUENCE_KERNELS, &ONNX_TEXT_KERNELS,    \
        &ONNX_CONVOLUTION_KERNELS, &ONNX_POOLING_KERNELS, &ONNX_MATMUL_KERNELS,                    \
        &ONNX_NORMALIZATION_KERNELS, &ONNX_RECURRENT_KERNELS, &ONNX_QUANTIZE_KERNELS,              \
        &ONNX_SIGNAL_KERNELS, &ONNX_TRAINING_KERNELS, &ONNX_VISION_KERNELS, &ONNX_CONTROL_KERNELS, \
        &TOSA_ELEMENTWISE_KERNELS, &TOSA_COMPUTE_KERNELS, &TOSA_POOLING_KERNELS,                   \
        &TOSA_FOURIER_KERNELS, &TOSA_REDUCE_KERNELS, &TOSA_MOVEMENT_KERNELS, &TOSA_RESIZE_KERNELS, \
        &TOSA_SCALE_KERNELS, &TOSA_CONTROL_KERNELS, &LAYOUT_KERNELS

#endif
