// A convolution of bytes that are scaled to reals with weights that are bytes times a scale, as
// quantized networks have them, in whole numbers: sum(scale (x - zero) w) is scale sum((x - zero)
// w). The sum is exact, so the result is the nearest to the true one, whatever the machine.

#ifndef OPSCOPE_KERNELS_CORE_BYTE_CONVOLUTION_H
#define OPSCOPE_KERNELS_CORE_BYTE_CONVOLUTION_H

#include "fused_convolution.h"
#include "panel_convolution.h"

// The image, and how it is given to panels.
struct byte_image {
    enum element element; // u8, i8
    int32_t zero;         // its number that stands for 0
    enum byte_form form;
};

struct byte_convolution {
    struct byte_image image;
    int8_t *weights; // NULL: there is none
    float *scales;   // by output channel
};

// Without weights when the plan is of another kind.
struct byte_convolution byte_convolution_find(const struct fused_convolution_plan *plan);
void byte_convolution_free(struct byte_convolution *bytes);

// The byte that stands for 0 in the form that the panels take.
uint8_t byte_image_zero(const struct byte_image *image);

// Bytes of room for `count` numbers of the image in that form; 0: they are so as they lie.
uint64_t byte_image_room(const struct byte_image *image, uint64_t count);

// The numbers [first, first + count) in that form: in `room`, or where they lie.
const void *byte_image_take(const struct byte_image *image, const void *source, uint64_t first,
                            uint64_t count, void *room);

#endif
