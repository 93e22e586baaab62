// Numbers of convolutions and pools, read once from attributes that `infer` has
// checked. Spatial dimensions are depth, height and width; a two-dimensional
// operator has depth 1.

#ifndef OPSCOPE_NETWORK_TOSA_CONVOLUTION_H
#define OPSCOPE_NETWORK_TOSA_CONVOLUTION_H

#include "network/attribute.h"

struct tosa_window {
    int64_t kernel[3];
    int64_t stride[3];
    int64_t dilation[3];
    int64_t before[3]; // padding
    int64_t after[3];
};

// `dimensions` is 2 or 3. The kernel is not filled unless there is an attribute of
// that name (pools).
void tosa_window_read(struct attributes attributes, uint32_t dimensions,
                      struct tosa_window *out_window);

#endif
