// What the shapes of Reshape, Range and Constant come to: for those who infer
// them and those who compute them.

#ifndef OPSCOPE_NETWORK_ONNX_SHAPE_H
#define OPSCOPE_NETWORK_ONNX_SHAPE_H

#include "lists.h"

// The dimensions [*out_from, *out_to) that Shape of a tensor of `rank` gives.
void shape_part(struct attributes attributes, uint32_t rank, uint32_t *out_from, uint32_t *out_to);

// How many numbers Range gives: max(ceil((limit - start) / delta), 0). Fails for a
// delta of 0.
status shape_range_count(const struct constant *start, const struct constant *limit,
                         const struct constant *delta, int64_t *out_count);

// What Constant gives: the attribute itself, or made of it in `arena`.
status shape_constant(struct attributes attributes, struct arena *arena,
                      const struct constant **out_constant);

#endif
