// Products of bytes with an arranged matrix of bytes (panels of PANELS_WIDTH rows, as panels.h has
// them for reals): sums are whole numbers, exact, and so the same on every machine; each is then
// multiplied with the scale of its row.
//
// A vector is given in the form that this machine multiplies quickest, and its numbers are met four
// bytes at a time:
//     BYTES_IN_FOURS  u8, whose zero is taken off the sums afterwards
//     BYTES_IN_PAIRS  i16, whose zero was taken off before

#ifndef OPSCOPE_KERNELS_CORE_BYTE_PANELS_H
#define OPSCOPE_KERNELS_CORE_BYTE_PANELS_H

#include "panels.h"

enum byte_form { BYTES_IN_FOURS, BYTES_IN_PAIRS };

// Numbers of the depth up to which sums of products of bytes surely fit 32 bits.
enum { BYTE_PANELS_DEPTH_MOST = 65536 };

// The form that is quickest here.
enum byte_form byte_panels_form(void);

// Bytes of a number of a vector.
static inline uint64_t byte_form_size(enum byte_form form)
{
    return form == BYTES_IN_FOURS ? 1 : 2;
}

// What a part of a vector counts in the arranged matrix: its numbers go by whole four bytes, of
// which the last may be missing from the vector, but not from the matrix.
static inline uint64_t byte_panels_arranged(enum byte_form form, uint64_t depth)
{
    const uint64_t together = 4 / byte_form_size(form);
    return (depth + together - 1) / together * together;
}

// Bytes of an arranged matrix, `depth` a number that byte_panels_arranged gave.
static inline uint64_t byte_panels_bytes(enum byte_form form, uint64_t rows, uint64_t depth)
{
    return panels_size(rows, depth) * byte_form_size(form);
}

// Puts a number where the arranged matrix, which begins with zeros, has it.
void byte_panels_put(enum byte_form form, void *panels, uint64_t depth, uint64_t row, uint64_t k,
                     int8_t number);

struct byte_panels {
    enum byte_form form;
    const void *panels;
    // By row, panels_size(rows, 1) of each.
    const float *scales;
    const int32_t *excess; // taken off the sums
};

// As panels_multiply, of the product's `of_bytes`; lengths and strides of vectors are in numbers,
// and `depth` and `skip` are those of the arranged matrix.
void byte_panels_multiply(const struct panels_product *product, const void *x, uint64_t count,
                          float *y);

#endif
