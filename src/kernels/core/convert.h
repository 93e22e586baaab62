// Rows of numbers from one type to another.
//
// Rules, the same on every machine:
// - to a narrower float: rounded to nearest even, once;
// - float to integer: cut towards zero. What does not fit becomes what x86 makes
//   of it, as in other runtimes: i8, i16, u8 and u16 take the low bits of an i32,
//   u32 those of an i64; an i32 or i64 that does not fit is the lowest one (also
//   of NaN); u64 takes negative numbers modulo 2^64 and gives 0 beyond 2^64;
// - float or integer to a 4-bit integer: rounded to nearest even and clamped, NaN is 0;
// - integer to integer: the low bits;
// - to bool: whether it is not zero (NaN is true).

#ifndef OPSCOPE_KERNELS_CORE_CONVERT_H
#define OPSCOPE_KERNELS_CORE_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "network/element.h"

// From f16 or bf16 (or f32: a copy).
void convert_to_f32(enum element element, const void *in, float *out, uint64_t count);

// To f16 or bf16 (or f32: a copy).
void convert_from_f32(enum element element, const float *in, void *out, uint64_t count);

// Whether `convert_row` knows the type: all numbers and bools, no complex ones.
bool convert_knows(enum element element);

// Any pair of known types. `saturate` concerns f8: values beyond the largest
// become the largest, else infinite or NaN.
void convert_row(enum element from, const void *in, enum element to, void *out, uint64_t count,
                 bool saturate);

#endif
