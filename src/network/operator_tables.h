// The tables of operators, one for each family.

#ifndef OPSCOPE_NETWORK_OPERATOR_TABLES_H
#define OPSCOPE_NETWORK_OPERATOR_TABLES_H

#include "operators.h"

extern const struct operator_table ONNX_UNARY_OPERATORS;
extern const struct operator_table ONNX_BINARY_OPERATORS;
extern const struct operator_table ONNX_CAST_OPERATORS;
extern const struct operator_table ONNX_REDUCE_OPERATORS;
extern const struct operator_table ONNX_SOFTMAX_OPERATORS;
extern const struct operator_table ONNX_RANDOM_OPERATORS;
extern const struct operator_table ONNX_SHAPE_OPERATORS;
extern const struct operator_table ONNX_MOVEMENT_OPERATORS;
extern const struct operator_table ONNX_GATHER_OPERATORS;
extern const struct operator_table ONNX_RESIZE_OPERATORS;
extern const struct operator_table ONNX_SEQUENCE_OPERATORS;
extern const struct operator_table ONNX_TEXT_OPERATORS;
extern const struct operator_table ONNX_CONVOLUTION_OPERATORS;
extern const struct operator_table ONNX_POOLING_OPERATORS;
extern const struct operator_table ONNX_MATMUL_OPERATORS;
extern const struct operator_table ONNX_NORMALIZATION_OPERATORS;
extern const struct operator_table ONNX_RECURRENT_OPERATORS;
extern const struct operator_table ONNX_QUANTIZE_OPERATORS;
extern const struct operator_table ONNX_SIGNAL_OPERATORS;
extern const struct operator_table ONNX_TRAINING_OPERATORS;
extern const struct operator_table ONNX_VISION_OPERATORS;
extern const struct operator_table ONNX_CONTROL_OPERATORS;
extern const struct operator_table TOSA_ELEMENTWISE_OPERATORS;
extern const struct operator_table TOSA_COMPUTE_OPERATORS;
extern const struct operator_table TOSA_REDUCE_OPERATORS;
extern const struct operator_table TOSA_MOVEMENT_OPERATORS;
extern const struct operator_table TOSA_SCALE_OPERATORS;
extern const struct operator_table TOSA_CONTROL_OPERATORS;
extern const struct operator_table LAYOUT_OPERATORS;

// All of them, in this order.
#define OPERATOR_TABLES                                                                            \
    &ONNX_UNARY_OPERATORS, &ONNX_BINARY_OPERATORS, &ONNX_CAST_OPERATORS, &ONNX_REDUCE_OPERATORS,   \
        &ONNX_SOFTMAX_OPERATORS, &ONNX_RANDOM_OPERATORS, &ONNX_SHAPE_OPERATORS,                    \
        &ONNX_MOVEMENT_OPERATORS, &ONNX_GATHER_OPERATORS, &ONNX_RESIZE_OPERATORS,                  \
        &ONNX_SEQUENCE_OPERATORS, &ONNX_TEXT_OPERATORS, &ONNX_CONVOLUTION_OPERATORS,               \
        &ONNX_POOLING_OPERATORS, &ONNX_MATMUL_OPERATORS, &ONNX_NORMALIZATION_OPERATORS,            \
        &ONNX_RECURRENT_OPERATORS, &ONNX_QUANTIZE_OPERATORS, &ONNX_SIGNAL_OPERATORS,               \
        &ONNX_TRAINING_OPERATORS, &ONNX_VISION_OPERATORS, &ONNX_CONTROL_OPERATORS,                 \
        &TOSA_ELEMENTWISE_OPERATORS, &TOSA_COMPUTE_OPERATORS, &TOSA_REDUCE_OPERATORS,              \
        &TOSA_MOVEMENT_OPERATORS, &TOSA_SCALE_OPERATORS, &TOSA_CONTROL_OPERATORS,                  \
        &LAYOUT_OPERATORS

#endif
