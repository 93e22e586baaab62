// Where along an axis the largest or smallest element is. NaN is both.

#ifndef OPSCOPE_KERNELS_CORE_EXTREME_H
#define OPSCOPE_KERNELS_CORE_EXTREME_H

#include "kernels/parallel.h"
#include "network/tensor.h"

// Writes the index for each place of the other dimensions, row-major, to `out`, which
// are i64 or i32. The axis has at least one element. Of equal ones the first counts, or
// the last.
void extreme_find(struct parallel *parallel, const struct tensor *in, uint32_t axis, bool largest,
                  bool last, const struct tensor *out);

#endif
