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

static status onnx_unary_infer_number(struct inference *inference)
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
    return onnx_unary_infer_number(inference);
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
        const int64_t after = border[3 - i];
        if (length == SHAPE_UNKNOWN)
            continue;
        if (before < 0 || before > length || after < 0 ||
            (sizes == 0 ? after > length - before : scale[i] < 0 || scale[i] > length - before))
            return status_make(STATUS_DATA, "the crop does not lie within the image");
        inference->outputs[0].shape.dims[2 + i] = sizes == 0 ? length - before - after : scale[i];
    }
    return STATUS_OK;
}

// Also sequences and optionals.
static status onnx_unary_infer_identity(struct inference *inference)
{
    inference->outputs[0] = *inference->inputs[0];
    if (inference->values != NULL)
        inference->values[0] = inference->known[0];
    return STATUS_OK;
}

#define UNARY(...)                                                                                 \
    {                                                                                              \
        .class = OPERATOR_ELEMENTWISE, .inputs = {1, 1}, .outputs = {1, 1},                        \
        .tiling = TILED_AS_ELEMENTS, .price = PRICED_AS_ELEMENTS, __VA_ARGS__                      \
    }

static const struct operator_definition DEFINITIONS[] = {
    UNARY(.name = "Abs", .sort = SORT_UNARY, .flops = 1, .infer = onnx_unary_infer_number,
          .function = COMPUTES_ABSOLUTE),
    UNARY(.name = "Acos", .flops = 4, .infer = infer_real),
    UNARY(.name = "Acosh", .flops = 4, .infer = infer_real),
    UNARY(.name = "Affine", .flops = 2, .infer = infer_real),
    UNARY(.name = "Asin", .flops = 4, .infer = infer_real),
    UNARY(.name = "Asinh", .flops = 4, .infer = infer_real),
    UNARY(.name = "Atan", .flops = 4, .infer = infer_real),
    UNARY(.name = "Atanh", .flops = 4, .infer = infer_real),
    UNARY(.name = "BitwiseNot", .sort = SORT_NOT, .flops = 1, .infer = infer_integer),
    UNARY(.name = "Ceil", .sort = SORT_UNARY, .flops = 1, .infer = infer_real),
    UNARY(.name = "Celu", .flops = 7, .infer = infer_real),
    {.name = "Clip",
     .sort = SORT_CLIP,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {1, 3},
     .outputs = {1, 1},
     .flops = 2,
     .infer = infer_clip,
     .tiling = TILED_AS_ELEMENTS,
     .price = PRICED_AS_ELEMENTS,
     .function = COMPUTES_CLIP},
    UNARY(.name = "Cos", .sort = SORT_CURVE, .flops = 4, .infer = infer_real),
    UNARY(.name = "Cosh", .flops = 4, .infer = infer_real),
    {.name = "Crop",
     .class = OPERATOR_MOVEMENT,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_crop,
     .price = PRICED_AS_MOVEMENT},
    UNARY(.name = "Elu", .sort = SORT_CURVE, .flops = 6, .infer = infer_real),
    UNARY(.name = "Erf", .sort = SORT_CURVE, .flops = 4, .infer = infer_real,
          .function = COMPUTES_ERF),
    UNARY(.name = "Exp", .sort = SORT_CURVE, .flops = 4, .infer = infer_real,
          .function = COMPUTES_EXP),
    UNARY(.name = "Floor", .sort = SORT_UNARY, .flops = 1, .infer = infer_real),
    UNARY(.name = "Gelu", .sort = SORT_CURVE, .flops = 8, .infer = infer_gelu),
    UNARY(.name = "HardSigmoid", .sort = SORT_CURVE, .flops = 4, .infer = infer_real,
          .function = COMPUTES_HARD_SIGMOID),
    UNARY(.name = "HardSwish", .sort = SORT_CURVE, .flops = 5, .infer = infer_real,
          .function = COMPUTES_HARD_SWISH),
    UNARY(.name = "Identity", .infer = onnx_unary_infer_identity, .function = COMPUTES_IDENTITY),
    UNARY(.name = "ImageScaler", .flops = 2, .infer = infer_image_scaler),
    UNARY(.name = "IsInf", .flops = 1, .infer = infer_question),
    UNARY(.name = "IsNaN", .flops = 1, .infer = infer_question),
    UNARY(.name = "LeakyRelu", .sort = SORT_CURVE, .flops = 2, .infer = infer_real,
          .function = COMPUTES_LEAKY_RELU),
    UNARY(.name = "Log", .sort = SORT_CURVE, .flops = 4, .infer = infer_real),
    UNARY(.name = "Mish", .flops = 14, .infer = infer_real),
    UNARY(.name = "Neg", .sort = SORT_UNARY, .flops = 1, .infer = infer_signed,
          .function = COMPUTES_NEGATE),
    UNARY(.name = "Not", .sort = SORT_NOT, .flops = 1, .infer = infer_truth),
    UNARY(.name = "ParametricSoftplus", .flops = 11, .infer = infer_real),
    UNARY(.name = "Reciprocal", .sort = SORT_CURVE, .flops = 1, .infer = infer_real,
          .function = COMPUTES_RECIPROCAL),
    UNARY(.name = "Relu", .sort = SORT_CLIP, .flops = 1, .infer = onnx_unary_infer_number,
          .function = COMPUTES_RELU),
    UNARY(.name = "Round", .flops = 1, .infer = infer_real),
    UNARY(.name = "Scale", .flops = 1, .infer = infer_real),
    UNARY(.name = "ScaledTanh", .flops = 6, .infer = infer_real),
    UNARY(.name = "Selu", .sort = SORT_CURVE, .flops = 7, .infer = infer_real),
    UNARY(.name = "Shrink", .flops = 3, .infer = onnx_unary_infer_number),
    UNARY(.name = "Sigmoid", .sort = SORT_CURVE, .flops = 4, .infer = infer_real,
          .function = COMPUTES_SIGMOID),
    UNARY(.name = "Sign", .flops = 1, .infer = onnx_unary_infer_number),
    UNARY(.name = "Sin", .sort = SORT_CURVE, .flops = 4, .infer = infer_real),
    UNARY(.name = "Sinh", .flops = 4, .infer = infer_real),
    UNARY(.name = "Softplus", .sort = SORT_CURVE, .flops = 9, .infer = infer_real),
    UNARY(.name = "Softsign", .flops = 3, .infer = infer_real),
    UNARY(.name = "Sqrt", .sort = SORT_CURVE, .flops = 1, .infer = infer_real,
          .function = COMPUTES_SQUARE_ROOT),
    UNARY(.name = "Tan", .flops = 4, .infer = infer_real),
    UNARY(.name = "Tanh", .sort = SORT_CURVE, .flops = 4, .infer = infer_real,
          .function = COMPUTES_TANH),
    UNARY(.name = "ThresholdedRelu", .flops = 1, .infer = infer_real),
};

const struct operator_table ONNX_UNARY_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
