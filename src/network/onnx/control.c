// Operators that run other graphs: If, Loop, Scan, SequenceMap.

#include <inttypes.h>

#include "network/operator_tables.h"

static status body_of(const struct inference *inference, const char *name, uint32_t *out_graph)
{
    const struct attribute *attribute =
        attribute_find(inference->node->attributes, name, ATTRIBUTE_GRAPH);
    if (attribute == NULL)
        return status_make(STATUS_DATA, "attribute '%s' is missing", name);
    *out_graph = attribute->graph;
    return STATUS_OK;
}

static const struct value_type *output_type(const struct inference *inference, uint32_t graph,
                                            uint32_t index)
{
    const struct network_graph *inner = network_graph(inference->network, graph);
    return &network_value(inference->network, inner->outputs[index])->type;
}

// What holds of a value that is one or the other.
static struct value_type join_types(const struct value_type *a, const struct value_type *b)
{
    if (a->kind == VALUE_UNKNOWN || b->kind == VALUE_UNKNOWN || a->kind != b->kind)
        return (struct value_type){.kind = VALUE_UNKNOWN};
    struct value_type joined = *a;
    joined.optional = a->optional || b->optional;
    if (a->element != b->element)
        joined.element = ELEMENT_NONE;
    joined.ranked = a->ranked && b->ranked && a->shape.rank == b->shape.rank;
    for (uint32_t i = 0; joined.ranked && i < a->shape.rank; i++) {
        if (a->shape.dims[i] != b->shape.dims[i])
            joined.shape.dims[i] = SHAPE_UNKNOWN;
    }
    return joined;
}

static status onnx_control_check_outputs(const struct inference *inference, uint32_t graph,
                                         uint32_t expected)
{
    const uint32_t given = network_graph(inference->network, graph)->output_count;
    if (given == expected)
        return STATUS_OK;
    return status_make(STATUS_DATA, "its graph has %" PRIu32 " outputs instead of %" PRIu32, given,
                       expected);
}

static status onnx_control_check_inputs(const struct inference *inference, uint32_t graph,
                                        uint32_t expected)
{
    const uint32_t given = network_graph(inference->network, graph)->input_count;
    if (given == expected)
        return STATUS_OK;
    return status_make(STATUS_DATA, "its graph has %" PRIu32 " inputs instead of %" PRIu32, given,
                       expected);
}

// Tells an inner graph what its input is; what its file declares fills the gaps.
static void onnx_control_set_input(const struct inference *inference, uint32_t graph,
                                   uint32_t index, const struct value_type *type)
{
    if (inference->building == NULL)
        return;
    const struct network_graph *inner = network_graph(inference->building, graph);
    struct network_value *value = network_value(inference->building, inner->inputs[index]);
    struct value_type merged;
    const status failure = value_type_merge(type, &value->type, &merged);
    value->type = failure == STATUS_OK ? merged : *type;
    status_free(failure);
}

static status infer_if(struct inference *inference)
{
    uint32_t branches[2];
    STATUS_TRY(body_of(inference, "then_branch", &branches[0]));
    STATUS_TRY(body_of(inference, "else_branch", &branches[1]));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENT_BIT(ELEMENT_BOOL)));
    for (int i = 0; i < 2; i++) {
        STATUS_TRY(onnx_control_check_inputs(inference, branches[i], 0));
        STATUS_TRY(onnx_control_check_outputs(inference, branches[i], inference->output_count));
        STATUS_TRY(inference_graph(inference, branches[i]));
    }
    if (inference->building == NULL)
        return STATUS_OK; // the branch that is taken gives its own types
    const struct constant *condition = inference->known[0];
    for (uint32_t i = 0; i < inference->output_count; i++) {
        if (condition != NULL && tensor_count(&condition->tensor) == 1)
            inference->outputs[i] =
                *output_type(inference, branches[constant_integer(condition, 0) != 0 ? 0 : 1], i);
        else
            inference->outputs[i] = join_types(output_type(inference, branches[0], i),
                                               output_type(inference, branches[1], i));
    }
    return STATUS_OK;
}

// A value that an iteration may change: only its element type is sure.
static struct value_type carried_type(const struct value_type *initial)
{
    struct value_type type = *initial;
    type.ranked = false;
    type.shape = (struct shape){0};
    return type;
}

// A tensor of `type` for each of an unknown number of iterations.
static struct value_type stacked_type(const struct value_type *type, int64_t count, uint32_t axis)
{
    struct value_type stacked = *type;
    if (type->kind != VALUE_TENSOR || !type->ranked || type->shape.rank >= SHAPE_RANK_MOST ||
        axis > type->shape.rank)
        return value_type_unranked(type->element);
    stacked.shape.rank++;
    for (uint32_t i = stacked.shape.rank - 1; i > axis; i--)
        stacked.shape.dims[i] = type->shape.dims[i - 1];
    stacked.shape.dims[axis] = count;
    return stacked;
}

static const struct value_type SCALAR_I64 = {
    .kind = VALUE_TENSOR, .ranked = true, .element = ELEMENT_I64};
static const struct value_type SCALAR_BOOL = {
    .kind = VALUE_TENSOR, .ranked = true, .element = ELEMENT_BOOL};

static status infer_loop(struct inference *inference)
{
    uint32_t body;
    STATUS_TRY(body_of(inference, "body", &body));
    const uint32_t carried = inference->input_count > 2 ? inference->input_count - 2 : 0;
    STATUS_TRY(inference_check_element(inference, 0, ELEMENT_BIT(ELEMENT_I64)));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_BOOL)));
    STATUS_TRY(onnx_control_check_inputs(inference, body, carried + 2));
    if (inference->output_count < carried)
        return status_make(STATUS_DATA, "%" PRIu32 " outputs for %" PRIu32 " carried values",
                           inference->output_count, carried);
    STATUS_TRY(onnx_control_check_outputs(inference, body, inference->output_count + 1));
    for (uint32_t i = 0; i < carried; i++) {
        if (inference->inputs[i + 2] == NULL)
            return status_make(STATUS_DATA, "input %" PRIu32 " is left out", i + 2);
    }
    onnx_control_set_input(inference, body, 0, &SCALAR_I64);
    onnx_control_set_input(inference, body, 1, &SCALAR_BOOL);
    for (uint32_t i = 0; i < carried; i++) {
        const struct value_type type = carried_type(inference->inputs[i + 2]);
        onnx_control_set_input(inference, body, i + 2, &type);
    }
    STATUS_TRY(inference_graph(inference, body));
    if (inference->building == NULL)
        return STATUS_OK;
    for (uint32_t i = 0; i < inference->output_count; i++) {
        const struct value_type *type = output_type(inference, body, i + 1);
        inference->outputs[i] = i < carried ? join_types(type, inference->inputs[i + 2])
                                            : stacked_type(type, SHAPE_UNKNOWN, 0);
    }
    return STATUS_OK;
}

// How many scan inputs there are, and where the inputs of the body start: version
// 8 has the lengths of sequences in front.
static status scan_counts(const struct inference *inference, uint32_t *out_scans,
                          uint32_t *out_first, uint32_t *out_states)
{
    const int64_t scans = attribute_integer(inference->node->attributes, "num_scan_inputs", -1);
    const uint32_t first = inference->node->version < 9 ? 1 : 0;
    if (inference->input_count < first || scans < 1 ||
        scans > (int64_t)(inference->input_count - first))
        return status_make(STATUS_DATA, "'num_scan_inputs' is %" PRId64 " with %" PRIu32 " inputs",
                           scans, inference->input_count);
    for (uint32_t i = first; i < inference->input_count; i++) {
        if (inference->inputs[i] == NULL)
            return status_make(STATUS_DATA, "input %" PRIu32 " is left out", i);
    }
    *out_scans = (uint32_t)scans;
    *out_first = first;
    *out_states = inference->input_count - first - (uint32_t)scans;
    return STATUS_OK;
}

// The axis along which scan input or output `index` is cut or stacked.
static status scan_axis(const struct inference *inference, const char *name, uint32_t index,
                        uint32_t rank, uint32_t *out_axis)
{
    const int64_t *axes;
    const uint32_t count = attribute_integers(inference->node->attributes, name, &axes);
    return shape_axis(index < count ? axes[index] : 0, rank, out_axis);
}

// `type` without its first `leading` axes (the batch of version 8) or without `axis`.
static struct value_type without_axis(const struct value_type *type, uint32_t axis)
{
    struct value_type cut = *type;
    cut.shape.rank--;
    for (uint32_t i = axis; i < cut.shape.rank; i++)
        cut.shape.dims[i] = type->shape.dims[i + 1];
    return cut;
}

// Gives `length` what is known of it; another length is an error.
static status agree_on_length(const char *what, int64_t own, int64_t *length)
{
    if (*length != SHAPE_UNKNOWN && own != SHAPE_UNKNOWN && own != *length)
        return status_make(STATUS_DATA, "%s of length %" PRId64 " and %" PRId64, what, *length,
                           own);
    *length = own != SHAPE_UNKNOWN ? own : *length;
    return STATUS_OK;
}

static status scan_input_type(const struct inference *inference, uint32_t index, uint32_t input,
                              struct value_type *out_type, int64_t *length)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, input, &type));
    *out_type = value_type_unranked(type->element);
    if (!type->ranked)
        return STATUS_OK;
    uint32_t axis = 0;
    STATUS_TRY(scan_axis(inference, "scan_input_axes", index, type->shape.rank, &axis));
    STATUS_TRY(agree_on_length("scan inputs", type->shape.dims[axis], length));
    *out_type = without_axis(type, axis);
    return STATUS_OK;
}

static status infer_scan_body(struct inference *inference, uint32_t body, uint32_t states,
                              uint32_t scans)
{
    int64_t length = SHAPE_UNKNOWN;
    for (uint32_t i = 0; i < states; i++)
        onnx_control_set_input(inference, body, i, inference->inputs[i]);
    for (uint32_t i = 0; i < scans; i++) {
        struct value_type type;
        STATUS_TRY(scan_input_type(inference, i, states + i, &type, &length));
        onnx_control_set_input(inference, body, states + i, &type);
    }
    STATUS_TRY(inference_graph(inference, body));
    if (inference->building == NULL)
        return STATUS_OK;
    for (uint32_t i = 0; i < inference->output_count; i++) {
        const struct value_type *type = output_type(inference, body, i);
        uint32_t axis = 0;
        if (i >= states && type->kind == VALUE_TENSOR && type->ranked)
            STATUS_TRY(
                scan_axis(inference, "scan_output_axes", i - states, type->shape.rank + 1, &axis));
        inference->outputs[i] = i < states ? *type : stacked_type(type, length, axis);
    }
    return STATUS_OK;
}

// Version 8 runs the body for each item of a batch: the outermost dimension of
// everything. The second one is the sequence.
static status infer_scan_batch(struct inference *inference, uint32_t body, uint32_t states,
                               uint32_t scans)
{
    int64_t batch = SHAPE_UNKNOWN;
    int64_t length = SHAPE_UNKNOWN;
    STATUS_TRY(inference_check_element(inference, 0, ELEMENT_BIT(ELEMENT_I64)));
    for (uint32_t i = 0; i < states + scans; i++) {
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, 1 + i, &type));
        const uint32_t leading = i < states ? 1 : 2;
        if (!type->ranked || type->shape.rank < leading)
            return status_make(STATUS_DATA, "input %" PRIu32 " has no batch and sequence", 1 + i);
        STATUS_TRY(agree_on_length("batches", type->shape.dims[0], &batch));
        if (leading == 2)
            STATUS_TRY(agree_on_length("scan inputs", type->shape.dims[1], &length));
        struct value_type inner = without_axis(type, 0);
        if (leading == 2)
            inner = without_axis(&inner, 0);
        onnx_control_set_input(inference, body, i, &inner);
    }
    STATUS_TRY(inference_graph(inference, body));
    for (uint32_t i = 0; inference->building != NULL && i < inference->output_count; i++)
        inference_set_unranked(inference, i, output_type(inference, body, i)->element);
    return STATUS_OK;
}

static status infer_scan(struct inference *inference)
{
    uint32_t body;
    uint32_t scans;
    uint32_t first;
    uint32_t states;
    STATUS_TRY(body_of(inference, "body", &body));
    STATUS_TRY(scan_counts(inference, &scans, &first, &states));
    STATUS_TRY(onnx_control_check_inputs(inference, body, states + scans));
    STATUS_TRY(onnx_control_check_outputs(inference, body, inference->output_count));
    if (inference->output_count < states)
        return status_make(STATUS_DATA, "%" PRIu32 " outputs for %" PRIu32 " states",
                           inference->output_count, states);
    if (first == 1)
        return infer_scan_batch(inference, body, states, scans);
    return infer_scan_body(inference, body, states, scans);
}

// What the body is given of an input: an item of a sequence, or the tensor itself.
static struct value_type mapped_type(const struct value_type *type)
{
    if (type->kind != VALUE_SEQUENCE)
        return *type;
    struct value_type item = *type;
    item.kind = VALUE_TENSOR;
    return item;
}

static status infer_sequence_map(struct inference *inference)
{
    uint32_t body;
    STATUS_TRY(body_of(inference, "body", &body));
    STATUS_TRY(onnx_control_check_inputs(inference, body, inference->input_count));
    STATUS_TRY(onnx_control_check_outputs(inference, body, inference->output_count));
    if (inference->inputs[0]->kind == VALUE_TENSOR)
        return status_make(STATUS_DATA, "input 0 is a tensor, not a sequence");
    for (uint32_t i = 0; i < inference->input_count; i++) {
        if (inference->inputs[i] == NULL)
            return status_make(STATUS_DATA, "input %" PRIu32 " is left out", i);
        const struct value_type type = mapped_type(inference->inputs[i]);
        onnx_control_set_input(inference, body, i, &type);
    }
    STATUS_TRY(inference_graph(inference, body));
    for (uint32_t i = 0; inference->building != NULL && i < inference->output_count; i++) {
        inference->outputs[i] = *output_type(inference, body, i);
        inference->outputs[i].kind = VALUE_SEQUENCE;
    }
    return STATUS_OK;
}

// Their work is that of the nodes inside, however often those run.
static void measure_nothing(const struct inference *inference, struct work *work)
{
    (void)inference;
    work->known = false;
    work->elements = work->bytes_read = work->bytes_written = work->weight_bytes = 0;
}

#define CONTROL(...)                                                                               \
    {                                                                                              \
        .class = OPERATOR_CONTROL, .outputs = {1, UINT16_MAX}, .measure = measure_nothing,         \
        .price = PRICED_AS_OTHER, __VA_ARGS__                                                      \
    }

static const struct operator_definition OPERATORS[] = {
    CONTROL(.name = "If", .inputs = {1, 1}, .infer = infer_if),
    {.name = "Loop",
     .exact = OPERATOR_INPUT(0),
     .class = OPERATOR_CONTROL,
     .inputs = {0, UINT16_MAX},
     .outputs = {0, UINT16_MAX},
     .infer = infer_loop,
     .measure = measure_nothing,
     .price = PRICED_AS_OTHER},
    CONTROL(.name = "Scan", .inputs = {0, UINT16_MAX}, .infer = infer_scan),
    CONTROL(.name = "SequenceMap", .inputs = {1, UINT16_MAX}, .infer = infer_sequence_map),
};

const struct operator_table ONNX_CONTROL_OPERATORS = OPERATOR_TABLE(OPERATORS);
