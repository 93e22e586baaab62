// Exact products of integer matrices, for whoever computes with quantized numbers.
//
// Both sides are widened to 16 bits with their zero points taken off, so that
// padding is 0 and a product never saturates; or, where the processor adds up products
// of bytes, they stay bytes, and what the zero points add is taken off the sums. Sums are exact:
// in 32 bits they wrap as two's complement does, in 64 bits (TOSA's 48-bit accumulators) they
// cannot overflow. Which vectors are there is found out at run time (isa.h); results are
// the same with all of them, and for any number of threads.
//
// The sums never exist as a whole: they come tile by tile to a function of the
// caller, which rescales, adds a bias, or just stores them.

#ifndef OPSCOPE_KERNELS_CORE_INTEGER_MATMUL_H
#define OPSCOPE_KERNELS_CORE_INTEGER_MATMUL_H

#include <stdbool.h>

#include "base/status.h"
#include "kernels/kernel.h"

// Zero points: none (count 0), one for all, or one for each row. Zero points of
// 16-bit elements must be such that the difference fits 16 bits.
struct integer_zeros {
    const int32_t *items;
    uint64_t count;
};

// Integers somewhere in memory, as `rows` rows of outer x inner numbers. All
// strides are in elements. i8, u8, i16, and 4-bit integers (a byte each).
struct integer_matrix {
    enum element element;
    const void *data;
    uint64_t rows;
    uint64_t outer, inner; // depth = outer * inner, `inner` running faster
    uint64_t row_stride, outer_stride, inner_stride;
    struct integer_zeros zeros; // by row
};

// The second side of a product, arranged once for any number of products. Up to twice
// the bytes of 8-bit weights; more where there are fewer than 16 columns.
struct integer_packed;

// As what both sides are multiplied.
enum integer_form {
    INTEGER_PAIRS, // i16, whose zero was taken off before
    INTEGER_BYTES, // u8 rows by i8 columns, whose zeros are taken off the sums
};

// The form that is quickest here for these elements; `wide` asks for 64-bit sums.
enum integer_form integer_form_of(enum element rows, enum element columns, bool wide);

// Each row of `columns` becomes a column of the product: a KxN matrix has rows = N,
// outer = 1, inner = K, row_stride = 1, inner_stride = N; one that lies as NxK has
// row_stride = K, inner_stride = 1. As bytes only what integer_form_of may answer that for, on any
// machine. Fails when there is no memory.
status integer_pack(const struct integer_matrix *columns, enum integer_form form,
                    struct integer_packed **out_packed);
void integer_packed_free(struct integer_packed *packed); // accepts NULL

// Sums of rows [row, row + rows) and columns [column, column + columns).
struct integer_tile {
    uint64_t batch; // convolutions: place in the batch; products: 0
    uint64_t row;
    uint64_t rows;
    uint64_t column;
    uint64_t columns;
    uint64_t stride;       // between rows, in sums
    const int32_t *narrow; // NULL when the sums are wide
    const int64_t *wide;   // NULL when they are narrow
};

// Called from any thread, for tiles that do not overlap, in any order.
typedef void (*integer_finish)(void *context, const struct integer_tile *tile);

// rows x packed. `rows->zeros` are by row of the product. `wide` chooses 64-bit sums. What was
// packed as bytes is for rows of 8 bits at most, and not for wide sums.
status integer_matmul(const struct integer_matrix *rows, const struct integer_packed *packed,
                      bool wide, struct parallel *parallel, integer_finish finish, void *context);

// Where what was arranged of weights is kept for the next call of a kernel: nowhere
// when `state` is NULL or the weights and their zero points are not `fixed`.
struct integer_keep {
    struct kernel_state **state; // of the call
    bool fixed;                  // the same bytes at every call of the node
};

// integer_pack and integer_matmul, the former only when there is nothing kept that fits.
status integer_matmul_weights(const struct integer_matrix *rows,
                              const struct integer_matrix *weights, struct integer_keep keep,
                              bool wide, struct parallel *parallel, integer_finish finish,
                              void *context);

// A ready-made `finish`: stores sums as they are.
struct integer_store {
    int32_t *narrow; // or
    int64_t *wide;
    uint64_t batch_stride, row_stride, column_stride;
};
void integer_store_tile(void *store, const struct integer_tile *tile);

// Convolutions -----------------------------------------------------------------

// A convolution of one to three spatial dimensions; unused leading ones are 1 (a
// conv2d has in = {1, H, W}), with kernel, stride and dilation 1 and pad 0.
// Padding counts as the zero point. Depthwise ones (as many groups as channels)
// are computed directly, without a matrix.
struct integer_convolution {
    uint64_t batch;
    uint64_t channels; // of the input, all groups
    uint64_t filters; // of the output, all groups; filter f belongs to group f / (filters / groups)
    uint64_t groups;  // divides both
    uint64_t in[3], out[3], kernel[3], stride[3], dilation[3];
    int64_t pad[3]; // in front
    // Input: batch, channels, in... or batch, in..., channels.
    enum element element; // i8, u8, i16
    const void *input;
    int32_t zero_point;
    bool channels_last;
    // Weights: rows = filters, outer = taps (kernel positions, last dimension
    // fastest), inner = channels / groups, in whatever order they lie. ONNX (OIHW):
    // row_stride = inner * taps, outer_stride = 1, inner_stride = taps. TOSA (OHWI):
    // row_stride = taps * inner, outer_stride = inner, inner_stride = 1. TOSA's
    // depthwise (HWCM): row_stride = 1, outer_stride = C * M, inner = 1.
    struct integer_matrix weights;
    struct integer_keep keep; // of the weights; all zero: nowhere
    bool wide;
};

// Rows of the tiles are output positions (last dimension fastest), columns are
// filters. Fails when there is no memory.
status integer_convolve(const struct integer_convolution *convolution, struct parallel *parallel,
                        integer_finish finish, void *context);

// Numbers widened to 16 bits, less the zero point: out[i] = data[i * stride] - zero.
void integer_widen(enum element element, const void *data, uint64_t first, uint64_t stride,
                   uint64_t count, int32_t zero, int16_t *out);

#endif
