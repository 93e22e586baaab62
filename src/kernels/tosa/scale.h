// TOSA's fixed-point scaling: value * multiplier / 2^shift, rounded.

#ifndef OPSCOPE_KERNELS_TOSA_SCALE_H
#define OPSCOPE_KERNELS_TOSA_SCALE_H

#include <stdbool.h>
#include <stdint.h>

// What TOSA allows; anything else could overflow.
enum { SCALE_SHIFT_LEAST = 2, SCALE_SHIFT_MOST = 62 };

// Halves round up; so does the double rounding of shifts beyond 31, which first
// rounds at bit 31, away from zero. Products that do not fit 64 bits wrap around.
// `shift` is one of SCALE_SHIFT_LEAST to SCALE_SHIFT_MOST.
static inline int64_t scale_apply(int64_t value, int64_t multiplier, uint32_t shift,
                                  bool double_round)
{
    uint64_t round = UINT64_C(1) << (shift - 1);
    if (double_round && shift > 31)
        round += value >= 0 ? UINT64_C(1) << 30 : 0 - (UINT64_C(1) << 30);
    return (int64_t)((uint64_t)value * (uint64_t)multiplier + round) >> shift;
}

#endif
