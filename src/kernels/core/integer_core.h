// What the integer products share with the integer convolutions.

#ifndef OPSCOPE_KERNELS_CORE_INTEGER_CORE_H
#define OPSCOPE_KERNELS_CORE_INTEGER_CORE_H

#include "integer_matmul.h"
#include "integer_strips.h"

// The second side lies in panels of INTEGER_PANEL columns (integer_strips.h), filled up with 0.
struct integer_packed {
    enum integer_form form;
    uint64_t columns;
    uint64_t depth;
    uint64_t lines; // of a panel
    // Of pairs: lines whose sums fit 32 bits whatever the other side is; 0: not even one.
    uint64_t exact_lines;
    char *panels;
    // Of bytes, by column: what the zero of a row is multiplied with,
    uint32_t *excess;
    // and the zero that is still in the numbers, with which the sum of a row is multiplied; NULL:
    // none of the columns has one.
    uint32_t *zeros;
};

// Bytes; NULL when there is no memory.
char *integer_allocate(uint64_t count, uint64_t size);

static inline int32_t integer_zero_of(struct integer_zeros zeros, uint64_t row)
{
    return zeros.count == 0 ? 0 : zeros.items[zeros.count == 1 ? 0 : row];
}

// Row `row` widened, without zero points.
void integer_matrix_row(const struct integer_matrix *matrix, uint64_t row, int16_t *out);

// As bytes -------------------------------------------------------------------------------

// What is added to each number, and to its zero, so that it is a u8.
static inline int32_t integer_bytes_lift(enum element element)
{
    return element == ELEMENT_U8 || element == ELEMENT_U4 ? 0 : 128;
}

// Some numbers so: out[i] = data[first + i * stride].
void integer_bytes_take(enum element element, const void *data, uint64_t first, uint64_t stride,
                        uint64_t count, uint8_t *out);
void integer_bytes_row(const struct integer_matrix *matrix, uint64_t row, uint8_t *out);

// Fills in all but what the columns have as pairs, too. False when there is no memory.
bool integer_bytes_pack(const struct integer_matrix *columns, struct integer_packed *packed);

// Weights as the loops take them.
struct integer_weights {
    struct kernel_state base;
    struct integer_matrix matrix; // that they were made of
    uint64_t groups;              // whose rows follow one another
    bool depthwise;               // one channel for each group
    enum integer_form form;
    struct integer_packed **packed; // by group; of a depthwise one NULL
    int16_t *lines;                 // of a depthwise one: taps, filters
    // And arranged (integer_depthwise.h), where every channel gives one filter, for so many lanes;
    // 0, NULL: they are not.
    uint64_t lanes;
    int16_t *arranged;
};

// What is kept and fits, or what is made now. Release it after use. Fails when there
// is no memory.
status integer_weights_take(const struct integer_matrix *matrix, uint64_t groups, bool depthwise,
                            enum integer_form form, struct integer_keep keep,
                            struct integer_weights **out_weights);
void integer_weights_release(struct integer_weights *weights, struct integer_keep keep);

enum { INTEGER_TILE_ROWS = 5 * INTEGER_STRIP };

// How a product is cut into tiles: of the work alone, whatever the threads are.
struct integer_plan {
    uint64_t rows, columns; // of a tile, at most; rows: INTEGER_TILE_ROWS
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
// Bytes that must be readable in each row of the other side: the depth, in whole lines. What stands
// after the depth does not matter.
uint64_t integer_packed_stride(const struct integer_packed *packed);

// Rows of the other side, in the form of the packed one.
struct integer_rows {
    const char *data;
    uint64_t stride; // bytes between them
    // Of bytes: what is 0 in them, of one row, or of all from `first` on.
    struct integer_zeros zeros;
    uint64_t first;
    int32_t lift; // added to these
};

// Sums of the tile's rows and columns, into `sums`; wide ones when tile->wide is not NULL.
void integer_multiply(const struct integer_packed *packed, const struct integer_rows *rows,
                      struct integer_tile *tile, void *sums);

// What the numbers of a column are multiplied with before they are taken off the sums of a row.
struct integer_factors {
    uint32_t of_excess[INTEGER_TILE_ROWS];
    uint32_t of_zeros[INTEGER_TILE_ROWS];
    bool all_alike; // of_excess
};
void integer_bytes_factors(const struct integer_packed *packed, const struct integer_rows *rows,
                           uint64_t count, struct integer_factors *out_factors);

// Some of the sums of a tile: `count` rows, from `row` of the tile on, by a panel, from `column` of
// the matrix on, of which `width` columns are there; where they go.
struct integer_part {
    uint64_t row, count;
    uint64_t column, width;
    int32_t *sums;
    uint64_t stride;
};

// Puts them there without what the zeros of both sides have added.
void integer_bytes_settle(const struct integer_packed *packed,
                          const struct integer_factors *factors, const struct integer_part *part,
                          integer_sums sums);

#endif
