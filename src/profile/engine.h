// What executes work, as far as the overview needs to tell it apart.

#ifndef OPSCOPE_PROFILE_ENGINE_H
#define OPSCOPE_PROFILE_ENGINE_H

#include "base/view.h"

enum engine {
    ENGINE_NONE, // not a piece of hardware, or unknown
    ENGINE_DMA_IN,
    ENGINE_DMA_OUT,
    ENGINE_CDMA,
    ENGINE_SLICE,
    ENGINE_CSS,
    ENGINE_NPU, // a controller's program, whatever it uses
    ENGINE_HAL,
    ENGINE_HOST,
    ENGINE_HOST_COPY,
    ENGINE_KINDS,
};

// "dma in", "slice" ...
const char *engine_name(enum engine engine);

// The engine that a track of this name stands for, in the spellings that the
// known tools write ("DMA IN", "NDMA In", "0_DMA_IN", "Slice 1", "HOST_COPY").
// `*out_index` is the number behind it, 0 without one.
enum engine engine_from_name(struct view name, uint32_t *out_index);

#endif
