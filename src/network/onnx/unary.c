// Functions of one number.

#include <inttypes.h>

#include "network/operator_tables.h"

static status one_of(struct inference *inference, uint32_t elements)
{
    STATUS_TRY(inference_check_element(inference, 0, elements));
    return inference_same_as_first(inference);
}

static status infer_real(struct inference *inference)
{
    return one_of(inference, ELEMENTS_FLOAT);
}

static status infer_number(struct inference *inference)
{
    return one_of(inference, ELEMENTS_NUMERIC);
}

static status infer_signed(struct inference *inference)
{
    return one_of(inference, ELEMENTS_FLOAT | ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_I16) |
                                 ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_I64));
}

static status infer_integer(struct inference *inference)
{
    return one_of(inference, ELEMENTS_INTEGER);
}

static status infer_truth(struct inference *inference)
{
    return one_of(inference, ELEMENT_BIT(ELEMENT_BOOL));
}

// Whether a number is something.
static status infer_question(struct inference *inference)
{
    STATUS_TRY(one_of(inference, ELEMENTS_FLOAT | ELEMENT_BIT(ELEMENT_F8E4M3FN) |
                                     ELEMENT_BIT(ELEMENT_F8E4M3FNUZ) | ELEMENT_BIT(ELEMENT_F8E5M2) |
                                     ELEMENT_BIT(ELEMENT_F8E5M2FNUZ)));
    inference->outputs[0].element = ELEMENT_BOOL;
    return STATUS_OK;
}

static status infer_gelu(struct inference *inference)
{
    const struct view approximate =
        attribute_text(inference->node->attributes, "approximate", "none");
    if (!view_is(approximate, "none") && !view_is(approximate, "tanh"))
        return status_make(STATUS_DATA, "approximate '%.*s' is neither none nor tanh",
                           VIEW_ARGUMENTS(approximate));
    return infer_real(inference);
}

// The bounds are scalars of the input's type.
static status infer_clip(struct inference *inference)
{
    const struct value_type *input;
    STATUS_TRY(inference_need_tensor(inference, 0, &input));
    for (uint32_t i = 1; i < inference->input_count; i++) {
        const struct value_type *bound = inference_tensor(inference, i);
        if (bound == NULL)
            continue;
        if (bound->element != ELEMENT_NONE && input->element != ELEMENT_NONE &&
            bound->element != input->element)
            return status_make(STATUS_DATA, "a bound of %s for %s", element_name(bound->element),
                               element_name(input->element));
        uint64_t count = 1;
        if (bound->ranked && shape_known(&bound->shape))
            STATUS_TRY(shape_elements(&bound->shape, &count));
        if (count != 1)
            return status_make(STATUS_DATA, "input %u is not one number", i);
    }
    return infer_number(inference);
}

// Images of the first, experimental set: batch x channels x height x width.
static status image_shape(struct inference *inference, const struct value_type **out_input)
{
    STATUS_TRY(inference_need_tensor(inference, 0, out_input));
    STATUS_TRY(infer_real(inference));
    if ((*out_input)->ranked && (*out_input)->shape.rank != 4)
        return status_make(STATUS_DATA, "an image has 4 dimensions, not %u",
                           (*out_input)->shape.rank);
    return STATUS_OK;
}

static status infer_image_scaler(struct inference *inference)
{
    const struct value_type *input;
    STATUS_TRY(image_shape(inference, &input));
    const double *bias = NULL;
    const uint32_t count = attribute_reals(inference->node->attributes, "bias", &bias);
    if (count > 0 && input->ranked && input->shape.dims[1] >= 0 && input->shape.dims[1] != count)
        return status_make(STATUS_DATA, "a bias of %u channels for %" PRId64, count,
                           input->shape.dims[1]);
    return STATUS_OK;
}

// The size is what is left between the borders, or `scale`.
static status infer_crop(struct inference *inference)
{
    const struct value_type *input;
    STATUS_TRY(image_shape(inference, &input));
    const int64_t *border = NULL; // left, top, right, bottom
    const int64_t *scale = NULL;  // height, width
    if (attribute_integers(inference->node->attributes, "border", &border) != 4)
        return status_make(STATUS_DATA, "the border is not 4 numbers");
    const uint32_t sizes = attribute_integers(inference->node->attributes, "scale", &scale);
    if (sizes != 0 && sizes != 2)
        return status_make(STATUS_DATA, "the scale is not 2 numbers");
    for (uint32_t i = 0; input->ranked && i < 2; i++) {
        const int64_t length = input->shape.dims[2 + i];
        const int64_t before = border[1 - i];
        const int64_t behind = border[3 - i];
        if (length == SHAPE_UNKNOWN)
            continue;
        if (before < 0 || before > length || behind < 0 ||
            (sizes == 0 ? behind > length - before : scale[i] < 0 || scale[i] > length - before))
            return status_make(STATUS_DATA, "the crop does not lie within the image");
        inference->outputs[0].shape.dims[2 + i] = sizes == 0 ? length - before - behind : scale[i];
    }
    return STATUS_OK;
}

// Also sequences and optionals.
static status infer_identity(struct inference *inference)
{
    inference->outputs[0] = *inference->inputs[0];
    if (inference->values != NULL)
        inference->values[0] = inference->known[0];
    return STATUS_OK;
}

#define UNARY(name, flops, infer)                                                                  \
    {                                                                                              \
        name, OPERATOR_ELEMENTWISE, 1, 1, 1, 1, flops, false, infer, NULL                          \
    }

static const struct operator_definition DEFINITIONS[] = {
    UNARY("Abs", 1, infer_number),
    UNARY("Acos", 4, infer_real),
    UNARY("Acosh", 4, infer_real),
    UNARY("Affine", 2, infer_real),
    UNARY("Asin", 4, infer_real),
    UNARY("Asinh", 4, infer_real),
    UNARY("Atan", 4, infer_real),
    UNARY("Atanh", 4, infer_real),
    UNARY("BitwiseNot", 1, infer_integer),
    UNARY("Ceil", 1, infer_real),
    UNARY("Celu", 7, infer_real),
    {"Clip", OPERATOR_ELEMENTWISE, 1, 3, 1, 1, 2, false, infer_clip, NULL},
    UNARY("Cos", 4, infer_real),
    UNARY("Cosh", 4, infer_real),
    {"Crop", OPERATOR_MOVEMENT, 1, 1, 1, 1, 0, false, infer_crop, NULL},
    UNARY("Elu", 6, infer_real),
    UNARY("Erf", 4, infer_real),
    UNARY("Exp", 4, infer_real),
    UNARY("Floor", 1, infer_real),
    UNARY("Gelu", 8, infer_gelu),
    UNARY("HardSigmoid", 4, infer_real),
    UNARY("HardSwish", 5, infer_real),
    UNARY("Identity", 0, infer_identity),
    UNARY("ImageScaler", 2, infer_image_scaler),
    UNARY("IsInf", 1, infer_question),
    UNARY("IsNaN", 1, infer_question),
    UNARY("LeakyRelu", 2, infer_real),
    UNARY("Log", 4, infer_real),
    UNARY("Mish", 14, infer_real),
    UNARY("Neg", 1, infer_signed),
    UNARY("Not", 1, infer_truth),
    UNARY("ParametricSoftplus", 11, infer_real),
    UNARY("Reciprocal", 1, infer_real),
    UNARY("Relu", 1, infer_number),
    UNARY("Round", 1, infer_real),
    UNARY("Scale", 1, infer_real),
    UNARY("ScaledTanh", 6, infer_real),
    UNARY("Selu", 7, infer_real),
    UNARY("Shrink", 3, infer_number),
    UNARY("Sigmoid", 4, infer_real),
    UNARY("Sign", 1, infer_number),
    UNARY("Sin", 4, infer_real),
    UNARY("Sinh", 4, infer_real),
    UNARY("Softplus", 9, infer_real),
    UNARY("Softsign", 3, infer_real),
    UNARY("Sqrt", 1, infer_real),
    UNARY("Tan", 4, infer_real),
    UNARY("Tanh", 4, infer_real),
    UNARY("ThresholdedRelu", 1, infer_real),
};

const struct operator_table ONNX_UNARY_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
