// Weights of products in MXFP6 (OCP Microscaling Formats, version 1.0): thirty-two neighbours along
// the dimension that is summed over share a power of two, and each has a sign, two bits of exponent
// and three of mantissa (E2M3). A machine keeps them so, 6.25 bits each, and makes reals of them
// before it multiplies; here they lie as these reals, and the constant is `blocked`.

#ifndef OPSCOPE_NETWORK_WEIGHTS_H
#define OPSCOPE_NETWORK_WEIGHTS_H

#include "network.h"

enum { WEIGHTS_BLOCK = 32 };

// Rounds `count` numbers that are `stride` apart, in blocks of 32 from the first on: the shared
// power of two is that of the largest magnitude, two less; each number is rounded to nearest, ties
// to even, and not above the largest. A block with a number that is not finite stays as it is.
void weights_round(const float *from, float *to, uint64_t count, uint64_t stride);

// What so many numbers take on such a machine: a part of a block takes that part of its bytes.
static inline uint64_t weights_bytes(uint64_t count)
{
    enum { BLOCK_BYTES = 25 };
    return (count * BLOCK_BYTES + WEIGHTS_BLOCK - 1) / WEIGHTS_BLOCK;
}

// Rounds every constant that a product of reals (MatMul, Gemm) multiplies by, where it reads it as
// it is: what others read of it stays. Inputs that a constant stands for stay, too. Counts them.
void network_round_weights(struct network *network, uint64_t *out_count);

#endif
