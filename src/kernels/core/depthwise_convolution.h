// Convolutions of images with the channels last (NHWC) that compute each channel from itself alone:
// some pixels of a row by a vector of channels, whose sums stay in registers from tap to tap.
//
// Every result is the sum over the taps in their order, without those in the padding, so it depends
// neither on how an image is cut into rows nor on how long vectors are.

#ifndef OPSCOPE_KERNELS_CORE_DEPTHWISE_CONVOLUTION_H
#define OPSCOPE_KERNELS_CORE_DEPTHWISE_CONVOLUTION_H

#include "base/blocks.h"
#include "byte_results.h"
#include "panel_convolution.h"

struct depthwise_convolution_plan {
    const struct convolution *convolution;
    const loose_float *weights; // groups x kernel; not kept
    const float *scales;        // what those of each channel are multiplied with; NULL: none
    const loose_float *bias;    // NULL: none; not kept
    struct blocks *blocks;      // for packed weights; must outlive it
    bool clips;
    float lowest, highest;
    const struct byte_result *to_bytes; // results are made bytes, after the clip; NULL: reals
};

struct depthwise_convolution;

// Whether there is something quick for it.
bool depthwise_convolution_suits(const struct convolution *convolution);

// NULL when there is no memory.
struct depthwise_convolution *
depthwise_convolution_create(const struct depthwise_convolution_plan *plan);
void depthwise_convolution_free(struct depthwise_convolution *convolution);

// Bytes of room that it needs.
size_t depthwise_convolution_room(const struct depthwise_convolution *convolution);

// Rows of the output from those of the input that they see; pixels lie dense on both sides.
void depthwise_convolution_run(const struct depthwise_convolution *convolution,
                               const struct panel_convolution_rows *rows, const float *source,
                               void *room, void *made);

#endif
