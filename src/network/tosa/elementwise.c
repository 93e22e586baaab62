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

static status infer_extreme(struct inference *inference)
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

#define ELEMENTWISE(title, inputs, weight, rule)                                                   \
    {                                                                                              \
        .name = "tosa." title, .class = OPERATOR_ELEMENTWISE, .inputs_least = (inputs),            \
        .inputs_most = (inputs), .outputs_least = 1, .outputs_most = 1, .flops = (weight),         \
        .infer = (rule)                                                                            \
    }

static const struct operator_definition ITEMS[] = {
    ELEMENTWISE("add", 2, 1, infer_numbers),
    ELEMENTWISE("sub", 2, 1, infer_numbers),
    ELEMENTWISE("mul", 3, 1, infer_product),
    ELEMENTWISE("intdiv", 2, 1, infer_integers),
    ELEMENTWISE("pow", 2, 4, infer_floats),
    ELEMENTWISE("maximum", 2, 1, infer_extreme),
    ELEMENTWISE("minimum", 2, 1, infer_extreme),
    ELEMENTWISE("arithmetic_right_shift", 2, 1, infer_integers),
    ELEMENTWISE("logical_left_shift", 2, 1, infer_integers),
    ELEMENTWISE("logical_right_shift", 2, 1, infer_integers),
    ELEMENTWISE("bitwise_and", 2, 1, infer_integers),
    ELEMENTWISE("bitwise_or", 2, 1, infer_integers),
    ELEMENTWISE("bitwise_xor", 2, 1, infer_integers),
    ELEMENTWISE("bitwise_not", 1, 1, infer_integers),
    ELEMENTWISE("logical_and", 2, 1, infer_bools),
    ELEMENTWISE("logical_or", 2, 1, infer_bools),
    ELEMENTWISE("logical_xor", 2, 1, infer_bools),
    ELEMENTWISE("logical_not", 1, 1, infer_bools),
    ELEMENTWISE("equal", 2, 1, infer_comparison),
    ELEMENTWISE("greater", 2, 1, infer_comparison),
    ELEMENTWISE("greater_equal", 2, 1, infer_comparison),
    ELEMENTWISE("select", 3, 1, infer_selection),
    ELEMENTWISE("abs", 1, 1, infer_numbers),
    ELEMENTWISE("clz", 1, 1, infer_integers),
    ELEMENTWISE("ceil", 1, 1, infer_floats),
    ELEMENTWISE("floor", 1, 1, infer_floats),
    ELEMENTWISE("negate", 3, 1, infer_negation),
    ELEMENTWISE("clamp", 1, 2, infer_clamp),
    ELEMENTWISE("reciprocal", 1, 1, infer_floats),
    ELEMENTWISE("rsqrt", 1, 2, infer_floats),
    ELEMENTWISE("exp", 1, 4, infer_floats),
    ELEMENTWISE("log", 1, 4, infer_floats),
    ELEMENTWISE("sin", 1, 4, infer_floats),
    ELEMENTWISE("cos", 1, 4, infer_floats),
    ELEMENTWISE("tanh", 1, 4, infer_floats),
    ELEMENTWISE("sigmoid", 1, 4, infer_floats),
    ELEMENTWISE("erf", 1, 4, infer_floats),
};

const struct operator_table TOSA_ELEMENTWISE_OPERATORS = OPERATOR_TABLE(ITEMS);
