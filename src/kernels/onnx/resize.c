// Resize and Upsample: one axis after the other, in single precision, in double
// precision where elements need it.

#include "network/onnx/resize.h"

#include <stdlib.h>

#include "gridding.h"
#include "kernels/core/clones.h"
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

// One axis of [outer, axis, inner]. Taps of weight 0 do not count, whatever they meet.
struct pass {
    const void *source;
    void *target;
    const struct resize_taps *taps;
    uint64_t length; // of the axis in the source
    uint64_t inner;
    double extrapolation;
    // Where the axis is the last one: indices and weights tap by tap, for all places.
    const int32_t *columns;
    const void *factors; // of the type that is computed in
};

// A unit is one place of the axis, with all of `inner`; or, along the last dimension, one
// row of places.
#define DEFINE_PASS(name, add_row, run_row, gather_row, last, type)                                \
    CORE_CLONES(void, add_row,                                                                     \
                (type *restrict target, const type *restrict row, type weight, uint64_t count,     \
                 bool first),                                                                      \
                (target, row, weight, count, first))                                               \
    {                                                                                              \
        if (first)                                                                                 \
            for (uint64_t i = 0; i < count; i++)                                                   \
                target[i] = weight * row[i];                                                       \
        else                                                                                       \
            for (uint64_t i = 0; i < count; i++)                                                   \
                target[i] += weight * row[i];                                                      \
    }                                                                                              \
    static void run_row(const struct pass *pass, const int64_t *indices, const double *weights,    \
                        const type *source, type *target)                                          \
    {                                                                                              \
        bool first = true;                                                                         \
        for (int64_t k = 0; k < pass->taps->width; k++) {                                          \
            const type *row = source + (uint64_t)indices[k] * pass->inner;                         \
            if (weights[k] == 0)                                                                   \
                continue;                                                                          \
            add_row(target, row, (type)weights[k], pass->inner, first);                            \
            first = false;                                                                         \
        }                                                                                          \
        for (uint64_t i = 0; first && i < pass->inner; i++)                                        \
            target[i] = 0;                                                                         \
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
            else                                                                                   \
                run_row(pass, indices, weights, source, target);                                   \
        }                                                                                          \
    }                                                                                              \
    CORE_CLONES(void, gather_row,                                                                  \
                (type *restrict target, const type *restrict source,                               \
                 const int32_t *restrict columns, const type *restrict factors, uint64_t count),   \
                (target, source, columns, factors, count))                                         \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type product = factors[i] * source[columns[i]];                                  \
            target[i] += factors[i] != 0 ? product : 0;                                            \
        }                                                                                          \
    }                                                                                              \
    static void last(void *context, uint64_t from, uint64_t to)                                    \
    {                                                                                              \
        const struct pass *pass = context;                                                         \
        const uint64_t width = (uint64_t)pass->taps->width;                                        \
        const uint64_t count = (uint64_t)pass->taps->count;                                        \
        const type *factors = pass->factors;                                                       \
        for (uint64_t row = from; row < to; row++) {                                               \
            const type *source = (const type *)pass->source + row * pass->length;                  \
            type *target = (type *)pass->target + row * count;                                     \
            memset(target, 0, count * sizeof *target);                                             \
            for (uint64_t k = 0; k < width; k++)                                                   \
                gather_row(target, source, pass->columns + k * count, factors + k * count, count); \
            for (uint64_t i = 0; pass->taps->outside && i < count; i++) {                          \
                if (pass->taps->indices[i * width] == RESIZE_OUTSIDE)                              \
                    target[i] = (type)pass->extrapolation;                                         \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_PASS(pass_f32, pass_f32_add, pass_f32_row, pass_f32_gather, pass_f32_last, float)
DEFINE_PASS(pass_f64, pass_f64_add, pass_f64_row, pass_f64_gather, pass_f64_last, double)

// Taps as rows of places; those outside get weight 0.
static status turn_taps(const struct resize_taps *taps, enum element element, int32_t **out_columns,
                        void **out_factors)
{
    const size_t count = (size_t)taps->count, width = (size_t)taps->width;
    int32_t *columns = calloc(count * width + 1, sizeof *columns);
    void *factors = calloc(count * width + 1, sizeof(double));
    if (columns == NULL || factors == NULL) {
        free(columns);
        free(factors);
        return status_no_memory("the weights of a resize");
    }
    for (size_t i = 0; i < count; i++) {
        const bool outside = taps->indices[i * width] == RESIZE_OUTSIDE;
        for (size_t k = 0; !outside && k < width; k++) {
            const double weight = taps->weights[i * width + k];
            columns[k * count + i] = (int32_t)taps->indices[i * width + k];
            if (element == ELEMENT_F32)
                ((float *)factors)[k * count + i] = (float)weight;
            else
                ((double *)factors)[k * count + i] = weight;
        }
    }
    *out_columns = columns;
    *out_factors = factors;
    return STATUS_OK;
}

static status run_last(struct kernel_call *call, struct pass *pass, enum element element,
                       uint64_t rows)
{
    int32_t *columns;
    void *factors;
    STATUS_TRY(turn_taps(pass->taps, element, &columns, &factors));
    pass->columns = columns;
    pass->factors = factors;
    const uint64_t cost = (uint64_t)(pass->taps->count * pass->taps->width);
    parallel_for(call->parallel, rows, 1 + PIECE / cost,
                 element == ELEMENT_F32 ? pass_f32_last : pass_f64_last, pass);
    free(columns);
    free(factors);
    return STATUS_OK;
}

// Elements that single precision holds.
static enum element working_element(enum element element)
{
    return element_size(element) >= 4 && element != ELEMENT_F32 ? ELEMENT_F64 : ELEMENT_F32;
}

struct recast {
    enum element from, to;
    const char *source;
    char *target;
};

static void onnx_resize_convert_piece(void *context, uint64_t from, uint64_t to)
{
    const struct recast *c = context;
    convert_row(c->from, c->source + from * element_size(c->from), c->to,
                c->target + from * element_size(c->to), to - from, true);
}

static void convert_all(struct parallel *parallel, const struct tensor *source,
                        const struct tensor *target)
{
    struct recast recast = {source->element, target->element, source->data, target->data};
    parallel_for(parallel, tensor_count(source), PIECE, onnx_resize_convert_piece, &recast);
}

// Resizes dimension `axis` of `*value`, which is replaced: by `target`, or where that is NULL
// by a tensor made now.
static status run_pass(struct kernel_call *call, const struct resize *resize,
                       const struct resize_taps *taps, uint32_t axis, const struct tensor *target,
                       struct datum **value)
{
    const struct tensor *source = &(*value)->tensor;
    const enum element element = source->element;
    struct shape shape = source->shape;
    shape.dims[axis] = taps->count;
    struct datum *result;
    if (target != NULL)
        result = datum_over(target);
    else
        STATUS_TRY(datum_tensor(element, &shape, &result));
    struct pass pass = {
        .source = source->data,
        .target = result->tensor.data,
        .taps = taps,
        .length = (uint64_t)source->shape.dims[axis],
        .inner = shape_count_between(&shape, axis + 1, shape.rank),
        .extrapolation = resize->extrapolation,
    };
    const uint64_t units = shape_count_between(&shape, 0, axis + 1);
    status failure = STATUS_OK;
    if (pass.inner == 1 && pass.length <= INT32_MAX)
        failure = run_last(call, &pass, element, units / (uint64_t)taps->count);
    else
        parallel_for(call->parallel, units, 1 + PIECE / (pass.inner * (uint64_t)taps->width),
                     element == ELEMENT_F32 ? pass_f32 : pass_f64, &pass);
    datum_release(*value);
    *value = result;
    return failure;
}

// The dimension that is resized last; the rank when none is.
static uint32_t last_pass(const struct resize_taps *taps, uint32_t rank)
{
    for (uint32_t d = 0; d < rank; d++) {
        if (!taps[d].identity)
            return d;
    }
    return rank;
}

static status resize_smooth(struct kernel_call *call, const struct resize *resize,
                            const struct resize_taps *taps, struct tensor *output)
{
    const struct tensor *input = call->inputs[0];
    const uint32_t rank = input->shape.rank;
    const uint32_t last = last_pass(taps, rank);
    const bool direct = working_element(input->element) == input->element;
    struct datum *value;
    if (direct) {
        value = datum_over(input);
    } else {
        STATUS_TRY(datum_tensor(working_element(input->element), &input->shape, &value));
        convert_all(call->parallel, input, &value->tensor);
    }
    status failure = STATUS_OK;
    for (uint32_t d = rank; failure == STATUS_OK && d-- > 0;) {
        if (!taps[d].identity)
            failure =
                run_pass(call, resize, &taps[d], d, direct && d == last ? output : NULL, &value);
    }
    if (failure == STATUS_OK && !(direct && last < rank))
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

static status onnx_resize_run_resize(struct kernel_call *call)
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
    {"Resize", onnx_resize_run_resize},
    {"Upsample", onnx_resize_run_resize},
    {"GridSample", gridding_sample},
    {"AffineGrid", gridding_affine},
};

const struct kernel_table ONNX_RESIZE_KERNELS = KERNEL_TABLE(ITEMS);
