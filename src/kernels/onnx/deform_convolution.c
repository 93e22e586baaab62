#include "deform_convolution.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/core/matrix.h"
#include "kernels/core/widened.h"
#include "network/onnx/window.h"

// Samples of one item of the batch are a matrix, (channels x taps) by positions,
// that the weights are multiplied with, group by group.
struct deform {
    struct window window;
    int64_t channels;
    int64_t offset_groups;
    int64_t taps;
    int64_t positions;
    const float *x;
    const float *offsets;
    const float *mask; // may be NULL
    float *samples;
};

static float pixel(const struct deform *deform, const float *plane, int64_t row, int64_t column)
{
    const int64_t *input = deform->window.input;
    if (row < 0 || row >= input[0] || column < 0 || column >= input[1])
        return 0;
    return plane[row * input[1] + column];
}

// Bilinear; what lies outside is 0.
static float sample(const struct deform *deform, const float *plane, double row, double column)
{
    const int64_t *input = deform->window.input;
    if (!(row > -1 && row < (double)input[0] && column > -1 && column < (double)input[1]))
        return 0;
    const int64_t top = (int64_t)floor(row);
    const int64_t left = (int64_t)floor(column);
    const float down = (float)(row - (double)top);
    const float right = (float)(column - (double)left);
    const float above =
        pixel(deform, plane, top, left) * (1 - right) + pixel(deform, plane, top, left + 1) * right;
    const float below = pixel(deform, plane, top + 1, left) * (1 - right) +
                        pixel(deform, plane, top + 1, left + 1) * right;
    return above * (1 - down) + below * down;
}

// Rows of the matrix: one channel under one tap each.
static void sample_rows(void *context, uint64_t from, uint64_t to)
{
    const struct deform *deform = context;
    const struct window *window = &deform->window;
    for (int64_t i = (int64_t)from; i < (int64_t)to; i++) {
        const int64_t channel = i / deform->taps;
        const int64_t tap = i % deform->taps;
        const int64_t group = channel / (deform->channels / deform->offset_groups);
        const int64_t place = group * deform->taps + tap;
        const float *plane = deform->x + channel * window->input[0] * window->input[1];
        const float *down = deform->offsets + 2 * place * deform->positions;
        const float *right = down + deform->positions;
        const int64_t tap_row = tap / window->kernel[1] * window->dilation[0] - window->pad[0];
        const int64_t tap_column = tap % window->kernel[1] * window->dilation[1] - window->pad[1];
        float *out = deform->samples + i * deform->positions;
        for (int64_t p = 0; p < deform->positions; p++) {
            const int64_t row = p / window->output[1] * window->stride[0] + tap_row;
            const int64_t column = p % window->output[1] * window->stride[1] + tap_column;
            out[p] = sample(deform, plane, (double)row + (double)down[p],
                            (double)column + (double)right[p]);
            if (deform->mask != NULL)
                out[p] *= deform->mask[place * deform->positions + p];
        }
    }
}

static void add_bias(float *out, const float *bias, int64_t channels, int64_t positions)
{
    for (int64_t channel = 0; bias != NULL && channel < channels; channel++) {
        for (int64_t p = 0; p < positions; p++)
            out[channel * positions + p] += bias[channel];
    }
}

// All tensors in f32: x, weights, offsets, bias, mask.
static status compute(struct kernel_call *call, struct deform *deform,
                      const struct widened operands[5], float *y)
{
    const struct shape *weights = &call->inputs[1]->shape;
    const int64_t groups = attribute_integer(call->attributes, "group", 1);
    const int64_t filters = weights->dims[0];
    const int64_t depth = deform->channels / groups * deform->taps;
    uint64_t count;
    STATUS_TRY(shape_elements(
        &(struct shape){3, {deform->channels, deform->taps, deform->positions}}, &count));
    deform->samples = malloc((count + 1) * sizeof *deform->samples);
    if (deform->samples == NULL)
        return status_make(STATUS_LIMIT, "no memory for the samples of a convolution");
    struct matrix_product product = matrix_product_dense(
        (uint64_t)(filters / groups), (uint64_t)deform->positions, (uint64_t)depth);
    product.batch_rank = 1;
    product.batch[0] = (uint64_t)groups;
    product.a_batch[0] = (uint64_t)(filters / groups * depth);
    product.b_batch[0] = (uint64_t)(depth * deform->positions);
    product.c_batch[0] = (uint64_t)(filters / groups * deform->positions);
    const int64_t places = deform->offset_groups * deform->taps * deform->positions;
    for (int64_t n = 0; n < call->inputs[0]->shape.dims[0]; n++) {
        deform->x = operands[0].data +
                    n * deform->channels * deform->window.input[0] * deform->window.input[1];
        deform->offsets = operands[2].data + n * 2 * places;
        deform->mask = operands[4].data != NULL ? operands[4].data + n * places : NULL;
        float *out = y + n * filters * deform->positions;
        parallel_for(call->parallel, (uint64_t)(deform->channels * deform->taps), 1, sample_rows,
                     deform);
        matrix_multiply(&product, ELEMENT_F32, operands[1].data, deform->samples, out,
                        call->parallel);
        add_bias(out, operands[3].data, filters, deform->positions);
    }
    free(deform->samples);
    return STATUS_OK;
}

status deform_convolution_run(struct kernel_call *call)
{
    struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    if (out->element == ELEMENT_F64)
        return status_make(STATUS_UNSUPPORTED, "a deformable convolution in f64");
    const struct shape *x = &call->inputs[0]->shape;
    struct deform deform = {
        .channels = x->dims[1],
        .offset_groups = attribute_integer(call->attributes, "offset_group", 1),
    };
    STATUS_TRY(window_resolve(call->attributes, x->rank - 2, x->dims + 2,
                              call->inputs[1]->shape.dims + 2, &deform.window));
    deform.taps = deform.window.kernel[0] * deform.window.kernel[1];
    deform.positions = deform.window.output[0] * deform.window.output[1];
    struct widened operands[5] = {{0}};
    struct widened y = {0};
    status failure = widened_output(out, &y);
    for (uint32_t i = 0; i < 5 && failure == STATUS_OK; i++)
        failure = widened_input(kernel_input(call, i), call->parallel, &operands[i]);
    if (failure == STATUS_OK)
        failure = compute(call, &deform, operands, y.data);
    if (failure == STATUS_OK)
        widened_finish(&y, call->parallel);
    for (uint32_t i = 0; i < 5; i++)
        widened_free(&operands[i]);
    widened_free(&y);
    return failure;
}
