// Shapes as values, and values under another shape.

#include "shape.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "network/operator_tables.h"

// A constant of `element` in the network's arena, its bytes to be filled.
static struct constant *make_constant(struct arena *arena, enum element element,
                                      const struct shape *shape)
{
    struct constant *constant = arena_allocate(arena, sizeof *constant);
    *constant = (struct constant){.tensor = {element, *shape, NULL}};
    constant->bytes = tensor_bytes(&constant->tensor);
    constant->tensor.data = arena_allocate(arena, constant->bytes > 0 ? constant->bytes : 1);
    return constant;
}

static void set_integers(struct inference *inference, const struct shape *shape,
                         const int64_t *items)
{
    if (inference->building == NULL || inference->output_count == 0)
        return;
    struct constant *constant = make_constant(&inference->building->arena, ELEMENT_I64, shape);
    memcpy(constant->tensor.data, items, constant->bytes);
    inference->values[0] = constant;
}

static int64_t shape_clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

void shape_part(struct attributes attributes, uint32_t rank, uint32_t *out_from, uint32_t *out_to)
{
    const int64_t all = rank;
    int64_t from = attribute_integer(attributes, "start", 0);
    int64_t to = attribute_integer(attributes, "end", all);
    from = shape_clamp(from < 0 ? from + all : from, 0, all);
    to = shape_clamp(to < 0 ? to + all : to, from, all);
    *out_from = (uint32_t)from;
    *out_to = (uint32_t)to;
}

static status onnx_shape_infer_shape(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct shape shape = {1, {SHAPE_UNKNOWN}};
    if (!type->ranked) {
        inference_set(inference, 0, ELEMENT_I64, &shape);
        return STATUS_OK;
    }
    uint32_t from, to;
    shape_part(inference->node->attributes, type->shape.rank, &from, &to);
    shape.dims[0] = to - from;
    inference_set(inference, 0, ELEMENT_I64, &shape);
    struct shape part = {.rank = to - from};
    memcpy(part.dims, type->shape.dims + from, part.rank * sizeof *part.dims);
    if (shape_known(&part) && !type->optional)
        set_integers(inference, &shape, part.dims);
    return STATUS_OK;
}

static status infer_size(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    const struct shape scalar = {0};
    inference_set(inference, 0, ELEMENT_I64, &scalar);
    if (!type->ranked || !shape_known(&type->shape) || type->optional)
        return STATUS_OK;
    uint64_t count;
    STATUS_TRY(shape_elements(&type->shape, &count));
    set_integers(inference, &scalar, &(int64_t){(int64_t)count});
    return STATUS_OK;
}

// Reshape ----------------------------------------------------------------------

// Product of the dimensions but for those that are copied; SHAPE_UNKNOWN when one
// of them is.
static status shape_product(const struct shape *shape, uint32_t copied, int64_t skipped,
                            int64_t *out_product)
{
    struct shape part = {0};
    for (uint32_t i = 0; i < shape->rank; i++) {
        if ((copied >> i & 1) == 0 && (int64_t)i != skipped)
            part.dims[part.rank++] = shape->dims[i];
    }
    *out_product = SHAPE_UNKNOWN;
    if (!shape_known(&part))
        return STATUS_OK;
    uint64_t count;
    STATUS_TRY(shape_elements(&part, &count));
    *out_product = (int64_t)count;
    return STATUS_OK;
}

static status reshape_mismatch(const struct shape *from, const struct shape *to)
{
    char left[SHAPE_TEXT_MOST];
    char right[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "a tensor of shape %s cannot be reshaped to %s",
                       shape_text(from, left), shape_text(to, right));
}

// The dimension at `open` (-1: none) follows from the others. Dimensions that are
// copied (bits of `copied`) are the same on both sides and may be unknown.
static status close_shape(const struct shape *from, uint32_t copied, int64_t open,
                          struct shape *shape)
{
    int64_t before, after;
    STATUS_TRY(shape_product(from, copied, -1, &before));
    STATUS_TRY(shape_product(shape, copied, open, &after));
    if (before < 0 || after < 0)
        return STATUS_OK;
    if (open < 0)
        return before == after ? STATUS_OK : reshape_mismatch(from, shape);
    if (after == 0 ? before != 0 : before % after != 0)
        return reshape_mismatch(from, shape);
    shape->dims[open] = after == 0 ? 0 : before / after;
    return STATUS_OK;
}

static status reshape_to(const struct value_type *type, const struct list *list, bool zero_is_zero,
                         struct shape *out_shape)
{
    struct shape shape = {.rank = list->count};
    uint32_t copied = 0;
    int64_t open = -1;
    for (uint32_t i = 0; i < list->count; i++) {
        const int64_t length = list->items[i];
        if (length < -1)
            return status_make(STATUS_DATA, "a dimension of %" PRId64, length);
        shape.dims[i] = length;
        if (length == -1 && open >= 0)
            return status_make(STATUS_DATA, "more than one dimension is -1");
        if (length == -1)
            open = i;
        if (length != 0 || zero_is_zero)
            continue;
        shape.dims[i] = SHAPE_UNKNOWN;
        if (!type->ranked)
            continue;
        if (i >= type->shape.rank)
            return status_make(STATUS_DATA,
                               "dimension %" PRIu32 " is to be copied from rank %" PRIu32, i,
                               type->shape.rank);
        shape.dims[i] = type->shape.dims[i];
        copied |= UINT32_C(1) << i;
    }
    if (type->ranked)
        STATUS_TRY(close_shape(&type->shape, copied, open, &shape));
    *out_shape = shape;
    return STATUS_OK;
}

static status set_unknown_rank(struct inference *inference, enum element element,
                               const struct list *list)
{
    if (!list->sized) {
        inference_set_unranked(inference, 0, element);
        return STATUS_OK;
    }
    if (list->count > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "rank %" PRIu32 " is more than %d", list->count,
                           SHAPE_RANK_MOST);
    struct shape shape = {.rank = list->count};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = SHAPE_UNKNOWN;
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

static status onnx_shape_infer_reshape(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct list list;
    STATUS_TRY(list_infer(inference, "shape", 1, &list));
    if (!list.given)
        return status_make(STATUS_DATA, "Reshape needs the shape to reshape to");
    STATUS_TRY(set_unknown_rank(inference, type->element, &list));
    if (!list.known)
        return STATUS_OK;
    struct shape shape;
    const bool zero_is_zero = attribute_integer(inference->node->attributes, "allowzero", 0) != 0;
    STATUS_TRY(reshape_to(type, &list, zero_is_zero, &shape));
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

static status infer_flatten(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct shape shape = {2, {SHAPE_UNKNOWN, SHAPE_UNKNOWN}};
    if (type->ranked) {
        // The axis may also be the rank itself: all dimensions before it.
        const int64_t rank = type->shape.rank;
        int64_t axis = attribute_integer(inference->node->attributes, "axis", 1);
        if (axis < -rank || axis > rank)
            return status_make(STATUS_DATA, "axis %" PRId64 " of a tensor of rank %" PRId64, axis,
                               rank);
        axis += axis < 0 ? rank : 0;
        const uint32_t before = (UINT32_C(1) << axis) - 1;
        STATUS_TRY(shape_product(&type->shape, ~before, -1, &shape.dims[0]));
        STATUS_TRY(shape_product(&type->shape, before, -1, &shape.dims[1]));
    }
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

// Squeeze and Unsqueeze ----------------------------------------------------------

static status squeeze_shape(const struct shape *from, const struct list *list,
                            struct shape *out_shape, bool *out_ranked)
{
    uint32_t axes[SHAPE_RANK_MOST], dropped = 0;
    *out_ranked = true;
    if (list->given)
        STATUS_TRY(list_axes(list, from->rank, axes));
    for (uint32_t i = 0; list->given && i < list->count; i++)
        dropped |= UINT32_C(1) << axes[i];
    struct shape shape = {0};
    for (uint32_t i = 0; i < from->rank; i++) {
        const int64_t length = from->dims[i];
        const bool named = (dropped >> i & 1) != 0;
        if (named && length > 1)
            return status_make(STATUS_DATA, "axis %" PRIu32 " has length %" PRId64 ", not 1", i,
                               length);
        if (named && length == 0)
            return status_make(STATUS_DATA, "axis %" PRIu32 " is empty, its length is not 1", i);
        if (!list->given && length == SHAPE_UNKNOWN)
            *out_ranked = false;
        if (!named && (list->given || length != 1))
            shape.dims[shape.rank++] = length;
    }
    *out_shape = shape;
    return STATUS_OK;
}

static status infer_squeeze(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct list list;
    STATUS_TRY(list_infer(inference, "axes", 1, &list));
    inference_set_unranked(inference, 0, type->element);
    if (!type->ranked || (list.given && !list.known))
        return STATUS_OK;
    struct shape shape;
    bool ranked;
    STATUS_TRY(squeeze_shape(&type->shape, &list, &shape, &ranked));
    if (ranked)
        inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

static status infer_unsqueeze(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    struct list list;
    STATUS_TRY(list_infer(inference, "axes", 1, &list));
    if (!list.given)
        return status_make(STATUS_DATA, "Unsqueeze needs the axes to insert");
    inference_set_unranked(inference, 0, type->element);
    if (!type->ranked || !list.known)
        return STATUS_OK;
    const uint32_t rank = type->shape.rank + list.count;
    if (rank > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "rank %" PRIu32 " is more than %d", rank, SHAPE_RANK_MOST);
    uint32_t axes[SHAPE_RANK_MOST], inserted = 0;
    STATUS_TRY(list_axes(&list, rank, axes));
    for (uint32_t i = 0; i < list.count; i++)
        inserted |= UINT32_C(1) << axes[i];
    struct shape shape = {.rank = rank};
    for (uint32_t i = 0, from = 0; i < rank; i++)
        shape.dims[i] = (inserted >> i & 1) != 0 ? 1 : type->shape.dims[from++];
    inference_set(inference, 0, type->element, &shape);
    return STATUS_OK;
}

// Constants ----------------------------------------------------------------------

static const struct constant *constant_of_integers(const struct attribute *attribute,
                                                   struct arena *arena)
{
    const bool one = attribute->kind == ATTRIBUTE_INTEGER;
    const struct shape shape = {one ? 0 : 1, {attribute->count}};
    struct constant *constant = make_constant(arena, ELEMENT_I64, &shape);
    if (constant->bytes > 0)
        memcpy(constant->tensor.data, one ? &attribute->integer : attribute->integers,
               constant->bytes);
    return constant;
}

static const struct constant *constant_of_reals(const struct attribute *attribute,
                                                struct arena *arena)
{
    const bool one = attribute->kind == ATTRIBUTE_REAL;
    const struct shape shape = {one ? 0 : 1, {attribute->count}};
    struct constant *constant = make_constant(arena, ELEMENT_F32, &shape);
    float *items = constant->tensor.data;
    for (uint32_t i = 0; i < (one ? 1 : attribute->count); i++)
        items[i] = (float)(one ? attribute->real : attribute->reals[i]);
    return constant;
}

static const struct constant *constant_of_texts(const struct attribute *attribute,
                                                struct arena *arena)
{
    const bool one = attribute->kind == ATTRIBUTE_TEXT;
    const struct shape shape = {one ? 0 : 1, {attribute->count}};
    struct constant *constant = make_constant(arena, ELEMENT_TEXT, &shape);
    if (constant->bytes > 0)
        memcpy(constant->tensor.data, one ? &attribute->text : attribute->texts, constant->bytes);
    return constant;
}

static const struct {
    const char *name;
    enum attribute_kind kind;
    const struct constant *(*make)(const struct attribute *attribute, struct arena *arena);
} CONSTANT_FORMS[] = {
    {"value", ATTRIBUTE_TENSOR, NULL},
    {"sparse_value", ATTRIBUTE_TENSOR, NULL},
    {"value_int", ATTRIBUTE_INTEGER, constant_of_integers},
    {"value_ints", ATTRIBUTE_INTEGERS, constant_of_integers},
    {"value_float", ATTRIBUTE_REAL, constant_of_reals},
    {"value_floats", ATTRIBUTE_REALS, constant_of_reals},
    {"value_string", ATTRIBUTE_TEXT, constant_of_texts},
    {"value_strings", ATTRIBUTE_TEXTS, constant_of_texts},
};

status shape_constant(struct attributes attributes, struct arena *arena,
                      const struct constant **out_constant)
{
    for (size_t i = 0; i < sizeof CONSTANT_FORMS / sizeof *CONSTANT_FORMS; i++) {
        const struct attribute *attribute =
            attribute_find(attributes, CONSTANT_FORMS[i].name, CONSTANT_FORMS[i].kind);
        if (attribute == NULL)
            continue;
        *out_constant = CONSTANT_FORMS[i].make != NULL ? CONSTANT_FORMS[i].make(attribute, arena)
                                                       : attribute->tensor;
        return STATUS_OK;
    }
    return status_make(STATUS_DATA, "no attribute gives the value");
}

static status infer_constant(struct inference *inference)
{
    struct arena scratch = {0};
    struct arena *arena = inference->building != NULL ? &inference->building->arena : &scratch;
    const struct constant *constant = NULL;
    const status failure = shape_constant(inference->node->attributes, arena, &constant);
    if (failure == STATUS_OK) {
        inference_set(inference, 0, constant->tensor.element, &constant->tensor.shape);
        if (inference->building != NULL)
            inference->values[0] = constant;
    }
    arena_free(&scratch);
    return failure;
}

static status infer_constant_of_shape(struct inference *inference)
{
    const struct attribute *value =
        attribute_find(inference->node->attributes, "value", ATTRIBUTE_TENSOR);
    if (value != NULL && tensor_count(&value->tensor->tensor) != 1)
        return status_make(STATUS_DATA, "attribute 'value' is not one element");
    const enum element element = value != NULL ? value->tensor->tensor.element : ELEMENT_F32;
    struct list list;
    STATUS_TRY(list_infer(inference, NULL, 0, &list));
    STATUS_TRY(set_unknown_rank(inference, element, &list));
    if (!list.known)
        return STATUS_OK;
    struct shape shape = {.rank = list.count};
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i] < 0)
            return status_make(STATUS_DATA, "a dimension of %" PRId64, list.items[i]);
        shape.dims[i] = list.items[i];
    }
    uint64_t count;
    STATUS_TRY(shape_elements(&shape, &count));
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

// Range --------------------------------------------------------------------------

static status count_reals(double start, double limit, double delta, int64_t *out_count)
{
    const double count = ceil((limit - start) / delta);
    if (isnan(count))
        return status_make(STATUS_DATA, "no range from %g to %g by %g", start, limit, delta);
    if (count >= 0x1p62)
        return status_make(STATUS_LIMIT, "a range from %g to %g by %g is too long", start, limit,
                           delta);
    *out_count = count > 0 ? (int64_t)count : 0;
    return STATUS_OK;
}

static int64_t count_integers(int64_t start, int64_t limit, int64_t delta)
{
    if (delta > 0 ? limit <= start : limit >= start)
        return 0;
    const __int128 distance = delta > 0 ? (__int128)limit - start : (__int128)start - limit;
    const __int128 step = delta > 0 ? (__int128)delta : -(__int128)delta;
    const __int128 count = (distance + step - 1) / step;
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

status shape_range_count(const struct constant *start, const struct constant *limit,
                         const struct constant *delta, int64_t *out_count)
{
    if (element_is_float(start->tensor.element)) {
        const double step = constant_real(delta, 0);
        if (step == 0)
            return status_make(STATUS_DATA, "a range with a delta of 0");
        return count_reals(constant_real(start, 0), constant_real(limit, 0), step, out_count);
    }
    const int64_t step = constant_integer(delta, 0);
    if (step == 0)
        return status_make(STATUS_DATA, "a range with a delta of 0");
    *out_count = count_integers(constant_integer(start, 0), constant_integer(limit, 0), step);
    return STATUS_OK;
}

static status infer_range(struct inference *inference)
{
    bool known = true;
    for (uint32_t i = 0; i < 3; i++) {
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, i, &type));
        STATUS_TRY(inference_check_element(inference, i,
                                           ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F64) |
                                               ELEMENT_BIT(ELEMENT_I16) | LIST_INDEX_ELEMENTS));
        STATUS_TRY(list_same_elements(inference, 0, i));
        const struct constant *constant = inference->known[i];
        known = known && constant != NULL;
        if (constant != NULL && tensor_count(&constant->tensor) != 1)
            return status_make(STATUS_DATA, "input %" PRIu32 " is not one number", i);
    }
    const struct value_type *type = inference_tensor(inference, 0);
    struct shape shape = {1, {SHAPE_UNKNOWN}};
    if (known) {
        STATUS_TRY(shape_range_count(inference->known[0], inference->known[1], inference->known[2],
                                     &shape.dims[0]));
        uint64_t count;
        STATUS_TRY(shape_elements(&shape, &count));
    }
    inference_set(inference, 0, type != NULL ? type->element : ELEMENT_NONE, &shape);
    return STATUS_OK;
}

static status infer_eye_like(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    if (type->ranked && type->shape.rank != 2)
        return status_make(STATUS_DATA, "rank %" PRIu32 " instead of 2", type->shape.rank);
    const uint32_t allowed = ELEMENTS_NUMERIC | ELEMENT_BIT(ELEMENT_BOOL);
    const int64_t element =
        attribute_integer(inference->node->attributes, "dtype", (int64_t)type->element);
    if (element < 0 || element >= ELEMENT_COUNT ||
        (element != ELEMENT_NONE && (allowed >> element & 1) == 0))
        return status_make(STATUS_DATA, "dtype %" PRId64 " has no one and zero", element);
    const struct shape shape = {2, {SHAPE_UNKNOWN, SHAPE_UNKNOWN}};
    inference_set(inference, 0, (enum element)element, type->ranked ? &type->shape : &shape);
    return STATUS_OK;
}

#define CONSTANT(...)                                                                              \
    {                                                                                              \
        .class = OPERATOR_CONSTANT, .outputs = {1, 1}, .price = PRICED_AS_MOVEMENT, __VA_ARGS__    \
    }
#define VIEW(...)                                                                                  \
    {                                                                                              \
        .class = OPERATOR_VIEW, .outputs = {1, 1}, .price = PRICED_AS_VIEW, __VA_ARGS__            \
    }

static const struct operator_definition ITEMS[] = {
    CONSTANT(.name = "Shape", .inputs = {1, 1}, .infer = onnx_shape_infer_shape),
    CONSTANT(.name = "Size", .inputs = {1, 1}, .infer = infer_size),
    VIEW(.name = "Reshape", .exact = OPERATOR_INPUT(1), .inputs = {1, 2},
         .infer = onnx_shape_infer_reshape),
    VIEW(.name = "Flatten", .inputs = {1, 1}, .infer = infer_flatten),
    VIEW(.name = "Squeeze", .exact = OPERATOR_INPUT(1), .inputs = {1, 2}, .infer = infer_squeeze),
    VIEW(.name = "Unsqueeze", .exact = OPERATOR_INPUT(1), .inputs = {1, 2},
         .infer = infer_unsqueeze),
    CONSTANT(.name = "Constant", .inputs = {0, 0}, .infer = infer_constant),
    CONSTANT(.name = "ConstantOfShape", .function = COMPUTES_FILL, .exact = OPERATOR_INPUT(0),
             .inputs = {1, 1}, .infer = infer_constant_of_shape),
    CONSTANT(.name = "Range", .inputs = {3, 3}, .infer = infer_range),
    CONSTANT(.name = "EyeLike", .inputs = {1, 1}, .infer = infer_eye_like),
};

const struct operator_table ONNX_SHAPE_OPERATORS = OPERATOR_TABLE(ITEMS);
