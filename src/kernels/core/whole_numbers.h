// Reals that are whole numbers times a scale: weights that were bytes before they were scaled back.

#ifndef OPSCOPE_KERNELS_CORE_WHOLE_NUMBERS_H
#define OPSCOPE_KERNELS_CORE_WHOLE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

// Finds a scale and bytes whose products, rounded to f32, are the `count` numbers, every one of
// them. False when there are none.
bool whole_numbers_find(const float *numbers, uint64_t count, int8_t *out_bytes, float *out_scale);

#endif
