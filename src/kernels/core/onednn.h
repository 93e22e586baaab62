// f32 convolution by oneDNN.
//
// oneDNN divides work by the number of its OpenMP threads, and its results may
// change with it. So it always runs with one thread, inside pieces of the output
// that depend on the shapes alone; the pieces run in parallel.

#ifndef OPSCOPE_KERNELS_CORE_ONEDNN_H
#define OPSCOPE_KERNELS_CORE_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>

#include "convolution.h"

// Keeps prepared primitives and packed weights in `*state`, which must be NULL or
// come from here. `*out_done` is false, and nothing was computed, when oneDNN
// does not do convolutions of this kind.
status onednn_convolution(const struct convolution *convolution,
                          const struct convolution_operands *operands, struct parallel *parallel,
                          struct kernel_state **state, bool *out_done);

// NULL when there is none. The same for the whole process.
dnnl_engine_t onednn_engine(void);

// Copies what lies in `data` to `to`, in its layout.
bool onednn_reorder(const dnnl_memory_desc_t *layout, void *data, dnnl_memory_t to);

// The same for weights, each output channel multiplied with its own of `scales` (NULL: none).
bool onednn_reorder_scaled(const dnnl_memory_desc_t *layout, void *data, dnnl_memory_t to,
                           const float *scales, int64_t groups);

// Makes oneDNN use one thread when the calling thread uses it.
void onednn_single_thread(void);

#endif
