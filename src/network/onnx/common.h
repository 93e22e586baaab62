// What the families of operators over real numbers check alike.

#ifndef OPSCOPE_NETWORK_ONNX_COMMON_H
#define OPSCOPE_NETWORK_ONNX_COMMON_H

#include "network/operators.h"

// The element that inputs [from, to) share, as far as they are there: ELEMENT_NONE
// when none is known. Fails for an element outside of `set` and for two that differ.
status common_element(const struct inference *inference, uint32_t from, uint32_t to, uint32_t set,
                      enum element *out_element);

// Fails unless input `index`, where it is there and its rank is known, has this
// shape (SHAPE_UNKNOWN accepts any length).
status common_check_shape(const struct inference *inference, uint32_t index,
                          const struct shape *shape);

// The same for one dimension.
status common_check_vector(const struct inference *inference, uint32_t index, int64_t length);

// Input `index` where it is a tensor of known rank, else NULL.
const struct value_type *common_ranked(const struct inference *inference, uint32_t index);

// Fails when the rank of input `index` is known and less than `least`.
status common_check_rank(const struct inference *inference, uint32_t index, uint32_t least);

#endif
