// Arranged matrices (panels.h) that a node keeps where they are constants.

#ifndef OPSCOPE_KERNELS_CORE_PANELS_KEPT_H
#define OPSCOPE_KERNELS_CORE_PANELS_KEPT_H

#include "kernels/kernel.h"
#include "panels.h"

struct panels_kept;

// `count` matrices of input `index`, that lie one after another as `first` says of the
// first: what the call's state holds, or what is made now. Release them after use. Fails
// when there is no memory.
status panels_take(const struct kernel_call *call, uint32_t index,
                   const struct panels_source *first, uint64_t count,
                   struct panels_kept **out_kept);
// NULL is taken for none.
void panels_release(struct panels_kept *kept, const struct kernel_call *call, uint32_t index);

const float *panels_of(const struct panels_kept *kept, uint64_t matrix);

#endif
