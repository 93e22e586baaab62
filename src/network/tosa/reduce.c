// Reductions, argmax and Fourier transforms.

#include "infer.h"
#include "network/operator_tables.h"

static status tosa_reduce_infer_reduction(struct inference *inference, uint32_t set)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, set, TOSA_ANY_RANK, &type));
    if (!type->ranked)
        return tosa_set_unranked(inference, 0, type->element);
    uint32_t axis;
    STATUS_TRY(tosa_axis(inference, type->shape.rank, &axis));
    struct shape shape = type->shape;
    shape.dims[axis] = 1;
    return tosa_set(inference, 0, type->element, &shape);
}

static status infer_reduce_bools(struct inference *inference)
{
    return tosa_reduce_infer_reduction(inference, TOSA_BOOL);
}

static status infer_reduce_numbers(struct inference *inference)
{
    return tosa_reduce_infer_reduction(inference, TOSA_NUMBERS);
}

// The largest of nothing does not exist.
static status tosa_reduce_infer_extreme(struct inference *inference)
{
    STATUS_TRY(tosa_choice(inference, "nan_mode", "PROPAGATE", "IGNORE"));
    STATUS_TRY(tosa_reduce_infer_reduction(inference, TOSA_NUMBERS));
    const struct value_type *type = inference_tensor(inference, 0);
    uint32_t axis;
    if (type == NULL || !type->ranked)
        return STATUS_OK;
    STATUS_TRY(tosa_axis(inference, type->shape.rank, &axis));
    if (type->shape.dims[axis] == 0)
        return status_make(STATUS_DATA, "the axis has length 0: nothing has no largest element");
    return STATUS_OK;
}

static status infer_argmax(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, TOSA_NUMBERS | TOSA_FLOATS8, TOSA_ANY_RANK, &type));
    STATUS_TRY(tosa_choice(inference, "nan_mode", "PROPAGATE", "IGNORE"));
    const enum element element = tosa_declared_element(inference, 0, ELEMENT_I32);
    if (element != ELEMENT_I32 && element != ELEMENT_I64)
        return status_make(STATUS_DATA, "places cannot be of %s", element_name(element));
    if (!type->ranked)
        return tosa_set_unranked(inference, 0, element);
    uint32_t axis;
    STATUS_TRY(tosa_axis(inference, type->shape.rank, &axis));
    if (type->shape.dims[axis] == 0)
        return status_make(STATUS_DATA, "the axis has length 0: nothing has no largest element");
    struct shape shape = {.rank = type->shape.rank - 1};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = type->shape.dims[i < axis ? i : i + 1];
    return tosa_set(inference, 0, element, &shape);
}

enum { REAL_ELEMENTS = ELEMENT_BIT(ELEMENT_F32) };

// Real and imaginary part, N x H x W each.
static status infer_fft2d(struct inference *inference)
{
    const struct value_type *real;
    const struct value_type *imaginary;
    STATUS_TRY(tosa_need(inference, 0, REAL_ELEMENTS, 3, &real));
    STATUS_TRY(tosa_need(inference, 1, REAL_ELEMENTS, 3, &imaginary));
    struct value_type both;
    STATUS_TRY(value_type_merge(real, imaginary, &both));
    STATUS_TRY(tosa_set_like(inference, 0, ELEMENT_F32, &both));
    return tosa_set_like(inference, 1, ELEMENT_F32, &both);
}

// Of real numbers: the second half of each row is the first one's mirror image.
static status infer_rfft2d(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, REAL_ELEMENTS, 3, &type));
    struct value_type half = *type;
    half.kind = VALUE_TENSOR;
    if (half.ranked && half.shape.dims[2] != SHAPE_UNKNOWN)
        half.shape.dims[2] = half.shape.dims[2] / 2 + 1;
    STATUS_TRY(tosa_set_like(inference, 0, ELEMENT_F32, &half));
    return tosa_set_like(inference, 1, ELEMENT_F32, &half);
}

// One step for each input element.
static void measure_inputs(const struct inference *inference, struct work *work)
{
    work->flops = shape_count(&inference->inputs[0]->shape);
}

// 5 N log2 N, the customary count: a butterfly has ten operations and two points.
static void measure_fft(const struct inference *inference, struct work *work)
{
    const struct shape *shape = &inference->inputs[0]->shape;
    uint64_t levels = 0;
    for (uint32_t i = 1; i < 3; i++) {
        for (uint64_t covered = 1; covered < (uint64_t)shape->dims[i]; covered *= 2)
            levels++;
    }
    work->flops = 5 * shape_count(shape) * levels;
}

#define REDUCE(...)                                                                                \
    {                                                                                              \
        .class = OPERATOR_REDUCTION, .inputs = {1, 1}, .outputs = {1, 1},                          \
        .measure = measure_inputs, .price = PRICED_AS_REDUCTION, __VA_ARGS__                       \
    }

static const struct operator_definition ITEMS[] = {
    REDUCE(.name = "tosa.reduce_all", .sort = SORT_CHOICE, .infer = infer_reduce_bools,
           .tiling = TILED_ALONG_AXIS),
    REDUCE(.name = "tosa.reduce_any", .sort = SORT_CHOICE, .infer = infer_reduce_bools,
           .tiling = TILED_ALONG_AXIS),
    REDUCE(.name = "tosa.reduce_max", .sort = SORT_CHOICE, .infer = tosa_reduce_infer_extreme,
           .tiling = TILED_ALONG_AXIS),
    REDUCE(.name = "tosa.reduce_min", .sort = SORT_CHOICE, .infer = tosa_reduce_infer_extreme,
           .tiling = TILED_ALONG_AXIS),
    REDUCE(.name = "tosa.reduce_product", .infer = infer_reduce_numbers,
           .tiling = TILED_ALONG_AXIS),
    REDUCE(.name = "tosa.reduce_sum", .infer = infer_reduce_numbers, .tiling = TILED_ALONG_AXIS),
    REDUCE(.name = "tosa.argmax", .sort = SORT_CHOICE, .infer = infer_argmax,
           .tiling = TILED_WITHOUT_AXIS),
    {.name = "tosa.fft2d",
     .class = OPERATOR_OTHER,
     .inputs = {2, 2},
     .outputs = {2, 2},
     .infer = infer_fft2d,
     .measure = measure_fft,
     .price = PRICED_AS_OTHER},
    {.name = "tosa.rfft2d",
     .class = OPERATOR_OTHER,
     .inputs = {1, 1},
     .outputs = {2, 2},
     .infer = infer_rfft2d,
     .measure = measure_fft,
     .price = PRICED_AS_OTHER},
};

const struct operator_table TOSA_REDUCE_OPERATORS = OPERATOR_TABLE(ITEMS);
