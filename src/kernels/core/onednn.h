// f32 convolutions and products of matrices by oneDNN. Where opscope is built without it
// (without_onednn.c), nothing is ever done here, and the loops of those who ask do it.
//
// oneDNN divides work by the number of its OpenMP threads, and its results may
// change with it. So it always runs with one thread, inside pieces of the output
// that depend on the shapes alone; the pieces run in parallel.

#ifndef OPSCOPE_KERNELS_CORE_ONEDNN_H
#define OPSCOPE_KERNELS_CORE_ONEDNN_H

#include "convolution.h"
#include "matrix.h"

// Keeps prepared primitives and packed weights in `*state`, which must be NULL or
// come from here. `*out_done` is false, and nothing was computed, when oneDNN
// does not do convolutions of this kind.
status onednn_convolution(const struct convolution *convolution,
                          const struct convolution_operands *operands, struct parallel *parallel,
                          struct kernel_state **state, bool *out_done);

// One product; false, and nothing was computed, when there is no oneDNN.
bool onednn_product(const struct matrix_product *product, const float *a, const float *b, float *c);

#endif
