#include <inttypes.h>

#include "common.h"
#include "network/operator_tables.h"
#include "window.h"

static const uint32_t ELEMENTS_OF_MAX_POOL = ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_BF16) |
                                             ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F64) |
                                             ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_U8);

// The kernel is an attribute: one length for each of `spatial` dimensions.
static status take_kernel(const struct inference *inference, uint32_t spatial,
                          const int64_t **out_kernel)
{
    const uint32_t count =
        attribute_integers(inference->node->attributes, "kernel_shape", out_kernel);
    if (count == 0)
        return status_make(STATUS_DATA, "attribute kernel_shape is missing");
    if (count != spatial)
        return status_make(STATUS_DATA,
                           "attribute kernel_shape has %" PRIu32 " items instead of %" PRIu32,
                           count, spatial);
    for (uint32_t d = 0; d < count; d++) {
        if ((*out_kernel)[d] < 1)
            return status_make(STATUS_DATA, "attribute kernel_shape holds %" PRId64,
                               (*out_kernel)[d]);
    }
    return STATUS_OK;
}

static status onnx_pooling_infer_window(struct inference *inference, uint32_t elements)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 1, elements, &element));
    STATUS_TRY(common_check_rank(inference, 0, 3));
    inference_set_unranked(inference, 0, element);
    inference_set_unranked(inference, 1, ELEMENT_I64);
    const struct value_type *x = common_ranked(inference, 0);
    if (x == NULL)
        return STATUS_OK;
    const int64_t *kernel;
    struct window window;
    const uint32_t spatial = x->shape.rank - 2;
    STATUS_TRY(take_kernel(inference, spatial, &kernel));
    STATUS_TRY(
        window_resolve(inference->node->attributes, spatial, x->shape.dims + 2, kernel, &window));
    struct shape shape = x->shape;
    for (uint32_t d = 0; d < spatial; d++)
        shape.dims[2 + d] = window.output[d];
    inference_set(inference, 0, element, &shape);
    inference_set(inference, 1, ELEMENT_I64, &shape);
    return STATUS_OK;
}

static status onnx_pooling_infer_pool(struct inference *inference)
{
    return onnx_pooling_infer_window(inference, ELEMENTS_FLOAT);
}

static status infer_max_pool(struct inference *inference)
{
    const int64_t order = attribute_integer(inference->node->attributes, "storage_order", 0);
    if (order != 0 && order != 1)
        return status_make(STATUS_DATA, "attribute storage_order is %" PRId64, order);
    return onnx_pooling_infer_window(inference, ELEMENTS_OF_MAX_POOL);
}

// Opset 1 of LpPool and GlobalLpPool has a real p, the others an integer.
static status check_power(const struct inference *inference)
{
    const double power = attribute_real(inference->node->attributes, "p", 2);
    return power > 0 ? STATUS_OK : status_make(STATUS_DATA, "attribute p is %g", power);
}

static status infer_lp_pool(struct inference *inference)
{
    STATUS_TRY(check_power(inference));
    return onnx_pooling_infer_window(inference, ELEMENTS_FLOAT);
}

static status infer_global(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 1, ELEMENTS_FLOAT, &element));
    STATUS_TRY(common_check_rank(inference, 0, 2));
    inference_set_unranked(inference, 0, element);
    const struct value_type *x = common_ranked(inference, 0);
    if (x == NULL)
        return STATUS_OK;
    struct shape shape = x->shape;
    for (uint32_t d = 2; d < shape.rank; d++) {
        if (shape.dims[d] == 0)
            return status_make(STATUS_DATA, "dimension %" PRIu32 " is empty", d);
        shape.dims[d] = 1;
    }
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

static status infer_global_lp(struct inference *inference)
{
    STATUS_TRY(check_power(inference));
    return infer_global(inference);
}

// The shape that MaxPool had before, as far as its attributes tell.
static status shape_before_pool(const struct inference *inference, const struct shape *x,
                                struct shape *out_shape)
{
    const uint32_t spatial = x->rank - 2;
    const int64_t *kernel;
    STATUS_TRY(take_kernel(inference, spatial, &kernel));
    struct window window;
    STATUS_TRY(window_resolve_transposed(inference->node->attributes, spatial, x->dims + 2, kernel,
                                         &window));
    *out_shape = *x;
    for (uint32_t d = 0; d < spatial; d++)
        out_shape->dims[2 + d] = window.output[d];
    return STATUS_OK;
}

static status infer_max_unpool(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 1, ELEMENTS_FLOAT, &element));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_I64)));
    STATUS_TRY(inference_check_element(inference, 2, ELEMENT_BIT(ELEMENT_I64)));
    STATUS_TRY(common_check_rank(inference, 0, 3));
    inference_set_unranked(inference, 0, element);
    const struct value_type *x = common_ranked(inference, 0);
    if (x == NULL)
        return STATUS_OK;
    STATUS_TRY(common_check_shape(inference, 1, &x->shape));
    struct shape shape;
    STATUS_TRY(shape_before_pool(inference, &x->shape, &shape));
    if (inference->input_count > 2 && inference->inputs[2] != NULL) {
        uint32_t count;
        bool known;
        int64_t dims[SHAPE_RANK_MOST];
        STATUS_TRY(inference_integers(inference, 2, SHAPE_RANK_MOST, dims, &count, &known));
        if (known && count != shape.rank)
            return status_make(STATUS_DATA,
                               "output_shape has %" PRIu32 " items instead of %" PRIu32, count,
                               shape.rank);
        for (uint32_t d = 0; d < shape.rank; d++) {
            if (known && dims[d] < 0)
                return status_make(STATUS_DATA, "output_shape holds %" PRId64, dims[d]);
            shape.dims[d] = known ? dims[d] : SHAPE_UNKNOWN;
        }
    }
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

static uint64_t taps(const struct inference *inference)
{
    const int64_t *kernel;
    const uint32_t count = attribute_integers(inference->node->attributes, "kernel_shape", &kernel);
    uint64_t product = 1;
    for (uint32_t d = 0; d < count; d++)
        product *= (uint64_t)kernel[d];
    return product;
}

// Additions and a division, or comparisons: one for each tap, in the padding too.
static void onnx_pooling_measure_pool(const struct inference *inference, struct work *work)
{
    work->flops = taps(inference) * shape_count(&inference->outputs[0].shape);
}

// A norm of `read` elements in `written` ones: magnitudes and their sum; squares, their sum
// and a root; or the magnitude, power and sum of each element, and a power at the end.
static uint64_t norm_flops(const struct inference *inference, uint64_t read, uint64_t written)
{
    const double power = attribute_real(inference->node->attributes, "p", 2);
    if (power == 1)
        return 2 * read;
    return power == 2 ? 2 * read + written : 6 * read + 4 * written;
}

static void measure_lp_pool(const struct inference *inference, struct work *work)
{
    const uint64_t written = shape_count(&inference->outputs[0].shape);
    work->flops = norm_flops(inference, taps(inference) * written, written);
}

static void measure_global(const struct inference *inference, struct work *work)
{
    work->flops = shape_count(&inference->inputs[0]->shape);
}

static void measure_global_lp(const struct inference *inference, struct work *work)
{
    work->flops = norm_flops(inference, shape_count(&inference->inputs[0]->shape),
                             shape_count(&inference->outputs[0].shape));
}

#define POOLING(...)                                                                               \
    {                                                                                              \
        .class = OPERATOR_POOLING, .outputs = {1, 1}, .price = PRICED_AS_POOLING, __VA_ARGS__      \
    }

static const struct operator_definition DEFINITIONS[] = {
    POOLING(.name = "AveragePool", .inputs = {1, 1}, .infer = onnx_pooling_infer_pool,
            .measure = onnx_pooling_measure_pool, .tiling = TILED_AS_POOL,
            .function = COMPUTES_AVERAGE_POOL),
    {.name = "MaxPool",
     .sort = SORT_CHOICE,
     .class = OPERATOR_POOLING,
     .inputs = {1, 1},
     .outputs = {1, 2},
     .infer = infer_max_pool,
     .measure = onnx_pooling_measure_pool,
     .tiling = TILED_AS_POOL,
     .price = PRICED_AS_POOLING,
     .function = COMPUTES_MAX_POOL},
    POOLING(.name = "LpPool", .inputs = {1, 1}, .infer = infer_lp_pool, .measure = measure_lp_pool),
    POOLING(.name = "GlobalAveragePool", .inputs = {1, 1}, .infer = infer_global,
            .measure = measure_global, .tiling = TILED_AS_GLOBAL_POOL,
            .function = COMPUTES_GLOBAL_AVERAGE_POOL),
    POOLING(.name = "GlobalMaxPool", .sort = SORT_CHOICE, .inputs = {1, 1}, .infer = infer_global,
            .measure = measure_global, .tiling = TILED_AS_GLOBAL_POOL),
    POOLING(.name = "GlobalLpPool", .inputs = {1, 1}, .infer = infer_global_lp,
            .measure = measure_global_lp),
    POOLING(.name = "MaxUnpool", .exact = OPERATOR_INPUT(2), .inputs = {2, 3},
            .infer = infer_max_unpool),
};

const struct operator_table ONNX_POOLING_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
