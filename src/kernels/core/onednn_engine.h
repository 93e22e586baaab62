// What the kernels that oneDNN computes share.

#ifndef OPSCOPE_KERNELS_CORE_ONEDNN_ENGINE_H
#define OPSCOPE_KERNELS_CORE_ONEDNN_ENGINE_H

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stdint.h>

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
