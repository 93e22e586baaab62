// What the integer products share with the integer convolutions.

#ifndef OPSCOPE_KERNELS_CORE_INTEGER_CORE_H
#define OPSCOPE_KERNELS_CORE_INTEGER_CORE_H

#include "integer_matmul.h"

// NULL when there is no memory.
int16_t *integer_allocate(uint64_t count);

// Row `row` widened, without zero points.
void integer_matrix_row(const struct integer_matrix *matrix, uint64_t row, int16_t *out);

// Weights as the loops take them.
struct integer_weights {
    struct kernel_state base;
    struct integer_matrix matrix;   // that they were made of
    uint64_t groups;                // whose rows follow one another
    bool depthwise;                 // one channel for each group
    struct integer_packed **packed; // by group; of a depthwise one NULL
    int16_t *lines;                 // of a depthwise one: taps, filters
};

// What is kept and fits, or what is made now. Release it after use. Fails when there
// is no memory.
status integer_weights_take(const struct integer_matrix *matrix, uint64_t groups, bool depthwise,
                            struct integer_keep keep, struct integer_weights **out_weights);
void integer_weights_release(struct integer_weights *weights, struct integer_keep keep);

// How a product is cut into tiles: of the work alone, whatever the threads are.
struct integer_plan {
    uint64_t rows, columns; // of a tile, at most
    uint64_t row_tiles, column_tiles;
};
void integer_plan_tiles(const struct integer_packed *packed, uint64_t rows,
                        struct integer_plan *out_plan);
void integer_tile_place(const struct integer_plan *plan, const struct integer_packed *packed,
                        uint64_t index, uint64_t rows, struct integer_tile *out_tile);
// Room for the sums of a tile; NULL when there is no memory.
void *integer_tile_allocate(const struct integer_plan *plan, const struct integer_packed *packed,
                            bool wide);

uint64_t integer_packed_columns(const struct integer_packed *packed);
// Numbers that must be readable in each row of the other side: the depth, made even.
// What stands after an odd depth does not matter.
uint64_t integer_packed_stride(const struct integer_packed *packed);

// Sums of the tile's rows (which begin at `a`, `a_stride` apart) and columns, into
// `sums`; wide ones when tile->wide is not NULL.
void integer_multiply(const struct integer_packed *packed, const int16_t *a, uint64_t a_stride,
                      struct integer_tile *tile, void *sums);

#endif
