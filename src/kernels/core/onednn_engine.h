// What the kernels that oneDNN computes share. The library is loaded when the first of them asks
// for its engine: to load and relocate it takes longer than most commands that compute nothing.

#ifndef OPSCOPE_KERNELS_CORE_ONEDNN_ENGINE_H
#define OPSCOPE_KERNELS_CORE_ONEDNN_ENGINE_H

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stdint.h>

// The functions of oneDNN that are used, without the "dnnl_" of their names.
#define ONEDNN_FUNCTIONS(X)                                                                        \
    X(dilated_convolution_forward_desc_init)                                                       \
    X(engine_create)                                                                               \
    X(memory_create)                                                                               \
    X(memory_desc_equal)                                                                           \
    X(memory_desc_get_size)                                                                        \
    X(memory_desc_init_by_strides)                                                                 \
    X(memory_desc_init_by_tag)                                                                     \
    X(memory_destroy)                                                                              \
    X(memory_get_memory_desc)                                                                      \
    X(memory_set_data_handle)                                                                      \
    X(primitive_attr_create)                                                                       \
    X(primitive_attr_destroy)                                                                      \
    X(primitive_attr_set_output_scales)                                                            \
    X(primitive_attr_set_scratchpad_mode)                                                          \
    X(primitive_create)                                                                            \
    X(primitive_desc_create)                                                                       \
    X(primitive_desc_destroy)                                                                      \
    X(primitive_desc_query)                                                                        \
    X(primitive_desc_query_md)                                                                     \
    X(primitive_destroy)                                                                           \
    X(primitive_execute)                                                                           \
    X(reorder_primitive_desc_create)                                                               \
    X(set_max_cpu_isa)                                                                             \
    X(sgemm)                                                                                       \
    X(stream_create)                                                                               \
    X(stream_destroy)

// Set once there is an engine, NULL before.
struct onednn_functions {
#define ONEDNN_FIELD(name) __typeof__(&dnnl_##name) name;
    ONEDNN_FUNCTIONS(ONEDNN_FIELD)
#undef ONEDNN_FIELD
};

extern struct onednn_functions onednn;

// NULL when there is none: this machine has no oneDNN of the version that opscope was built with.
// The same for the whole process.
dnnl_engine_t onednn_engine(void);

// Copies what lies in `data` to `to`, in its layout.
bool onednn_reorder(const dnnl_memory_desc_t *layout, void *data, dnnl_memory_t to);

// The same for weights, each output channel multiplied with its own of `scales` (NULL: none).
bool onednn_reorder_scaled(const dnnl_memory_desc_t *layout, void *data, dnnl_memory_t to,
                           const float *scales, int64_t groups);

// Makes oneDNN use one thread when the calling thread uses it; there is an engine.
void onednn_single_thread(void);

#endif
