// Numbers of MLIR literals, read in place and fast.

#ifndef OPSCOPE_WIRE_MLIR_NUMBER_H
#define OPSCOPE_WIRE_MLIR_NUMBER_H

#include "base/view.h"

// An integer, decimal or hexadecimal, with a sign: moves `*at` past it.
// Values from INT64_MAX + 1 to UINT64_MAX come as the integer of the same bits.
// False, and `*at` unchanged, when there is none or it does not fit.
bool mlir_number_integer(const char **at, const char *end, int64_t *out_number);

// A decimal number with a point. The same otherwise.
bool mlir_number_real(const char **at, const char *end, double *out_number);

// Whether a hexadecimal integer stands here, after a sign or not.
bool mlir_number_is_hex(const char *at, const char *end);

// The value of a hexadecimal digit, or -1.
int mlir_number_hex_digit(char byte);

static inline const char *mlir_number_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

// Bytes from pairs of hexadecimal digits. False when the text has an odd length
// or another character.
bool mlir_number_bytes(struct view digits, unsigned char *out_bytes);

#endif
