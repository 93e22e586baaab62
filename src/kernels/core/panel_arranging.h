// Weights of the parts of a convolution (panel_convolution.h), each of some output channels and all
// of the same depth, arranged one after another by all threads.

#ifndef OPSCOPE_KERNELS_CORE_PANEL_ARRANGING_H
#define OPSCOPE_KERNELS_CORE_PANEL_ARRANGING_H

#include "kernels/parallel.h"
#include "panel_convolution.h"

// How many bytes they take; 0: there is nothing to arrange.
size_t panel_arranging_bytes(struct panel_convolution *const *parts, uint32_t count);

// In `place`, aligned as tensors are, where they are used from then on. `rooms` of PANELS_PACK_ROOM
// bytes (panels.h).
void panel_arranging_run(struct panel_convolution *const *parts, uint32_t count, float *place,
                         struct scratch_pool *rooms, struct parallel *parallel);

#endif
