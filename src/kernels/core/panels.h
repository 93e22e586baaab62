// Products of a matrix that stays with a few vectors at a time, as recurrent layers
// need them: the matrix is arranged once, in panels of PANELS_WIDTH rows.
//
// A result is the sum over the depth in its order, so it does not depend on how many
// vectors are multiplied together. Uses AVX2 and FMA where the machine has them.

#ifndef OPSCOPE_KERNELS_CORE_PANELS_H
#define OPSCOPE_KERNELS_CORE_PANELS_H

#include <stdbool.h>
#include <stdint.h>

enum { PANELS_WIDTH = 16 };

// Rows with those that fill the last panel: what a vector of results takes.
static inline uint64_t panels_rows(uint64_t rows)
{
    return (rows + PANELS_WIDTH - 1) / PANELS_WIDTH * PANELS_WIDTH;
}

// Arranges a matrix of rows x depth numbers; `panels` has room for
// panels_rows(rows) * depth of them.
void panels_pack(const float *matrix, uint64_t rows, uint64_t depth, float *panels);

// y[i] = matrix * x[i] for each of `count` vectors. `x_stride` and `y_stride` are
// between vectors; each y takes panels_rows(rows) numbers, those beyond `rows` are 0.
struct panels_product {
    const float *panels;
    uint64_t rows, depth;
    uint64_t x_stride, y_stride;
};
void panels_multiply(const struct panels_product *product, const float *x, uint64_t count,
                     float *y);

// For tests: as on a machine without AVX2.
void panels_force_portable(bool portable);

#endif
