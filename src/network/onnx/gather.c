// Operators whose places are chosen by data.

#include "gather.h"

#include <inttypes.h>

#include "network/operator_tables.h"

static const struct shape UNKNOWN_LINE = {1, {SHAPE_UNKNOWN}};

static bool gather_differ(int64_t a, int64_t b)
{
    return a != SHAPE_UNKNOWN && b != SHAPE_UNKNOWN && a != b;
}

// The data (input 0) and the indices (input `index`), of i32 or i64.
static status data_and_indices(const struct inference *inference, uint32_t index,
                               const struct value_type **out_data,
                               const struct value_type **out_indices)
{
    STATUS_TRY(inference_need_tensor(inference, 0, out_data));
    STATUS_TRY(inference_need_tensor(inference, index, out_indices));
    return inference_check_element(inference, index, LIST_INDEX_ELEMENTS);
}

static status gather_append_length(struct shape *shape, int64_t length)
{
    if (shape->rank == SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "a rank of more than %d", SHAPE_RANK_MOST);
    shape->dims[shape->rank++] = length;
    return STATUS_OK;
}

static status append_part(struct shape *shape, const struct shape *part, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        STATUS_TRY(gather_append_length(shape, part->dims[i]));
    return STATUS_OK;
}

static status onnx_gather_infer_gather(struct inference *inference)
{
    const struct value_type *data, *indices;
    STATUS_TRY(data_and_indices(inference, 1, &data, &indices));
    inference_set_unranked(inference, 0, data->element);
    if (!data->ranked)
        return STATUS_OK;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(inference->node->attributes, "axis", 0),
                          data->shape.rank, &axis));
    if (!indices->ranked)
        return STATUS_OK;
    struct shape shape = {0};
    STATUS_TRY(append_part(&shape, &data->shape, 0, axis));
    STATUS_TRY(append_part(&shape, &indices->shape, 0, indices->shape.rank));
    STATUS_TRY(append_part(&shape, &data->shape, axis + 1, data->shape.rank));
    inference_set(inference, 0, data->element, &shape);
    return STATUS_OK;
}

// Indices of as many dimensions as the data, none longer but along the axis.
static status onnx_gather_check_elements(const struct inference *inference,
                                         const struct value_type *data,
                                         const struct value_type *indices)
{
    if (!data->ranked)
        return STATUS_OK;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(inference->node->attributes, "axis", 0),
                          data->shape.rank, &axis));
    if (!indices->ranked)
        return STATUS_OK;
    if (indices->shape.rank != data->shape.rank)
        return status_make(STATUS_DATA, "indices of rank %" PRIu32 " for data of rank %" PRIu32,
                           indices->shape.rank, data->shape.rank);
    for (uint32_t i = 0; i < data->shape.rank; i++) {
        if (i != axis && data->shape.dims[i] != SHAPE_UNKNOWN &&
            indices->shape.dims[i] > data->shape.dims[i])
            return status_make(STATUS_DATA,
                               "dimension %" PRIu32 " of the indices is %" PRId64
                               ", longer than %" PRId64,
                               i, indices->shape.dims[i], data->shape.dims[i]);
    }
    return STATUS_OK;
}

static status infer_gather_elements(struct inference *inference)
{
    const struct value_type *data, *indices;
    STATUS_TRY(data_and_indices(inference, 1, &data, &indices));
    STATUS_TRY(onnx_gather_check_elements(inference, data, indices));
    if (indices->ranked)
        inference_set(inference, 0, data->element, &indices->shape);
    else
        inference_set_unranked(inference, 0, data->element);
    return STATUS_OK;
}

// How many dimensions of the data an index of GatherND or ScatterND names, after
// the first `batch` ones.
static status index_width(const struct shape *data, const struct shape *indices, int64_t batch,
                          uint32_t *out_width)
{
    if (indices->rank == 0 || data->rank == 0)
        return status_make(STATUS_DATA, "data or indices without a dimension");
    const int64_t width = indices->dims[indices->rank - 1];
    if (batch < 0 || batch >= (int64_t)indices->rank || batch >= (int64_t)data->rank)
        return status_make(STATUS_DATA, "batch_dims %" PRId64, batch);
    if (width != SHAPE_UNKNOWN && width > (int64_t)data->rank - batch)
        return status_make(STATUS_DATA, "indices of %" PRId64 " numbers for data of rank %" PRIu32,
                           width, data->rank);
    for (uint32_t i = 0; i < batch; i++) {
        if (gather_differ(data->dims[i], indices->dims[i]))
            return status_make(STATUS_DATA,
                               "batch dimension %" PRIu32 " is %" PRId64 " and %" PRId64, i,
                               data->dims[i], indices->dims[i]);
    }
    *out_width = width == SHAPE_UNKNOWN ? UINT32_MAX : (uint32_t)width;
    return STATUS_OK;
}

static status infer_gather_nd(struct inference *inference)
{
    const struct value_type *data, *indices;
    STATUS_TRY(data_and_indices(inference, 1, &data, &indices));
    inference_set_unranked(inference, 0, data->element);
    if (!data->ranked || !indices->ranked)
        return STATUS_OK;
    const int64_t batch = attribute_integer(inference->node->attributes, "batch_dims", 0);
    uint32_t width;
    STATUS_TRY(index_width(&data->shape, &indices->shape, batch, &width));
    if (width == UINT32_MAX)
        return STATUS_OK;
    struct shape shape = {0};
    STATUS_TRY(append_part(&shape, &indices->shape, 0, indices->shape.rank - 1));
    STATUS_TRY(append_part(&shape, &data->shape, (uint32_t)batch + width, data->shape.rank));
    inference_set(inference, 0, data->element, &shape);
    return STATUS_OK;
}

// Scatter ------------------------------------------------------------------------

status gather_reduction(struct attributes attributes, enum scatter_reduction *out_reduction)
{
    static const char *const NAMES[] = {"none", "add", "mul", "max", "min"};
    const struct view name = attribute_text(attributes, "reduction", "none");
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (view_is(name, NAMES[i])) {
            *out_reduction = (enum scatter_reduction)i;
            return STATUS_OK;
        }
    }
    return status_make(STATUS_DATA, "reduction '%.*s' is unknown", VIEW_ARGUMENTS(name));
}

static status check_scatter(struct inference *inference, const struct value_type **out_data,
                            const struct value_type **out_indices,
                            const struct value_type **out_updates)
{
    STATUS_TRY(data_and_indices(inference, 1, out_data, out_indices));
    STATUS_TRY(inference_need_tensor(inference, 2, out_updates));
    STATUS_TRY(list_same_elements(inference, 0, 2));
    enum scatter_reduction reduction;
    STATUS_TRY(gather_reduction(inference->node->attributes, &reduction));
    if (reduction != SCATTER_SET)
        STATUS_TRY(
            inference_check_element(inference, 0, ELEMENTS_NUMERIC | ELEMENT_BIT(ELEMENT_BOOL)));
    return inference_same_as_first(inference);
}

static status check_updates(const struct shape *updates, const struct shape *want)
{
    bool fits = updates->rank == want->rank;
    for (uint32_t i = 0; fits && i < want->rank; i++)
        fits = !gather_differ(updates->dims[i], want->dims[i]);
    if (fits)
        return STATUS_OK;
    char left[SHAPE_TEXT_MOST];
    char right[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "updates of shape %s instead of %s", shape_text(updates, left),
                       shape_text(want, right));
}

static status infer_scatter_elements(struct inference *inference)
{
    const struct value_type *data, *indices, *updates;
    STATUS_TRY(check_scatter(inference, &data, &indices, &updates));
    STATUS_TRY(onnx_gather_check_elements(inference, data, indices));
    if (indices->ranked && updates->ranked)
        STATUS_TRY(check_updates(&updates->shape, &indices->shape));
    return STATUS_OK;
}

static status infer_scatter_nd(struct inference *inference)
{
    const struct value_type *data, *indices, *updates;
    STATUS_TRY(check_scatter(inference, &data, &indices, &updates));
    if (!data->ranked || !indices->ranked)
        return STATUS_OK;
    uint32_t width;
    STATUS_TRY(index_width(&data->shape, &indices->shape, 0, &width));
    if (width == UINT32_MAX || !updates->ranked)
        return STATUS_OK;
    struct shape shape = {0};
    STATUS_TRY(append_part(&shape, &indices->shape, 0, indices->shape.rank - 1));
    STATUS_TRY(append_part(&shape, &data->shape, width, data->shape.rank));
    return check_updates(&updates->shape, &shape);
}

// OneHot -------------------------------------------------------------------------

static status infer_one_hot(struct inference *inference)
{
    const struct value_type *indices, *depth, *values;
    STATUS_TRY(inference_need_tensor(inference, 0, &indices));
    STATUS_TRY(inference_need_tensor(inference, 1, &depth));
    STATUS_TRY(inference_need_tensor(inference, 2, &values));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENTS_NUMERIC));
    if (values->ranked && (values->shape.rank != 1 || gather_differ(values->shape.dims[0], 2)))
        return status_make(STATUS_DATA, "input 2 is not a pair of values");
    int64_t length = SHAPE_UNKNOWN;
    if (inference->known[1] != NULL) {
        if (tensor_count(&inference->known[1]->tensor) != 1)
            return status_make(STATUS_DATA, "input 1 is not one number");
        length = list_item(inference->known[1], 0);
        if (length < 0)
            return status_make(STATUS_DATA, "a depth of %" PRId64, length);
    }
    inference_set_unranked(inference, 0, values->element);
    if (!indices->ranked)
        return STATUS_OK;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(inference->node->attributes, "axis", -1),
                          indices->shape.rank + 1, &axis));
    struct shape shape = {0};
    STATUS_TRY(append_part(&shape, &indices->shape, 0, axis));
    STATUS_TRY(gather_append_length(&shape, length));
    STATUS_TRY(append_part(&shape, &indices->shape, axis, indices->shape.rank));
    uint64_t count;
    if (shape_known(&shape))
        STATUS_TRY(shape_elements(&shape, &count));
    inference_set(inference, 0, values->element, &shape);
    return STATUS_OK;
}

static status infer_non_zero(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    const struct shape shape = {2,
                                {type->ranked ? type->shape.rank : SHAPE_UNKNOWN, SHAPE_UNKNOWN}};
    inference_set(inference, 0, ELEMENT_I64, &shape);
    return STATUS_OK;
}

// TopK ---------------------------------------------------------------------------

static status infer_top_k(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    int64_t count = attribute_integer(inference->node->attributes, "k", SHAPE_UNKNOWN);
    if (inference->node->version < 10 ? count < 0 : inference->input_count < 2)
        return status_make(STATUS_DATA,
                           "TopK needs k: an input since version 10, an attribute before");
    if (inference->node->version >= 10) {
        STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_I64)));
        bool known;
        STATUS_TRY(list_scalar(inference, 1, &count, &known));
        count = known ? count : SHAPE_UNKNOWN;
        if (known && count < 0)
            return status_make(STATUS_DATA, "a k of %" PRId64, count);
    }
    if (!type->ranked) {
        inference_set_unranked(inference, 0, type->element);
        inference_set_unranked(inference, 1, ELEMENT_I64);
        return STATUS_OK;
    }
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(inference->node->attributes, "axis", -1),
                          type->shape.rank, &axis));
    struct shape shape = type->shape;
    if (shape.dims[axis] != SHAPE_UNKNOWN && count > shape.dims[axis])
        return status_make(STATUS_DATA, "a k of %" PRId64 " of a dimension of %" PRId64, count,
                           shape.dims[axis]);
    shape.dims[axis] = count;
    inference_set(inference, 0, type->element, &shape);
    inference_set(inference, 1, ELEMENT_I64, &shape);
    return STATUS_OK;
}

static status infer_unique(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    const struct attributes attributes = inference->node->attributes;
    struct shape shape = UNKNOWN_LINE;
    bool ranked = true;
    if (attribute_given(attributes, "axis")) {
        ranked = type->ranked;
        shape = type->shape;
        uint32_t axis;
        if (ranked) {
            STATUS_TRY(shape_axis(attribute_integer(attributes, "axis", 0), shape.rank, &axis));
            shape.dims[axis] = SHAPE_UNKNOWN;
        }
    }
    if (ranked)
        inference_set(inference, 0, type->element, &shape);
    else
        inference_set_unranked(inference, 0, type->element);
    for (uint32_t i = 1; i < 4; i++)
        inference_set(inference, i, ELEMENT_I64, &UNKNOWN_LINE);
    return STATUS_OK;
}

static status infer_compress(struct inference *inference)
{
    const struct value_type *type, *condition;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    STATUS_TRY(inference_need_tensor(inference, 1, &condition));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_BOOL)));
    if (condition->ranked && condition->shape.rank != 1)
        return status_make(STATUS_DATA, "input 1 has rank %" PRIu32 " instead of 1",
                           condition->shape.rank);
    const struct attributes attributes = inference->node->attributes;
    if (!attribute_given(attributes, "axis")) {
        inference_set(inference, 0, type->element, &UNKNOWN_LINE);
        return STATUS_OK;
    }
    inference_set_unranked(inference, 0, type->element);
    if (!type->ranked)
        return STATUS_OK;
    struct shape shape = type->shape;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(attributes, "axis", 0), shape.rank, &axis));
    shape.dims[axis] = SHAPE_UNKNOWN;
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

#define GATHER(...)                                                                                \
    {                                                                                              \
        .class = OPERATOR_GATHER, .outputs = {1, 1}, .price = PRICED_AS_GATHER, __VA_ARGS__        \
    }

static const struct operator_definition ITEMS[] = {
    {.name = "Gather",
     .class = OPERATOR_GATHER,
     .inputs = {2, 2},
     .outputs = {1, 1},
     .infer = onnx_gather_infer_gather,
     .price = PRICED_AS_GATHERED_ROWS},
    GATHER(.name = "GatherElements", .inputs = {2, 2}, .infer = infer_gather_elements),
    GATHER(.name = "GatherND", .exact = OPERATOR_INPUT(1), .inputs = {2, 2},
           .infer = infer_gather_nd),
    GATHER(.name = "Scatter", .inputs = {3, 3}, .infer = infer_scatter_elements),
    GATHER(.name = "ScatterElements", .inputs = {3, 3}, .infer = infer_scatter_elements),
    GATHER(.name = "ScatterND", .exact = OPERATOR_INPUT(1), .inputs = {3, 3},
           .infer = infer_scatter_nd),
    GATHER(.name = "OneHot", .exact = OPERATOR_INPUT(1), .inputs = {3, 3}, .infer = infer_one_hot),
    GATHER(.name = "NonZero", .inputs = {1, 1}, .infer = infer_non_zero),
    {.name = "TopK",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_GATHER,
     .inputs = {1, 2},
     .outputs = {2, 2},
     .infer = infer_top_k,
     .price = PRICED_AS_GATHER},
    {.name = "Unique",
     .class = OPERATOR_GATHER,
     .inputs = {1, 1},
     .outputs = {1, 4},
     .infer = infer_unique,
     .price = PRICED_AS_GATHER},
    GATHER(.name = "Compress", .inputs = {2, 2}, .infer = infer_compress),
};

const struct operator_table ONNX_GATHER_OPERATORS = OPERATOR_TABLE(ITEMS);
