#include <inttypes.h>

#include "common.h"
#include "contraction.h"
#include "network/operator_tables.h"

// One addition for each element of the output where there is a bias.
static uint64_t bias_additions(const struct inference *inference, uint32_t index)
{
    const bool biased = index < inference->input_count && inference->inputs[index] != NULL;
    return biased ? shape_count(&inference->outputs[0].shape) : 0;
}

// The output of a convolution whose operands, `inputs` of them, are of one element. `*out_weights`
// is NULL, and the rest not set, when a rank is not known.
static status infer_output(struct inference *inference, uint32_t inputs, struct shape *out_shape,
                           const struct shape **out_weights)
{
    enum element element;
    *out_weights = NULL;
    STATUS_TRY(common_element(inference, 0, inputs, ELEMENTS_FLOAT, &element));
    inference_set_unranked(inference, 0, element);
    const struct value_type *x = common_ranked(inference, 0);
    const struct value_type *weights = common_ranked(inference, 1);
    if (x == NULL || weights == NULL)
        return STATUS_OK;
    struct window window;
    STATUS_TRY(contraction_convolution(inference->node->attributes, &x->shape, &weights->shape,
                                       out_shape, &window));
    inference_set(inference, 0, element, out_shape);
    *out_weights = &weights->shape;
    return STATUS_OK;
}

static status infer_conv(struct inference *inference)
{
    struct shape shape;
    const struct shape *weights;
    STATUS_TRY(infer_output(inference, 3, &shape, &weights));
    return weights != NULL ? common_check_vector(inference, 2, weights->dims[0]) : STATUS_OK;
}

static void measure_conv(const struct inference *inference, struct work *work)
{
    work->macs =
        contraction_convolution_macs(&inference->inputs[1]->shape, &inference->outputs[0].shape);
    work->flops = 2 * work->macs + bias_additions(inference, 2);
}

// Deformable: bilinear interpolation of the input for each tap, which all output
// channels share (8 FLOPs, and 1 for the mask).
static void measure_deform_conv(const struct inference *inference, struct work *work)
{
    work->macs =
        contraction_convolution_macs(&inference->inputs[1]->shape, &inference->outputs[0].shape);
    const struct shape *weights = &inference->inputs[1]->shape;
    const struct shape *out = &inference->outputs[0].shape;
    const uint64_t samples = (uint64_t)inference->inputs[0]->shape.dims[1] *
                             shape_count_between(weights, 2, weights->rank) *
                             (uint64_t)out->dims[0] * shape_count_between(out, 2, out->rank);
    const bool masked = inference->input_count > 4 && inference->inputs[4] != NULL;
    work->flops = 2 * work->macs + samples * (masked ? 9 : 8) + bias_additions(inference, 3);
}

// Offsets and mask: batch x (groups of offsets x taps x `each`) x output.
static status check_offsets(const struct inference *inference, uint32_t index, int64_t each,
                            const struct shape *weights, const struct shape *out)
{
    const int64_t groups = attribute_integer(inference->node->attributes, "offset_group", 1);
    if (groups < 1 || groups > INT32_MAX)
        return status_make(STATUS_DATA, "attribute offset_group is %" PRId64, groups);
    struct shape wanted = *out;
    wanted.dims[1] = groups * each;
    for (uint32_t d = 2; d < weights->rank; d++) {
        if (weights->dims[d] == SHAPE_UNKNOWN || wanted.dims[1] == SHAPE_UNKNOWN ||
            __builtin_mul_overflow(wanted.dims[1], weights->dims[d], &wanted.dims[1]))
            wanted.dims[1] = SHAPE_UNKNOWN;
    }
    return common_check_shape(inference, index, &wanted);
}

static status infer_deform_conv(struct inference *inference)
{
    struct shape shape;
    const struct shape *weights;
    STATUS_TRY(infer_output(inference, 5, &shape, &weights));
    if (weights == NULL)
        return STATUS_OK;
    if (weights->rank != 4)
        return status_make(STATUS_UNSUPPORTED, "a deformable convolution of %" PRIu32 " dimensions",
                           weights->rank);
    STATUS_TRY(check_offsets(inference, 2, 2, weights, &shape));
    STATUS_TRY(common_check_vector(inference, 3, weights->dims[0]));
    STATUS_TRY(check_offsets(inference, 4, 1, weights, &shape));
    const int64_t groups = attribute_integer(inference->node->attributes, "offset_group", 1);
    const int64_t channels = inference->inputs[0]->shape.dims[1];
    if (channels != SHAPE_UNKNOWN && channels % groups != 0)
        return status_make(STATUS_DATA, "%" PRId64 " channels do not fall into %" PRId64 " groups",
                           channels, groups);
    return STATUS_OK;
}

static status check_transposed(const struct inference *inference, const struct shape *x,
                               const struct shape *weights)
{
    const struct attributes attributes = inference->node->attributes;
    if (x->rank < 3 || weights->rank != x->rank)
        return status_make(STATUS_DATA,
                           "a convolution of %" PRIu32 " dimensions with weights of %" PRIu32,
                           x->rank, weights->rank);
    const int64_t groups = attribute_integer(attributes, "group", 1);
    if (groups < 1 || groups > INT32_MAX)
        return status_make(STATUS_DATA, "attribute group is %" PRId64, groups);
    const int64_t channels = x->dims[1];
    const int64_t depth = weights->dims[0];
    if (channels != SHAPE_UNKNOWN && depth != SHAPE_UNKNOWN && channels != depth)
        return status_make(STATUS_DATA, "%" PRId64 " channels, but weights for %" PRId64, channels,
                           depth);
    if ((channels != SHAPE_UNKNOWN && channels % groups != 0) ||
        (depth != SHAPE_UNKNOWN && depth % groups != 0))
        return status_make(STATUS_DATA, "%" PRId64 " channels do not fall into %" PRId64 " groups",
                           channels, groups);
    const int64_t *kernel;
    const uint32_t count = attribute_integers(attributes, "kernel_shape", &kernel);
    bool fits = count == 0 || count == weights->rank - 2;
    for (uint32_t d = 0; fits && d < count; d++)
        fits = weights->dims[2 + d] == SHAPE_UNKNOWN || weights->dims[2 + d] == kernel[d];
    if (!fits)
        return status_make(STATUS_DATA, "attribute kernel_shape does not fit the weights");
    return STATUS_OK;
}

static status infer_conv_transpose(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 3, ELEMENTS_FLOAT, &element));
    inference_set_unranked(inference, 0, element);
    const struct value_type *x = common_ranked(inference, 0);
    const struct value_type *weights = common_ranked(inference, 1);
    if (x == NULL || weights == NULL)
        return STATUS_OK;
    STATUS_TRY(check_transposed(inference, &x->shape, &weights->shape));
    struct window window;
    STATUS_TRY(window_resolve_transposed(inference->node->attributes, x->shape.rank - 2,
                                         x->shape.dims + 2, weights->shape.dims + 2, &window));
    struct shape shape = x->shape;
    const int64_t groups = attribute_integer(inference->node->attributes, "group", 1);
    const int64_t outputs = weights->shape.dims[1];
    if (outputs != SHAPE_UNKNOWN && outputs > INT64_MAX / groups)
        return status_make(STATUS_LIMIT,
                           "%" PRId64 " output channels in each of %" PRId64 " groups", outputs,
                           groups);
    shape.dims[1] = outputs == SHAPE_UNKNOWN ? SHAPE_UNKNOWN : outputs * groups;
    for (uint32_t d = 0; d < window.spatial; d++)
        shape.dims[2 + d] = window.output[d];
    STATUS_TRY(common_check_vector(inference, 2, shape.dims[1]));
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

// One for each element of the input and each weight of its channel, also where
// the product is cut off.
static void measure_conv_transpose(const struct inference *inference, struct work *work)
{
    const struct shape *weights = &inference->inputs[1]->shape;
    work->macs =
        shape_count(&inference->inputs[0]->shape) * shape_count_between(weights, 1, weights->rank);
    work->flops = 2 * work->macs + bias_additions(inference, 2);
}

#define CONVOLUTION(...)                                                                           \
    {                                                                                              \
        .class = OPERATOR_CONVOLUTION, .outputs = {1, 1}, __VA_ARGS__                              \
    }

static const struct operator_definition DEFINITIONS[] = {
    CONVOLUTION(.name = "Conv", .inputs = {2, 3}, .infer = infer_conv, .measure = measure_conv,
                .tiling = TILED_AS_CONV, .price = PRICED_AS_CONVOLUTION,
                .function = COMPUTES_CONVOLUTION),
    CONVOLUTION(.name = "ConvTranspose", .inputs = {2, 3}, .infer = infer_conv_transpose,
                .measure = measure_conv_transpose, .price = PRICED_AS_TRANSPOSED_CONVOLUTION,
                .function = COMPUTES_TRANSPOSED_CONVOLUTION),
    CONVOLUTION(.name = "DeformConv", .inputs = {3, 5}, .infer = infer_deform_conv,
                .measure = measure_deform_conv, .price = PRICED_AS_CONVOLUTION),
};

const struct operator_table ONNX_CONVOLUTION_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
