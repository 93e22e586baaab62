// What integer products are made of: some rows by some panels, whose sums stay in registers.

#ifndef OPSCOPE_KERNELS_CORE_INTEGER_STRIPS_H
#define OPSCOPE_KERNELS_CORE_INTEGER_STRIPS_H

#include <stdint.h>

#include "integer_matmul.h"

enum {
    INTEGER_PANEL = 16, // columns of a panel
    INTEGER_STRIP = 12, // rows, at most
    INTEGER_LINE = 4 * INTEGER_PANEL,
};

// Sums of a panel.
typedef uint32_t integer_sums[INTEGER_STRIP][INTEGER_PANEL];

// Rows begin at `a`, `a_stride` bytes apart, and are met four bytes at a time: two i16, or four u8.
// A panel has a line for each of these, with the four bytes that meet them of each column: i16, or
// i8. Sums wrap.
typedef void (*integer_strip)(const char *a, uint64_t a_stride, uint64_t rows, const char *panel,
                              uint64_t lines, integer_sums sums);
// INTEGER_STRIP rows by two panels that lie one after the other.
typedef void (*integer_strip_pair)(const char *a, uint64_t a_stride, const char *panel,
                                   uint64_t lines, integer_sums *sums);

struct integer_strips {
    integer_strip single;
    integer_strip_pair pair; // NULL: not here
};

// What is quickest here.
struct integer_strips integer_strips_choose(enum integer_form form);

// Whether bytes are multiplied more quickly than 16 bits.
bool integer_strips_like_bytes(void);

#endif
