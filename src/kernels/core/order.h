// Numbers as keys: unsigned integers in the same order, so that sorting need not
// know types.

#ifndef OPSCOPE_KERNELS_CORE_ORDER_H
#define OPSCOPE_KERNELS_CORE_ORDER_H

#include <stdint.h>

#include "network/element.h"

// Keys of `count` numbers or bools that lie `step` elements apart. Equal numbers
// have equal keys (-0 and 0 as well); every NaN has the key UINT64_MAX, after all
// others.
void order_keys(enum element element, const void *data, int64_t step, uint64_t count,
                uint64_t *keys);

#endif
