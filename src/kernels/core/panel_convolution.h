// f32 convolutions of images with the channels last (NHWC), of one group and without
// dilation along the rows, as products with arranged weights (panels.h): a row of a window lies in
// a row of the image, so nothing is copied but what padding surrounds.
//
// Results do not depend on how an image is cut into rows.

#ifndef OPSCOPE_KERNELS_CORE_PANEL_CONVOLUTION_H
#define OPSCOPE_KERNELS_CORE_PANEL_CONVOLUTION_H

#include "base/blocks.h"
#include "convolution.h"

struct panel_convolution_plan {
    const struct convolution *convolution; // two spatial dimensions; strides do not count
    int64_t from, to;                      // output channels
    const float *weights; // of all output channels: outputs x inputs x kernel; not kept
    const float *scales;  // what the weights of each output channel are multiplied with; NULL: none
    const float *bias;    // of all output channels; NULL: none; not kept
    struct blocks *blocks; // for packed weights; must outlive it
    bool clips;
    float lowest, highest;
};

struct panel_convolution;

// Whether there is something quick for it.
bool panel_convolution_suits(const struct convolution *convolution);

// NULL when there is no memory.
struct panel_convolution *panel_convolution_create(const struct panel_convolution_plan *plan);
void panel_convolution_free(struct panel_convolution *convolution);

// Some rows of the output, and the rows of the input that they see, without the `before`
// and `after` of padding around these.
struct panel_convolution_rows {
    int64_t in, before, after;
    int64_t out;
};

// Bytes of room that they need.
size_t panel_convolution_room(const struct panel_convolution *convolution,
                              const struct panel_convolution_rows *rows);

// `made` gets the output channels of the plan, a pixel every `step` numbers.
void panel_convolution_run(const struct panel_convolution *convolution,
                           const struct panel_convolution_rows *rows, const float *source,
                           void *room, float *made, uint64_t step);

#endif
