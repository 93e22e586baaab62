// Products with an f32 matrix that is arranged first, in panels of PANELS_WIDTH rows:
// once for weights, which stay the same.
//
// Every result is the sum over the depth in its order, so it does not depend on how
// many vectors are multiplied together. Uses the vectors that isa.h says.

#ifndef OPSCOPE_KERNELS_CORE_PANELS_H
#define OPSCOPE_KERNELS_CORE_PANELS_H

#include <stdbool.h>
#include <stdint.h>

#include "loose.h"
#include "scratch_pool.h"

enum { PANELS_WIDTH = 16, PANELS_PACK_ROOM = 2 << 20 };

// Numbers of an arranged matrix of rows x depth.
static inline uint64_t panels_size(uint64_t rows, uint64_t depth)
{
    return (rows + PANELS_WIDTH - 1) / PANELS_WIDTH * PANELS_WIDTH * depth;
}

// A matrix as it lies: its numbers are row * row_step + k * depth_step apart.
struct panels_source {
    const loose_float *numbers;
    uint64_t rows, depth;
    uint64_t row_step, depth_step;
    // The depth is channels of so many taps, and is arranged as taps of channels; 0: it stays.
    uint64_t taps;
    const float *scales; // what the numbers of each row are multiplied with; NULL: none
    // Of PANELS_PACK_ROOM bytes, for numbers that may lie in a mapped file; NULL: they do not.
    struct scratch_pool *rooms;
};

// `panels` has room for panels_size numbers.
void panels_pack(const struct panels_source *source, float *panels);

// y[i] = matrix * x[i] for each of `count` vectors; the strides are between vectors.
struct byte_panels;
struct panels_product {
    const float *panels;
    const struct byte_panels *of_bytes; // instead of these: byte_panels.h
    uint64_t rows, depth;
    uint64_t x_stride, y_stride;
    // A vector may consist of parts that do not lie one after another: `parts` of them,
    // `part_step` apart, of `part_depth` numbers each, which meet the matrix from `skip` on.
    // No parts: all of the depth in one.
    uint64_t parts, part_step, part_depth, skip;
    // What is added to each result, panels_size(rows, 1) numbers; or NULL.
    const float *bias;
    // Results are not left below `lowest` and above `highest`, where `clips`.
    bool clips;
    float lowest, highest;
    // Sums begin with what y has, not with the bias.
    bool goes_on;
    // Set by panel_blocks_multiply: how far beyond what is multiplied memory is asked for, in
    // bytes.
    uint64_t ahead;
};
void panels_multiply(const struct panels_product *product, const float *x, uint64_t count,
                     float *y);

// Whether there are vectors of more than four numbers.
bool panels_are_fast(void);

#endif
