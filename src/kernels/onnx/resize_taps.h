// Which elements along one axis a resized element is made of.

#ifndef OPSCOPE_KERNELS_ONNX_RESIZE_TAPS_H
#define OPSCOPE_KERNELS_ONNX_RESIZE_TAPS_H

#include "network/onnx/resize.h"
#include "network/tensor.h"

// For each of `count` places `width` taps: an index into the axis and its weight.
// A place outside of the region has the index RESIZE_OUTSIDE at its first tap.
struct resize_taps {
    int64_t count, width;
    bool identity;           // place i is element i
    bool outside;            // some place is
    const int64_t *indices;  // count x width
    const double *weights;   // the same; NULL for nearest
    struct datum *memory[2]; // what they lie in
};

#define RESIZE_OUTSIDE INT64_C(-1)

// `length` of the input is not 0. Fails when there is no memory.
status resize_taps_make(const struct resize *resize, uint32_t axis, int64_t length, int64_t count,
                        struct resize_taps *out_taps);
void resize_taps_free(struct resize_taps *taps);

#endif
