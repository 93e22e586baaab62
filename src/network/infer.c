// The walk over a network that finds all types, shapes, small values and work.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "block.h"
#include "operators.h"

static operator_evaluator evaluate;

void operator_set_evaluator(operator_evaluator evaluator)
{
    evaluate = evaluator;
}

static status check_count(const char *what, uint32_t count, uint16_t least, uint16_t most)
{
    if (count >= least && (most == UINT16_MAX || count <= most))
        return STATUS_OK;
    if (least == most)
        return status_make(STATUS_DATA, "%" PRIu32 " %s instead of %u", count, what, least);
    if (most == UINT16_MAX)
        return status_make(STATUS_DATA, "%" PRIu32 " %s instead of at least %u", count, what,
                           least);
    return status_make(STATUS_DATA, "%" PRIu32 " %s instead of %u to %u", count, what, least, most);
}

static status run_definition(struct inference *inference)
{
    const struct operator_definition *definition = inference->node->definition;
    STATUS_TRY(check_count("inputs", inference->input_count, definition->inputs.least,
                           definition->inputs.most));
    STATUS_TRY(check_count("outputs", inference->output_count, definition->outputs.least,
                           definition->outputs.most));
    for (uint32_t i = 0; i < definition->inputs.least; i++) {
        if (inference->inputs[i] == NULL)
            return status_make(STATUS_DATA, "input %" PRIu32 " is left out", i);
    }
    return definition->infer(inference);
}

static enum element block_among(const struct inference *inference)
{
    for (uint32_t i = 0; i < inference->input_count; i++) {
        if (inference->inputs[i] != NULL && element_is_block(inference->inputs[i]->element))
            return inference->inputs[i]->element;
    }
    return ELEMENT_NONE;
}

// Operators know nothing of block formats: they are asked about what carries the numbers, and
// what they give of that is of the format again. Casts say themselves what they give.
static status run_carried(struct inference *inference, enum element block)
{
    const size_t inputs = (size_t)inference->input_count + 1;
    struct value_type *types = memory_allocate_zeroed(inputs, sizeof *types);
    const struct value_type **pointers = memory_allocate_zeroed(inputs, sizeof *pointers);
    struct constant *constants = memory_allocate_zeroed(inputs, sizeof *constants);
    const struct constant **known = memory_allocate_zeroed(inputs, sizeof *known);
    for (uint32_t i = 0; i < inference->input_count; i++) {
        if (inference->inputs[i] == NULL)
            continue;
        types[i] = *inference->inputs[i];
        types[i].element = element_carrier(types[i].element);
        pointers[i] = &types[i];
        if (inference->known[i] == NULL)
            continue;
        constants[i] = *inference->known[i];
        constants[i].tensor.element = element_carrier(constants[i].tensor.element);
        known[i] = &constants[i];
    }
    struct inference carried = *inference;
    carried.inputs = pointers;
    carried.known = known;
    const status failure = run_definition(&carried);
    const bool casts = inference->node->definition->function == COMPUTES_CAST;
    for (uint32_t i = 0; i < inference->output_count && !casts; i++) {
        if (inference->outputs[i].element == ELEMENT_BF16)
            inference->outputs[i].element = block;
    }
    free(types);
    free(pointers);
    free(constants);
    free(known);
    return failure;
}

status inference_run(struct inference *inference)
{
    const enum element block = inference->node->definition->class == OPERATOR_CONTROL
                                   ? ELEMENT_NONE
                                   : block_among(inference);
    return block == ELEMENT_NONE ? run_definition(inference) : run_carried(inference, block);
}

// Bytes of a tensor as a file packs it, or in blocks.
static uint64_t packed_bytes(const struct value_type *type)
{
    uint64_t count;
    if (element_is_block(type->element))
        return block_bytes(type->element, &type->shape);
    const status failure = shape_elements(&type->shape, &count);
    if (failure != STATUS_OK) {
        status_free(failure);
        return 0;
    }
    return (count * element_bits(type->element) + 7) / 8;
}

static bool all_static(const struct inference *inference)
{
    for (uint32_t i = 0; i < inference->input_count; i++) {
        if (inference->inputs[i] != NULL && !value_type_static(inference->inputs[i]))
            return false;
    }
    for (uint32_t i = 0; i < inference->output_count; i++) {
        if (inference->node->outputs[i] != NETWORK_NONE &&
            !value_type_static(&inference->outputs[i]))
            return false;
    }
    return true;
}

void inference_measure(const struct inference *inference, struct work *out_work)
{
    *out_work = (struct work){0};
    if (!all_static(inference))
        return;
    out_work->known = true;
    for (uint32_t i = 0; i < inference->input_count; i++) {
        if (inference->inputs[i] == NULL)
            continue;
        const uint64_t bytes = packed_bytes(inference->inputs[i]);
        out_work->bytes_read += bytes;
        out_work->weight_bytes += inference->known[i] != NULL ? bytes : 0;
    }
    for (uint32_t i = 0; i < inference->output_count; i++) {
        if (inference->node->outputs[i] == NETWORK_NONE)
            continue;
        out_work->elements += shape_count(&inference->outputs[i].shape);
        out_work->bytes_written += packed_bytes(&inference->outputs[i]);
    }
    const struct operator_definition *definition = inference->node->definition;
    if (definition->measure != NULL)
        definition->measure(inference, out_work);
    else
        out_work->flops = definition->flops * out_work->elements;
}

// Whether the inputs of the node are all known, and nothing has more than `most`
// elements.
static bool foldable(const struct inference *inference, uint64_t most)
{
    const struct operator_definition *definition = inference->node->definition;
    if (evaluate == NULL || inference->input_count == 0 || definition->random ||
        definition->class == OPERATOR_CONTROL || !all_static(inference))
        return false;
    for (uint32_t i = 0; i < inference->input_count; i++) {
        if (inference->inputs[i] != NULL &&
            (inference->known[i] == NULL || shape_count(&inference->inputs[i]->shape) > most))
            return false;
    }
    for (uint32_t i = 0; i < inference->output_count; i++) {
        if (shape_count(&inference->outputs[i].shape) > most)
            return false;
    }
    return true;
}

// What was inferred goes before what the file declares, which fills the gaps:
// exporters write stale shapes, and a wrong element type is an error.
static status settle_output(struct network_value *value, const struct value_type *inferred)
{
    struct value_type merged;
    const status failure = value_type_merge(inferred, &value->type, &merged);
    if (failure == STATUS_OK) {
        value->type = merged;
        return STATUS_OK;
    }
    const bool same_elements =
        inferred->kind == value->type.kind &&
        (inferred->element == ELEMENT_NONE || value->type.element == ELEMENT_NONE ||
         inferred->element == value->type.element);
    if (!same_elements)
        return failure;
    status_free(failure);
    value->type = *inferred;
    return STATUS_OK;
}

// Whether some input's shape is only what the file declares.
static bool reads_declared(const struct network *network, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] != NETWORK_NONE && network_value(network, node->inputs[i])->declared)
            return true;
    }
    return false;
}

static status infer_settle_types(struct network *network, const struct inference *inference)
{
    const bool doubtful = reads_declared(network, inference->node);
    for (uint32_t i = 0; i < inference->output_count; i++) {
        const uint32_t id = inference->node->outputs[i];
        if (id == NETWORK_NONE)
            continue;
        struct network_value *value = network_value(network, id);
        const bool inferred = value_type_static(&inference->outputs[i]);
        STATUS_TRY(settle_output(value, &inference->outputs[i]));
        inference->outputs[i] = value->type;
        value->constant = inference->values[i];
        value->declared =
            value->constant == NULL && (doubtful || (!inferred && value_type_static(&value->type)));
    }
    return STATUS_OK;
}

static status infer_node(struct network *network, struct network_node *node, uint64_t fold_most)
{
    const uint32_t inputs = node->input_count;
    const uint32_t outputs = node->output_count;
    const struct value_type **types = memory_allocate_zeroed(inputs + 1, sizeof *types);
    const struct constant **known = memory_allocate_zeroed(inputs + 1, sizeof *known);
    struct value_type *results = memory_allocate_zeroed(outputs + 1, sizeof *results);
    const struct constant **values = memory_allocate_zeroed(outputs + 1, sizeof *values);
    for (uint32_t i = 0; i < inputs; i++) {
        if (node->inputs[i] == NETWORK_NONE)
            continue;
        const struct network_value *value = network_value(network, node->inputs[i]);
        types[i] = &value->type;
        known[i] = value->constant;
    }
    struct inference inference = {network, node,    inputs, outputs, types,
                                  known,   results, values, network};
    status failure = inference_run(&inference);
    if (failure == STATUS_OK && foldable(&inference, fold_most))
        evaluate(&inference);
    if (failure == STATUS_OK)
        failure = infer_settle_types(network, &inference);
    if (failure == STATUS_OK)
        inference_measure(&inference, &node->work);
    free(types);
    free(known);
    free(results);
    free(values);
    return failure;
}

status network_fold_node(struct network *network, uint32_t node, uint64_t most)
{
    return infer_node(network, network_node(network, node), most);
}

// Nodes inside a node have named themselves already.
static status infer_graph(struct network *network, uint32_t graph_id)
{
    const struct network_graph *graph = network_graph(network, graph_id);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct network_node *node = network_node(network, graph->nodes[i]);
        const status failure = infer_node(network, node, OPERATOR_FOLD_MOST);
        if (failure == STATUS_OK)
            continue;
        char text[200];
        const status named =
            status_make(status_code_of(failure), "%s: %s",
                        network_node_text(node, text, sizeof text), status_message(failure));
        status_free(failure);
        return named;
    }
    return STATUS_OK;
}

status inference_graph(const struct inference *inference, uint32_t graph)
{
    if (inference->building == NULL)
        return STATUS_OK;
    return infer_graph(inference->building, graph);
}

status network_infer(struct network *network)
{
    const status failure = infer_graph(network, 0);
    if (failure == STATUS_OK)
        return STATUS_OK;
    const status named = status_make(status_code_of(failure), "%s: %s", network->source->path,
                                     status_message(failure));
    status_free(failure);
    return named;
}
