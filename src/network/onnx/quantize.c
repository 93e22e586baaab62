// Quantized numbers: integers that stand for (integer - zero point) x scale.

#include <inttypes.h>

#include "contraction.h"
#include "network/operator_tables.h"

#define BYTES (ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_U8))
#define FLOATS_8                                                                                   \
    (ELEMENT_BIT(ELEMENT_F8E4M3FN) | ELEMENT_BIT(ELEMENT_F8E4M3FNUZ) |                             \
     ELEMENT_BIT(ELEMENT_F8E5M2) | ELEMENT_BIT(ELEMENT_F8E5M2FNUZ))
#define QUANTIZED                                                                                  \
    (BYTES | FLOATS_8 | ELEMENT_BIT(ELEMENT_I16) | ELEMENT_BIT(ELEMENT_U16) |                      \
     ELEMENT_BIT(ELEMENT_I4) | ELEMENT_BIT(ELEMENT_U4))
#define SCALES (ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_BF16))

static status misshapen(const struct inference *inference, uint32_t index, const char *expected)
{
    char text[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "input %" PRIu32 " has shape [%s]; expected %s", index,
                       shape_text(&inference_tensor(inference, index)->shape, text), expected);
}

// NULL unless the input is there with all its dimensions.
static const struct shape *known_shape(const struct inference *inference, uint32_t index)
{
    const struct value_type *type = inference_tensor(inference, index);
    return type != NULL && type->ranked && shape_known(&type->shape) ? &type->shape : NULL;
}

static status check_single(const struct inference *inference, uint32_t index)
{
    const struct shape *shape = known_shape(inference, index);
    if (shape == NULL || (shape->rank <= 1 && shape_count(shape) == 1))
        return STATUS_OK;
    return misshapen(inference, index, "a single number");
}

// Inputs 1 and 2: one scale for all, one for each index along an axis, or one for
// each block along it.
static status check_blocks(const struct inference *inference, const struct shape *x,
                           const struct shape *scale, uint32_t axis, int64_t block)
{
    if (scale->rank != x->rank)
        return misshapen(inference, 1, "as many dimensions as input 0 has");
    for (uint32_t d = 0; d < x->rank; d++) {
        const int64_t length = x->dims[d];
        const int64_t blocks = d == axis ? length / block + (length % block != 0) : length;
        if (scale->dims[d] != blocks)
            return misshapen(inference, 1, "one number for each block of input 0");
    }
    return STATUS_OK;
}

static status check_scales(const struct inference *inference)
{
    const struct attributes attributes = inference->node->attributes;
    const struct shape *x = known_shape(inference, 0);
    const struct shape *scale = known_shape(inference, 1);
    const struct shape *zero = known_shape(inference, 2);
    const int64_t block = attribute_integer(attributes, "block_size", 0);
    if (block < 0)
        return status_make(STATUS_DATA, "attribute block_size is %" PRId64, block);
    if (scale == NULL)
        return STATUS_OK;
    if (zero != NULL && !shape_equal(zero, scale) &&
        (shape_count(zero) != 1 || shape_count(scale) != 1))
        return misshapen(inference, 2, "that of input 1");
    if (x == NULL || (block == 0 && scale->rank <= 1 && shape_count(scale) == 1))
        return STATUS_OK;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(attributes, "axis", 1), x->rank, &axis));
    if (block > 0)
        return check_blocks(inference, x, scale, axis, block);
    if (inference->node->version < 13 || scale->rank != 1 || scale->dims[0] != x->dims[axis])
        return misshapen(inference, 1, "one number, or one for each index along the axis");
    return STATUS_OK;
}

// The same shape as input 0, of another element.
static void set_like_first(struct inference *inference, uint32_t index, enum element element)
{
    const struct value_type *x = inference_tensor(inference, 0);
    if (x != NULL && x->ranked)
        inference_set(inference, index, element, &x->shape);
    else
        inference_set_unranked(inference, index, element);
}

static enum element onnx_quantize_element_of(const struct inference *inference, uint32_t index)
{
    const struct value_type *type = inference_tensor(inference, index);
    return type == NULL ? ELEMENT_NONE : type->element;
}

static bool onnx_quantize_is_given(const struct inference *inference, uint32_t index)
{
    return index < inference->input_count && inference->inputs[index] != NULL;
}

static status infer_quantize(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    STATUS_TRY(inference_need_tensor(inference, 1, &type));
    STATUS_TRY(inference_check_element(inference, 0, SCALES | ELEMENT_BIT(ELEMENT_I32)));
    STATUS_TRY(inference_check_element(inference, 1, SCALES | ELEMENT_BIT(ELEMENT_I32)));
    STATUS_TRY(inference_check_element(inference, 2, QUANTIZED));
    STATUS_TRY(check_scales(inference));
    const int64_t wanted = attribute_integer(inference->node->attributes, "output_dtype", 0);
    if (wanted < 0 || wanted >= ELEMENT_COUNT ||
        (wanted != 0 && (QUANTIZED & ELEMENT_BIT(wanted)) == 0))
        return status_make(STATUS_DATA, "attribute output_dtype is %" PRId64, wanted);
    const enum element fallback = wanted != 0 ? (enum element)wanted : ELEMENT_U8;
    const enum element given = onnx_quantize_element_of(inference, 2);
    if (wanted != 0 && given != ELEMENT_NONE && given != fallback)
        return status_make(STATUS_DATA, "a zero point of %s for numbers of %s", element_name(given),
                           element_name(fallback));
    set_like_first(inference, 0, onnx_quantize_is_given(inference, 2) ? given : fallback);
    return STATUS_OK;
}

static status infer_dequantize(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    STATUS_TRY(inference_need_tensor(inference, 1, &type));
    STATUS_TRY(inference_check_element(inference, 0, QUANTIZED | ELEMENT_BIT(ELEMENT_I32)));
    STATUS_TRY(inference_check_element(inference, 1, SCALES));
    const enum element x = onnx_quantize_element_of(inference, 0),
                       zero = onnx_quantize_element_of(inference, 2);
    if (x != ELEMENT_NONE && zero != ELEMENT_NONE && x != zero)
        return status_make(STATUS_DATA, "a zero point of %s for numbers of %s", element_name(zero),
                           element_name(x));
    STATUS_TRY(check_scales(inference));
    set_like_first(inference, 0, onnx_quantize_element_of(inference, 1));
    return STATUS_OK;
}

static status infer_dynamic_quantize(struct inference *inference)
{
    const struct value_type *x;
    STATUS_TRY(inference_need_tensor(inference, 0, &x));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENT_BIT(ELEMENT_F32)));
    const struct shape scalar = {0};
    set_like_first(inference, 0, ELEMENT_U8);
    inference_set(inference, 1, ELEMENT_F32, &scalar);
    inference_set(inference, 2, ELEMENT_U8, &scalar);
    return STATUS_OK;
}

// Input `index` belongs to the rows (or columns) of a matrix of shape `matrix`:
// one number, one for each of them, or one for each in every matrix of a batch.
static status check_lines(const struct inference *inference, uint32_t index,
                          const struct shape *matrix, bool columns)
{
    const struct shape *shape = known_shape(inference, index);
    if (shape == NULL || matrix == NULL || (shape->rank <= 1 && shape_count(shape) == 1))
        return STATUS_OK;
    bool fits = matrix->rank >= 2;
    if (fits && shape->rank == 1) {
        fits = shape->dims[0] == matrix->dims[matrix->rank - (columns ? 1 : 2)];
    } else if (fits) {
        struct shape expected = *matrix;
        expected.dims[matrix->rank - (columns ? 2 : 1)] = 1;
        fits = shape_equal(shape, &expected);
    }
    if (fits)
        return STATUS_OK;
    return misshapen(inference, index,
                     columns ? "one number, or one for each column"
                             : "one number, or one for each row");
}

static status onnx_quantize_infer_matmul(struct inference *inference, uint32_t a_index,
                                         uint32_t b_index, enum element element)
{
    const struct value_type *a, *b;
    STATUS_TRY(inference_need_tensor(inference, a_index, &a));
    STATUS_TRY(inference_need_tensor(inference, b_index, &b));
    if (!a->ranked || !b->ranked) {
        inference_set_unranked(inference, 0, element);
        return STATUS_OK;
    }
    struct shape out;
    STATUS_TRY(contraction_matmul(&a->shape, &b->shape, &out));
    inference_set(inference, 0, element, &out);
    return STATUS_OK;
}

static status infer_matmul_integer(struct inference *inference)
{
    for (uint32_t i = 0; i < 4; i++)
        STATUS_TRY(inference_check_element(inference, i, BYTES));
    STATUS_TRY(check_lines(inference, 2, known_shape(inference, 0), false));
    STATUS_TRY(check_lines(inference, 3, known_shape(inference, 1), true));
    return onnx_quantize_infer_matmul(inference, 0, 1, ELEMENT_I32);
}

// Scale and zero point at `index` and `index` + 1, of what is quantized as `set` says.
static status check_parameters(const struct inference *inference, uint32_t index, uint32_t set)
{
    STATUS_TRY(inference_check_element(inference, index, SCALES));
    return inference_check_element(inference, index + 1, set);
}

static status check_same_element(const struct inference *inference, uint32_t a, uint32_t b)
{
    const enum element first = onnx_quantize_element_of(inference, a),
                       second = onnx_quantize_element_of(inference, b);
    if (first == ELEMENT_NONE || second == ELEMENT_NONE || first == second)
        return STATUS_OK;
    return status_make(STATUS_DATA, "a zero point of %s for numbers of %s", element_name(second),
                       element_name(first));
}

static status infer_qlinear_matmul(struct inference *inference)
{
    const uint32_t set = inference->node->version >= 21 ? BYTES | FLOATS_8 : BYTES;
    STATUS_TRY(inference_check_element(inference, 0, set));
    STATUS_TRY(inference_check_element(inference, 3, set));
    STATUS_TRY(check_parameters(inference, 1, set));
    STATUS_TRY(check_parameters(inference, 4, set));
    STATUS_TRY(check_parameters(inference, 6, set));
    STATUS_TRY(check_same_element(inference, 0, 2));
    STATUS_TRY(check_same_element(inference, 3, 5));
    const struct shape *a = known_shape(inference, 0), *b = known_shape(inference, 3);
    for (uint32_t i = 1; i <= 2; i++) {
        STATUS_TRY(check_lines(inference, i, a, false));
        STATUS_TRY(check_lines(inference, i + 3, b, true));
    }
    STATUS_TRY(onnx_quantize_infer_matmul(inference, 0, 3, onnx_quantize_element_of(inference, 7)));
    const struct value_type *out = &inference->outputs[0];
    const struct shape *y = out->ranked && shape_known(&out->shape) ? &out->shape : NULL;
    STATUS_TRY(check_lines(inference, 6, y, false));
    return check_lines(inference, 7, y, false);
}

static status onnx_quantize_infer_convolution(struct inference *inference, uint32_t x_index,
                                              uint32_t w_index, enum element element)
{
    const struct value_type *x, *w;
    STATUS_TRY(inference_need_tensor(inference, x_index, &x));
    STATUS_TRY(inference_need_tensor(inference, w_index, &w));
    if (!x->ranked || !w->ranked) {
        inference_set_unranked(inference, 0, element);
        return STATUS_OK;
    }
    if (x->shape.rank > 5)
        return status_make(STATUS_UNSUPPORTED,
                           "an integer convolution of %" PRIu32 " spatial dimensions, most are 3",
                           x->shape.rank - 2);
    struct window window;
    struct shape out;
    STATUS_TRY(
        contraction_convolution(inference->node->attributes, &x->shape, &w->shape, &out, &window));
    inference_set(inference, 0, element, &out);
    return STATUS_OK;
}

// One number, or one for each filter of the weights at `w_index`.
static status check_filters(const struct inference *inference, uint32_t index, uint32_t w_index)
{
    const struct shape *shape = known_shape(inference, index);
    const struct shape *w = known_shape(inference, w_index);
    if (shape == NULL || w == NULL || (shape->rank <= 1 && shape_count(shape) == 1) ||
        (shape->rank == 1 && w->rank > 0 && shape->dims[0] == w->dims[0]))
        return STATUS_OK;
    return misshapen(inference, index, "one number, or one for each filter");
}

static status infer_convolution_integer(struct inference *inference)
{
    for (uint32_t i = 0; i < 4; i++)
        STATUS_TRY(inference_check_element(inference, i, BYTES));
    STATUS_TRY(check_single(inference, 2));
    STATUS_TRY(check_filters(inference, 3, 1));
    return onnx_quantize_infer_convolution(inference, 0, 1, ELEMENT_I32);
}

static status infer_qlinear_convolution(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, BYTES));
    STATUS_TRY(inference_check_element(inference, 3, BYTES));
    STATUS_TRY(inference_check_element(inference, 8, ELEMENT_BIT(ELEMENT_I32)));
    static const uint32_t parameters[] = {1, 4, 6};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        STATUS_TRY(check_parameters(inference, parameters[i], BYTES));
    STATUS_TRY(check_same_element(inference, 0, 2));
    STATUS_TRY(check_same_element(inference, 3, 5));
    static const uint32_t singles[] = {1, 2, 6, 7};
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        STATUS_TRY(check_single(inference, singles[i]));
    STATUS_TRY(check_filters(inference, 4, 3));
    STATUS_TRY(check_filters(inference, 5, 3));
    const struct shape *bias = known_shape(inference, 8), *w = known_shape(inference, 3);
    if (bias != NULL && w != NULL && w->rank > 0 &&
        (bias->rank != 1 || bias->dims[0] != w->dims[0]))
        return misshapen(inference, 8, "one number for each filter");
    return onnx_quantize_infer_convolution(inference, 0, 3, onnx_quantize_element_of(inference, 7));
}

// What is added to the multiply-accumulates for each output: multiply, round, add, clamp.
enum { REQUANTIZE_FLOPS = 5 };

// Each number is compared with the lowest and the highest, then quantized.
static void measure_dynamic_quantize(const struct inference *inference, struct work *work)
{
    work->flops = 7 * shape_count(&inference->outputs[0].shape);
}

static void measure_matmul_integer(const struct inference *inference, struct work *work)
{
    work->macs =
        contraction_matmul_macs(&inference->inputs[0]->shape, &inference->outputs[0].shape);
    work->flops = 2 * work->macs;
}

static void measure_qlinear_matmul(const struct inference *inference, struct work *work)
{
    measure_matmul_integer(inference, work);
    work->flops += REQUANTIZE_FLOPS * shape_count(&inference->outputs[0].shape);
}

static void measure_convolution_integer(const struct inference *inference, struct work *work)
{
    work->macs =
        contraction_convolution_macs(&inference->inputs[1]->shape, &inference->outputs[0].shape);
    work->flops = 2 * work->macs;
}

static void measure_qlinear_convolution(const struct inference *inference, struct work *work)
{
    const struct shape *out = &inference->outputs[0].shape;
    work->macs = contraction_convolution_macs(&inference->inputs[3]->shape, out);
    const uint64_t bias = onnx_quantize_is_given(inference, 8) ? 1 : 0;
    work->flops = 2 * work->macs + (REQUANTIZE_FLOPS + bias) * shape_count(out);
}

static const struct operator_definition DEFINITIONS[] = {
    {.name = "QuantizeLinear",
     .exact = OPERATOR_INPUT(1),
     .sort = SORT_SCALE,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {2, 3},
     .outputs = {1, 1},
     .flops = 5,
     .infer = infer_quantize,
     .tiling = TILED_AS_QUANTIZE,
     .price = PRICED_AS_SCALING,
     .function = COMPUTES_QUANTIZE,
     .scaling = SCALES_TO_INTEGER},
    {.name = "DequantizeLinear",
     .exact = OPERATOR_INPUT(1),
     .sort = SORT_SCALE,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {2, 3},
     .outputs = {1, 1},
     .flops = 2,
     .infer = infer_dequantize,
     .tiling = TILED_AS_QUANTIZE,
     .price = PRICED_AS_SCALING,
     .function = COMPUTES_DEQUANTIZE,
     .scaling = SCALES_BACK},
    {.name = "DynamicQuantizeLinear",
     .class = OPERATOR_OTHER,
     .inputs = {1, 1},
     .outputs = {1, 3},
     .infer = infer_dynamic_quantize,
     .measure = measure_dynamic_quantize,
     .price = PRICED_AS_OTHER},
    {.name = "QLinearConv",
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(4) | OPERATOR_INPUT(6),
     .class = OPERATOR_CONVOLUTION,
     .inputs = {8, 9},
     .outputs = {1, 1},
     .infer = infer_qlinear_convolution,
     .measure = measure_qlinear_convolution,
     .price = PRICED_AS_SCALED_CONVOLUTION,
     .function = COMPUTES_QUANTIZED_CONVOLUTION},
    {.name = "ConvInteger",
     .class = OPERATOR_CONVOLUTION,
     .inputs = {2, 4},
     .outputs = {1, 1},
     .infer = infer_convolution_integer,
     .measure = measure_convolution_integer,
     .tiling = TILED_AS_CONV,
     .price = PRICED_AS_CONVOLUTION},
    {.name = "QLinearMatMul",
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(4) | OPERATOR_INPUT(6),
     .class = OPERATOR_MATMUL,
     .inputs = {8, 8},
     .outputs = {1, 1},
     .infer = infer_qlinear_matmul,
     .measure = measure_qlinear_matmul,
     .price = PRICED_AS_SCALED_MATMUL},
    {.name = "MatMulInteger",
     .class = OPERATOR_MATMUL,
     .inputs = {2, 4},
     .outputs = {1, 1},
     .infer = infer_matmul_integer,
     .measure = measure_matmul_integer,
     .price = PRICED_AS_MATMUL},
};

const struct operator_table ONNX_QUANTIZE_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
