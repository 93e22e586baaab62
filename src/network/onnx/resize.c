// Operators that sample a tensor at other places.

#include "resize.h"

#include <inttypes.h>

#include "network/operator_tables.h"

// The constant at `place` unless it is absent or empty. `*known` becomes false when
// it is there without being known.
static status read_input(const struct inference *inference, int place,
                         const struct constant **out_constant, bool *known)
{
    *out_constant = NULL;
    const uint32_t index = (uint32_t)place;
    if (place < 0 || index >= inference->input_count || inference->inputs[index] == NULL)
        return STATUS_OK;
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, index, &type));
    if (type->ranked && shape_known(&type->shape) && shape_count(&type->shape) == 0)
        return STATUS_OK;
    *known = *known && inference->known[index] != NULL;
    *out_constant = inference->known[index];
    return STATUS_OK;
}

static status onnx_resize_infer_resize(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct resize resize;
    STATUS_TRY(resize_attributes(inference->node, &resize));
    if (resize.mode != RESIZE_NEAREST)
        STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    const struct resize_places places = resize_places(inference->node);
    struct resize_inputs inputs;
    bool known = true;
    STATUS_TRY(read_input(inference, places.region, &inputs.region, &known));
    STATUS_TRY(read_input(inference, places.scales, &inputs.scales, &known));
    STATUS_TRY(read_input(inference, places.sizes, &inputs.sizes, &known));
    if (places.scales >= 0)
        STATUS_TRY(
            inference_check_element(inference, (uint32_t)places.scales, ELEMENT_BIT(ELEMENT_F32)));
    if (places.region >= 0)
        STATUS_TRY(inference_check_element(inference, (uint32_t)places.region, ELEMENTS_FLOAT));
    if (places.sizes >= 0)
        STATUS_TRY(
            inference_check_element(inference, (uint32_t)places.sizes, ELEMENT_BIT(ELEMENT_I64)));
    inference_set_unranked(inference, 0, type->element);
    if (!type->ranked)
        return STATUS_OK;
    // Dimensions that are not known stay so; the others do not depend on them,
    // but for one scale that all sizes agree on.
    struct shape known_shape = type->shape, shape = type->shape;
    for (uint32_t i = 0; i < shape.rank; i++)
        known_shape.dims[i] = shape.dims[i] == SHAPE_UNKNOWN ? 1 : shape.dims[i];
    const bool partial = !shape_known(&type->shape);
    known = known &&
            !(partial && attribute_given(inference->node->attributes, "keep_aspect_ratio_policy"));
    if (known)
        STATUS_TRY(resize_plan(inference->node, &inputs, &known_shape, &resize, &shape));
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (!known || type->shape.dims[i] == SHAPE_UNKNOWN)
            shape.dims[i] = SHAPE_UNKNOWN;
    }
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

// A multiplication and an addition for each tap, over all resized dimensions.
static void onnx_resize_measure_resize(const struct inference *inference, struct work *work)
{
    struct resize resize;
    const status failure = resize_attributes(inference->node, &resize);
    const bool samples = failure == STATUS_OK && resize.mode != RESIZE_NEAREST;
    status_free(failure);
    if (!samples)
        return;
    uint64_t taps = 1;
    for (uint32_t i = 0; i < inference->outputs[0].shape.rank; i++) {
        if (inference->outputs[0].shape.dims[i] != inference->inputs[0]->shape.dims[i])
            taps *= resize.mode == RESIZE_LINEAR ? 2 : 4;
    }
    work->flops = work->elements * taps * 2;
}

// GridSample ---------------------------------------------------------------------

static status onnx_resize_check_word(const struct inference *inference, const char *attribute,
                                     const char *fallback, const char *const *words, size_t count)
{
    const struct view word = attribute_text(inference->node->attributes, attribute, fallback);
    for (size_t i = 0; i < count; i++) {
        if (view_is(word, words[i]))
            return STATUS_OK;
    }
    return status_make(STATUS_DATA, "%s '%.*s' is unknown", attribute, VIEW_ARGUMENTS(word));
}

static status check_sampling(const struct inference *inference)
{
    static const char *const MODES[] = {"bilinear", "linear", "nearest", "bicubic", "cubic"};
    static const char *const PADDINGS[] = {"zeros", "border", "reflection"};
    STATUS_TRY(
        onnx_resize_check_word(inference, "mode", "linear", MODES, sizeof MODES / sizeof *MODES));
    return onnx_resize_check_word(inference, "padding_mode", "zeros", PADDINGS,
                                  sizeof PADDINGS / sizeof *PADDINGS);
}

static status onnx_resize_check_grid(const struct inference *inference, const struct shape *data,
                                     const struct shape *grid)
{
    const struct view mode = attribute_text(inference->node->attributes, "mode", "linear");
    if (data->rank < 3 || data->rank != grid->rank)
        return status_make(STATUS_DATA, "data of rank %" PRIu32 " and a grid of rank %" PRIu32,
                           data->rank, grid->rank);
    if (data->rank != 4 && view_ends_with(mode, "cubic"))
        return status_make(STATUS_DATA, "cubic sampling of rank %" PRIu32 " instead of 4",
                           data->rank);
    const int64_t width = grid->dims[grid->rank - 1];
    if (width != SHAPE_UNKNOWN && width != (int64_t)data->rank - 2)
        return status_make(STATUS_DATA, "a grid of %" PRId64 " coordinates for rank %" PRIu32,
                           width, data->rank);
    if (data->dims[0] != SHAPE_UNKNOWN && grid->dims[0] != SHAPE_UNKNOWN &&
        data->dims[0] != grid->dims[0])
        return status_make(STATUS_DATA, "batches of %" PRId64 " and %" PRId64, data->dims[0],
                           grid->dims[0]);
    return STATUS_OK;
}

static status infer_grid_sample(struct inference *inference)
{
    const struct value_type *data, *grid;
    STATUS_TRY(inference_need_tensor(inference, 0, &data));
    STATUS_TRY(inference_need_tensor(inference, 1, &grid));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC | ELEMENT_BIT(ELEMENT_BOOL)));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENTS_FLOAT));
    STATUS_TRY(check_sampling(inference));
    inference_set_unranked(inference, 0, data->element);
    if (!data->ranked || !grid->ranked)
        return STATUS_OK;
    STATUS_TRY(onnx_resize_check_grid(inference, &data->shape, &grid->shape));
    struct shape shape = {data->shape.rank, {data->shape.dims[0], data->shape.dims[1]}};
    bool empty = false;
    for (uint32_t i = 2; i < shape.rank; i++) {
        shape.dims[i] = grid->shape.dims[i - 1];
        empty = empty || data->shape.dims[i] == 0;
    }
    uint64_t count = 0;
    if (shape_known(&shape))
        STATUS_TRY(shape_elements(&shape, &count));
    if (empty && count > 0)
        return status_make(STATUS_DATA, "the input has no elements to sample from");
    inference_set(inference, 0, data->element, &shape);
    return STATUS_OK;
}

// Weights from the distances, then a sum over the neighbours.
static void measure_grid_sample(const struct inference *inference, struct work *work)
{
    const struct view mode = attribute_text(inference->node->attributes, "mode", "linear");
    const uint32_t spatial = inference->inputs[0]->shape.rank - 2;
    const uint64_t taps = view_is(mode, "nearest")        ? 0
                          : view_ends_with(mode, "cubic") ? 16
                                                          : UINT64_C(1) << spatial;
    work->flops = work->elements * taps * 2;
}

static status infer_affine_grid(struct inference *inference)
{
    const struct value_type *theta;
    STATUS_TRY(inference_need_tensor(inference, 0, &theta));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    struct list size;
    STATUS_TRY(list_infer(inference, NULL, 1, &size));
    if (size.sized && size.count != 4 && size.count != 5)
        return status_make(STATUS_DATA, "%" PRIu32 " sizes instead of 4 or 5", size.count);
    inference_set_unranked(inference, 0, theta->element);
    if (!size.known)
        return STATUS_OK;
    const int64_t spatial = size.count - 2;
    for (uint32_t i = 0; i < size.count; i++) {
        if (size.items[i] < 0)
            return status_make(STATUS_DATA, "a size of %" PRId64, size.items[i]);
    }
    if (theta->ranked &&
        (theta->shape.rank != 3 ||
         (theta->shape.dims[0] != SHAPE_UNKNOWN && theta->shape.dims[0] != size.items[0]) ||
         (theta->shape.dims[1] != SHAPE_UNKNOWN && theta->shape.dims[1] != spatial) ||
         (theta->shape.dims[2] != SHAPE_UNKNOWN && theta->shape.dims[2] != spatial + 1))) {
        char text[SHAPE_TEXT_MOST];
        return status_make(STATUS_DATA, "theta of shape %s for %" PRId64 " dimensions",
                           shape_text(&theta->shape, text), spatial);
    }
    struct shape shape = {size.count, {size.items[0]}};
    for (uint32_t i = 1; i + 1 < size.count; i++)
        shape.dims[i] = size.items[i + 1];
    shape.dims[size.count - 1] = spatial;
    uint64_t count;
    STATUS_TRY(shape_elements(&shape, &count));
    inference_set(inference, 0, theta->element, &shape);
    return STATUS_OK;
}

static void measure_affine_grid(const struct inference *inference, struct work *work)
{
    work->flops = work->elements * 2 * (inference->outputs[0].shape.rank - 2);
}

#define OTHER(...)                                                                                 \
    {                                                                                              \
        .class = OPERATOR_OTHER, .outputs = {1, 1}, .price = PRICED_AS_OTHER, __VA_ARGS__          \
    }

static const struct operator_definition ITEMS[] = {
    {.name = "Resize",
     .class = OPERATOR_OTHER,
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2) | OPERATOR_INPUT(3),
     .inputs = {1, 4},
     .outputs = {1, 1},
     .infer = onnx_resize_infer_resize,
     .measure = onnx_resize_measure_resize,
     .price = PRICED_AS_RESIZE,
     .function = COMPUTES_RESIZE},
    {.name = "Upsample",
     .class = OPERATOR_OTHER,
     .exact = OPERATOR_INPUT(1),
     .inputs = {1, 2},
     .outputs = {1, 1},
     .infer = onnx_resize_infer_resize,
     .measure = onnx_resize_measure_resize,
     .price = PRICED_AS_RESIZE},
    {.name = "GridSample",
     .class = OPERATOR_GATHER,
     .inputs = {2, 2},
     .outputs = {1, 1},
     .infer = infer_grid_sample,
     .measure = measure_grid_sample,
     .price = PRICED_AS_GATHER},
    OTHER(.name = "AffineGrid", .exact = OPERATOR_INPUT(1), .inputs = {2, 2},
          .infer = infer_affine_grid, .measure = measure_affine_grid),
};

const struct operator_table ONNX_RESIZE_OPERATORS = OPERATOR_TABLE(ITEMS);
