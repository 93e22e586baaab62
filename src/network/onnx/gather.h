// Rules of gathering and scattering that inference and kernels share.

#ifndef OPSCOPE_NETWORK_ONNX_GATHER_H
#define OPSCOPE_NETWORK_ONNX_GATHER_H

#include "lists.h"

// What happens where an update meets an element.
enum scatter_reduction {
    SCATTER_SET,
    SCATTER_ADD,
    SCATTER_MULTIPLY,
    SCATTER_MAXIMUM,
    SCATTER_MINIMUM,
};

status gather_reduction(struct attributes attributes, enum scatter_reduction *out_reduction);

#endif
