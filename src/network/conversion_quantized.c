// Operators that a quantized network has computed in integers: those between
// DequantizeLinear and QuantizeLinear. That they are written with reals is only how ONNX says it.

#include <stdlib.h>

#include "base/memory.h"
#include "operators.h"

static bool is_scaler(const struct network_node *node, enum operator_scaling scaling)
{
    return node->definition->scaling == scaling;
}

// What follows a product before it is made an integer again.
static bool is_activation(const struct network_node *node)
{
    switch (node->definition->function) {
    case COMPUTES_CLIP:
    case COMPUTES_HARD_SIGMOID:
    case COMPUTES_HARD_SWISH:
    case COMPUTES_LEAKY_RELU:
    case COMPUTES_RELU:
    case COMPUTES_SIGMOID:
    case COMPUTES_TANH:
        return true;
    default:
        return false;
    }
}

// Whether machines compute such an operator on quantized integers.
static bool has_integer_form(const struct network_node *node)
{
    switch (node->definition->class) {
    case OPERATOR_ELEMENTWISE:
    case OPERATOR_CONVOLUTION:
    case OPERATOR_MATMUL:
    case OPERATOR_POOLING:
    case OPERATOR_MOVEMENT:
    case OPERATOR_VIEW:
        return true;
    default:
        return false;
    }
}

// By value: all that reads it makes an integer of it, directly or after an activation.
static bool *find_ends(const struct network *network, const struct network_graph *graph)
{
    const uint32_t count = network->values.count;
    bool *read = memory_allocate_zeroed((size_t)count + 1, sizeof *read);
    bool *otherwise = memory_allocate_zeroed((size_t)count + 1, sizeof *otherwise);
    for (uint32_t i = 0; i < graph->output_count; i++)
        otherwise[graph->outputs[i]] = true;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        const bool ends =
            is_scaler(node, SCALES_TO_INTEGER) ||
            (is_activation(node) && read[node->outputs[0]] && !otherwise[node->outputs[0]]);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] == NETWORK_NONE)
                continue;
            read[node->inputs[j]] = true;
            otherwise[node->inputs[j]] = otherwise[node->inputs[j]] || !ends;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        read[i] = read[i] && !otherwise[i];
    free(otherwise);
    return read;
}

static bool is_quantized(const struct network *network, const struct network_node *node,
                         const bool *ends, const bool *quantized)
{
    uint32_t scaled = 0;
    if (!has_integer_form(node) || node->definition->scaling != SCALES_NOTHING)
        return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE && !ends[node->outputs[i]])
            return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == NETWORK_NONE)
            continue;
        const struct network_value *value = network_value(network, node->inputs[i]);
        if (value->constant != NULL || !element_is_float(value->type.element))
            continue;
        if (value->producer == NETWORK_NONE)
            return false;
        const bool back = is_scaler(network_node(network, value->producer), SCALES_BACK);
        if (!back && !(is_activation(node) && quantized[value->producer]))
            return false;
        scaled++;
    }
    return scaled > 0;
}

bool *conversion_quantized(const struct network *network)
{
    bool *quantized = memory_allocate_zeroed((size_t)network->nodes.count + 1, sizeof *quantized);
    for (uint32_t i = 0; i < network->graphs.count; i++) {
        const struct network_graph *graph = network_graph(network, i);
        bool *ends = find_ends(network, graph);
        for (uint32_t j = 0; j < graph->node_count; j++) {
            const uint32_t id = graph->nodes[j];
            quantized[id] = is_quantized(network, network_node(network, id), ends, quantized);
        }
        free(ends);
    }
    return quantized;
}
