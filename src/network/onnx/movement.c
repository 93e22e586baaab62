// Operators that copy elements to other places.

#include "movement.h"

#include <inttypes.h>

#include "network/operator_tables.h"

static void set_like(struct inference *inference, uint32_t index, const struct value_type *type,
                     const struct shape *shape)
{
    if (shape != NULL)
        inference_set(inference, index, type->element, shape);
    else
        inference_set_unranked(inference, index, type->element);
}

// `shape` with nothing known but the rank.
static struct shape onnx_movement_forget(const struct shape *shape)
{
    struct shape result = {.rank = shape->rank};
    for (uint32_t i = 0; i < result.rank; i++)
        result.dims[i] = SHAPE_UNKNOWN;
    return result;
}

// Fails for shapes that no tensor can have, so that sums and products fit.
static status onnx_movement_check_size(const struct shape *shape)
{
    uint64_t count;
    return shape_known(shape) ? shape_elements(shape, &count) : STATUS_OK;
}

// Concat -------------------------------------------------------------------------

// Joins the shape of one more input to what is known of the result.
static status onnx_concat_shapes(struct shape *result, const struct shape *shape, uint32_t axis,
                                 uint32_t index)
{
    if (shape->rank != result->rank)
        return status_make(STATUS_DATA, "input %" PRIu32 " has rank %" PRIu32 ", not %" PRIu32,
                           index, shape->rank, result->rank);
    for (uint32_t i = 0; i < shape->rank; i++) {
        const int64_t length = shape->dims[i];
        int64_t *total = &result->dims[i];
        if (i == axis) {
            if (*total != SHAPE_UNKNOWN && length != SHAPE_UNKNOWN &&
                __builtin_add_overflow(*total, length, total))
                return status_make(STATUS_LIMIT, "the inputs are too long together");
            if (length == SHAPE_UNKNOWN)
                *total = SHAPE_UNKNOWN;
        } else if (*total == SHAPE_UNKNOWN) {
            *total = length;
        } else if (length != SHAPE_UNKNOWN && length != *total) {
            return status_make(STATUS_DATA,
                               "dimension %" PRIu32 " of input %" PRIu32 " is %" PRId64
                               ", but %" PRId64 " before",
                               i, index, length, *total);
        }
    }
    return STATUS_OK;
}

static status onnx_movement_infer_concat(struct inference *inference)
{
    const bool needs_axis = inference->node->version >= 4;
    if (needs_axis && !attribute_given(inference->node->attributes, "axis"))
        return status_make(STATUS_DATA, "attribute 'axis' is missing");
    const int64_t axis = attribute_integer(inference->node->attributes, "axis", 1);
    struct value_type result = {.kind = VALUE_TENSOR, .ranked = false};
    bool ranked = true;
    for (uint32_t i = 0; i < inference->input_count; i++) {
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, i, &type));
        STATUS_TRY(list_same_elements(inference, 0, i));
        if (result.element == ELEMENT_NONE)
            result.element = type->element;
        if (!type->ranked) {
            ranked = false;
            continue;
        }
        uint32_t place;
        STATUS_TRY(shape_axis(axis, type->shape.rank, &place));
        if (result.ranked) {
            STATUS_TRY(onnx_concat_shapes(&result.shape, &type->shape, place, i));
            continue;
        }
        result.ranked = true;
        result.shape = type->shape;
    }
    if (result.ranked && !ranked) // an input of unknown length
        result.shape.dims[axis < 0 ? axis + (int64_t)result.shape.rank : axis] = SHAPE_UNKNOWN;
    STATUS_TRY(onnx_movement_check_size(&result.shape));
    set_like(inference, 0, &result, result.ranked ? &result.shape : NULL);
    return STATUS_OK;
}

// Split --------------------------------------------------------------------------

static status onnx_movement_infer_split(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    const struct network_node *node = inference->node;
    const bool by_input = inference->input_count > 1 && inference->inputs[1] != NULL;
    const int64_t parts =
        attribute_integer(node->attributes, "num_outputs", (int64_t)inference->output_count);
    if (parts != (int64_t)inference->output_count)
        return status_make(STATUS_DATA, "num_outputs is %" PRId64 ", but there are %" PRIu32, parts,
                           inference->output_count);
    if (by_input)
        STATUS_TRY(list_check_element(inference, 1));
    const struct constant *lengths = by_input ? inference->known[1] : NULL;
    const struct split split =
        movement_split(node->attributes, node->version, inference->output_count, lengths);
    if (!type->ranked) {
        for (uint32_t i = 0; i < inference->output_count; i++)
            inference_set_unranked(inference, i, type->element);
        return STATUS_OK;
    }
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(node->attributes, "axis", 0), type->shape.rank, &axis));
    const bool known = !by_input || lengths != NULL;
    if (known)
        STATUS_TRY(movement_split_check(&split, type->shape.dims[axis]));
    for (uint32_t i = 0; i < inference->output_count; i++) {
        struct shape shape = type->shape;
        shape.dims[axis] = SHAPE_UNKNOWN;
        if (known)
            STATUS_TRY(movement_split_part(&split, type->shape.dims[axis], i, &shape.dims[axis]));
        inference_set(inference, i, type->element, &shape);
    }
    return STATUS_OK;
}

// Slice --------------------------------------------------------------------------

static status onnx_movement_infer_slice(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct slice slice;
    STATUS_TRY(list_infer(inference, "starts", 1, &slice.starts));
    STATUS_TRY(list_infer(inference, "ends", 2, &slice.ends));
    STATUS_TRY(list_infer(inference, "axes", 3, &slice.axes));
    STATUS_TRY(list_infer(inference, NULL, 4, &slice.steps));
    if (!slice.starts.given || !slice.ends.given)
        return status_make(STATUS_DATA, "Slice needs both starts and ends");
    set_like(inference, 0, type, NULL);
    if (!type->ranked)
        return STATUS_OK;
    struct shape shape = onnx_movement_forget(&type->shape);
    const bool known = slice.starts.known && slice.ends.known &&
                       (!slice.axes.given || slice.axes.known) &&
                       (!slice.steps.given || slice.steps.known);
    if (known) {
        STATUS_TRY(movement_slice(&slice, &type->shape, &shape));
    } else if (slice.axes.given && slice.axes.known) {
        uint32_t axes[SHAPE_RANK_MOST];
        STATUS_TRY(list_axes(&slice.axes, type->shape.rank, axes));
        shape = type->shape;
        for (uint32_t i = 0; i < slice.axes.count; i++)
            shape.dims[axes[i]] = SHAPE_UNKNOWN;
    }
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

static status onnx_movement_infer_transpose(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    set_like(inference, 0, type, NULL);
    if (!type->ranked)
        return STATUS_OK;
    uint32_t order[SHAPE_RANK_MOST];
    STATUS_TRY(movement_order(inference->node->attributes, type->shape.rank, order));
    struct shape shape = {.rank = type->shape.rank};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = type->shape.dims[order[i]];
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

// Pad ----------------------------------------------------------------------------

static status onnx_movement_infer_pad(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    enum padding_mode mode;
    STATUS_TRY(movement_padding_mode(inference->node->attributes, &mode));
    struct list pads, axes;
    STATUS_TRY(list_infer(inference, inference->node->version < 2 ? "paddings" : "pads", 1, &pads));
    STATUS_TRY(list_infer(inference, NULL, 3, &axes));
    if (!pads.given)
        return status_make(STATUS_DATA,
                           "Pad needs pads: an input since version 11, an attribute before");
    if (inference->input_count > 2 && inference->inputs[2] != NULL) {
        STATUS_TRY(list_same_elements(inference, 0, 2));
        const struct value_type *value = inference_tensor(inference, 2);
        if (value != NULL && value->ranked && shape_known(&value->shape) &&
            shape_count(&value->shape) > 1)
            return status_make(STATUS_DATA, "input 2 is not one element");
    } else if (inference->node->version < 11) {
        STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    }
    set_like(inference, 0, type, NULL);
    if (!type->ranked)
        return STATUS_OK;
    struct shape shape = onnx_movement_forget(&type->shape);
    struct padding padding;
    if (pads.known && (!axes.given || axes.known))
        STATUS_TRY(movement_padding(&pads, &axes, &type->shape, mode, &padding, &shape));
    STATUS_TRY(onnx_movement_check_size(&shape));
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

static status onnx_movement_infer_tile(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct list repeats, axis;
    STATUS_TRY(list_infer(inference, NULL, 1, &repeats));
    STATUS_TRY(list_infer(inference, NULL, 2, &axis));
    set_like(inference, 0, type, NULL);
    if (!type->ranked)
        return STATUS_OK;
    struct shape shape = onnx_movement_forget(&type->shape);
    if (repeats.known && (!axis.given || axis.known)) {
        int64_t times[SHAPE_RANK_MOST];
        STATUS_TRY(movement_repeats(inference->node->version, &repeats, &axis, shape.rank, times));
        for (uint32_t i = 0; i < shape.rank; i++) {
            if (type->shape.dims[i] != SHAPE_UNKNOWN &&
                __builtin_mul_overflow(type->shape.dims[i], times[i], &shape.dims[i]))
                return status_make(STATUS_LIMIT, "dimension %" PRIu32 " is too long", i);
        }
    }
    STATUS_TRY(onnx_movement_check_size(&shape));
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

static status infer_expand(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct list list;
    STATUS_TRY(list_infer(inference, NULL, 1, &list));
    set_like(inference, 0, type, NULL);
    if (!type->ranked || !list.sized)
        return STATUS_OK;
    if (list.count > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "rank %" PRIu32 " is more than %d", list.count,
                           SHAPE_RANK_MOST);
    struct shape shape = {.rank = list.count};
    for (uint32_t i = 0; i < list.count; i++) {
        shape.dims[i] = list.known ? list.items[i] : SHAPE_UNKNOWN;
        if (list.known && list.items[i] < 0)
            return status_make(STATUS_DATA, "a dimension of %" PRId64, list.items[i]);
    }
    if (list.known) {
        STATUS_TRY(shape_broadcast(&type->shape, &shape, &shape));
        STATUS_TRY(onnx_movement_check_size(&shape));
    } else {
        shape.rank = shape.rank > type->shape.rank ? shape.rank : type->shape.rank;
        shape = onnx_movement_forget(&shape);
    }
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

// Blocks -------------------------------------------------------------------------

static status infer_blocks(struct inference *inference, bool to_space)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    const int64_t block = attribute_integer(inference->node->attributes, "blocksize", 0);
    const struct view mode = attribute_text(inference->node->attributes, "mode", "DCR");
    if (block < 1 || block > INT32_MAX)
        return status_make(STATUS_DATA, "blocksize %" PRId64, block);
    if (to_space && !view_is(mode, "DCR") && !view_is(mode, "CRD"))
        return status_make(STATUS_DATA, "mode '%.*s' is unknown", VIEW_ARGUMENTS(mode));
    set_like(inference, 0, type, NULL);
    if (!type->ranked)
        return STATUS_OK;
    if (type->shape.rank != 4)
        return status_make(STATUS_DATA, "rank %" PRIu32 " instead of 4", type->shape.rank);
    struct shape shape = type->shape;
    for (uint32_t i = 1; i < 4; i++) {
        const bool divides = (i == 1) == to_space;
        const int64_t factor = i == 1 ? block * block : block;
        if (shape.dims[i] == SHAPE_UNKNOWN)
            continue;
        if (divides && shape.dims[i] % factor != 0)
            return status_make(STATUS_DATA,
                               "dimension %" PRIu32 " of %" PRId64 " is no multiple of %" PRId64, i,
                               shape.dims[i], factor);
        if (divides)
            shape.dims[i] /= factor;
        else if (__builtin_mul_overflow(shape.dims[i], factor, &shape.dims[i]))
            return status_make(STATUS_LIMIT, "dimension %" PRIu32 " is too long", i);
    }
    STATUS_TRY(onnx_movement_check_size(&shape));
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

static status infer_depth_to_space(struct inference *inference)
{
    return infer_blocks(inference, true);
}

static status infer_space_to_depth(struct inference *inference)
{
    return infer_blocks(inference, false);
}

// Others -------------------------------------------------------------------------

static status infer_trilu(struct inference *inference)
{
    STATUS_TRY(inference_same_as_first(inference));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_I64)));
    const struct value_type *shift = inference_tensor(inference, 1);
    if (shift != NULL && shift->ranked && shape_known(&shift->shape) &&
        shape_count(&shift->shape) != 1)
        return status_make(STATUS_DATA, "input 1 is not one integer");
    const struct value_type *type = inference_tensor(inference, 0);
    if (type != NULL && type->ranked && type->shape.rank < 2)
        return status_make(STATUS_DATA, "rank %" PRIu32 " instead of at least 2", type->shape.rank);
    return STATUS_OK;
}

static status infer_reverse_sequence(struct inference *inference)
{
    STATUS_TRY(inference_same_as_first(inference));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_I64)));
    const struct attributes attributes = inference->node->attributes;
    const int64_t batch = attribute_integer(attributes, "batch_axis", 1);
    const int64_t time = attribute_integer(attributes, "time_axis", 0);
    if (!((batch == 0 && time == 1) || (batch == 1 && time == 0)))
        return status_make(STATUS_DATA,
                           "batch_axis %" PRId64 " and time_axis %" PRId64 " are not 0 and 1",
                           batch, time);
    const struct value_type *type = inference_tensor(inference, 0);
    const struct value_type *lengths = inference_tensor(inference, 1);
    if (type == NULL || !type->ranked)
        return STATUS_OK;
    if (type->shape.rank < 2)
        return status_make(STATUS_DATA, "rank %" PRIu32 " instead of at least 2", type->shape.rank);
    if (lengths == NULL || !lengths->ranked)
        return STATUS_OK;
    const int64_t batches = type->shape.dims[batch];
    if (lengths->shape.rank != 1 ||
        (batches != SHAPE_UNKNOWN && lengths->shape.dims[0] != SHAPE_UNKNOWN &&
         lengths->shape.dims[0] != batches))
        return status_make(STATUS_DATA, "input 1 does not give one length for each batch");
    return STATUS_OK;
}

static status infer_center_crop_pad(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct list lengths, axes;
    STATUS_TRY(list_infer(inference, NULL, 1, &lengths));
    STATUS_TRY(list_attribute(inference->node->attributes, "axes", &axes));
    set_like(inference, 0, type, NULL);
    if (!type->ranked)
        return STATUS_OK;
    struct shape shape = onnx_movement_forget(&type->shape);
    if (lengths.known)
        STATUS_TRY(movement_center(&lengths, &axes, &type->shape, &shape));
    STATUS_TRY(onnx_movement_check_size(&shape));
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

#define MOVEMENT(...)                                                                              \
    {                                                                                              \
        .class = OPERATOR_MOVEMENT, .outputs = {1, 1}, __VA_ARGS__                                 \
    }

static const struct operator_definition ITEMS[] = {
    MOVEMENT(.name = "Concat", .inputs = {1, UINT16_MAX}, .infer = onnx_movement_infer_concat,
             .tiling = TILED_AS_CONCAT, .price = PRICED_AS_ROWS, .function = COMPUTES_CONCAT),
    {.name = "Split",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_MOVEMENT,
     .inputs = {1, 2},
     .outputs = {1, UINT16_MAX},
     .infer = onnx_movement_infer_split,
     .price = PRICED_AS_ROWS},
    MOVEMENT(.name = "Slice",
             .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2) | OPERATOR_INPUT(3) | OPERATOR_INPUT(4),
             .inputs = {1, 5}, .infer = onnx_movement_infer_slice, .price = PRICED_AS_ROWS,
             .function = COMPUTES_PART),
    MOVEMENT(.name = "Transpose", .inputs = {1, 1}, .infer = onnx_movement_infer_transpose,
             .tiling = TILED_AS_TRANSPOSE, .price = PRICED_AS_TRANSPOSE,
             .function = COMPUTES_TRANSPOSE),
    MOVEMENT(.name = "Pad", .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(3), .inputs = {1, 4},
             .infer = onnx_movement_infer_pad, .price = PRICED_AS_ROWS),
    MOVEMENT(.name = "Tile", .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2), .inputs = {2, 3},
             .infer = onnx_movement_infer_tile, .price = PRICED_AS_ROWS),
    MOVEMENT(.name = "Expand", .exact = OPERATOR_INPUT(1), .inputs = {2, 2}, .infer = infer_expand,
             .price = PRICED_AS_ROWS),
    MOVEMENT(.name = "DepthToSpace", .inputs = {1, 1}, .infer = infer_depth_to_space,
             .price = PRICED_AS_BLOCKS),
    MOVEMENT(.name = "SpaceToDepth", .inputs = {1, 1}, .infer = infer_space_to_depth,
             .price = PRICED_AS_MOVEMENT),
    MOVEMENT(.name = "Trilu", .exact = OPERATOR_INPUT(1), .inputs = {1, 2}, .infer = infer_trilu,
             .price = PRICED_AS_MOVEMENT),
    MOVEMENT(.name = "ReverseSequence", .exact = OPERATOR_INPUT(1), .inputs = {2, 2},
             .infer = infer_reverse_sequence, .price = PRICED_AS_MOVEMENT),
    MOVEMENT(.name = "CenterCropPad", .exact = OPERATOR_INPUT(1), .inputs = {2, 2},
             .infer = infer_center_crop_pad, .price = PRICED_AS_MOVEMENT),
};

const struct operator_table ONNX_MOVEMENT_OPERATORS = OPERATOR_TABLE(ITEMS);
