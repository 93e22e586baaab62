// Shapes as values, and values under another shape.

#include "network/onnx/shape.h"

#include "kernels/kernel_tables.h"
#include "moving.h"
#include "network/real.h"

static status onnx_shape_run_shape(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    uint32_t from, to;
    const struct shape *shape = &call->inputs[0]->shape;
    shape_part(call->attributes, shape->rank, &from, &to);
    STATUS_TRY(moving_check(output, &(struct shape){1, {to - from}}));
    if (to > from)
        memcpy(output->data, shape->dims + from, (to - from) * sizeof *shape->dims);
    return STATUS_OK;
}

static status run_size(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output != NULL)
        *(int64_t *)output->data = (int64_t)tensor_count(call->inputs[0]);
    return STATUS_OK;
}

// The same elements under another shape.
static status run_view(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    if (tensor_count(output) != tensor_count(call->inputs[0]))
        return moving_check(output, &call->inputs[0]->shape);
    moving_give_all(call, 0, 0);
    return STATUS_OK;
}

static status run_constant(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct arena scratch = {0};
    const struct constant *constant = NULL;
    const status failure = shape_constant(call->attributes, &scratch, &constant);
    if (failure == STATUS_OK) {
        constant_unpack(constant, output->data);
        moving_own_texts(call, 0);
    }
    arena_free(&scratch);
    return failure;
}

static status run_constant_of_shape(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    struct list list;
    STATUS_TRY(moving_list(call, NULL, 0, &list));
    struct shape shape = {.rank = list.count <= SHAPE_RANK_MOST ? list.count : SHAPE_RANK_MOST};
    memcpy(shape.dims, list.items, shape.rank * sizeof *shape.dims);
    STATUS_TRY(moving_check(output, &shape));
    _Alignas(16) char value[16] = {0};
    const struct attribute *given = attribute_find(call->attributes, "value", ATTRIBUTE_TENSOR);
    if (given != NULL)
        constant_unpack(given->tensor, value);
    copy_fill(call->parallel, output->data, tensor_count(output),
              (uint32_t)element_size(output->element), value);
    moving_own_texts(call, 0);
    return STATUS_OK;
}

#define FILL_RANGE(type, wide, start, delta)                                                       \
    do {                                                                                           \
        type *items = output->data;                                                                \
        for (int64_t i = 0; i < count; i++)                                                        \
            items[i] = (type)((start) + (wide)i * (delta));                                        \
    } while (0)

static status run_range(struct kernel_call *call)
{
    const struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct constant start = moving_constant(call->inputs[0]);
    const struct constant limit = moving_constant(call->inputs[1]);
    const struct constant delta = moving_constant(call->inputs[2]);
    int64_t count;
    STATUS_TRY(shape_range_count(&start, &limit, &delta, &count));
    STATUS_TRY(moving_check(output, &(struct shape){1, {count}}));
    const double real = constant_real(&start, 0), real_step = constant_real(&delta, 0);
    if (output->element == ELEMENT_F32)
        FILL_RANGE(float, double, real, real_step);
    if (output->element == ELEMENT_F64)
        FILL_RANGE(double, double, real, real_step);
    if (element_is_float(output->element))
        return STATUS_OK;
    // Modulo 2^64, as the way from the start may be longer than any integer.
    const uint64_t first = (uint64_t)constant_integer(&start, 0);
    const uint64_t step = (uint64_t)constant_integer(&delta, 0);
    if (output->element == ELEMENT_I16)
        FILL_RANGE(int16_t, uint64_t, first, step);
    if (output->element == ELEMENT_I32)
        FILL_RANGE(int32_t, uint64_t, first, step);
    if (output->element == ELEMENT_I64)
        FILL_RANGE(int64_t, uint64_t, first, step);
    return STATUS_OK;
}

// The bytes of a one.
static void make_one(enum element element, char one[8])
{
    const double real = 1;
    const float single = 1;
    const uint16_t half = element == ELEMENT_F16 ? real_to_f16(1) : real_to_bf16(1);
    const uint64_t integer = 1;
    const void *from = &integer; // the low bytes come first
    if (element_is_float(element))
        from = element == ELEMENT_F64   ? (const void *)&real
               : element == ELEMENT_F32 ? (const void *)&single
                                        : (const void *)&half;
    memcpy(one, from, element_size(element));
}

static status run_eye_like(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const size_t size = element_size(output->element);
    char one[8] = {0};
    make_one(output->element, one);
    memset(output->data, 0, tensor_bytes(output));
    const int64_t shift = attribute_integer(call->attributes, "k", 0);
    const int64_t rows = output->shape.dims[0], columns = output->shape.dims[1];
    if (shift >= columns || shift <= -rows)
        return STATUS_OK;
    for (int64_t row = shift < 0 ? -shift : 0; row < rows && row + shift < columns; row++)
        memcpy((char *)output->data + (size_t)(row * columns + row + shift) * size, one, size);
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"Shape", onnx_shape_run_shape},
    {"Size", run_size},
    {"Reshape", run_view},
    {"Flatten", run_view},
    {"Squeeze", run_view},
    {"Unsqueeze", run_view},
    {"Constant", run_constant},
    {"ConstantOfShape", run_constant_of_shape},
    {"Range", run_range},
    {"EyeLike", run_eye_like},
};

const struct kernel_table ONNX_SHAPE_KERNELS = KERNEL_TABLE(ITEMS);
