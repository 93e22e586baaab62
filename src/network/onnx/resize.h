// What Resize and Upsample are asked for: for those who infer shapes and those
// who sample.

#ifndef OPSCOPE_NETWORK_ONNX_RESIZE_H
#define OPSCOPE_NETWORK_ONNX_RESIZE_H

#include "lists.h"

enum resize_mode {
    RESIZE_NEAREST,
    RESIZE_LINEAR,
    RESIZE_CUBIC,
};

enum resize_coordinates {
    RESIZE_HALF_PIXEL,
    RESIZE_HALF_PIXEL_SYMMETRIC,
    RESIZE_PYTORCH_HALF_PIXEL,
    RESIZE_ALIGN_CORNERS,
    RESIZE_ASYMMETRIC,
    RESIZE_TF_HALF_PIXEL_FOR_NN,
    RESIZE_TF_CROP_AND_RESIZE,
};

enum resize_nearest {
    RESIZE_ROUND_PREFER_FLOOR,
    RESIZE_ROUND_PREFER_CEIL,
    RESIZE_FLOOR,
    RESIZE_CEIL,
};

struct resize_axis {
    double scale;
    double from, to;   // scale is to / from, each exact: lengths where they are given
    double length;     // of the output, before it was rounded down
    double start, end; // of the region, in parts of the input
};

struct resize {
    enum resize_mode mode;
    enum resize_coordinates coordinates;
    enum resize_nearest nearest;
    bool antialias;
    bool exclude_outside;
    double cubic; // coefficient a
    double extrapolation;
    struct resize_axis axes[SHAPE_RANK_MOST];
};

// The inputs that are there; a list without items counts as absent.
struct resize_inputs {
    const struct constant *region;
    const struct constant *scales;
    const struct constant *sizes;
};

// Which inputs a node has: places of the region, the scales and the sizes, or -1.
struct resize_places {
    int region, scales, sizes;
};
struct resize_places resize_places(const struct network_node *node);

// Reads the attributes alone.
status resize_attributes(const struct network_node *node, struct resize *out_resize);

// The same, the axes, and the shape of the output. `input` is known.
status resize_plan(const struct network_node *node, const struct resize_inputs *inputs,
                   const struct shape *input, struct resize *out_resize, struct shape *out_shape);

#endif
