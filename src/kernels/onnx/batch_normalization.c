#include "batch_normalization.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/core/convert.h"
#include "kernels/core/normalize.h"
#include "network/onnx/normalization.h"
#include "reals.h"

// Of every channel: scale, bias, mean, variance as they are given, and the mean and
// variance that are used. A channel is an element of its own when not `spatial`.
struct batch {
    struct reals reals;
    uint64_t items;
    uint64_t channels;
    uint64_t area;
    double epsilon;
    double *parameters[4]; // scale, bias, mean, variance
    double *mean;
    double *variance;
};

static const void *plane_at(const struct batch *batch, uint64_t plane)
{
    return (const char *)batch->reals.x + plane * batch->area * element_size(batch->reals.element);
}

// The statistics of the batch itself.
static void measure_channels(void *context, uint64_t from, uint64_t to)
{
    struct batch *batch = context;
    const double count = (double)(batch->items * batch->area);
    for (uint64_t channel = from; channel < to; channel++) {
        double sum = 0;
        for (uint64_t item = 0; item < batch->items; item++)
            sum += normalize_sum(batch->reals.element,
                                 plane_at(batch, item * batch->channels + channel), batch->area);
        const double mean = sum / count;
        double squares = 0;
        for (uint64_t item = 0; item < batch->items; item++)
            squares += normalize_squares(batch->reals.element,
                                         plane_at(batch, item * batch->channels + channel),
                                         batch->area, mean);
        batch->mean[channel] = mean;
        batch->variance[channel] = squares / count;
    }
}

#define DEFINE_PLANES(scale_plane, scale_planes, type)                                             \
    static void scale_plane(const type *restrict x, type *restrict y, uint64_t count, type mean,   \
                            type factor, type bias)                                                \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++)                                                       \
            y[i] = (x[i] - mean) * factor + bias;                                                  \
    }                                                                                              \
                                                                                                   \
    static void scale_planes(void *context, uint64_t from, uint64_t to)                            \
    {                                                                                              \
        const struct batch *batch = context;                                                       \
        for (uint64_t plane = from; plane < to; plane++) {                                         \
            const uint64_t channel = plane % batch->channels;                                      \
            const double factor =                                                                  \
                batch->parameters[0][channel] / sqrt(batch->variance[channel] + batch->epsilon);   \
            scale_plane((const type *)batch->reals.x + plane * batch->area,                        \
                        (type *)batch->reals.y + plane * batch->area, batch->area,                 \
                        (type)batch->mean[channel], (type)factor,                                  \
                        (type)batch->parameters[1][channel]);                                      \
        }                                                                                          \
    }

DEFINE_PLANES(scale_plane_f32, scale_planes_f32, float)
DEFINE_PLANES(scale_plane_f64, scale_planes_f64, double)

static void store(struct kernel_call *call, uint32_t index, const double *numbers)
{
    struct tensor *out = kernel_output(call, index);
    if (out != NULL)
        convert_row(ELEMENT_F64, numbers, out->element, out->data, tensor_count(out), false);
}

// The running statistics, and (before opset 14) those of the batch.
static void batch_normalization_store_statistics(struct kernel_call *call, struct batch *batch)
{
    const double momentum = attribute_real(call->attributes, "momentum", 0.9);
    for (uint64_t i = 0; i < batch->channels; i++) {
        batch->parameters[2][i] =
            batch->parameters[2][i] * momentum + batch->mean[i] * (1 - momentum);
        batch->parameters[3][i] =
            batch->parameters[3][i] * momentum + batch->variance[i] * (1 - momentum);
    }
    store(call, 1, batch->parameters[2]);
    store(call, 2, batch->parameters[3]);
    store(call, 3, batch->mean);
    store(call, 4, batch->variance);
}

static status open_batch(struct kernel_call *call, struct batch *batch, bool trains)
{
    const struct shape *x = &call->inputs[0]->shape;
    const bool spatial = attribute_integer(call->attributes, "spatial", 1) != 0;
    batch->items = (uint64_t)x->dims[0];
    batch->channels = tensor_count(call->inputs[1]);
    batch->area = spatial && x->rank > 2 ? shape_count_between(x, 2, x->rank) : 1;
    batch->epsilon = attribute_real(call->attributes, "epsilon", 1e-5);
    STATUS_TRY(reals_open(call, call->inputs[0], kernel_output(call, 0), &batch->reals));
    for (uint32_t i = 0; i < 4; i++) {
        void *copy;
        STATUS_TRY(reals_copy(call->inputs[1 + i], ELEMENT_F64, &copy));
        batch->parameters[i] = copy;
    }
    batch->mean = batch->parameters[2];
    batch->variance = batch->parameters[3];
    if (!trains)
        return STATUS_OK;
    batch->mean = calloc(2 * batch->channels + 1, sizeof *batch->mean);
    if (batch->mean == NULL)
        return status_no_memory("the statistics of a normalization");
    batch->variance = batch->mean + batch->channels;
    return STATUS_OK;
}

status batch_normalization_run(struct kernel_call *call)
{
    const bool trains = normalization_trains(call->version, call->attributes, call->output_count);
    struct batch batch = {0};
    const status failure = open_batch(call, &batch, trains);
    if (failure == STATUS_OK) {
        if (trains) {
            if (tensor_count(call->inputs[0]) > 0)
                parallel_for(call->parallel, batch.channels, 1, measure_channels, &batch);
            batch_normalization_store_statistics(call, &batch);
        }
        if (batch.reals.y != NULL && batch.area > 0)
            parallel_for(
                call->parallel, batch.items * batch.channels, 1 + (UINT64_C(1) << 14) / batch.area,
                batch.reals.element == ELEMENT_F64 ? scale_planes_f64 : scale_planes_f32, &batch);
        reals_finish(&batch.reals, call->parallel);
    }
    reals_close(&batch.reals);
    if (trains)
        free(batch.mean);
    for (uint32_t i = 0; i < 4; i++)
        free(batch.parameters[i]);
    return failure;
}
