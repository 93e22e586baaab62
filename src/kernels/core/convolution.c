#include "convolution.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "matrix.h"
#include "onednn.h"
#include "sliding.h"

static int64_t convolution_volume(uint64_t count, const int64_t *lengths)
{
    int64_t product = 1;
    for (uint64_t i = 0; i < count; i++)
        product *= lengths[i];
    return product;
}

// Strides of a dense tensor of `channels` and spatial dimensions.
static void set_strides(uint64_t spatial, int64_t channels, const int64_t *lengths, bool first,
                        int64_t *strides)
{
    int64_t step = first ? 1 : channels;
    for (uint64_t i = spatial; i-- > 0;) {
        strides[2 + i] = step;
        step *= lengths[i];
    }
    strides[1] = first ? step : 1;
    strides[0] = first ? step * channels : step;
}

static void set_all_strides(struct convolution *c, bool first)
{
    set_strides(c->spatial, c->groups * c->inputs, c->input, first, c->source_strides);
    set_strides(c->spatial, c->inputs, c->kernel, first, c->weight_strides);
    set_strides(c->spatial, c->groups * c->outputs, c->output, first, c->result_strides);
}

void convolution_channels_first(struct convolution *convolution)
{
    set_all_strides(convolution, true);
}

void convolution_channels_last(struct convolution *convolution)
{
    set_all_strides(convolution, false);
}

status convolution_f32(const struct convolution *convolution,
                       const struct convolution_operands *operands, struct parallel *parallel,
                       struct kernel_state **state)
{
    bool done;
    STATUS_TRY(onednn_convolution(convolution, operands, parallel, state, &done));
    if (!done)
        convolution_loops_f32(convolution, operands->source, operands->weights, operands->bias,
                              operands->result, parallel);
    return STATUS_OK;
}

// Loops -----------------------------------------------------------------------

// Where a row of the output meets one place of the kernel in the source: the offset of the
// row, or -1 where all of it is padding.
static int64_t source_row(const struct convolution *c, const int64_t *row, const int64_t *tap)
{
    int64_t offset = 0;
    for (uint64_t i = 0; i + 1 < c->spatial; i++) {
        const int64_t at = row[i] * c->strides[i] - c->pads[i] + tap[i] * c->dilations[i];
        if (at < 0 || at >= c->input[i])
            return -1;
        offset += at * c->source_strides[2 + i];
    }
    return offset;
}

static int64_t convolution_dot(uint64_t count, const int64_t *place, const int64_t *strides)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += place[i] * strides[i];
    return sum;
}

#define DEFINE_LOOPS(type, suffix)                                                                 \
    struct loops_##suffix {                                                                        \
        const struct convolution *convolution;                                                     \
        const type *source;                                                                        \
        const type *weights;                                                                       \
        const type *bias;                                                                          \
        type *result;                                                                              \
    };                                                                                             \
                                                                                                   \
    static void add_tap_##suffix(const struct convolution *c, int64_t tap, type weight,            \
                                 const type *source, type *result)                                 \
    {                                                                                              \
        const uint64_t last = c->spatial - 1;                                                      \
        const int64_t start = tap * c->dilations[last] - c->pads[last];                            \
        const int64_t from_step = c->strides[last] * c->source_strides[2 + last];                  \
        const int64_t to_step = c->result_strides[2 + last];                                       \
        const struct sliding_range x =                                                             \
            sliding_inside(c->output[last], c->strides[last], start, c->input[last]);              \
        const int64_t base = start * c->source_strides[2 + last];                                  \
        for (int64_t i = x.from; i < x.to; i++)                                                    \
            result[i * to_step] += weight * source[base + i * from_step];                          \
    }                                                                                              \
                                                                                                   \
    /* One row of one output channel. */                                                           \
    static void compute_row_##suffix(const struct convolution *c, const int64_t *row,              \
                                     const type *source, const type *weights, type bias,           \
                                     type *result)                                                 \
    {                                                                                              \
        const uint64_t last = c->spatial - 1;                                                      \
        for (int64_t i = 0; i < c->output[last]; i++)                                              \
            result[i * c->result_strides[2 + last]] = bias;                                        \
        for (int64_t channel = 0; channel < c->inputs; channel++) {                                \
            const type *plane = source + channel * c->source_strides[1];                           \
            const type *taps = weights + channel * c->weight_strides[1];                           \
            int64_t tap[CONVOLUTION_SPATIAL_MOST] = {0};                                           \
            do {                                                                                   \
                const int64_t offset = source_row(c, row, tap);                                    \
                if (offset >= 0)                                                                   \
                    add_tap_##suffix(                                                              \
                        c, tap[last],                                                              \
                        taps[convolution_dot(c->spatial, tap, c->weight_strides + 2)],             \
                        plane + offset, result);                                                   \
            } while (sliding_advance(c->spatial, c->kernel, tap));                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void loops_pieces_##suffix(void *context, uint64_t from, uint64_t to)                   \
    {                                                                                              \
        const struct loops_##suffix *task = context;                                               \
        const struct convolution *c = task->convolution;                                           \
        const int64_t channels = c->groups * c->outputs;                                           \
        for (int64_t i = (int64_t)from; i < (int64_t)to; i++) {                                    \
            const int64_t batch = i / channels;                                                    \
            const int64_t channel = i % channels;                                                  \
            const int64_t group = channel / c->outputs;                                            \
            const type *source = task->source + batch * c->source_strides[0] +                     \
                                 group * c->inputs * c->source_strides[1];                         \
            type *result =                                                                         \
                task->result + batch * c->result_strides[0] + channel * c->result_strides[1];      \
            const type bias = task->bias != NULL ? task->bias[channel] : 0;                        \
            int64_t row[CONVOLUTION_SPATIAL_MOST] = {0};                                           \
            do {                                                                                   \
                compute_row_##suffix(                                                              \
                    c, row, source, task->weights + channel * c->weight_strides[0], bias,          \
                    result + convolution_dot(c->spatial - 1, row, c->result_strides + 2));         \
            } while (sliding_advance(c->spatial - 1, c->output, row));                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void convolution_loops_##suffix(const struct convolution *convolution, const type *source,     \
                                    const type *weights, const type *bias, type *result,           \
                                    struct parallel *parallel)                                     \
    {                                                                                              \
        const struct convolution *c = convolution;                                                 \
        if (convolution_volume(c->spatial, c->output) == 0)                                        \
            return;                                                                                \
        struct loops_##suffix task = {c, source, weights, bias, result};                           \
        parallel_for(parallel, (uint64_t)(c->batch * c->groups * c->outputs), 1,                   \
                     loops_pieces_##suffix, &task);                                                \
    }

DEFINE_LOOPS(float, f32)
DEFINE_LOOPS(double, f64)

// Transposed ------------------------------------------------------------------
//
// Products of weights and source for some places of the kernel, which are then
// added where they belong; every piece has output channels of its own.

enum {
    PRODUCTS_MOST = 1 << 18, // elements that a piece works with at a time
    ROWS_WANTED = 96,        // of a product, so that it is computed well
};

struct transposed {
    const struct convolution *convolution;
    enum element element;
    const char *source;
    const char *weights;
    const char *bias;
    char *result;
    int64_t channels; // of a piece
    atomic_bool failed;
};

// Adds the products of one place of the kernel to an output channel.
#define DEFINE_SCATTER(type, suffix)                                                               \
    static void scatter_##suffix(const struct convolution *c, const int64_t *tap,                  \
                                 const type *products, type *plane)                                \
    {                                                                                              \
        const uint64_t last = c->spatial - 1;                                                      \
        const int64_t start = tap[last] * c->dilations[last] - c->pads[last];                      \
        const int64_t step = c->strides[last];                                                     \
        const struct sliding_range x =                                                             \
            sliding_inside(c->input[last], step, start, c->output[last]);                          \
        int64_t row[CONVOLUTION_SPATIAL_MOST] = {0};                                               \
        do {                                                                                       \
            const int64_t offset = result_row(c, row, tap);                                        \
            for (int64_t i = x.from; offset >= 0 && i < x.to; i++)                                 \
                plane[offset + start + i * step] += products[i];                                   \
            products += c->input[last];                                                            \
        } while (sliding_advance(last, c->input, row));                                            \
    }

// Where a row of the input lands in the output, or -1 where it is cut off.
static int64_t result_row(const struct convolution *c, const int64_t *row, const int64_t *tap)
{
    int64_t offset = 0;
    for (uint64_t i = 0; i + 1 < c->spatial; i++) {
        const int64_t at = row[i] * c->strides[i] - c->pads[i] + tap[i] * c->dilations[i];
        if (at < 0 || at >= c->output[i])
            return -1;
        offset += at * c->result_strides[2 + i];
    }
    return offset;
}

DEFINE_SCATTER(float, f32)
DEFINE_SCATTER(double, f64)

static void fill_plane(const struct transposed *task, int64_t channel, int64_t count, char *plane)
{
    for (int64_t i = 0; i < count; i++) {
        if (task->element == ELEMENT_F32)
            ((float *)plane)[i] = task->bias != NULL ? ((const float *)task->bias)[channel] : 0;
        else
            ((double *)plane)[i] = task->bias != NULL ? ((const double *)task->bias)[channel] : 0;
    }
}

// Output channels [first, last) of a group. `source` are its inputs, `weights` those of its
// first channel, `planes` the output of channel `first`.
static void compute_channels(const struct transposed *task, int64_t first, int64_t last,
                             const char *source, const char *weights, char *products, char *planes)
{
    const struct convolution *c = task->convolution;
    const size_t size = element_size(task->element);
    const int64_t positions = convolution_volume(c->spatial, c->input);
    const int64_t taps = convolution_volume(c->spatial, c->kernel);
    const int64_t area = convolution_volume(c->spatial, c->output);
    const int64_t at_once = positions < PRODUCTS_MOST ? PRODUCTS_MOST / positions : 1;
    int64_t tap[CONVOLUTION_SPATIAL_MOST] = {0};
    for (int64_t from = first * taps; from < last * taps; from += at_once) {
        const int64_t to = from + at_once < last * taps ? from + at_once : last * taps;
        struct matrix_product product =
            matrix_product_dense((uint64_t)(to - from), (uint64_t)positions, (uint64_t)c->inputs);
        product.a_transposed = true;
        product.a_stride = (uint64_t)(c->outputs * taps);
        matrix_multiply_here(&product, task->element, weights + (size_t)from * size, source,
                             products);
        for (int64_t row = from; row < to; row++) {
            char *at = products + (size_t)((row - from) * positions) * size;
            char *plane = planes + (size_t)((row / taps - first) * area) * size;
            if (task->element == ELEMENT_F32)
                scatter_f32(c, tap, (const float *)at, (float *)plane);
            else
                scatter_f64(c, tap, (const double *)at, (double *)plane);
            sliding_advance(c->spatial, c->kernel, tap);
        }
    }
}

// A piece is some channels of one group of one item of the batch.
static void transposed_pieces(void *context, uint64_t from, uint64_t to)
{
    struct transposed *task = context;
    const struct convolution *c = task->convolution;
    const size_t size = element_size(task->element);
    const int64_t positions = convolution_volume(c->spatial, c->input);
    const int64_t area = convolution_volume(c->spatial, c->output);
    const int64_t most = positions < PRODUCTS_MOST ? PRODUCTS_MOST : positions;
    const int64_t parts = (c->outputs + task->channels - 1) / task->channels;
    char *products = malloc((size_t)most * size);
    if (products == NULL) {
        atomic_store(&task->failed, true);
        return;
    }
    for (int64_t i = (int64_t)from; i < (int64_t)to; i++) {
        const int64_t first = i % parts * task->channels;
        const int64_t end = first + task->channels;
        const int64_t last = end < c->outputs ? end : c->outputs;
        const int64_t group = i / parts % c->groups;
        const int64_t plane = i / parts * c->outputs + first;
        const int64_t taps = convolution_volume(c->spatial, c->kernel);
        char *planes = task->result + (size_t)(plane * area) * size;
        for (int64_t channel = first; channel < last; channel++)
            fill_plane(task, group * c->outputs + channel, area,
                       planes + (size_t)((channel - first) * area) * size);
        compute_channels(task, first, last,
                         task->source + (size_t)(i / parts * c->inputs * positions) * size,
                         task->weights + (size_t)(group * c->inputs * c->outputs * taps) * size,
                         products, planes);
    }
    free(products);
}

static status run_transposed(struct transposed *task, struct parallel *parallel)
{
    const struct convolution *c = task->convolution;
    if (convolution_volume(c->spatial, c->output) == 0)
        return STATUS_OK;
    if (convolution_volume(c->spatial, c->input) == 0)
        return status_make(STATUS_DATA, "a transposed convolution of nothing");
    const int64_t taps = convolution_volume(c->spatial, c->kernel);
    task->channels = taps < ROWS_WANTED ? ROWS_WANTED / taps : 1;
    const int64_t parts = (c->outputs + task->channels - 1) / task->channels;
    parallel_for(parallel, (uint64_t)(c->batch * c->groups * parts), 1, transposed_pieces, task);
    if (atomic_load(&task->failed))
        return status_no_memory("a transposed convolution");
    return STATUS_OK;
}

status convolution_transposed_f32(const struct convolution *convolution, const float *source,
                                  const float *weights, const float *bias, float *result,
                                  struct parallel *parallel)
{
    struct transposed task = {.convolution = convolution,
                              .element = ELEMENT_F32,
                              .source = (const char *)source,
                              .weights = (const char *)weights,
                              .bias = (const char *)bias,
                              .result = (char *)result};
    return run_transposed(&task, parallel);
}

status convolution_transposed_f64(const struct convolution *convolution, const double *source,
                                  const double *weights, const double *bias, double *result,
                                  struct parallel *parallel)
{
    struct transposed task = {.convolution = convolution,
                              .element = ELEMENT_F64,
                              .source = (const char *)source,
                              .weights = (const char *)weights,
                              .bias = (const char *)bias,
                              .result = (char *)result};
    return run_transposed(&task, parallel);
}
