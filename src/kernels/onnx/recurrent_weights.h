// The recurring weights of a recurrent layer, arranged once where they are constants.

#ifndef OPSCOPE_KERNELS_ONNX_RECURRENT_WEIGHTS_H
#define OPSCOPE_KERNELS_ONNX_RECURRENT_WEIGHTS_H

#include "kernels/kernel.h"
#include "network/onnx/recurrent.h"

struct recurrent_weights;

// Those of input `index`, whose numbers are at `numbers`: directions, gates x hidden rows of
// hidden. What the call's state holds, or what is made now; release it after use. Fails when
// there is no memory.
status recurrent_weights_take(struct kernel_call *call, uint32_t index, const float *numbers,
                              const struct recurrent *recurrent,
                              struct recurrent_weights **out_weights);
// NULL is taken for none.
void recurrent_weights_release(struct recurrent_weights *weights, const struct kernel_call *call,
                               uint32_t index);

// Panels (core/panels.h) of the rows from `row`: 0, or those of a GRU's last gate.
const float *recurrent_weights_part(const struct recurrent_weights *weights, uint32_t direction,
                                    uint64_t row);

#endif
