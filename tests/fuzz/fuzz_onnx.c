// Any bytes as an ONNX model: read, types inferred, small values calculated, and
// run when that cannot take long.

#include "kernels/executor.h"
#include "network/onnx/import.h"
#include "network/operators.h"
#include "onnx_mutator.h"
#include "onnx_run.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

// A value that a node takes is there before it.
static void check_input(const struct network *network, uint32_t id, const bool *done)
{
    if (id == NETWORK_NONE)
        return;
    check(id < network->values.count);
    const uint32_t producer = network_value(network, id)->producer;
    check(producer == NETWORK_NONE || done[producer]);
}

static void check_graph(const struct network *network, uint32_t graph_id, bool *done);

static void check_node(const struct network *network, uint32_t id, bool *done)
{
    const struct network_node *node = network_node(network, id);
    check(node->definition != NULL && node->version > 0);
    for (uint32_t i = 0; i < node->input_count; i++)
        check_input(network, node->inputs[i], done);
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const struct attribute *attribute = &node->attributes.items[i];
        if (attribute->kind == ATTRIBUTE_GRAPH)
            check_graph(network, attribute->graph, done);
        for (uint32_t k = 0; attribute->kind == ATTRIBUTE_GRAPHS && k < attribute->count; k++)
            check_graph(network, attribute->graphs[k], done);
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        check(node->outputs[i] == NETWORK_NONE ||
              network_value(network, node->outputs[i])->producer == id);
    done[id] = true;
}

static void check_graph(const struct network *network, uint32_t graph_id, bool *done)
{
    const struct network_graph *graph = network_graph(network, graph_id);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        check(network_node(network, graph->nodes[i])->graph == graph_id);
        check_node(network, graph->nodes[i], done);
    }
    for (uint32_t i = 0; i < graph->output_count; i++)
        check_input(network, graph->outputs[i], done);
}

// Every byte that a constant claims can be read.
static void check_constants(const struct network *network)
{
    volatile unsigned char sum = 0;
    for (uint32_t i = 0; i < network->values.count; i++) {
        const struct constant *constant = network_value(network, i)->constant;
        if (constant == NULL)
            continue;
        const unsigned char *bytes = constant->tensor.data;
        for (uint64_t k = 0; k < constant->bytes; k++)
            sum = (unsigned char)(sum + bytes[k]);
        check(constant->packed || constant->bytes == tensor_bytes(&constant->tensor));
    }
}

static void check_network(const struct network *network)
{
    bool *done = calloc(network->nodes.count + 1, sizeof *done);
    check(done != NULL);
    check_graph(network, 0, done);
    check_constants(network);
    free(done);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    executor_fold_constants();
    const struct view bytes = {(const char *)data, size};
    struct network *network;
    status failure = onnx_import(input_over("fuzz", bytes), &network);
    if (failure == STATUS_OK) {
        check_network(network);
        failure = network_infer(network);
        if (failure == STATUS_OK)
            run_network(network, size > 0 ? data[size - 1] : 0);
        network_free(network);
    }
    status_free(failure);
    return 0;
}
