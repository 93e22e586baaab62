#include <inttypes.h>

#include "common.h"
#include "contraction.h"
#include "einsum.h"
#include "network/operator_tables.h"

static const uint32_t ELEMENTS_OF_PRODUCTS = ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_BF16) |
                                             ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F64) |
                                             ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_U32) |
                                             ELEMENT_BIT(ELEMENT_I64) | ELEMENT_BIT(ELEMENT_U64);

static status onnx_matmul_infer_matmul(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 2, ELEMENTS_OF_PRODUCTS, &element));
    inference_set_unranked(inference, 0, element);
    const struct value_type *a = common_ranked(inference, 0);
    const struct value_type *b = common_ranked(inference, 1);
    if (a == NULL || b == NULL)
        return STATUS_OK;
    struct shape shape;
    STATUS_TRY(contraction_matmul(&a->shape, &b->shape, &shape));
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

static void onnx_matmul_measure_matmul(const struct inference *inference, struct work *work)
{
    work->macs =
        contraction_matmul_macs(&inference->inputs[0]->shape, &inference->outputs[0].shape);
    work->flops = 2 * work->macs;
}

// The third input broadcasts to the output; before opset 7 only where it is told to.
static status check_addend(const struct inference *inference, const struct shape *out)
{
    const struct value_type *addend = common_ranked(inference, 2);
    if (addend == NULL)
        return STATUS_OK;
    const bool broadcasts = inference->node->version >= 7 ||
                            attribute_integer(inference->node->attributes, "broadcast", 0) != 0;
    if (!broadcasts)
        return common_check_shape(inference, 2, out);
    bool fits = addend->shape.rank <= 2;
    for (uint32_t d = 0; fits && d < addend->shape.rank; d++) {
        const int64_t length = addend->shape.dims[d];
        const int64_t wanted = out->dims[2 - addend->shape.rank + d];
        fits =
            length == 1 || length == SHAPE_UNKNOWN || wanted == SHAPE_UNKNOWN || length == wanted;
    }
    if (fits)
        return STATUS_OK;
    char got[SHAPE_TEXT_MOST];
    char wanted[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "input 2 of %s cannot be added to %s",
                       shape_text(&addend->shape, got), shape_text(out, wanted));
}

static bool transposed(const struct inference *inference, const char *name)
{
    return attribute_integer(inference->node->attributes, name, 0) != 0;
}

static status infer_gemm(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 3, ELEMENTS_OF_PRODUCTS, &element));
    const struct shape any = {2, {SHAPE_UNKNOWN, SHAPE_UNKNOWN}};
    STATUS_TRY(common_check_shape(inference, 0, &any));
    STATUS_TRY(common_check_shape(inference, 1, &any));
    const struct value_type *a = common_ranked(inference, 0);
    const struct value_type *b = common_ranked(inference, 1);
    const bool a_transposed = transposed(inference, "transA");
    const bool b_transposed = transposed(inference, "transB");
    struct shape shape = any;
    if (a != NULL)
        shape.dims[0] = a->shape.dims[a_transposed ? 1 : 0];
    if (b != NULL)
        shape.dims[1] = b->shape.dims[b_transposed ? 0 : 1];
    const int64_t left = a != NULL ? a->shape.dims[a_transposed ? 0 : 1] : SHAPE_UNKNOWN;
    const int64_t right = b != NULL ? b->shape.dims[b_transposed ? 1 : 0] : SHAPE_UNKNOWN;
    if (left != SHAPE_UNKNOWN && right != SHAPE_UNKNOWN && left != right)
        return status_make(STATUS_DATA, "a product over %" PRId64 " and %" PRId64, left, right);
    STATUS_TRY(check_addend(inference, &shape));
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

// The product, its factor, the addend's factor and the addition, where they are
// not 1 and not left out.
static void measure_gemm(const struct inference *inference, struct work *work)
{
    const struct attributes attributes = inference->node->attributes;
    const uint64_t elements = shape_count(&inference->outputs[0].shape);
    const bool a_transposed = transposed(inference, "transA");
    const bool added = inference->input_count > 2 && inference->inputs[2] != NULL;
    work->macs = elements * (uint64_t)inference->inputs[0]->shape.dims[a_transposed ? 0 : 1];
    work->flops = 2 * work->macs + (added ? elements : 0) +
                  (attribute_real(attributes, "alpha", 1) != 1 ? elements : 0);
    if (added && attribute_real(attributes, "beta", 1) != 1)
        work->flops += shape_count(&inference->inputs[2]->shape);
}

static status parse_equation(const struct inference *inference, struct einsum *out_einsum)
{
    const struct attribute *equation =
        attribute_find(inference->node->attributes, "equation", ATTRIBUTE_TEXT);
    if (equation == NULL)
        return status_make(STATUS_DATA, "attribute equation is missing");
    const struct shape *shapes[EINSUM_OPERANDS_MOST] = {NULL};
    for (uint32_t i = 0; i < inference->input_count && i < EINSUM_OPERANDS_MOST; i++)
        shapes[i] = &inference->inputs[i]->shape;
    return einsum_parse(equation->text, inference->input_count, shapes, out_einsum);
}

static status infer_einsum(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, inference->input_count, ELEMENTS_NUMERIC, &element));
    inference_set_unranked(inference, 0, element);
    for (uint32_t i = 0; i < inference->input_count; i++) {
        if (inference->inputs[i] == NULL)
            return status_make(STATUS_DATA, "input %" PRIu32 " is left out", i);
        if (common_ranked(inference, i) == NULL)
            return STATUS_OK;
    }
    struct einsum einsum;
    STATUS_TRY(parse_equation(inference, &einsum));
    struct shape shape = {.rank = einsum.output.rank};
    for (uint32_t d = 0; d < shape.rank; d++)
        shape.dims[d] = einsum.lengths[einsum.output.labels[d]];
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

// The plain sum over all labels: each further operand is a multiplication, the
// last of which accumulates. A single operand is only added up, or moved.
static void measure_einsum(const struct inference *inference, struct work *work)
{
    struct einsum einsum;
    const status failure = parse_equation(inference, &einsum);
    if (failure != STATUS_OK) {
        status_free(failure);
        return;
    }
    uint64_t places = 1;
    for (int label = 0; label < EINSUM_LABELS; label++)
        places *= (uint64_t)einsum.lengths[label];
    const uint64_t elements = shape_count(&inference->outputs[0].shape);
    if (einsum.operand_count == 1) {
        work->flops = places - (places < elements ? places : elements);
        return;
    }
    work->macs = places;
    work->flops = 2 * places + (einsum.operand_count - 2) * places;
}

static status infer_det(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 1, ELEMENTS_FLOAT, &element));
    STATUS_TRY(common_check_rank(inference, 0, 2));
    inference_set_unranked(inference, 0, element);
    const struct value_type *x = common_ranked(inference, 0);
    if (x == NULL)
        return STATUS_OK;
    struct shape shape = x->shape;
    const int64_t rows = shape.dims[shape.rank - 2];
    const int64_t columns = shape.dims[shape.rank - 1];
    if (rows != SHAPE_UNKNOWN && columns != SHAPE_UNKNOWN && rows != columns)
        return status_make(STATUS_DATA, "a matrix of %" PRId64 "x%" PRId64 " has no determinant",
                           rows, columns);
    shape.rank -= 2;
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

// Elimination: with m rows left below a pivot, m divisions and m * m multiplications and
// subtractions, for m = n - 1 ... 1; and the product of the pivots.
static void measure_det(const struct inference *inference, struct work *work)
{
    const struct shape *x = &inference->inputs[0]->shape;
    const uint64_t n = (uint64_t)x->dims[x->rank - 1];
    if (n == 0)
        return;
    const uint64_t divisions = n * (n - 1) / 2;
    const uint64_t squares = n * (n - 1) * (2 * n - 1) / 6;
    work->flops = (divisions + 2 * squares + n) * shape_count(&inference->outputs[0].shape);
}

#define MATMUL(...)                                                                                \
    {                                                                                              \
        .class = OPERATOR_MATMUL, .outputs = {1, 1}, .price = PRICED_AS_MATMUL, __VA_ARGS__        \
    }

static const struct operator_definition DEFINITIONS[] = {
    MATMUL(.name = "MatMul", .inputs = {2, 2}, .infer = onnx_matmul_infer_matmul,
           .measure = onnx_matmul_measure_matmul, .tiling = TILED_AS_MATMUL,
           .function = COMPUTES_MATMUL),
    MATMUL(.name = "Gemm", .inputs = {2, 3}, .infer = infer_gemm, .measure = measure_gemm,
           .tiling = TILED_AS_GEMM, .function = COMPUTES_GEMM),
    MATMUL(.name = "Einsum", .inputs = {1, UINT16_MAX}, .infer = infer_einsum,
           .measure = measure_einsum),
    MATMUL(.name = "Det", .inputs = {1, 1}, .infer = infer_det, .measure = measure_det),
};

const struct operator_table ONNX_MATMUL_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
