// Resize and Upsample: one axis after the other, in single precision, in double
// precision where elements need it.

#include "network/onnx/resize.h"

#include "gridding.h"
#include "kernels/core/convert.h"
#include "kernels/core/scatter.h"
#include "kernels/kernel_tables.h"
#include "moving.h"
#include "resize_taps.h"

enum { PIECE = 1 << 14 };

// Nearest ------------------------------------------------------------------------

struct nearest {
    const struct tensor *input;
    struct tensor *output;
    const struct resize_taps *taps; // one for each dimension
    const char *outside;            // the element outside of the region
    size_t size;
};

// Where row `row` of the output begins in the input, or -1 when it is outside.
static int64_t row_offset(const struct nearest *nearest, uint64_t row)
{
    const struct shape *shape = &nearest->output->shape;
    int64_t steps[SHAPE_RANK_MOST], offset = 0;
    copy_steps(&nearest->input->shape, steps);
    for (uint32_t d = shape->rank - 1; d-- > 0;) {
        const uint64_t length = (uint64_t)shape->dims[d];
        const int64_t index = nearest->taps[d].indices[row % length];
        if (index == RESIZE_OUTSIDE)
            return -1;
        offset += index * steps[d];
        row /= length;
    }
    return offset;
}

static void nearest_row(const struct nearest *nearest, int64_t offset, char *target)
{
    const struct resize_taps *taps = &nearest->taps[nearest->output->shape.rank - 1];
    const size_t size = nearest->size;
    const char *source = (const char *)nearest->input->data + offset * (int64_t)size;
    if (taps->identity) {
        memcpy(target, source, (size_t)taps->count * size);
    } else if (!taps->outside) {
        scatter_pick(size, target, source, taps->indices, (uint64_t)taps->count);
    } else {
        for (int64_t i = 0; i < taps->count; i++)
            memcpy(target + (size_t)i * size,
                   taps->indices[i] == RESIZE_OUTSIDE ? nearest->outside
                                                      : source + taps->indices[i] * (int64_t)size,
                   size);
    }
}

static void nearest_rows(void *context, uint64_t from, uint64_t to)
{
    const struct nearest *nearest = context;
    const struct shape *shape = &nearest->output->shape;
    const size_t columns = (size_t)shape->dims[shape->rank - 1];
    for (uint64_t row = from; row < to; row++) {
        char *target = (char *)nearest->output->data + row * columns * nearest->size;
        const int64_t offset = row_offset(nearest, row);
        if (offset >= 0) {
            nearest_row(nearest, offset, target);
            continue;
        }
        for (size_t i = 0; i < columns; i++)
            memcpy(target + i * nearest->size, nearest->outside, nearest->size);
    }
}

static void resize_nearest(struct kernel_call *call, const struct resize *resize,
                           const struct resize_taps *taps, struct tensor *output)
{
    const struct tensor *input = call->inputs[0];
    uint64_t outside[2] = {0};
    if (convert_knows(output->element))
        convert_row(ELEMENT_F64, &resize->extrapolation, output->element, outside, 1, true);
    struct nearest nearest = {input, output, taps, (const char *)outside,
                              element_size(output->element)};
    const uint64_t columns = (uint64_t)output->shape.dims[output->shape.rank - 1];
    parallel_for(call->parallel, tensor_count(output) / columns, 1 + PIECE / columns, nearest_rows,
                 &nearest);
    moving_own_texts(call, 0);
}

// Weighted sums ------------------------------------------------------------------

// One axis of [outer, axis, inner].
struct pass {
    const void *source;
    void *target;
    const struct resize_taps *taps;
    uint64_t length; // of the axis in the source
    uint64_t inner;
    double extrapolation;
};

// A unit is one place of the axis, with all of `inner`.
#define DEFINE_PASS(name, type)                                                                    \
    static void name##_row(const struct pass *pass, const int64_t *indices, const double *weights, \
                           const type *source, type *target)                                       \
    {                                                                                              \
        for (uint64_t i = 0; i < pass->inner; i++)                                                 \
            target[i] = 0;                                                                         \
        for (int64_t k = 0; k < pass->taps->width; k++) {                                          \
            const type weight = (type)weights[k];                                                  \
            const type *row = source + (uint64_t)indices[k] * pass->inner;                         \
            if (weight == 0)                                                                       \
                continue;                                                                          \
            for (uint64_t i = 0; i < pass->inner; i++)                                             \
                target[i] += weight * row[i];                                                      \
        }                                                                                          \
    }                                                                                              \
    static type name##_one(const struct pass *pass, const int64_t *indices, const double *weights, \
                           const type *source)                                                     \
    {                                                                                              \
        type sum = 0;                                                                              \
        for (int64_t k = 0; k < pass->taps->width; k++)                                            \
            sum += weights[k] != 0 ? (type)weights[k] * source[indices[k]] : 0;                    \
        return sum;                                                                                \
    }                                                                                              \
    static void name(void *context, uint64_t from, uint64_t to)                                    \
    {                                                                                              \
        const struct pass *pass = context;                                                         \
        const uint64_t width = (uint64_t)pass->taps->width, inner = pass->inner;                   \
        const uint64_t count = (uint64_t)pass->taps->count;                                        \
        for (uint64_t unit = from; unit < to; unit++) {                                            \
            const int64_t *indices = pass->taps->indices + unit % count * width;                   \
            const double *weights = pass->taps->weights + unit % count * width;                    \
            const type *source = (const type *)pass->source + unit / count * pass->length * inner; \
            type *target = (type *)pass->target + unit * inner;                                    \
            if (indices[0] == RESIZE_OUTSIDE)                                                      \
                for (uint64_t i = 0; i < inner; i++)                                               \
                    target[i] = (type)pass->extrapolation;                                         \
            else if (inner == 1)                                                                   \
                *target = name##_one(pass, indices, weights, source);                              \
            else                                                                                   \
                name##_row(pass, indices, weights, source, target);                                \
        }                                                                                          \
    }

DEFINE_PASS(pass_f32, float)
DEFINE_PASS(pass_f64, double)

// Elements that single precision holds.
static enum element working_element(enum element element)
{
    return element_size(element) >= 4 && element != ELEMENT_F32 ? ELEMENT_F64 : ELEMENT_F32;
}

struct conversion {
    enum element from, to;
    const char *source;
    char *target;
};

static void convert_piece(void *context, uint64_t from, uint64_t to)
{
    const struct conversion *c = context;
    convert_row(c->from, c->source + from * element_size(c->from), c->to,
                c->target + from * element_size(c->to), to - from, true);
}

static void convert_all(struct parallel *parallel, const struct tensor *source,
                        const struct tensor *target)
{
    struct conversion conversion = {source->element, target->element, source->data, target->data};
    parallel_for(parallel, tensor_count(source), PIECE, convert_piece, &conversion);
}

// Resizes dimension `axis` of `*value`, which is replaced.
static status run_pass(struct kernel_call *call, const struct resize *resize,
                       const struct resize_taps *taps, uint32_t axis, struct datum **value)
{
    const struct tensor *source = &(*value)->tensor;
    struct shape shape = source->shape;
    shape.dims[axis] = taps->count;
    struct datum *result;
    STATUS_TRY(datum_tensor(source->element, &shape, &result));
    struct pass pass = {source->data,
                        result->tensor.data,
                        taps,
                        (uint64_t)source->shape.dims[axis],
                        shape_count_between(&shape, axis + 1, shape.rank),
                        resize->extrapolation};
    const uint64_t units = shape_count_between(&shape, 0, axis + 1);
    const uint64_t cost = pass.inner * (uint64_t)taps->width;
    parallel_for(call->parallel, units, 1 + PIECE / cost,
                 source->element == ELEMENT_F32 ? pass_f32 : pass_f64, &pass);
    datum_release(*value);
    *value = result;
    return STATUS_OK;
}

static status resize_smooth(struct kernel_call *call, const struct resize *resize,
                            const struct resize_taps *taps, struct tensor *output)
{
    const struct tensor *input = call->inputs[0];
    struct datum *value;
    if (working_element(input->element) == input->element) {
        value = datum_over(input);
    } else {
        STATUS_TRY(datum_tensor(working_element(input->element), &input->shape, &value));
        convert_all(call->parallel, input, &value->tensor);
    }
    status failure = STATUS_OK;
    for (uint32_t d = input->shape.rank; failure == STATUS_OK && d-- > 0;) {
        if (!taps[d].identity)
            failure = run_pass(call, resize, &taps[d], d, &value);
    }
    if (failure == STATUS_OK)
        convert_all(call->parallel, &value->tensor, output);
    datum_release(value);
    return failure;
}

// The operator -------------------------------------------------------------------

// Input `place` as a constant in `storage`, or NULL when it is absent or empty.
static const struct constant *list_input(const struct kernel_call *call, int place,
                                         struct constant *storage)
{
    const struct tensor *tensor = place < 0 ? NULL : kernel_input(call, (uint32_t)place);
    if (tensor == NULL || tensor_count(tensor) == 0)
        return NULL;
    *storage = moving_constant(tensor);
    return storage;
}

static status plan_call(const struct kernel_call *call, struct resize *out_resize,
                        struct shape *out_shape)
{
    struct network_node node = *call->node;
    node.attributes = call->attributes;
    const struct resize_places places = resize_places(&node);
    struct constant storage[3];
    const struct resize_inputs inputs = {list_input(call, places.region, &storage[0]),
                                         list_input(call, places.scales, &storage[1]),
                                         list_input(call, places.sizes, &storage[2])};
    return resize_plan(&node, &inputs, &call->inputs[0]->shape, out_resize, out_shape);
}

static status run_resize(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL)
        return STATUS_OK;
    const struct tensor *input = call->inputs[0];
    struct resize resize;
    struct shape shape;
    STATUS_TRY(plan_call(call, &resize, &shape));
    STATUS_TRY(moving_check(output, &shape));
    if (tensor_count(output) == 0)
        return STATUS_OK;
    if (shape.rank == 0) {
        moving_give_all(call, 0, 0);
        return STATUS_OK;
    }
    struct resize_taps taps[SHAPE_RANK_MOST] = {{0}};
    status failure = STATUS_OK;
    for (uint32_t d = 0; failure == STATUS_OK && d < shape.rank; d++)
        failure = resize_taps_make(&resize, d, input->shape.dims[d], shape.dims[d], &taps[d]);
    if (failure == STATUS_OK && resize.mode == RESIZE_NEAREST)
        resize_nearest(call, &resize, taps, output);
    else if (failure == STATUS_OK)
        failure = resize_smooth(call, &resize, taps, output);
    for (uint32_t d = 0; d < shape.rank; d++)
        resize_taps_free(&taps[d]);
    return failure;
}

static const struct kernel ITEMS[] = {
    {"Resize", run_resize},
    {"Upsample", run_resize},
    {"GridSample", gridding_sample},
    {"AffineGrid", gridding_affine},
};

const struct kernel_table ONNX_RESIZE_KERNELS = KERNEL_TABLE(ITEMS);
