// Operators that copy elements to other places.

#include <inttypes.h>
#include <string.h>

#include "kernels/core/copy.h"
#include "kernels/kernel_tables.h"
#include "tosa.h"

// The same elements, maybe in another shape.
static status run_copy(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out != NULL)
        copy_all(call->parallel, call->inputs[0], out);
    return STATUS_OK;
}

static uint32_t tosa_movement_axis_of(const struct kernel_call *call, uint32_t rank)
{
    const int64_t axis = attribute_integer(call->attributes, "axis", 0);
    return (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

static status tosa_movement_run_concat(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const uint32_t axis = tosa_movement_axis_of(call, out->shape.rank);
    uint64_t at[SHAPE_RANK_MOST] = {0};
    for (uint32_t i = 0; i < call->input_count; i++) {
        copy_into(call->parallel, call->inputs[i], out, at);
        at[axis] += (uint64_t)call->inputs[i]->shape.dims[axis];
    }
    return STATUS_OK;
}

static status tosa_movement_run_pad(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    uint64_t at[SHAPE_RANK_MOST];
    for (uint32_t i = 0; i < out->shape.rank; i++)
        at[i] = (uint64_t)tosa_integer(call->inputs[1], 2 * i);
    copy_fill(call->parallel, out->data, tensor_count(out), (uint32_t)element_size(out->element),
              call->inputs[2]->data);
    copy_into(call->parallel, call->inputs[0], out, at);
    return STATUS_OK;
}

static status tosa_movement_run_slice(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    uint64_t at[SHAPE_RANK_MOST];
    for (uint32_t i = 0; i < out->shape.rank; i++)
        at[i] = (uint64_t)tosa_integer(call->inputs[1], i);
    copy_from(call->parallel, call->inputs[0], out, at);
    return STATUS_OK;
}

// The sizes, not the result's shape: that may leave out dimensions of size 1.
static status run_extract_slice(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const struct tensor *in = call->inputs[0];
    const int64_t *offsets = NULL;
    const int64_t *strides = NULL;
    const int64_t *sizes = NULL;
    attribute_integers(call->attributes, "static_offsets", &offsets);
    attribute_integers(call->attributes, "static_strides", &strides);
    attribute_integers(call->attributes, "static_sizes", &sizes);
    struct shape shape = in->shape;
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = sizes[i];
    struct copy copy = copy_over(&shape, in->element);
    int64_t steps[SHAPE_RANK_MOST];
    copy_steps(&in->shape, steps);
    int64_t start = 0;
    for (uint32_t i = 0; i < shape.rank; i++) {
        start += offsets[i] * steps[i];
        copy.source_steps[i] = steps[i] * strides[i];
    }
    if (tensor_count(out) != 0)
        copy_run(call->parallel, &copy,
                 (const char *)in->data + (size_t)start * element_size(in->element), out->data);
    return STATUS_OK;
}

static status run_reverse(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    const struct tensor *in = call->inputs[0];
    const uint32_t axis = tosa_movement_axis_of(call, in->shape.rank);
    struct copy copy = copy_over(&in->shape, in->element);
    const uint64_t last = (copy.lengths[axis] - 1) * (uint64_t)copy.source_steps[axis];
    copy.source_steps[axis] = -copy.source_steps[axis];
    copy_run(call->parallel, &copy, (const char *)in->data + last * element_size(in->element),
             out->data);
    return STATUS_OK;
}

// Each dimension becomes two: which repetition, and the place within it.
static status tosa_movement_run_tile(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    const struct tensor *in = call->inputs[0];
    int64_t from[SHAPE_RANK_MOST];
    int64_t to[SHAPE_RANK_MOST];
    copy_steps(&in->shape, from);
    copy_steps(&out->shape, to);
    struct copy copy = {.rank = 2 * in->shape.rank, .size = (uint32_t)element_size(in->element)};
    for (uint32_t i = 0; i < in->shape.rank; i++) {
        const int64_t length = in->shape.dims[i];
        copy.lengths[2 * i] = (uint64_t)(out->shape.dims[i] / length);
        copy.lengths[2 * i + 1] = (uint64_t)length;
        copy.source_steps[2 * i + 1] = from[i];
        copy.target_steps[2 * i] = to[i] * length;
        copy.target_steps[2 * i + 1] = to[i];
    }
    copy_run(call->parallel, &copy, in->data, out->data);
    return STATUS_OK;
}

static status tosa_movement_run_transpose(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const int64_t *perms = NULL;
    uint32_t order[SHAPE_RANK_MOST];
    attribute_integers(call->attributes, "perms", &perms);
    for (uint32_t i = 0; i < out->shape.rank; i++)
        order[i] = (uint32_t)perms[i];
    copy_transposed(call->parallel, call->inputs[0], out, order);
    return STATUS_OK;
}

// Gather and scatter ----------------------------------------------------------

// Rows of channels that are chosen by indices, one for each batch and place.
struct choice {
    const struct tensor *indices;
    uint64_t rows;   // that an index chooses from, in each batch
    uint64_t places; // in each batch
    uint64_t bytes;  // of a row
    const char *in;
    char *out;
};

static status check_indices(const struct choice *choice)
{
    const uint64_t count = tensor_count(choice->indices);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t index = tosa_integer(choice->indices, i);
        if (index < 0 || (uint64_t)index >= choice->rows)
            return status_make(STATUS_DATA, "index %" PRId64 " of a dimension of length %" PRIu64,
                               index, choice->rows);
    }
    return STATUS_OK;
}

static void gather_piece(void *context, uint64_t from, uint64_t to)
{
    const struct choice *choice = context;
    for (uint64_t i = from; i < to; i++) {
        const uint64_t row =
            i / choice->places * choice->rows + (uint64_t)tosa_integer(choice->indices, i);
        memcpy(choice->out + i * choice->bytes, choice->in + row * choice->bytes, choice->bytes);
    }
}

// In the order of the indices: a later row wins.
static void scatter_batch(void *context, uint64_t from, uint64_t to)
{
    const struct choice *choice = context;
    for (uint64_t i = from * choice->places; i < to * choice->places; i++) {
        const uint64_t row =
            i / choice->places * choice->rows + (uint64_t)tosa_integer(choice->indices, i);
        memcpy(choice->out + row * choice->bytes, choice->in + i * choice->bytes, choice->bytes);
    }
}

static struct choice tosa_movement_choose(const struct kernel_call *call, const struct tensor *in,
                                          const struct tensor *out)
{
    const struct tensor *values = call->inputs[0];
    const struct tensor *indices = call->inputs[1];
    return (struct choice){
        indices,
        (uint64_t)values->shape.dims[1],
        (uint64_t)indices->shape.dims[1],
        (uint64_t)values->shape.dims[2] * element_size(values->element),
        in->data,
        out->data,
    };
}

static status tosa_movement_run_gather(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    struct choice choice = tosa_movement_choose(call, call->inputs[0], out);
    STATUS_TRY(check_indices(&choice));
    if (choice.bytes != 0)
        parallel_for(call->parallel, tensor_count(choice.indices), 65536 / choice.bytes + 1,
                     gather_piece, &choice);
    return STATUS_OK;
}

static status run_scatter(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    struct choice choice = tosa_movement_choose(call, call->inputs[2], out);
    STATUS_TRY(check_indices(&choice));
    copy_all(call->parallel, call->inputs[0], out);
    if (choice.bytes != 0)
        parallel_for(call->parallel, (uint64_t)out->shape.dims[0], 1, scatter_batch, &choice);
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"tosa.concat", tosa_movement_run_concat},
    {"tosa.gather", tosa_movement_run_gather},
    {"tosa.identity", run_copy},
    {"tosa.pad", tosa_movement_run_pad},
    {"tosa.reshape", run_copy},
    {"tosa.reverse", run_reverse},
    {"tosa.scatter", run_scatter},
    {"tosa.slice", tosa_movement_run_slice},
    {"tosa.tile", tosa_movement_run_tile},
    {"tosa.transpose", tosa_movement_run_transpose},
    {"tensor.extract_slice", run_extract_slice},
};

const struct kernel_table TOSA_MOVEMENT_KERNELS = KERNEL_TABLE(ITEMS);
