#include "normalization.h"

#include <inttypes.h>

#include "common.h"
#include "network/operator_tables.h"

// FLOPs of a normalised element: the sum, the difference, its square and their sum,
// the product; and of each mean and deviation: two divisions, an addition, a
// root and a reciprocal.
enum { FLOPS_NORMALIZED = 5, FLOPS_STATISTICS = 5 };

static bool normalization_given(const struct inference *inference, uint32_t index)
{
    return index < inference->input_count && inference->inputs[index] != NULL;
}

// Channels of a tensor: dimension 1, or 1 for a list.
static int64_t onnx_normalization_channels_of(const struct shape *shape)
{
    return shape->rank > 1 ? shape->dims[1] : 1;
}

static bool is_spatial(const struct inference *inference)
{
    return attribute_integer(inference->node->attributes, "spatial", 1) != 0;
}

bool normalization_trains(uint32_t version, struct attributes attributes, uint32_t output_count)
{
    if (version < 14)
        return output_count > 1;
    return attribute_integer(attributes, "training_mode", 0) != 0;
}

static status infer_batch(struct inference *inference)
{
    enum element element;
    enum element parameters;
    STATUS_TRY(common_element(inference, 0, 1, ELEMENTS_FLOAT, &element));
    STATUS_TRY(common_element(inference, 1, 3, ELEMENTS_FLOAT, &parameters));
    STATUS_TRY(common_element(inference, 3, 5, ELEMENTS_FLOAT, &parameters));
    STATUS_TRY(common_check_rank(inference, 0, 1));
    const uint32_t version = inference->node->version;
    const bool trains =
        normalization_trains(version, inference->node->attributes, inference->output_count);
    if (inference->output_count > 1 && !trains)
        return status_make(STATUS_DATA, "statistics are given in training mode only");
    inference_set_unranked(inference, 0, element);
    const struct value_type *x = common_ranked(inference, 0);
    struct shape shape = {1, {SHAPE_UNKNOWN}};
    if (x != NULL && is_spatial(inference)) {
        shape.dims[0] = onnx_normalization_channels_of(&x->shape);
    } else if (x != NULL) {
        shape.rank = x->shape.rank - 1;
        for (uint32_t d = 0; d < shape.rank; d++)
            shape.dims[d] = x->shape.dims[d + 1];
    }
    for (uint32_t i = 1; i < 5 && x != NULL; i++)
        STATUS_TRY(common_check_shape(inference, i, &shape));
    if (x != NULL)
        inference_set(inference, 0, element, &x->shape);
    for (uint32_t i = 1; i < 5 && x != NULL; i++)
        inference_set(inference, i, parameters, &shape);
    return STATUS_OK;
}

// Of each element a difference, a division, a product and a sum; of each channel the addition
// and the root. Training computes the statistics as well (4 for each element, 2 for each
// channel), and moves the two running ones (3 each).
static void measure_batch(const struct inference *inference, struct work *work)
{
    const uint64_t elements = shape_count(&inference->outputs[0].shape);
    const uint64_t channels = shape_count(&inference->inputs[1]->shape);
    work->flops = 4 * elements + 2 * channels;
    if (normalization_trains(inference->node->version, inference->node->attributes,
                             inference->output_count))
        work->flops += 4 * elements + 8 * channels;
}

static status infer_instance(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 3, ELEMENTS_FLOAT, &element));
    STATUS_TRY(common_check_rank(inference, 0, 3));
    inference_set_unranked(inference, 0, element);
    const struct value_type *x = common_ranked(inference, 0);
    if (x == NULL)
        return STATUS_OK;
    STATUS_TRY(common_check_vector(inference, 1, x->shape.dims[1]));
    STATUS_TRY(common_check_vector(inference, 2, x->shape.dims[1]));
    inference_set(inference, 0, element, &x->shape);
    return STATUS_OK;
}

static void measure_rows(const struct inference *inference, uint64_t rows, uint64_t extra,
                         struct work *work)
{
    const uint64_t elements = shape_count(&inference->outputs[0].shape);
    work->flops = (FLOPS_NORMALIZED + extra) * elements + FLOPS_STATISTICS * rows;
}

static void measure_instance(const struct inference *inference, struct work *work)
{
    measure_rows(inference, shape_count_between(&inference->inputs[0]->shape, 0, 2), 2, work);
}

static int64_t group_count(const struct inference *inference)
{
    return attribute_integer(inference->node->attributes, "num_groups", 0);
}

static status infer_group(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 3, ELEMENTS_FLOAT, &element));
    STATUS_TRY(common_check_rank(inference, 0, 2));
    inference_set_unranked(inference, 0, element);
    const int64_t groups = group_count(inference);
    if (groups < 1)
        return status_make(STATUS_DATA, "attribute num_groups is %" PRId64, groups);
    const struct value_type *x = common_ranked(inference, 0);
    if (x == NULL)
        return STATUS_OK;
    const int64_t channels = x->shape.dims[1];
    if (channels != SHAPE_UNKNOWN && channels % groups != 0)
        return status_make(STATUS_DATA, "%" PRId64 " channels do not fall into %" PRId64 " groups",
                           channels, groups);
    const int64_t parameters = inference->node->version < 21 ? groups : channels;
    STATUS_TRY(common_check_vector(inference, 1, parameters));
    STATUS_TRY(common_check_vector(inference, 2, parameters));
    inference_set(inference, 0, element, &x->shape);
    return STATUS_OK;
}

static void measure_group(const struct inference *inference, struct work *work)
{
    const uint64_t rows =
        (uint64_t)inference->inputs[0]->shape.dims[0] * (uint64_t)group_count(inference);
    measure_rows(inference, rows, 2, work);
}

// Scale and bias broadcast to the dimensions that are normalised.
static status check_layer_parameter(const struct inference *inference, uint32_t index,
                                    const struct shape *x, uint32_t axis)
{
    const struct value_type *type = common_ranked(inference, index);
    if (type == NULL)
        return STATUS_OK;
    bool fits = type->shape.rank <= x->rank;
    for (uint32_t d = 0; fits && d < type->shape.rank; d++) {
        const uint32_t place = x->rank - type->shape.rank + d;
        const int64_t length = type->shape.dims[d];
        fits = length == 1 || length == SHAPE_UNKNOWN ||
               (place >= axis && (x->dims[place] == SHAPE_UNKNOWN || x->dims[place] == length));
    }
    if (fits)
        return STATUS_OK;
    char got[SHAPE_TEXT_MOST];
    char wanted[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "input %" PRIu32 " of %s does not fit %s after axis %" PRIu32,
                       index, shape_text(&type->shape, got), shape_text(x, wanted), axis);
}

static status infer_layer(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 3, ELEMENTS_FLOAT, &element));
    const struct attributes attributes = inference->node->attributes;
    const int64_t stash = attribute_integer(attributes, "stash_type", ELEMENT_F32);
    if (stash != ELEMENT_F32 && stash != ELEMENT_BF16 && stash != ELEMENT_F16 &&
        stash != ELEMENT_F64)
        return status_make(STATUS_DATA, "attribute stash_type is %" PRId64, stash);
    inference_set_unranked(inference, 0, element);
    inference_set_unranked(inference, 1, (enum element)stash);
    inference_set_unranked(inference, 2, (enum element)stash);
    const struct value_type *x = common_ranked(inference, 0);
    if (x == NULL)
        return STATUS_OK;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(attributes, "axis", -1), x->shape.rank, &axis));
    STATUS_TRY(check_layer_parameter(inference, 1, &x->shape, axis));
    STATUS_TRY(check_layer_parameter(inference, 2, &x->shape, axis));
    struct shape statistics = x->shape;
    for (uint32_t d = axis; d < statistics.rank; d++)
        statistics.dims[d] = 1;
    inference_set(inference, 0, element, &x->shape);
    inference_set(inference, 1, (enum element)stash, &statistics);
    inference_set(inference, 2, (enum element)stash, &statistics);
    return STATUS_OK;
}

static void measure_layer(const struct inference *inference, struct work *work)
{
    const struct shape *x = &inference->inputs[0]->shape;
    uint32_t axis = 0;
    status_free(
        shape_axis(attribute_integer(inference->node->attributes, "axis", -1), x->rank, &axis));
    measure_rows(inference, shape_count_between(x, 0, axis),
                 normalization_given(inference, 2) ? 2 : 1, work);
}

static status infer_lrn(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 1, ELEMENTS_FLOAT, &element));
    STATUS_TRY(common_check_rank(inference, 0, 2));
    const int64_t size = attribute_integer(inference->node->attributes, "size", 0);
    if (size < 1 || size > INT32_MAX)
        return status_make(STATUS_DATA, "attribute size is %" PRId64, size);
    return inference_same_as_first(inference);
}

// The squares of the window and their sum, then a product, an addition, a power and a
// division; channels beyond the ends count as well.
static void measure_lrn(const struct inference *inference, struct work *work)
{
    const uint64_t size = (uint64_t)attribute_integer(inference->node->attributes, "size", 1);
    work->flops = (2 * size - 1 + 7) * shape_count(&inference->outputs[0].shape);
}

static status infer_lp(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 1, ELEMENTS_FLOAT, &element));
    const struct attributes attributes = inference->node->attributes;
    const int64_t power = attribute_integer(attributes, "p", 2);
    if (power != 1 && power != 2)
        return status_make(STATUS_DATA, "attribute p is %" PRId64 ", not 1 or 2", power);
    const struct value_type *x = common_ranked(inference, 0);
    uint32_t axis;
    if (x != NULL)
        STATUS_TRY(shape_axis(attribute_integer(attributes, "axis", -1), x->shape.rank, &axis));
    return inference_same_as_first(inference);
}

// Magnitudes or squares, their sum and a division; the squares of a vector have a root.
static void measure_lp(const struct inference *inference, struct work *work)
{
    const struct attributes attributes = inference->node->attributes;
    const struct shape *x = &inference->inputs[0]->shape;
    const uint64_t elements = shape_count(x);
    uint32_t axis = 0;
    status_free(shape_axis(attribute_integer(attributes, "axis", -1), x->rank, &axis));
    const uint64_t length = (uint64_t)x->dims[axis];
    const bool squared = attribute_integer(attributes, "p", 2) == 2;
    work->flops = 3 * elements + (squared && length > 0 ? elements / length : 0);
}

// Which dimensions share a mean, by opset 1 and by the later ones.
status normalization_axes(uint32_t version, struct attributes attributes, uint32_t rank,
                          bool out_reduced[SHAPE_RANK_MOST])
{
    static const int64_t usual[] = {0, 2, 3};
    const int64_t *axes = usual;
    const uint32_t count = attribute_integers(attributes, "axes", &axes);
    memset(out_reduced, 0, SHAPE_RANK_MOST * sizeof *out_reduced);
    if (version < 9) {
        const bool across = attribute_integer(attributes, "across_channels", 0) != 0;
        for (uint32_t d = across ? 1 : 2; d < rank; d++)
            out_reduced[d] = true;
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < (count > 0 ? count : 3); i++) {
        uint32_t axis;
        STATUS_TRY(shape_axis(axes[i], rank, &axis));
        out_reduced[axis] = true;
    }
    return STATUS_OK;
}

static status infer_mean_variance(struct inference *inference)
{
    enum element element;
    STATUS_TRY(common_element(inference, 0, 1, ELEMENTS_FLOAT, &element));
    bool reduced[SHAPE_RANK_MOST];
    const struct value_type *x = common_ranked(inference, 0);
    if (x != NULL)
        STATUS_TRY(normalization_axes(inference->node->version, inference->node->attributes,
                                      x->shape.rank, reduced));
    return inference_same_as_first(inference);
}

static void measure_mean_variance(const struct inference *inference, struct work *work)
{
    const struct shape *x = &inference->inputs[0]->shape;
    bool reduced[SHAPE_RANK_MOST];
    status_free(normalization_axes(inference->node->version, inference->node->attributes, x->rank,
                                   reduced));
    uint64_t rows = 1;
    for (uint32_t d = 0; d < x->rank; d++)
        rows *= reduced[d] ? 1 : (uint64_t)x->dims[d];
    measure_rows(inference, rows, 0, work);
}

#define NORMALIZATION(...)                                                                         \
    {                                                                                              \
        .class = OPERATOR_NORMALIZATION, .outputs = {1, 1}, __VA_ARGS__                            \
    }

static const struct operator_definition DEFINITIONS[] = {
    {.name = "BatchNormalization",
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2) | OPERATOR_INPUT(3) | OPERATOR_INPUT(4),
     .class = OPERATOR_NORMALIZATION,
     .inputs = {5, 5},
     .outputs = {1, 5},
     .infer = infer_batch,
     .measure = measure_batch,
     .tiling = TILED_BY_CHANNELS,
     .price = PRICED_AS_CHANNEL_NORMALIZATION,
     .function = COMPUTES_BATCH_NORMALIZATION},
    NORMALIZATION(.name = "InstanceNormalization", .inputs = {3, 3}, .infer = infer_instance,
                  .measure = measure_instance, .price = PRICED_AS_CHANNEL_NORMALIZATION),
    {.name = "LayerNormalization",
     .class = OPERATOR_NORMALIZATION,
     .inputs = {2, 3},
     .outputs = {1, 3},
     .infer = infer_layer,
     .measure = measure_layer,
     .tiling = TILED_UP_TO_AXIS,
     .price = PRICED_AS_TRAILING_NORMALIZATION},
    NORMALIZATION(.name = "GroupNormalization", .inputs = {3, 3}, .infer = infer_group,
                  .measure = measure_group, .price = PRICED_AS_CHANNEL_NORMALIZATION),
    NORMALIZATION(.name = "LRN", .inputs = {1, 1}, .infer = infer_lrn, .measure = measure_lrn,
                  .price = PRICED_AS_NORMALIZATION),
    NORMALIZATION(.name = "LpNormalization", .inputs = {1, 1}, .infer = infer_lp,
                  .measure = measure_lp, .price = PRICED_AS_NORMALIZATION),
    NORMALIZATION(.name = "MeanVarianceNormalization", .inputs = {1, 1},
                  .infer = infer_mean_variance, .measure = measure_mean_variance,
                  .price = PRICED_AS_NORMALIZATION),
};

const struct operator_table ONNX_NORMALIZATION_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
