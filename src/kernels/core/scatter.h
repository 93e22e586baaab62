// Rows of elements to and from places that offsets choose.

#ifndef OPSCOPE_KERNELS_CORE_SCATTER_H
#define OPSCOPE_KERNELS_CORE_SCATTER_H

#include <stdint.h>

#include "network/element.h"
#include "network/onnx/gather.h"

// target[i] = source[offsets[i]], elements of `size` bytes (1, 2, 4, 8 or 16).
void scatter_pick(size_t size, void *target, const void *source, const int64_t *offsets,
                  uint64_t count);

// target[offsets[i]] = source[i], combined with what is there as the reduction
// says, one after the other. Only SCATTER_SET takes elements that are no
// numbers or bools. Integers wrap around; a bool is added and multiplied as
// "or" and "and"; NaN wins.
void scatter_put(enum scatter_reduction reduction, enum element element, void *target,
                 const void *source, const int64_t *offsets, uint64_t count);

#endif
