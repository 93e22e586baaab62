// Sums that are kept in f16 or bf16: rounded after every multiplication and
// every addition, in the order of the terms. That is what TOSA means by an
// accumulator of a narrow type; it is slow, and less exact than f32.

#ifndef OPSCOPE_KERNELS_TOSA_NARROW_H
#define OPSCOPE_KERNELS_TOSA_NARROW_H

#include "kernels/core/convolution.h"
#include "network/element.h"

// Rounds each number to `element`, which is f16, bf16 or f32.
void narrow_round(enum element element, float *values, uint64_t count);

// A dense batch x rows x depth times a dense batch x depth x columns.
struct narrow_product {
    enum element element; // of the sums
    uint64_t batch;
    uint64_t rows;
    uint64_t depth;
    uint64_t columns;
    const float *a;
    const float *b;
    float *c;
};

void narrow_multiply(const struct narrow_product *product, struct parallel *parallel);

// Sums begin with the bias (which may be NULL: 0), then come kernel positions, and
// channels within them. Fails when there is no memory.
status narrow_convolve(const struct convolution *convolution, enum element element,
                       const struct convolution_operands *operands, struct parallel *parallel);

#endif
