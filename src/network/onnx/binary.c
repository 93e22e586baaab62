// Functions of two or more numbers, with broadcasting.

#include "legacy.h"
#include "network/operator_tables.h"

// Checks that two inputs are of one element of the set, and finds the common shape.
static status two_of(struct inference *inference, uint32_t elements, bool same,
                     struct value_type *out_type)
{
    const struct value_type *left, *right;
    STATUS_TRY(inference_need_tensor(inference, 0, &left));
    STATUS_TRY(inference_need_tensor(inference, 1, &right));
    STATUS_TRY(inference_check_element(inference, 0, elements));
    STATUS_TRY(inference_check_element(inference, 1, elements));
    if (same && left->element != ELEMENT_NONE && right->element != ELEMENT_NONE &&
        left->element != right->element)
        return status_make(STATUS_DATA, "inputs of %s and %s", element_name(left->element),
                           element_name(right->element));
    *out_type = value_type_unranked(left->element != ELEMENT_NONE || !same ? left->element
                                                                           : right->element);
    if (!left->ranked || !right->ranked)
        return STATUS_OK;
    struct shape aligned;
    STATUS_TRY(legacy_align(&left->shape, &right->shape, inference->node->attributes,
                            inference->node->version, &aligned));
    out_type->ranked = true;
    return shape_broadcast(&left->shape, &aligned, &out_type->shape);
}

static status infer_arithmetic(struct inference *inference)
{
    return two_of(inference, ELEMENTS_NUMERIC, true, &inference->outputs[0]);
}

static status infer_bits(struct inference *inference)
{
    return two_of(inference, ELEMENTS_INTEGER, true, &inference->outputs[0]);
}

static status infer_logic(struct inference *inference)
{
    return two_of(inference, ELEMENT_BIT(ELEMENT_BOOL), true, &inference->outputs[0]);
}

static status infer_pow(struct inference *inference)
{
    return two_of(inference, ELEMENTS_NUMERIC, false, &inference->outputs[0]);
}

static status infer_shift(struct inference *inference)
{
    const struct view direction = attribute_text(inference->node->attributes, "direction", "");
    if (!view_is(direction, "LEFT") && !view_is(direction, "RIGHT"))
        return status_make(STATUS_DATA, "direction '%.*s' is neither LEFT nor RIGHT",
                           VIEW_ARGUMENTS(direction));
    const uint32_t naturals = ELEMENT_BIT(ELEMENT_U8) | ELEMENT_BIT(ELEMENT_U16) |
                              ELEMENT_BIT(ELEMENT_U32) | ELEMENT_BIT(ELEMENT_U64);
    return two_of(inference, naturals, true, &inference->outputs[0]);
}

static status compare(struct inference *inference, uint32_t elements)
{
    STATUS_TRY(two_of(inference, elements, true, &inference->outputs[0]));
    inference->outputs[0].element = ELEMENT_BOOL;
    return STATUS_OK;
}

static status infer_order(struct inference *inference)
{
    return compare(inference, ELEMENTS_NUMERIC);
}

static status infer_equal(struct inference *inference)
{
    return compare(inference,
                   ELEMENTS_NUMERIC | ELEMENT_BIT(ELEMENT_BOOL) | ELEMENT_BIT(ELEMENT_TEXT));
}

static status infer_variadic(struct inference *inference, uint32_t elements)
{
    for (uint32_t i = 0; i < inference->input_count; i++)
        STATUS_TRY(inference_check_element(inference, i, elements));
    return inference_broadcast(inference);
}

static status infer_variadic_number(struct inference *inference)
{
    return infer_variadic(inference, ELEMENTS_NUMERIC);
}

static status infer_variadic_real(struct inference *inference)
{
    return infer_variadic(inference, ELEMENTS_FLOAT);
}

// The slope fits into the input, which keeps its shape.
static status infer_prelu(struct inference *inference)
{
    const struct value_type *input, *slope;
    STATUS_TRY(inference_need_tensor(inference, 0, &input));
    STATUS_TRY(inference_need_tensor(inference, 1, &slope));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    if (slope->element != ELEMENT_NONE && input->element != ELEMENT_NONE &&
        slope->element != input->element)
        return status_make(STATUS_DATA, "a slope of %s for an input of %s",
                           element_name(slope->element), element_name(input->element));
    STATUS_TRY(inference_same_as_first(inference));
    if (!input->ranked || !slope->ranked)
        return STATUS_OK;
    const struct shape aligned =
        legacy_slope(&input->shape, &slope->shape, inference->node->version);
    struct shape both;
    STATUS_TRY(shape_broadcast(&input->shape, &aligned, &both));
    char text[SHAPE_TEXT_MOST], slope_text[SHAPE_TEXT_MOST];
    if (shape_known(&input->shape) && shape_known(&aligned) && !shape_equal(&both, &input->shape))
        return status_make(STATUS_DATA, "a slope of shape %s does not fit into %s",
                           shape_text(&slope->shape, slope_text), shape_text(&input->shape, text));
    return STATUS_OK;
}

static status infer_where(struct inference *inference)
{
    const struct value_type *condition, *yes, *no;
    STATUS_TRY(inference_need_tensor(inference, 0, &condition));
    STATUS_TRY(inference_need_tensor(inference, 1, &yes));
    STATUS_TRY(inference_need_tensor(inference, 2, &no));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENT_BIT(ELEMENT_BOOL)));
    if (yes->element != ELEMENT_NONE && no->element != ELEMENT_NONE && yes->element != no->element)
        return status_make(STATUS_DATA, "a choice between %s and %s", element_name(yes->element),
                           element_name(no->element));
    struct value_type *result = &inference->outputs[0];
    *result = value_type_unranked(yes->element != ELEMENT_NONE ? yes->element : no->element);
    if (!condition->ranked || !yes->ranked || !no->ranked)
        return STATUS_OK;
    STATUS_TRY(shape_broadcast(&condition->shape, &yes->shape, &result->shape));
    STATUS_TRY(shape_broadcast(&result->shape, &no->shape, &result->shape));
    result->ranked = true;
    return STATUS_OK;
}

// One step for each input after the first.
static void measure_variadic(const struct inference *inference, struct work *work)
{
    work->flops = work->elements * (inference->input_count - 1);
}

// And a division.
static void onnx_binary_measure_mean(const struct inference *inference, struct work *work)
{
    work->flops = work->elements * inference->input_count;
}

#define BINARY(...)                                                                                \
    {                                                                                              \
        .class = OPERATOR_ELEMENTWISE, .inputs = {2, 2}, .outputs = {1, 1},                        \
        .tiling = TILED_AS_ELEMENTS, .price = PRICED_AS_ELEMENTS, __VA_ARGS__                      \
    }
#define VARIADIC(...)                                                                              \
    {                                                                                              \
        .class = OPERATOR_ELEMENTWISE, .inputs = {1, UINT16_MAX}, .outputs = {1, 1},               \
        .tiling = TILED_AS_ELEMENTS, .price = PRICED_AS_ELEMENTS, __VA_ARGS__                      \
    }

static const struct operator_definition DEFINITIONS[] = {
    BINARY(.name = "Add", .sort = SORT_SUM, .flops = 1, .infer = infer_arithmetic,
           .function = COMPUTES_ADD),
    BINARY(.name = "And", .sort = SORT_CHOICE, .flops = 1, .infer = infer_logic),
    BINARY(.name = "BitShift", .sort = SORT_SHIFT, .flops = 1, .infer = infer_shift),
    BINARY(.name = "BitwiseAnd", .sort = SORT_CHOICE, .flops = 1, .infer = infer_bits),
    BINARY(.name = "BitwiseOr", .sort = SORT_CHOICE, .flops = 1, .infer = infer_bits),
    BINARY(.name = "BitwiseXor", .sort = SORT_CHOICE, .flops = 1, .infer = infer_bits),
    BINARY(.name = "Div", .flops = 1, .infer = infer_arithmetic, .function = COMPUTES_DIVIDE),
    BINARY(.name = "Equal", .sort = SORT_CHOICE, .flops = 1, .infer = infer_equal),
    BINARY(.name = "Greater", .sort = SORT_CHOICE, .flops = 1, .infer = infer_order),
    BINARY(.name = "GreaterOrEqual", .sort = SORT_CHOICE, .flops = 1, .infer = infer_order),
    BINARY(.name = "Less", .sort = SORT_CHOICE, .flops = 1, .infer = infer_order),
    BINARY(.name = "LessOrEqual", .sort = SORT_CHOICE, .flops = 1, .infer = infer_order),
    VARIADIC(.name = "Max", .sort = SORT_CHOICE, .infer = infer_variadic_number,
             .measure = measure_variadic),
    VARIADIC(.name = "Mean", .infer = infer_variadic_real, .measure = onnx_binary_measure_mean),
    VARIADIC(.name = "Min", .sort = SORT_CHOICE, .infer = infer_variadic_number,
             .measure = measure_variadic),
    BINARY(.name = "Mod", .flops = 1, .infer = infer_arithmetic),
    BINARY(.name = "Mul", .sort = SORT_PRODUCT, .flops = 1, .infer = infer_arithmetic,
           .function = COMPUTES_MULTIPLY),
    BINARY(.name = "Or", .sort = SORT_CHOICE, .flops = 1, .infer = infer_logic),
    BINARY(.name = "PRelu", .flops = 2, .infer = infer_prelu),
    BINARY(.name = "Pow", .flops = 4, .infer = infer_pow, .function = COMPUTES_POWER),
    BINARY(.name = "Sub", .sort = SORT_SUM, .flops = 1, .infer = infer_arithmetic,
           .function = COMPUTES_SUBTRACT),
    VARIADIC(.name = "Sum", .sort = SORT_SUM, .infer = infer_variadic_real,
             .measure = measure_variadic),
    {.name = "Where",
     .sort = SORT_SELECT,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {3, 3},
     .outputs = {1, 1},
     .flops = 1,
     .infer = infer_where,
     .tiling = TILED_AS_ELEMENTS,
     .price = PRICED_AS_ELEMENTS},
    BINARY(.name = "Xor", .sort = SORT_CHOICE, .flops = 1, .infer = infer_logic),
};

const struct operator_table ONNX_BINARY_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
