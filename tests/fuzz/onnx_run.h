// Runs a network that is small enough for a fuzzer: whatever inference let pass,
// kernels must be able to take.

#ifndef OPSCOPE_TESTS_ONNX_RUN_H
#define OPSCOPE_TESTS_ONNX_RUN_H

#include <stdlib.h>

#include "kernels/executor.h"
#include "network/tensor_random.h"

enum { RUN_ELEMENTS_MOST = 10000, RUN_WORK_MOST = 1000000, RUN_MEMORY_MOST = 16 << 20 };

static bool small_value(const struct value_type *type)
{
    uint64_t count = RUN_ELEMENTS_MOST + 1;
    if (value_type_static(type))
        status_free(shape_elements(&type->shape, &count));
    return count <= RUN_ELEMENTS_MOST;
}

// Loops might never end, and work that is not known might be any.
static bool small_network(const struct network *network)
{
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        const struct network_node *node = network_node(network, i);
        const struct work *work = &node->work;
        if (node->definition->class == OPERATOR_CONTROL || !work->known ||
            work->macs > RUN_WORK_MOST || work->flops > RUN_WORK_MOST ||
            work->elements > RUN_ELEMENTS_MOST || work->bytes_read > RUN_WORK_MOST)
            return false;
    }
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (!small_value(&network_value(network, graph->inputs[i])->type))
            return false;
    }
    return true;
}

// Any bits, but for what cannot be any.
static void fill_with_bits(struct tensor *tensor, unsigned seed)
{
    unsigned char *bytes = tensor->data;
    const uint64_t size = tensor->element == ELEMENT_TEXT ? 0 : tensor_bytes(tensor);
    for (uint64_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)rand_r(&seed);
        if (tensor->element == ELEMENT_BOOL)
            bytes[i] &= 1;
        else if (tensor->element == ELEMENT_U4)
            bytes[i] &= 15;
        else if (tensor->element == ELEMENT_I4)
            bytes[i] = (unsigned char)((bytes[i] & 15) - 8);
    }
}

static struct datum *make_input(const struct value_type *type, unsigned seed, uint32_t index)
{
    struct datum *datum;
    const status failure = datum_tensor(type->element, &type->shape, &datum);
    if (failure != STATUS_OK) {
        status_free(failure);
        return NULL;
    }
    if (seed % 2 == 0)
        tensor_random_fill(&datum->tensor, seed, index);
    else
        fill_with_bits(&datum->tensor, seed + index);
    return datum;
}

static void release_all(struct datum **items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        datum_release(items[i]);
    free(items);
}

static void run_network(const struct network *network, unsigned seed)
{
    if (!small_network(network))
        return;
    struct executor *executor;
    const struct executor_options options = {.threads = 1, .memory_limit = RUN_MEMORY_MOST};
    status failure = executor_create(network, &options, &executor);
    if (failure != STATUS_OK) {
        status_free(failure);
        return;
    }
    const struct network_graph *graph = network_graph(network, 0);
    struct datum **inputs = calloc(graph->input_count + 1, sizeof *inputs);
    struct datum **outputs = calloc(graph->output_count + 1, sizeof *outputs);
    for (uint32_t i = 0; i < graph->input_count; i++)
        inputs[i] = make_input(&network_value(network, graph->inputs[i])->type, seed, i);
    failure = executor_run(executor, inputs, graph->input_count, outputs);
    const uint32_t given = failure == STATUS_OK ? graph->output_count : 0;
    status_free(failure);
    executor_free(executor);
    release_all(outputs, given);
    release_all(inputs, graph->input_count);
}

#endif
