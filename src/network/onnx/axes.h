// The axes that a reduction is told: by an attribute, or by an input since
// version 13 (ReduceSum) and 18 (the others).

#ifndef OPSCOPE_NETWORK_ONNX_AXES_H
#define OPSCOPE_NETWORK_ONNX_AXES_H

#include "network/attribute.h"

// Which of `rank` dimensions are reduced. `list` is the input, or NULL when there
// is none. No axes mean all of them, unless `noop_with_empty_axes` is set. Fails for
// an axis that is not there, one given twice, and a list that is no list of integers.
status axes_read(struct attributes attributes, const struct constant *list, uint32_t rank,
                 bool out_axes[SHAPE_RANK_MOST]);

#endif
