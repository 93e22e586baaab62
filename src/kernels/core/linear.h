// Rows of quantized numbers and the f32 numbers that they stand for.

#ifndef OPSCOPE_KERNELS_CORE_LINEAR_H
#define OPSCOPE_KERNELS_CORE_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "network/element.h"

// Integers of at most 16 bits that are one element each, and i32, which is only read.
bool linear_writes(enum element element);
bool linear_reads(enum element element);

// y = x / scale, rounded to the nearest integer (ties to even), plus zero, clamped to
// `element`. NaN gives the lowest.
void linear_quantize_row(enum element element, const float *x, float scale, int32_t zero,
                         uint64_t count, void *y);

// y = (x - zero) * scale. The difference wraps around.
void linear_dequantize_row(enum element element, const void *x, float scale, int32_t zero,
                           uint64_t count, float *y);

#endif
