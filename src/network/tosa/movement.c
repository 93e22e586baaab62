// Operators that copy elements to other places or give them another shape.

#include <inttypes.h>

#include "infer.h"
#include "network/operator_tables.h"

// The numbers of a shape operand, if they are known: exactly `count` of them.
static status shape_operand(const struct inference *inference, uint32_t index, uint32_t count,
                            int64_t *out_items, bool *out_known)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, index, TOSA_INTEGERS, TOSA_ANY_RANK, &type));
    if (type->ranked && shape_known(&type->shape) && shape_count(&type->shape) != count)
        return status_make(STATUS_DATA,
                           "input %" PRIu32 " has %" PRIu64 " numbers instead of %" PRIu32, index,
                           shape_count(&type->shape), count);
    const struct constant *constant = inference->known[index];
    *out_known = constant != NULL;
    for (uint32_t i = 0; constant != NULL && i < count; i++)
        out_items[i] = constant_integer(constant, i);
    return STATUS_OK;
}

static status any_tensor(const struct inference *inference, const struct value_type **out_type)
{
    return tosa_need(inference, 0, TOSA_ANY, TOSA_ANY_RANK, out_type);
}

static status tosa_movement_infer_identity(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(any_tensor(inference, &type));
    return tosa_set_like(inference, 0, type->element, type);
}

static status tosa_movement_infer_concat(struct inference *inference)
{
    const struct value_type *first;
    STATUS_TRY(any_tensor(inference, &first));
    if (!first->ranked)
        return tosa_set_unranked(inference, 0, first->element);
    uint32_t axis;
    STATUS_TRY(tosa_axis(inference, first->shape.rank, &axis));
    struct value_type whole = *first;
    for (uint32_t i = 1; i < inference->input_count; i++) {
        const struct value_type *next;
        STATUS_TRY(tosa_need(inference, i, TOSA_ANY, first->shape.rank, &next));
        if (!next->ranked) {
            whole.shape.dims[axis] = SHAPE_UNKNOWN;
            continue;
        }
        struct value_type part = *next;
        const int64_t length = part.shape.dims[axis];
        const int64_t before = whole.shape.dims[axis];
        part.shape.dims[axis] = whole.shape.dims[axis] = SHAPE_UNKNOWN;
        STATUS_TRY(value_type_merge(&whole, &part, &whole));
        if (length != SHAPE_UNKNOWN && before != SHAPE_UNKNOWN)
            whole.shape.dims[axis] = before + length;
    }
    return tosa_set(inference, 0, whole.element, &whole.shape);
}

static status tosa_movement_infer_pad(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(any_tensor(inference, &type));
    STATUS_TRY(tosa_need_single(inference, 2, TOSA_ANY));
    const struct value_type *value = inference_tensor(inference, 2);
    if (value != NULL && value->element != type->element)
        return status_make(STATUS_DATA, "%s padded with %s", element_name(type->element),
                           element_name(value->element));
    if (!type->ranked)
        return tosa_set_unranked(inference, 0, type->element);
    int64_t pads[2 * SHAPE_RANK_MOST];
    bool known;
    struct shape shape = type->shape;
    STATUS_TRY(shape_operand(inference, 1, 2 * shape.rank, pads, &known));
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (!known || shape.dims[i] == SHAPE_UNKNOWN) {
            shape.dims[i] = SHAPE_UNKNOWN;
            continue;
        }
        for (uint32_t side = 0; side < 2; side++) {
            const int64_t pad = pads[2 * i + side];
            if (pad < 0 || pad > TOSA_LENGTH_MOST)
                return status_make(STATUS_DATA, "a padding of %" PRId64, pad);
            shape.dims[i] += pad;
        }
    }
    return tosa_set(inference, 0, type->element, &shape);
}

// One length may be left to be found out (-1).
static status settle_reshape(const struct shape *from, struct shape *to)
{
    uint32_t open = UINT32_MAX;
    uint64_t known = 1;
    for (uint32_t i = 0; i < to->rank; i++) {
        if (to->dims[i] < -1 || to->dims[i] > TOSA_LENGTH_MOST ||
            (to->dims[i] == -1 && open != UINT32_MAX))
            return status_make(STATUS_DATA, "a dimension of %" PRId64, to->dims[i]);
        if (to->dims[i] == -1)
            open = i;
        else if (__builtin_mul_overflow(known, (uint64_t)to->dims[i], &known))
            return status_make(STATUS_LIMIT, "the result is too large");
    }
    uint64_t count;
    if (!shape_known(from))
        return STATUS_OK;
    STATUS_TRY(shape_elements(from, &count));
    if (open != UINT32_MAX && known != 0 && count % known == 0)
        to->dims[open] = (int64_t)(count / known);
    else if (open != UINT32_MAX || known != count)
        return status_make(STATUS_DATA, "%" PRIu64 " elements do not fit the new shape", count);
    return STATUS_OK;
}

static status tosa_movement_infer_reshape(struct inference *inference)
{
    const struct value_type *type;
    const struct value_type *list;
    STATUS_TRY(any_tensor(inference, &type));
    STATUS_TRY(tosa_need(inference, 1, TOSA_INTEGERS, 1, &list));
    if (!list->ranked || list->shape.dims[0] == SHAPE_UNKNOWN)
        return tosa_set_unranked(inference, 0, type->element);
    if (list->shape.dims[0] > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "more than %d dimensions", SHAPE_RANK_MOST);
    struct shape shape = {.rank = (uint32_t)list->shape.dims[0]};
    bool known;
    STATUS_TRY(shape_operand(inference, 1, shape.rank, shape.dims, &known));
    for (uint32_t i = 0; !known && i < shape.rank; i++)
        shape.dims[i] = SHAPE_UNKNOWN;
    if (known && type->ranked)
        STATUS_TRY(settle_reshape(&type->shape, &shape));
    return tosa_set(inference, 0, type->element, &shape);
}

static status infer_reverse(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(any_tensor(inference, &type));
    uint32_t axis;
    if (type->ranked)
        STATUS_TRY(tosa_axis(inference, type->shape.rank, &axis));
    return tosa_set_like(inference, 0, type->element, type);
}

// A size of -1 reaches to the end (0.x).
static status tosa_movement_infer_slice(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(any_tensor(inference, &type));
    if (!type->ranked)
        return tosa_set_unranked(inference, 0, type->element);
    struct shape shape = type->shape;
    int64_t starts[SHAPE_RANK_MOST];
    int64_t sizes[SHAPE_RANK_MOST];
    bool starts_known;
    bool sizes_known;
    STATUS_TRY(shape_operand(inference, 1, shape.rank, starts, &starts_known));
    STATUS_TRY(shape_operand(inference, 2, shape.rank, sizes, &sizes_known));
    for (uint32_t i = 0; i < shape.rank; i++) {
        const int64_t whole = type->shape.dims[i];
        shape.dims[i] = sizes_known && sizes[i] >= 0 ? sizes[i] : SHAPE_UNKNOWN;
        if (!starts_known || !sizes_known || whole == SHAPE_UNKNOWN)
            continue;
        if (starts[i] < 0 || starts[i] > whole || sizes[i] < -1 || sizes[i] > whole - starts[i])
            return status_make(STATUS_DATA,
                               "a slice of %" PRId64 " from %" PRId64 " of a length of %" PRId64,
                               sizes[i], starts[i], whole);
        if (sizes[i] == -1)
            shape.dims[i] = whole - starts[i];
    }
    return tosa_set(inference, 0, type->element, &shape);
}

static status tosa_movement_infer_tile(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(any_tensor(inference, &type));
    if (!type->ranked)
        return tosa_set_unranked(inference, 0, type->element);
    struct shape shape = type->shape;
    int64_t times[SHAPE_RANK_MOST];
    bool known;
    STATUS_TRY(shape_operand(inference, 1, shape.rank, times, &known));
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (known && (times[i] < 1 || times[i] > TOSA_LENGTH_MOST))
            return status_make(STATUS_DATA, "%" PRId64 " repetitions", times[i]);
        if (!known || shape.dims[i] == SHAPE_UNKNOWN)
            shape.dims[i] = SHAPE_UNKNOWN;
        else
            shape.dims[i] *= times[i];
    }
    return tosa_set(inference, 0, type->element, &shape);
}

static status tosa_movement_infer_transpose(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(any_tensor(inference, &type));
    const int64_t *perms = NULL;
    const uint32_t count = attribute_integers(inference->node->attributes, "perms", &perms);
    if (type->ranked && count != type->shape.rank)
        return status_make(STATUS_DATA,
                           "attribute 'perms' has %" PRIu32 " numbers for %" PRIu32 " dimensions",
                           count, type->shape.rank);
    if (count > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "more than %d dimensions", SHAPE_RANK_MOST);
    uint32_t seen = 0;
    struct shape shape = {.rank = count};
    for (uint32_t i = 0; i < count; i++) {
        if (perms[i] < 0 || perms[i] >= count || (seen >> perms[i] & 1) != 0)
            return status_make(STATUS_DATA, "attribute 'perms' is no permutation");
        seen |= UINT32_C(1) << perms[i];
        shape.dims[i] = type->ranked ? type->shape.dims[perms[i]] : SHAPE_UNKNOWN;
    }
    return tosa_set(inference, 0, type->element, &shape);
}

static const uint32_t INDICES = ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_I64);

static int64_t movement_length(const struct value_type *type, uint32_t axis)
{
    return type->ranked ? type->shape.dims[axis] : SHAPE_UNKNOWN;
}

// Values N x K x C, indices N x W.
static status tosa_movement_infer_gather(struct inference *inference)
{
    const struct value_type *values;
    const struct value_type *indices;
    STATUS_TRY(tosa_need(inference, 0, TOSA_ANY, 3, &values));
    STATUS_TRY(tosa_need(inference, 1, INDICES, 2, &indices));
    STATUS_TRY(
        tosa_same_length("batches", movement_length(values, 0), movement_length(indices, 0)));
    const struct shape shape = {
        3, {movement_length(values, 0), movement_length(indices, 1), movement_length(values, 2)}};
    return tosa_set(inference, 0, values->element, &shape);
}

// Values N x K x C, indices N x W, input N x W x C.
static status infer_scatter(struct inference *inference)
{
    const struct value_type *values;
    const struct value_type *indices;
    const struct value_type *input;
    STATUS_TRY(tosa_need(inference, 0, TOSA_ANY, 3, &values));
    STATUS_TRY(tosa_need(inference, 1, INDICES, 2, &indices));
    STATUS_TRY(tosa_need(inference, 2, TOSA_ANY, 3, &input));
    if (values->element != ELEMENT_NONE && input->element != ELEMENT_NONE &&
        values->element != input->element)
        return status_make(STATUS_DATA, "%s scattered over %s", element_name(input->element),
                           element_name(values->element));
    STATUS_TRY(
        tosa_same_length("batches", movement_length(values, 0), movement_length(indices, 0)));
    STATUS_TRY(tosa_same_length("batches", movement_length(values, 0), movement_length(input, 0)));
    STATUS_TRY(tosa_same_length("indices", movement_length(indices, 1), movement_length(input, 1)));
    STATUS_TRY(tosa_same_length("channels", movement_length(values, 2), movement_length(input, 2)));
    return tosa_set_like(inference, 0, values->element, values);
}

// As many places as the scale n / d, the offset and the border give.
static status resized_length(int64_t in, int64_t numerator, int64_t denominator, int64_t offset,
                             int64_t border, int64_t *out_length)
{
    *out_length = SHAPE_UNKNOWN;
    const int64_t most = INT64_C(1) << 20;
    if (numerator < 1 || numerator > most || denominator < 1 || denominator > most ||
        offset < -most || offset > most || border < -most || border > most)
        return status_make(STATUS_DATA, "a scale of %" PRId64 " / %" PRId64, numerator,
                           denominator);
    if (in == SHAPE_UNKNOWN)
        return STATUS_OK;
    const int64_t reach = (in - 1) * numerator - offset + border;
    if (in < 1 || reach < 0)
        return status_make(STATUS_DATA, "nothing is left of a length of %" PRId64, in);
    *out_length = reach / denominator + 1;
    return STATUS_OK;
}

// Interpolated integers keep the scale's factors, and so are wider.
static enum element resized_element(const struct inference *inference, enum element element)
{
    const struct view mode =
        attribute_text(inference->node->attributes, "mode", "NEAREST_NEIGHBOR");
    if (element_is_float(element) || !view_is(mode, "BILINEAR"))
        return element;
    const enum element declared = tosa_declared_element(inference, 0, ELEMENT_NONE);
    if (declared == ELEMENT_I32 || declared == ELEMENT_I48 || declared == ELEMENT_I64)
        return declared;
    return element == ELEMENT_I8 || element == ELEMENT_U8 ? ELEMENT_I32 : ELEMENT_I48;
}

static status tosa_movement_infer_resize(struct inference *inference)
{
    const uint32_t set = ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_U8) |
                         ELEMENT_BIT(ELEMENT_I16) | ELEMENT_BIT(ELEMENT_I32) | TOSA_FLOATS;
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, set, 4, &type));
    STATUS_TRY(tosa_choice(inference, "mode", "NEAREST_NEIGHBOR", "BILINEAR"));
    int64_t scale[4];
    int64_t offset[2];
    int64_t border[2];
    bool known[3];
    STATUS_TRY(shape_operand(inference, 1, 4, scale, &known[0]));
    STATUS_TRY(shape_operand(inference, 2, 2, offset, &known[1]));
    STATUS_TRY(shape_operand(inference, 3, 2, border, &known[2]));
    struct shape shape = {
        4, {movement_length(type, 0), SHAPE_UNKNOWN, SHAPE_UNKNOWN, movement_length(type, 3)}};
    for (uint32_t i = 0; i < 2 && known[0] && known[1] && known[2]; i++)
        STATUS_TRY(resized_length(movement_length(type, 1 + i), scale[2 * i], scale[2 * i + 1],
                                  offset[i], border[i], &shape.dims[1 + i]));
    return tosa_set(inference, 0, resized_element(inference, type->element), &shape);
}

// Four products and three sums where elements are interpolated.
static void tosa_movement_measure_resize(const struct inference *inference, struct work *work)
{
    const struct view mode = attribute_text(inference->node->attributes, "mode", "");
    work->flops = view_is(mode, "BILINEAR") ? 7 * work->elements : 0;
}

// The declared result may leave out dimensions of size 1.
static bool same_without_ones(const struct shape *a, const struct shape *b)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (j < b->rank && (a->dims[i] == b->dims[j] || b->dims[j] == SHAPE_UNKNOWN))
            j++;
        else if (a->dims[i] != 1)
            return false;
    }
    return j == b->rank;
}

static status infer_extract_slice(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(any_tensor(inference, &type));
    if (!type->ranked)
        return tosa_set_unranked(inference, 0, type->element);
    const uint32_t rank = type->shape.rank;
    int64_t offsets[SHAPE_RANK_MOST];
    int64_t sizes[SHAPE_RANK_MOST];
    int64_t strides[SHAPE_RANK_MOST];
    STATUS_TRY(tosa_lengths(inference, "static_offsets", rank, 0, offsets));
    STATUS_TRY(tosa_lengths(inference, "static_sizes", rank, 0, sizes));
    STATUS_TRY(tosa_lengths(inference, "static_strides", rank, 1, strides));
    struct shape shape = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t whole = type->shape.dims[i];
        shape.dims[i] = sizes[i];
        if (whole != SHAPE_UNKNOWN && sizes[i] > 0 &&
            offsets[i] + (sizes[i] - 1) * strides[i] >= whole)
            return status_make(STATUS_DATA, "the slice reaches beyond a length of %" PRId64, whole);
    }
    const struct value_type *declared = tosa_declared(inference, 0);
    if (declared->ranked && declared->shape.rank < rank &&
        same_without_ones(&shape, &declared->shape))
        return tosa_set_like(inference, 0, type->element, declared);
    return tosa_set(inference, 0, type->element, &shape);
}

#define MOVE(...)                                                                                  \
    {                                                                                              \
        .outputs = {1, 1}, __VA_ARGS__                                                             \
    }

static const struct operator_definition ITEMS[] = {
    MOVE(.name = "tosa.identity", .class = OPERATOR_VIEW, .inputs = {1, 1},
         .infer = tosa_movement_infer_identity, .price = PRICED_AS_VIEW,
         .function = COMPUTES_IDENTITY),
    {.name = "tosa.concat",
     .class = OPERATOR_MOVEMENT,
     .inputs = {1, UINT16_MAX},
     .outputs = {1, 1},
     .infer = tosa_movement_infer_concat,
     .tiling = TILED_AS_CONCAT,
     .price = PRICED_AS_ROWS},
    MOVE(.name = "tosa.pad", .exact = OPERATOR_INPUT(1), .class = OPERATOR_MOVEMENT,
         .inputs = {3, 3}, .infer = tosa_movement_infer_pad, .tiling = TILED_AS_TOSA_PAD,
         .price = PRICED_AS_ROWS),
    MOVE(.name = "tosa.reshape", .exact = OPERATOR_INPUT(1), .class = OPERATOR_VIEW,
         .inputs = {2, 2}, .infer = tosa_movement_infer_reshape, .price = PRICED_AS_VIEW),
    MOVE(.name = "tosa.reverse", .class = OPERATOR_MOVEMENT, .inputs = {1, 1},
         .infer = infer_reverse, .price = PRICED_AS_MOVEMENT),
    MOVE(.name = "tosa.slice", .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2),
         .class = OPERATOR_MOVEMENT, .inputs = {3, 3}, .infer = tosa_movement_infer_slice,
         .price = PRICED_AS_ROWS),
    MOVE(.name = "tosa.tile", .exact = OPERATOR_INPUT(1), .class = OPERATOR_MOVEMENT,
         .inputs = {2, 2}, .infer = tosa_movement_infer_tile, .price = PRICED_AS_ROWS),
    MOVE(.name = "tosa.transpose", .class = OPERATOR_MOVEMENT, .inputs = {1, 1},
         .infer = tosa_movement_infer_transpose, .tiling = TILED_AS_TRANSPOSE,
         .price = PRICED_AS_TRANSPOSE),
    MOVE(.name = "tosa.gather", .class = OPERATOR_GATHER, .inputs = {2, 2},
         .infer = tosa_movement_infer_gather, .price = PRICED_AS_TOSA_GATHER),
    MOVE(.name = "tosa.scatter", .class = OPERATOR_GATHER, .inputs = {3, 3}, .infer = infer_scatter,
         .price = PRICED_AS_TOSA_SCATTER),
    {.name = "tosa.resize",
     .exact = OPERATOR_INPUT(1) | OPERATOR_INPUT(2) | OPERATOR_INPUT(3),
     .class = OPERATOR_OTHER,
     .inputs = {4, 4},
     .outputs = {1, 1},
     .infer = tosa_movement_infer_resize,
     .measure = tosa_movement_measure_resize,
     .price = PRICED_AS_TOSA_RESIZE},
    MOVE(.name = "tensor.extract_slice", .class = OPERATOR_MOVEMENT, .inputs = {1, 1},
         .infer = infer_extract_slice, .price = PRICED_AS_MOVEMENT),
};

const struct operator_table TOSA_MOVEMENT_OPERATORS = OPERATOR_TABLE(ITEMS);
