// Operators that run other graphs, and those that compute shapes.

#include <inttypes.h>

#include "infer.h"
#include "network/operator_tables.h"

// Graphs ----------------------------------------------------------------------

// The graph of attribute `name`, which must take as many values as the node hands
// it and give `outputs`. Its inputs get the types of the node's, from `first` on.
static status infer_inner(const struct inference *inference, const char *name, uint32_t first,
                          uint32_t outputs, uint32_t *out_graph)
{
    const struct attribute *attribute =
        attribute_find(inference->node->attributes, name, ATTRIBUTE_GRAPH);
    if (attribute == NULL)
        return status_make(STATUS_DATA, "attribute '%s' is missing", name);
    *out_graph = attribute->graph;
    const struct network_graph *inner = network_graph(inference->network, attribute->graph);
    const uint32_t given = inference->input_count - first;
    if (inner->input_count != given || inner->output_count != outputs)
        return status_make(STATUS_DATA,
                           "'%s' takes %" PRIu32 " values and gives %" PRIu32 " instead of %" PRIu32
                           " and %" PRIu32,
                           name, inner->input_count, inner->output_count, given, outputs);
    for (uint32_t i = 0; inference->building != NULL && i < given; i++) {
        struct network_value *value = network_value(inference->building, inner->inputs[i]);
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, first + i, &type));
        if (!value_type_static(&value->type))
            STATUS_TRY(value_type_merge(type, &value->type, &value->type));
    }
    return inference_graph(inference, attribute->graph);
}

static const struct value_type *inner_output(const struct inference *inference, uint32_t graph,
                                             uint32_t index)
{
    const struct network_graph *inner = network_graph(inference->network, graph);
    return &network_value(inference->network, inner->outputs[index])->type;
}

static status infer_cond_if(struct inference *inference)
{
    STATUS_TRY(tosa_need_single(inference, 0, TOSA_BOOL));
    uint32_t branches[2];
    STATUS_TRY(infer_inner(inference, "then_graph", 1, inference->output_count, &branches[0]));
    STATUS_TRY(infer_inner(inference, "else_graph", 1, inference->output_count, &branches[1]));
    for (uint32_t i = 0; inference->building != NULL && i < inference->output_count; i++) {
        const struct value_type *declared = tosa_declared(inference, i);
        for (uint32_t branch = 0; branch < 2; branch++) {
            struct value_type merged;
            STATUS_TRY(
                value_type_merge(declared, inner_output(inference, branches[branch], i), &merged));
        }
        inference->outputs[i] = *declared;
    }
    return STATUS_OK;
}

static status infer_while_loop(struct inference *inference)
{
    uint32_t graph;
    STATUS_TRY(infer_inner(inference, "cond_graph", 0, 1, &graph));
    const struct value_type *condition = inner_output(inference, graph, 0);
    if (condition->kind == VALUE_TENSOR && condition->element != ELEMENT_NONE &&
        condition->element != ELEMENT_BOOL)
        return status_make(STATUS_DATA, "'cond_graph' gives %s instead of a bool",
                           element_name(condition->element));
    STATUS_TRY(infer_inner(inference, "body_graph", 0, inference->input_count, &graph));
    if (inference->output_count != inference->input_count)
        return status_make(STATUS_DATA, "%" PRIu32 " results for %" PRIu32 " carried values",
                           inference->output_count, inference->input_count);
    for (uint32_t i = 0; inference->building != NULL && i < inference->output_count; i++)
        inference->outputs[i] = *tosa_declared(inference, i);
    return STATUS_OK;
}

// Shapes ----------------------------------------------------------------------

static const uint32_t SHAPE_ELEMENTS = ELEMENT_BIT(ELEMENT_I64);

// Elementwise; a list of one number serves a longer one.
static status infer_shape_arithmetic(struct inference *inference)
{
    struct value_type type;
    STATUS_TRY(inference_check_element(inference, 0, SHAPE_ELEMENTS));
    STATUS_TRY(tosa_broadcast(inference, 0, inference->input_count, &type));
    return tosa_set_like(inference, 0, ELEMENT_I64, &type);
}

static status infer_concat_shape(struct inference *inference)
{
    struct shape shape = {1, {0}};
    for (uint32_t i = 0; i < inference->input_count; i++) {
        const struct value_type *type;
        STATUS_TRY(tosa_need(inference, i, SHAPE_ELEMENTS, 1, &type));
        if (!type->ranked || type->shape.dims[0] == SHAPE_UNKNOWN)
            shape.dims[0] = SHAPE_UNKNOWN;
        else if (shape.dims[0] != SHAPE_UNKNOWN)
            shape.dims[0] += type->shape.dims[0];
    }
    return tosa_set(inference, 0, ELEMENT_I64, &shape);
}

static status infer_slice_shape(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, SHAPE_ELEMENTS, 1, &type));
    STATUS_TRY(tosa_need_single(inference, 1, TOSA_INTEGERS));
    STATUS_TRY(tosa_need_single(inference, 2, TOSA_INTEGERS));
    struct shape shape = {1, {SHAPE_UNKNOWN}};
    const struct constant *size = inference->known[2];
    if (size != NULL)
        shape.dims[0] = constant_integer(size, 0);
    if (size != NULL && (shape.dims[0] < 0 || shape.dims[0] > TOSA_LENGTH_MOST))
        return status_make(STATUS_DATA, "a slice of %" PRId64 " numbers", shape.dims[0]);
    return tosa_set(inference, 0, ELEMENT_I64, &shape);
}

// The length of one dimension.
static status infer_dim(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, TOSA_ANY, TOSA_ANY_RANK, &type));
    uint32_t axis = 0;
    if (type->ranked)
        STATUS_TRY(tosa_axis(inference, type->shape.rank, &axis));
    const struct shape one = {1, {1}};
    STATUS_TRY(tosa_set(inference, 0, ELEMENT_I64, &one));
    if (inference->building == NULL || !type->ranked || type->shape.dims[axis] == SHAPE_UNKNOWN)
        return STATUS_OK;
    struct arena *arena = &inference->building->arena;
    int64_t *length = arena_allocate(arena, sizeof *length);
    struct constant *constant = arena_allocate(arena, sizeof *constant);
    *length = type->shape.dims[axis];
    *constant = (struct constant){.tensor = {ELEMENT_I64, one, length}, .bytes = sizeof *length};
    inference->values[0] = constant;
    return STATUS_OK;
}

#define SHAPES(...)                                                                                \
    {                                                                                              \
        .class = OPERATOR_OTHER, .exact = UINT32_MAX, .outputs = {1, 1}, .price = PRICED_AS_OTHER, \
        __VA_ARGS__                                                                                \
    }

static const struct operator_definition ITEMS[] = {
    {.name = "tosa.cond_if",
     .class = OPERATOR_CONTROL,
     .inputs = {1, UINT16_MAX},
     .outputs = {0, UINT16_MAX},
     .infer = infer_cond_if,
     .price = PRICED_AS_OTHER},
    {.name = "tosa.while_loop",
     .class = OPERATOR_CONTROL,
     .inputs = {0, UINT16_MAX},
     .outputs = {0, UINT16_MAX},
     .infer = infer_while_loop,
     .price = PRICED_AS_OTHER},
    SHAPES(.name = "tosa.add_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.sub_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.mul_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.div_ceil_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.div_floor_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.mod_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.max_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.min_shape", .inputs = {2, 2}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.exp2_shape", .inputs = {1, 1}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.log2_ceil_shape", .inputs = {1, 1}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.log2_floor_shape", .inputs = {1, 1}, .infer = infer_shape_arithmetic),
    SHAPES(.name = "tosa.concat_shape", .inputs = {1, UINT16_MAX}, .infer = infer_concat_shape),
    SHAPES(.name = "tosa.slice_shape", .inputs = {3, 3}, .infer = infer_slice_shape),
    {.name = "tosa.dim",
     .class = OPERATOR_OTHER,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_dim,
     .price = PRICED_AS_OTHER},
};

const struct operator_table TOSA_CONTROL_OPERATORS = OPERATOR_TABLE(ITEMS);
