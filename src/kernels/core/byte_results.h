// Reals made bytes, as QuantizeLinear does: round(x / scale within [low, high]) + zero, ties to
// even; NaN is `low`. The same on every machine.

#ifndef OPSCOPE_KERNELS_CORE_BYTE_RESULTS_H
#define OPSCOPE_KERNELS_CORE_BYTE_RESULTS_H

#include <stdint.h>

struct byte_result {
    float scale;
    float low, high; // whole numbers within 2^22
    int32_t zero;    // low + zero and high + zero are those of one kind of byte, i8 or u8
};

// `to` has nothing of `from`.
void byte_results_put(const struct byte_result *result, const float *from, uint64_t count,
                      uint8_t *to);

#endif
