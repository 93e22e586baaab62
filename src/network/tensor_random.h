// Inputs for a network when nobody gives any: random, and the same for the same
// seed on every machine.
//
// Element i of input k is made from SplitMix64's mixing function m alone, without
// state: bits = m(m(seed + m(k + 1)) + (i + 1) * 0x9e3779b97f4a7c15). The top bits
// become:
//   f64 f32 f16 bf16 f8   multiples of 2^-52, 2^-23, 2^-10, 2^-7 and 2^-2 in [-1, 1)
//   complex               two of them, elements 2i and 2i + 1
//   up to 16 bits         any value of the type
//   32, 48, 64 bits       0 or 1: such inputs are mostly indices, masks or lengths,
//                         and those are never out of range
//   bool                  0 or 1
//   text                  empty

#ifndef OPSCOPE_NETWORK_TENSOR_RANDOM_H
#define OPSCOPE_NETWORK_TENSOR_RANDOM_H

#include "tensor.h"

// Fills a tensor that exists, as input `input` of a network.
void tensor_random_fill(struct tensor *tensor, uint64_t seed, uint64_t input);

#endif
