// Operators that compute each element of the result from the same place of
// their inputs.

#include "infer.h"
#include "network/operator_tables.h"

// Inputs of one type, as many as the definition says, that broadcast together.
static status infer_broadcast(struct inference *inference, uint32_t set)
{
    STATUS_TRY(inference_check_element(inference, 0, set));
    struct value_type type;
    STATUS_TRY(tosa_broadcast(inference, 0, inference->input_count, &type));
    return tosa_set_like(inference, 0, type.element, &type);
}

static status infer_numbers(struct inference *inference)
{
    return infer_broadcast(inference, TOSA_NUMBERS);
}

static status infer_integers(struct inference *inference)
{
    return infer_broadcast(inference, TOSA_INTEGERS);
}

static status infer_floats(struct inference *inference)
{
    return infer_broadcast(inference, TOSA_FLOATS);
}

static status infer_bools(struct inference *inference)
{
    return infer_broadcast(inference, TOSA_BOOL);
}

static status tosa_elementwise_infer_extreme(struct inference *inference)
{
    STATUS_TRY(tosa_choice(inference, "nan_mode", "PROPAGATE", "IGNORE"));
    return infer_broadcast(inference, TOSA_NUMBERS);
}

static status infer_comparison(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, TOSA_NUMBERS | TOSA_BOOL));
    struct value_type type;
    STATUS_TRY(tosa_broadcast(inference, 0, 2, &type));
    return tosa_set_like(inference, 0, ELEMENT_BOOL, &type);
}

// A product of integers may be wider than its factors.
static status infer_product(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, TOSA_NUMBERS));
    STATUS_TRY(tosa_need_single(inference, 2, TOSA_INTEGERS));
    struct value_type type;
    STATUS_TRY(tosa_broadcast(inference, 0, 2, &type));
    const enum element declared = tosa_declared_element(inference, 0, type.element);
    if (element_is_float(type.element) != element_is_float(declared) ||
        (element_is_float(declared) && type.element != declared) ||
        (TOSA_NUMBERS & ELEMENT_BIT(declared)) == 0)
        return status_make(STATUS_DATA, "a product of %s cannot be of %s",
                           element_name(type.element), element_name(declared));
    return tosa_set_like(inference, 0, declared, &type);
}

static status infer_selection(struct inference *inference)
{
    const struct value_type *condition;
    STATUS_TRY(tosa_need(inference, 0, TOSA_BOOL, TOSA_ANY_RANK, &condition));
    struct value_type type;
    STATUS_TRY(tosa_broadcast(inference, 1, 3, &type));
    type.ranked = type.ranked && condition->ranked;
    if (type.ranked)
        STATUS_TRY(shape_broadcast(&type.shape, &condition->shape, &type.shape));
    return tosa_set_like(inference, 0, type.element, &type);
}

static status infer_negation(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, TOSA_NUMBERS, TOSA_ANY_RANK, &type));
    STATUS_TRY(tosa_need_single(inference, 1, TOSA_NUMBERS));
    STATUS_TRY(tosa_need_single(inference, 2, TOSA_NUMBERS));
    return tosa_set_like(inference, 0, type->element, type);
}

static status infer_clamp(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, TOSA_NUMBERS, TOSA_ANY_RANK, &type));
    STATUS_TRY(tosa_choice(inference, "nan_mode", "PROPAGATE", "IGNORE"));
    if (!attribute_given(inference->node->attributes, "min_val") ||
        !attribute_given(inference->node->attributes, "max_val"))
        return status_make(STATUS_DATA, "attribute 'min_val' or 'max_val' is missing");
    return tosa_set_like(inference, 0, type->element, type);
}

#define ELEMENTWISE(...)                                                                           \
    {                                                                                              \
        .class = OPERATOR_ELEMENTWISE, .outputs = {1, 1}, .tiling = TILED_AS_ELEMENTS,             \
        .price = PRICED_AS_ELEMENTS, __VA_ARGS__                                                   \
    }

static const struct operator_definition ITEMS[] = {
    ELEMENTWISE(.name = "tosa.add", .sort = SORT_SUM, .inputs = {2, 2}, .flops = 1,
                .infer = infer_numbers),
    ELEMENTWISE(.name = "tosa.sub", .sort = SORT_SUM, .inputs = {2, 2}, .flops = 1,
                .infer = infer_numbers),
    {.name = "tosa.mul",
     .sort = SORT_PRODUCT,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {3, 3},
     .outputs = {1, 1},
     .flops = 1,
     .infer = infer_product,
     .tiling = TILED_AS_FIRST_TWO,
     .price = PRICED_AS_ELEMENTS},
    ELEMENTWISE(.name = "tosa.intdiv", .inputs = {2, 2}, .flops = 1, .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.pow", .sort = SORT_CURVE, .inputs = {2, 2}, .flops = 4,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.maximum", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = tosa_elementwise_infer_extreme),
    ELEMENTWISE(.name = "tosa.minimum", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = tosa_elementwise_infer_extreme),
    ELEMENTWISE(.name = "tosa.arithmetic_right_shift", .sort = SORT_SHIFT, .inputs = {2, 2},
                .flops = 1, .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.logical_left_shift", .sort = SORT_SHIFT, .inputs = {2, 2}, .flops = 1,
                .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.logical_right_shift", .sort = SORT_SHIFT, .inputs = {2, 2},
                .flops = 1, .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.bitwise_and", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.bitwise_or", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.bitwise_xor", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.bitwise_not", .sort = SORT_NOT, .inputs = {1, 1}, .flops = 1,
                .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.logical_and", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_bools),
    ELEMENTWISE(.name = "tosa.logical_or", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_bools),
    ELEMENTWISE(.name = "tosa.logical_xor", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_bools),
    ELEMENTWISE(.name = "tosa.logical_not", .sort = SORT_NOT, .inputs = {1, 1}, .flops = 1,
                .infer = infer_bools),
    ELEMENTWISE(.name = "tosa.equal", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_comparison),
    ELEMENTWISE(.name = "tosa.greater", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_comparison),
    ELEMENTWISE(.name = "tosa.greater_equal", .sort = SORT_CHOICE, .inputs = {2, 2}, .flops = 1,
                .infer = infer_comparison),
    ELEMENTWISE(.name = "tosa.select", .sort = SORT_SELECT, .inputs = {3, 3}, .flops = 1,
                .infer = infer_selection),
    ELEMENTWISE(.name = "tosa.abs", .sort = SORT_UNARY, .inputs = {1, 1}, .flops = 1,
                .infer = infer_numbers),
    ELEMENTWISE(.name = "tosa.clz", .sort = SORT_UNARY, .inputs = {1, 1}, .flops = 1,
                .infer = infer_integers),
    ELEMENTWISE(.name = "tosa.ceil", .sort = SORT_UNARY, .inputs = {1, 1}, .flops = 1,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.floor", .sort = SORT_UNARY, .inputs = {1, 1}, .flops = 1,
                .infer = infer_floats),
    {.name = "tosa.negate",
     .sort = SORT_UNARY,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {3, 3},
     .outputs = {1, 1},
     .flops = 1,
     .infer = infer_negation,
     .tiling = TILED_AS_FIRST,
     .price = PRICED_AS_ELEMENTS},
    ELEMENTWISE(.name = "tosa.clamp", .sort = SORT_CLIP, .inputs = {1, 1}, .flops = 2,
                .infer = infer_clamp),
    ELEMENTWISE(.name = "tosa.reciprocal", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 1,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.rsqrt", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 2,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.exp", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 4,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.log", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 4,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.sin", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 4,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.cos", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 4,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.tanh", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 4,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.sigmoid", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 4,
                .infer = infer_floats),
    ELEMENTWISE(.name = "tosa.erf", .sort = SORT_CURVE, .inputs = {1, 1}, .flops = 4,
                .infer = infer_floats),
};

const struct operator_table TOSA_ELEMENTWISE_OPERATORS = OPERATOR_TABLE(ITEMS);
