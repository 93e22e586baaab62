#include "deform_convolution.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/core/matrix.h"
#include "kernels/core/widened.h"
#include "network/onnx/window.h"

enum { INPUT_X, INPUT_W, INPUT_OFFSETS, INPUT_BIAS, INPUT_MASK, INPUTS };

// Samples of one item of the batch are a matrix, (channels x taps) by positions,
// that the weights are multiplied with, group by group. All tensors are of one
// element, f32 or f64.
struct deform {
    struct window window;
    enum element element;
    int64_t batch;
    int64_t channels;
    int64_t filters;
    int64_t groups;
    int64_t offset_groups;
    int64_t taps;
    int64_t positions;
    const void *inputs[INPUTS]; // NULL where left out
    void *result;
    int64_t item; // of the batch, at hand
    void *samples;
};

#define DEFINE_DEFORM(pixel, sample, sample_rows, add_bias, type)                                  \
    static type pixel(const struct deform *deform, const type *plane, int64_t row, int64_t column) \
    {                                                                                              \
        const int64_t *input = deform->window.input;                                               \
        if (row < 0 || row >= input[0] || column < 0 || column >= input[1])                        \
            return 0;                                                                              \
        return plane[row * input[1] + column];                                                     \
    }                                                                                              \
                                                                                                   \
    /* Bilinear; what lies outside is 0. */                                                        \
    static type sample(const struct deform *deform, const type *plane, double row, double column)  \
    {                                                                                              \
        const int64_t *input = deform->window.input;                                               \
        if (!(row > -1 && row < (double)input[0] && column > -1 && column < (double)input[1]))     \
            return 0;                                                                              \
        const int64_t top = (int64_t)floor(row);                                                   \
        const int64_t left = (int64_t)floor(column);                                               \
        const type down = (type)(row - (double)top);                                               \
        const type right = (type)(column - (double)left);                                          \
        const type above = pixel(deform, plane, top, left) * (1 - right) +                         \
                           pixel(deform, plane, top, left + 1) * right;                            \
        const type below = pixel(deform, plane, top + 1, left) * (1 - right) +                     \
                           pixel(deform, plane, top + 1, left + 1) * right;                        \
        return above * (1 - down) + below * down;                                                  \
    }                                                                                              \
                                                                                                   \
    /* Rows of the matrix: one channel under one tap each. */                                      \
    static void sample_rows(void *context, uint64_t from, uint64_t to)                             \
    {                                                                                              \
        const struct deform *deform = context;                                                     \
        const struct window *window = &deform->window;                                             \
        const int64_t positions = deform->positions;                                               \
        const int64_t places = deform->offset_groups * deform->taps;                               \
        const type *mask = deform->inputs[INPUT_MASK];                                             \
        for (int64_t i = (int64_t)from; i < (int64_t)to; i++) {                                    \
            const int64_t channel = i / deform->taps;                                              \
            const int64_t tap = i % deform->taps;                                                  \
            const int64_t group = channel / (deform->channels / deform->offset_groups);            \
            const int64_t place = deform->item * places + group * deform->taps + tap;              \
            const type *plane =                                                                    \
                (const type *)deform->inputs[INPUT_X] +                                            \
                (deform->item * deform->channels + channel) * window->input[0] * window->input[1]; \
            const type *down =                                                                     \
                (const type *)deform->inputs[INPUT_OFFSETS] + 2 * place * positions;               \
            const type *right = down + positions;                                                  \
            const int64_t tap_row = tap / window->kernel[1] * window->dilation[0];                 \
            const int64_t tap_column = tap % window->kernel[1] * window->dilation[1];              \
            type *out = (type *)deform->samples + i * positions;                                   \
            for (int64_t p = 0; p < positions; p++) {                                              \
                const int64_t row =                                                                \
                    p / window->output[1] * window->stride[0] + tap_row - window->pad[0];          \
                const int64_t column =                                                             \
                    p % window->output[1] * window->stride[1] + tap_column - window->pad[1];       \
                out[p] = sample(deform, plane, (double)row + (double)down[p],                      \
                                (double)column + (double)right[p]);                                \
                if (mask != NULL)                                                                  \
                    out[p] *= mask[place * positions + p];                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void add_bias(const struct deform *deform)                                              \
    {                                                                                              \
        const type *bias = deform->inputs[INPUT_BIAS];                                             \
        for (int64_t i = 0; bias != NULL && i < deform->filters; i++) {                            \
            type *out =                                                                            \
                (type *)deform->result + (deform->item * deform->filters + i) * deform->positions; \
            for (int64_t p = 0; p < deform->positions; p++)                                        \
                out[p] += bias[i];                                                                 \
        }                                                                                          \
    }

DEFINE_DEFORM(pixel_f32, sample_f32, sample_rows_f32, add_bias_f32, float)
DEFINE_DEFORM(pixel_f64, sample_f64, sample_rows_f64, add_bias_f64, double)

static struct matrix_product deform_convolution_product_of(const struct deform *deform)
{
    const int64_t filters = deform->filters / deform->groups;
    const int64_t depth = deform->channels / deform->groups * deform->taps;
    struct matrix_product product =
        matrix_product_dense((uint64_t)filters, (uint64_t)deform->positions, (uint64_t)depth);
    product.batch_rank = 1;
    product.batch[0] = (uint64_t)deform->groups;
    product.a_batch[0] = (uint64_t)(filters * depth);
    product.b_batch[0] = (uint64_t)(depth * deform->positions);
    product.c_batch[0] = (uint64_t)(filters * deform->positions);
    return product;
}

static status deform_convolution_compute(struct deform *deform, struct parallel *parallel)
{
    const bool wide = deform->element == ELEMENT_F64;
    const size_t size = element_size(deform->element);
    uint64_t count;
    STATUS_TRY(shape_elements(
        &(struct shape){3, {deform->channels, deform->taps, deform->positions}}, &count));
    deform->samples = malloc((count + 1) * size);
    if (deform->samples == NULL)
        return status_no_memory("the samples of a convolution");
    const struct matrix_product product = deform_convolution_product_of(deform);
    for (deform->item = 0; deform->item < deform->batch; deform->item++) {
        const int64_t place = deform->item * deform->filters * deform->positions;
        parallel_for(parallel, (uint64_t)(deform->channels * deform->taps), 1,
                     wide ? sample_rows_f64 : sample_rows_f32, deform);
        matrix_multiply(&product, deform->element, deform->inputs[INPUT_W], deform->samples,
                        (char *)deform->result + (size_t)place * size, parallel);
        if (wide)
            add_bias_f64(deform);
        else
            add_bias_f32(deform);
    }
    free(deform->samples);
    return STATUS_OK;
}

static status compute_widened(struct kernel_call *call, struct deform *deform, struct tensor *out)
{
    struct widened inputs[INPUTS] = {{0}};
    struct widened result = {0};
    status failure = widened_output(out, &result);
    deform->result = result.data;
    for (uint32_t i = 0; i < INPUTS && failure == STATUS_OK; i++) {
        failure = widened_input(kernel_input(call, i), call->parallel, &inputs[i]);
        deform->inputs[i] = inputs[i].data;
    }
    if (failure == STATUS_OK)
        failure = deform_convolution_compute(deform, call->parallel);
    if (failure == STATUS_OK)
        widened_finish(&result, call->parallel);
    for (uint32_t i = 0; i < INPUTS; i++)
        widened_free(&inputs[i]);
    widened_free(&result);
    return failure;
}

status deform_convolution_run(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    const struct shape *x = &call->inputs[INPUT_X]->shape;
    const struct shape *weights = &call->inputs[INPUT_W]->shape;
    struct deform deform = {
        .element = out->element == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32,
        .batch = x->dims[0],
        .channels = x->dims[1],
        .filters = weights->dims[0],
        .groups = attribute_integer(call->attributes, "group", 1),
        .offset_groups = attribute_integer(call->attributes, "offset_group", 1),
    };
    STATUS_TRY(window_resolve(call->attributes, x->rank - 2, x->dims + 2, weights->dims + 2,
                              &deform.window));
    deform.taps = deform.window.kernel[0] * deform.window.kernel[1];
    deform.positions = deform.window.output[0] * deform.window.output[1];
    if (deform.element != ELEMENT_F64)
        return compute_widened(call, &deform, out);
    for (uint32_t i = 0; i < INPUTS; i++) {
        const struct tensor *input = kernel_input(call, i);
        deform.inputs[i] = input != NULL ? input->data : NULL;
    }
    deform.result = out->data;
    return deform_convolution_compute(&deform, call->parallel);
}
