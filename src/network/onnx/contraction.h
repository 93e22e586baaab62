// Shapes of matrix products and convolutions, of real and of integer numbers alike.

#ifndef OPSCOPE_NETWORK_ONNX_CONTRACTION_H
#define OPSCOPE_NETWORK_ONNX_CONTRACTION_H

#include "network/operators.h"
#include "window.h"

// numpy's matmul: a side of one dimension is a row or a column that vanishes,
// leading dimensions broadcast. Fails for scalars and for depths that differ.
status contraction_matmul(const struct shape *a, const struct shape *b, struct shape *out_shape);

// Multiply-accumulates of such a product, of known shapes.
uint64_t contraction_matmul_macs(const struct shape *a, const struct shape *out);

// A convolution of `x` (batch, channels, spatial...) with `weights` (filters,
// channels / group, kernel...) as the attributes say. Checks ranks, channels,
// groups and kernel_shape. `out_shape` has unknown dimensions where they follow
// from unknown ones.
status contraction_convolution(struct attributes attributes, const struct shape *x,
                               const struct shape *weights, struct shape *out_shape,
                               struct window *out_window);

// One for each output element and weight of its filter, in the padding too.
uint64_t contraction_convolution_macs(const struct shape *weights, const struct shape *out);

#endif
