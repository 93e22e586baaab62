// Groups for a processor: what its kernels do in one go.

#ifndef OPSCOPE_COMPILER_FUSE_PROCESSOR_H
#define OPSCOPE_COMPILER_FUSE_PROCESSOR_H

#include "plan.h"

// By node: the first node of its group, NETWORK_NONE outside of the main graph. `readers` is
// what group_count_readers gave. For the caller to free.
uint32_t *fuse_processor_find(const struct network *network, const uint32_t *readers);

#endif
