// Sums of a pixel whose channels are computed each from itself alone: two taps at a time, whose
// numbers are brought together, by vectors of channels whose sums stay in registers.

#ifndef OPSCOPE_KERNELS_CORE_INTEGER_DEPTHWISE_H
#define OPSCOPE_KERNELS_CORE_INTEGER_DEPTHWISE_H

#include <stdint.h>

enum {
    INTEGER_DEPTHWISE_TAPS = 64,  // at most
    INTEGER_DEPTHWISE_LANES = 32, // at most
};

// How many channels are computed together; 0: there is nothing quick here.
uint64_t integer_depthwise_lanes(void);

// Numbers of arranged weights.
uint64_t integer_depthwise_size(uint64_t lanes, uint64_t taps, uint64_t channels);

// `lines`: taps x channels; `out` gets all numbers of integer_depthwise_size.
void integer_depthwise_arrange(uint64_t lanes, uint64_t taps, uint64_t channels,
                               const int16_t *lines, int16_t *out);

// `inputs`: what each tap sees, and if their number is odd anything once more. Channels are read
// and sums are put up to the next multiple of `lanes`. Sums wrap.
void integer_depthwise_sum(uint64_t lanes, const int16_t *const *inputs, uint64_t taps,
                           const int16_t *arranged, uint64_t channels, uint32_t *sums);

#endif
