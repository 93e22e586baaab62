// A window that slides over the spatial dimensions of a tensor: what kernel_shape,
// strides, dilations, pads, auto_pad and ceil_mode of ONNX's convolutions and
// poolings say.

#ifndef OPSCOPE_NETWORK_ONNX_WINDOW_H
#define OPSCOPE_NETWORK_ONNX_WINDOW_H

#include "network/attribute.h"

enum { WINDOW_SPATIAL_MOST = SHAPE_RANK_MOST - 2 };

// What depends on unknown lengths is SHAPE_UNKNOWN.
struct window {
    uint32_t spatial;
    int64_t input[WINDOW_SPATIAL_MOST];
    int64_t kernel[WINDOW_SPATIAL_MOST];
    int64_t stride[WINDOW_SPATIAL_MOST];
    int64_t dilation[WINDOW_SPATIAL_MOST];
    int64_t pad[WINDOW_SPATIAL_MOST];     // in front
    int64_t pad_end[WINDOW_SPATIAL_MOST]; // after
    int64_t output[WINDOW_SPATIAL_MOST];
};

// `input` and `kernel` hold `spatial` lengths each, of which some may be unknown.
// Fails for lists of the wrong length, for numbers that make no sense or are
// beyond 2^31, and for a window that does not fit the padded input.
status window_resolve(struct attributes attributes, uint32_t spatial, const int64_t *input,
                      const int64_t *kernel, struct window *out_window);

// The same for a transposed convolution, whose output is the larger side: `pad` is
// what is cut off in front of it and `pad_end` after (negative where output_padding
// or output_shape add to it). Fails for an output without elements.
status window_resolve_transposed(struct attributes attributes, uint32_t spatial,
                                 const int64_t *input, const int64_t *kernel,
                                 struct window *out_window);

#endif
