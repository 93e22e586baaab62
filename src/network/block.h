// Block formats: sixteen neighbours of a row share an exponent, that of the largest; each has a
// sign and 7 (bfp8_b) or 3 (bfp4_b) bits. In device memory they lie in tiles of 32 x 32 of the
// last two dimensions: the numbers and 64 exponents, 1088 or 576 bytes. Here each number lies as
// the bf16 that it is, so that kernels compute with it as they do with bf16.

#ifndef OPSCOPE_NETWORK_BLOCK_H
#define OPSCOPE_NETWORK_BLOCK_H

#include "tensor.h"

enum {
    BLOCK_SIZE = 16, // numbers that share an exponent, along the last dimension
    BLOCK_TILE = 32, // rows and columns of a tile
};

// Bytes of a tensor in tiles, the last of each row and column filled up.
uint64_t block_bytes(enum element element, const struct shape *shape);

// The numbers of a block format that are nearest to floats, as bf16. A number is shifted to the
// exponent of its block, what is shifted out is dropped, and the rest rounded to nearest, ties to
// even, but never above the largest; subnormals and what rounds to nothing become +0.
void block_round_floats(enum element element, const struct shape *shape, const float *from,
                        uint16_t *to);

// The same of bf16 in place; `tensor->element` is the block format.
void block_round(const struct tensor *tensor);

#endif
