// Proves a program that may be anything and, when it is proved and small, runs it.

#ifndef OPSCOPE_TESTS_PROGRAM_PROVE_RUN_H
#define OPSCOPE_TESTS_PROGRAM_PROVE_RUN_H

#include <stdlib.h>

#include "device/host.h"
#include "network/tensor_random.h"
#include "program/verify.h"

enum { PROVE_MEMORY_MOST = 64 << 20 };

static inline bool prove_is_small(const struct program *program)
{
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].address + program->buffers[i].size > PROVE_MEMORY_MOST)
            return false;
    }
    return true;
}

// What is not said of a shape is 2.
static inline void prove_make_input(const struct network_value *value, uint32_t index,
                                    struct datum **out_datum)
{
    if (value->constant != NULL || value->type.kind != VALUE_TENSOR || !value->type.ranked ||
        value->type.element == ELEMENT_NONE)
        return;
    struct shape shape = value->type.shape;
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = shape.dims[i] < 0 ? 2 : shape.dims[i];
    status_free(datum_tensor(value->type.element, &shape, out_datum));
    if (*out_datum != NULL)
        tensor_random_fill(&(*out_datum)->tensor, 1, index);
}

static inline uint64_t prove_hash(uint64_t hash, const void *data, uint64_t size)
{
    const unsigned char *bytes = data;
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t prove_hash_output(uint64_t hash, const struct datum *datum)
{
    if (datum == NULL || datum->kind != DATUM_TENSOR || datum->tensor.element == ELEMENT_TEXT)
        return hash;
    return prove_hash(
        prove_hash(hash, datum->tensor.shape.dims, datum->tensor.shape.rank * sizeof(int64_t)),
        datum->tensor.data, tensor_bytes(&datum->tensor));
}

// 0: it failed; else a number that all outputs go into.
static inline uint64_t prove_run_device(struct host_device *device)
{
    datum_limit(4 * (uint64_t)PROVE_MEMORY_MOST);
    const struct network *network = host_device_network(device);
    const struct network_graph *graph = network_graph(network, 0);
    struct datum **inputs = calloc((size_t)graph->input_count + 1, sizeof *inputs);
    struct datum **outputs = calloc((size_t)graph->output_count + 1, sizeof *outputs);
    for (uint32_t i = 0; i < graph->input_count; i++)
        prove_make_input(network_value(network, graph->inputs[i]), i, &inputs[i]);
    const status failure = host_device_run(device, inputs, graph->input_count, outputs);
    uint64_t hash = failure == STATUS_OK ? UINT64_C(0xcbf29ce484222325) : 0;
    for (uint32_t i = 0; failure == STATUS_OK && i < graph->output_count; i++)
        hash = prove_hash_output(hash, outputs[i]);
    status_free(failure);
    for (uint32_t i = 0; i < graph->input_count; i++)
        datum_release(inputs[i]);
    for (uint32_t i = 0; i < graph->output_count; i++)
        datum_release(outputs[i]);
    free(inputs);
    free(outputs);
    return hash;
}

static inline uint64_t prove_run(const struct program *program, const struct target *target,
                                 unsigned threads)
{
    struct host_device *device;
    uint64_t hash = 0;
    if (!prove_is_small(program))
        return 0;
    const status failure = host_device_create(
        program, target,
        &(struct host_options){.threads = threads, .fill = (uint8_t)(0x55 * threads)}, &device);
    if (failure == STATUS_OK) {
        hash = prove_run_device(device);
        host_device_free(device);
    }
    status_free(failure);
    return hash;
}

#endif
