// Operators that copy elements to other places.

#include "network/onnx/movement.h"

#include <inttypes.h>

#include "kernels/kernel_tables.h"
#include "moving.h"
#include "pad.h"

// Ends a kernel with one output.
static status done(struct kernel_call *call)
{
    moving_own_texts(call, 0);
    return STATUS_OK;
}

static status onnx_movement_run_concat(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", 1), output->shape.rank);
    uint64_t at[SHAPE_RANK_MOST] = {0};
    for (uint32_t i = 0; i < call->input_count; i++) {
        copy_into(call->parallel, call->inputs[i], output, at);
        at[axis] += (uint64_t)call->inputs[i]->shape.dims[axis];
    }
    return done(call);
}

static status onnx_movement_run_split(struct kernel_call *call)
{
    const struct tensor *input = call->inputs[0];
    const struct tensor *lengths = kernel_input(call, 1);
    const struct constant constant =
        lengths != NULL ? moving_constant(lengths) : (struct constant){0};
    const struct split split = movement_split(call->attributes, call->version, call->output_count,
                                              lengths != NULL ? &constant : NULL);
    const uint32_t axis =
        moving_axis(attribute_integer(call->attributes, "axis", 0), input->shape.rank);
    STATUS_TRY(movement_split_check(&split, input->shape.dims[axis]));
    uint64_t at[SHAPE_RANK_MOST] = {0};
    for (uint32_t i = 0; i < call->output_count; i++) {
        struct shape shape = input->shape;
        STATUS_TRY(movement_split_part(&split, input->shape.dims[axis], i, &shape.dims[axis]));
        struct tensor *output = kernel_output(call, i);
        if (output != NULL) {
            STATUS_TRY(moving_check(output, &shape));
            copy_from(call->parallel, input, output, at);
            moving_own_texts(call, i);
        }
        at[axis] += (uint64_t)shape.dims[axis];
    }
    return STATUS_OK;
}

static status onnx_movement_run_slice(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    struct slice slice;
    STATUS_TRY(moving_list(call, "starts", 1, &slice.starts));
    STATUS_TRY(moving_list(call, "ends", 2, &slice.ends));
    STATUS_TRY(moving_list(call, "axes", 3, &slice.axes));
    STATUS_TRY(moving_list(call, NULL, 4, &slice.steps));
    struct shape shape;
    STATUS_TRY(movement_slice(&slice, &input->shape, &shape));
    STATUS_TRY(moving_check(output, &shape));
    if (tensor_count(output) == 0)
        return STATUS_OK;
    struct copy copy = copy_over(&shape, output->element);
    int64_t steps[SHAPE_RANK_MOST], first = 0;
    copy_steps(&input->shape, steps);
    for (uint32_t i = 0; i < copy.rank; i++) {
        copy.source_steps[i] = steps[i] * slice.step[i];
        first += steps[i] * slice.first[i];
    }
    copy_run(call->parallel, &copy, (const char *)input->data + first * (int64_t)copy.size,
             output->data);
    return done(call);
}

static status onnx_movement_run_transpose(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    uint32_t order[SHAPE_RANK_MOST];
    STATUS_TRY(movement_order(call->attributes, output->shape.rank, order));
    copy_transposed(call->parallel, call->inputs[0], output, order);
    return done(call);
}

static status onnx_movement_run_tile(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    struct list repeats, axis;
    STATUS_TRY(moving_list(call, NULL, 1, &repeats));
    STATUS_TRY(moving_list(call, NULL, 2, &axis));
    const uint32_t rank = input->shape.rank;
    int64_t times[SHAPE_RANK_MOST];
    STATUS_TRY(movement_repeats(call->version, &repeats, &axis, rank, times));
    struct shape shape = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        if (__builtin_mul_overflow(input->shape.dims[i], times[i], &shape.dims[i]))
            return status_make(STATUS_LIMIT, "dimension %" PRIu32 " is too long", i);
    }
    STATUS_TRY(moving_check(output, &shape));
    struct copy copy = {.rank = 2 * rank, .size = (uint32_t)element_size(output->element)};
    int64_t source[SHAPE_RANK_MOST], target[SHAPE_RANK_MOST];
    copy_steps(&input->shape, source);
    copy_steps(&output->shape, target);
    for (uint32_t i = 0; i < rank; i++) {
        copy.lengths[2 * i] = (uint64_t)times[i];
        copy.target_steps[2 * i] = target[i] * input->shape.dims[i];
        copy.lengths[2 * i + 1] = (uint64_t)input->shape.dims[i];
        copy.source_steps[2 * i + 1] = source[i];
        copy.target_steps[2 * i + 1] = target[i];
    }
    copy_run(call->parallel, &copy, input->data, output->data);
    return done(call);
}

static status run_expand(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    struct list list;
    STATUS_TRY(moving_list(call, NULL, 1, &list));
    struct shape shape = {.rank = list.count < SHAPE_RANK_MOST ? list.count : SHAPE_RANK_MOST};
    memcpy(shape.dims, list.items, shape.rank * sizeof *shape.dims);
    STATUS_TRY(shape_broadcast(&input->shape, &shape, &shape));
    STATUS_TRY(moving_check(output, &shape));
    moving_expand(call->parallel, input, output);
    return done(call);
}

// Blocks: the output's elements in their order, each dimension with its length and
// its step in the input.
struct block_dimension {
    int64_t length;
    int64_t step;
};

static status copy_blocks(struct kernel_call *call, const struct block_dimension dimensions[6])
{
    struct tensor *output = kernel_output(call, 0);
    struct shape shape = {.rank = 6};
    for (uint32_t i = 0; i < 6; i++)
        shape.dims[i] = dimensions[i].length;
    struct copy copy = copy_over(&shape, output->element);
    for (uint32_t i = 0; i < 6; i++)
        copy.source_steps[i] = dimensions[i].step;
    copy_run(call->parallel, &copy, call->inputs[0]->data, output->data);
    return done(call);
}

static status run_depth_to_space(struct kernel_call *call)
{
    if (kernel_output(call, 0) == NULL || tensor_count(call->inputs[0]) == 0)
        return STATUS_OK;
    const int64_t *dims = call->inputs[0]->shape.dims;
    const int64_t block = attribute_integer(call->attributes, "blocksize", 1);
    const int64_t plane = dims[2] * dims[3];
    const int64_t depth = dims[1] / (block * block);
    const bool depth_first = view_is(attribute_text(call->attributes, "mode", "DCR"), "DCR");
    const int64_t channel = depth_first ? plane : block * block * plane;
    const int64_t column = depth_first ? depth * plane : plane;
    return copy_blocks(call, (const struct block_dimension[6]){{dims[0], dims[1] * plane},
                                                               {depth, channel},
                                                               {dims[2], dims[3]},
                                                               {block, block * column},
                                                               {dims[3], 1},
                                                               {block, column}});
}

static status run_space_to_depth(struct kernel_call *call)
{
    if (kernel_output(call, 0) == NULL || tensor_count(call->inputs[0]) == 0)
        return STATUS_OK;
    const int64_t *dims = call->inputs[0]->shape.dims;
    const int64_t block = attribute_integer(call->attributes, "blocksize", 1);
    const int64_t plane = dims[2] * dims[3];
    return copy_blocks(call, (const struct block_dimension[6]){{dims[0], dims[1] * plane},
                                                               {block, dims[3]},
                                                               {block, 1},
                                                               {dims[1], plane},
                                                               {dims[2] / block, block * dims[3]},
                                                               {dims[3] / block, block}});
}

// Trilu --------------------------------------------------------------------------

struct trilu {
    const char *source;
    char *target;
    int64_t rows, columns, shift;
    size_t size;
    bool upper;
};

static void trilu_rows(void *context, uint64_t from, uint64_t to)
{
    const struct trilu *t = context;
    const size_t row_bytes = (size_t)t->columns * t->size;
    for (uint64_t i = from; i < to; i++) {
        // The first column that is kept, or the first that is not.
        const int64_t row = (int64_t)(i % (uint64_t)t->rows);
        int64_t cut = row + t->shift + (t->upper ? 0 : 1);
        cut = cut < 0 ? 0 : cut > t->columns ? t->columns : cut;
        const size_t split = (size_t)cut * t->size;
        const char *source = t->source + i * row_bytes;
        char *target = t->target + i * row_bytes;
        memcpy(target, source, row_bytes);
        if (t->upper)
            memset(target, 0, split);
        else
            memset(target + split, 0, row_bytes - split);
    }
}

static status run_trilu(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL || tensor_count(output) == 0)
        return STATUS_OK;
    const struct shape *shape = &output->shape;
    const struct tensor *shift = kernel_input(call, 1);
    struct trilu t = {call->inputs[0]->data,
                      output->data,
                      shape->dims[shape->rank - 2],
                      shape->dims[shape->rank - 1],
                      shift != NULL && tensor_count(shift) > 0 ? *(const int64_t *)shift->data : 0,
                      element_size(output->element),
                      attribute_integer(call->attributes, "upper", 1) != 0};
    // Beyond the matrix all shifts are alike.
    t.shift = t.shift < -t.rows ? -t.rows - 1 : t.shift > t.columns ? t.columns + 1 : t.shift;
    const uint64_t rows = tensor_count(output) / (uint64_t)t.columns;
    const uint64_t grain = 1 + (UINT64_C(1) << 16) / ((uint64_t)t.columns * t.size);
    parallel_for(call->parallel, rows, grain, trilu_rows, &t);
    return done(call);
}

static status run_reverse_sequence(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL || tensor_count(output) == 0)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    const uint32_t batch = (uint32_t)attribute_integer(call->attributes, "batch_axis", 1);
    const uint32_t time = 1 - batch;
    const int64_t *lengths = call->inputs[1]->data;
    copy_all(call->parallel, input, output);
    struct copy copy = copy_over(&input->shape, input->element);
    const int64_t size = copy.size, step = copy.source_steps[time];
    copy.source_steps[time] = -step;
    copy.lengths[batch] = 1;
    for (int64_t i = 0; i < input->shape.dims[batch]; i++) {
        if (lengths[i] < 0 || lengths[i] > input->shape.dims[time])
            return status_make(STATUS_DATA,
                               "sequence %" PRId64 " has length %" PRId64
                               ", but the dimension is %" PRId64,
                               i, lengths[i], input->shape.dims[time]);
        copy.lengths[time] = (uint64_t)lengths[i];
        const int64_t at = i * copy.target_steps[batch];
        const int64_t last = lengths[i] > 0 ? (lengths[i] - 1) * step : 0;
        copy_run(call->parallel, &copy, (const char *)input->data + (at + last) * size,
                 (char *)output->data + at * size);
    }
    return done(call);
}

static status run_center_crop_pad(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    struct list lengths, axes;
    STATUS_TRY(moving_list(call, NULL, 1, &lengths));
    STATUS_TRY(list_attribute(call->attributes, "axes", &axes));
    struct shape shape;
    STATUS_TRY(movement_center(&lengths, &axes, &input->shape, &shape));
    STATUS_TRY(moving_check(output, &shape));
    struct padding padding = {0};
    for (uint32_t i = 0; i < shape.rank; i++) {
        const int64_t more = shape.dims[i] - input->shape.dims[i];
        padding.before[i] = more / 2;
        padding.after[i] = more - more / 2;
    }
    static const uint64_t ZERO[2];
    pad_constant(call->parallel, input, output, &padding, ZERO);
    return done(call);
}

static status onnx_movement_run_pad(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    STATUS_TRY(pad_run(call, output));
    return done(call);
}

static const struct kernel ITEMS[] = {
    {"Concat", onnx_movement_run_concat},
    {"Split", onnx_movement_run_split},
    {"Slice", onnx_movement_run_slice},
    {"Transpose", onnx_movement_run_transpose},
    {"Pad", onnx_movement_run_pad},
    {"Tile", onnx_movement_run_tile},
    {"Expand", run_expand},
    {"DepthToSpace", run_depth_to_space},
    {"SpaceToDepth", run_space_to_depth},
    {"Trilu", run_trilu},
    {"ReverseSequence", run_reverse_sequence},
    {"CenterCropPad", run_center_crop_pad},
};

const struct kernel_table ONNX_MOVEMENT_KERNELS = KERNEL_TABLE(ITEMS);
