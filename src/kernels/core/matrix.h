// Products of matrices, many at a time.
//
// Results do not depend on the number of threads (onednn.h).

#ifndef OPSCOPE_KERNELS_CORE_MATRIX_H
#define OPSCOPE_KERNELS_CORE_MATRIX_H

#include "kernels/kernel.h"

// C = A x B for every matrix of a batch; A is rows x depth, B depth x columns.
// Elements are row-major, with a stride between rows (of what lies in memory: a
// transposed A has `depth` rows there).
struct matrix_product {
    uint64_t rows;
    uint64_t columns;
    uint64_t depth;
    uint64_t a_stride;
    uint64_t b_stride;
    uint64_t c_stride;
    bool a_transposed;
    bool b_transposed;
    // The batch, outermost dimension first; the distances between matrices are 0
    // where an operand serves all of a dimension.
    uint32_t batch_rank;
    uint64_t batch[SHAPE_RANK_MOST];
    uint64_t a_batch[SHAPE_RANK_MOST];
    uint64_t b_batch[SHAPE_RANK_MOST];
    uint64_t c_batch[SHAPE_RANK_MOST];
    const float *panels; // of an f32 B for all of the batch, arranged (panels.h); or NULL
};

// One dense product: rows x depth by depth x columns.
struct matrix_product matrix_product_dense(uint64_t rows, uint64_t columns, uint64_t depth);

// `element` is f32, f64, or an integer of 32 or 64 bits (which wraps around).
void matrix_multiply(const struct matrix_product *product, enum element element, const void *a,
                     const void *b, void *c, struct parallel *parallel);

// The same, where B is input `index` of a call, as it lies or widened: an f32 B is arranged, and
// kept so where it is a constant. Fails when there is no memory.
status matrix_multiply_kept(const struct matrix_product *product, enum element element,
                            const void *a, const void *b, void *c, const struct kernel_call *call,
                            uint32_t index);

// The first product of the batch alone, on the calling thread, for use inside a piece.
void matrix_multiply_here(const struct matrix_product *product, enum element element, const void *a,
                          const void *b, void *c);

#endif
