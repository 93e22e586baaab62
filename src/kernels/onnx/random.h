// What operators that draw random numbers share.

#ifndef OPSCOPE_KERNELS_ONNX_RANDOM_H
#define OPSCOPE_KERNELS_ONNX_RANDOM_H

#include "kernels/core/twister.h"
#include "kernels/kernel.h"

// Seeds with the attribute `seed`, or by the node's place.
void random_start(const struct kernel_call *call, struct twister *out_twister);

status random_dropout(struct kernel_call *call);

#endif
