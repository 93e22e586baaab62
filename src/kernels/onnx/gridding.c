#include "gridding.h"

#include <math.h>

#include "kernels/core/convert.h"
#include "network/onnx/lists.h"

enum { SPATIAL_MOST = SHAPE_RANK_MOST - 2, TAPS_MOST = 1 << SPATIAL_MOST, PIECE = 256 };

// GridSample ---------------------------------------------------------------------

enum sampling { SAMPLE_NEAREST, SAMPLE_LINEAR, SAMPLE_CUBIC };
enum border { BORDER_ZEROS, BORDER_CLAMP, BORDER_REFLECT };

struct sampler {
    enum sampling sampling;
    enum border border;
    bool align;
    uint32_t spatial;
    int64_t lengths[SPATIAL_MOST]; // of the data, outermost first
    int64_t steps[SPATIAL_MOST];
    uint64_t channels;
    uint64_t plane;  // elements of a channel of the data
    uint64_t places; // of the grid, for each batch
    const double *grid;
    const void *source;
    void *target;
};

// The places around one point, and their weights.
struct taps {
    uint32_t count;
    int64_t offsets[TAPS_MOST];
    double weights[TAPS_MOST];
};

// From [-1, 1] to elements of a dimension. What is no number lies outside.
static double denormalize(const struct sampler *sampler, double x, int64_t length)
{
    const double at =
        sampler->align ? (x + 1) / 2 * (double)(length - 1) : ((x + 1) * (double)length - 1) / 2;
    const double far = 0x1p50;
    return at > -far ? at < far ? at : far : -far;
}

// Mirrors a place at the ends of a dimension, as often as it takes.
static double reflect(const struct sampler *sampler, double at, int64_t length)
{
    const double low = sampler->align ? 0 : -0.5;
    const double high = sampler->align ? (double)(length - 1) : (double)length - 0.5;
    const double range = high - low;
    if (range <= 0)
        return 0;
    const double distance = fabs(at - low);
    const double flips = floor(distance / range), rest = distance - flips * range;
    return fmod(flips, 2) == 0 ? low + rest : high - rest;
}

static double gridding_clamp(double at, int64_t length)
{
    return fmax(0, fmin(at, (double)(length - 1)));
}

// The element that place `at` along a dimension means, or -1 for a zero.
static int64_t gridding_resolve(const struct sampler *sampler, double at, int64_t length)
{
    if (sampler->border == BORDER_REFLECT)
        at = reflect(sampler, at, length);
    if (sampler->border == BORDER_ZEROS)
        return at >= 0 && at <= (double)(length - 1) ? (int64_t)at : -1;
    return (int64_t)gridding_clamp(at, length);
}

static double cubic_weight(double distance)
{
    const double x = fabs(distance), a = -0.75;
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Taps along one dimension: `places` and `weights` have room for 4.
static uint32_t axis_taps(const struct sampler *sampler, double at, int64_t length, int64_t *places,
                          double *weights)
{
    if (sampler->sampling == SAMPLE_NEAREST) { // rounded first, then mirrored
        places[0] = gridding_resolve(sampler, rint(at), length);
        weights[0] = 1;
        return 1;
    }
    if (sampler->sampling == SAMPLE_LINEAR && sampler->border == BORDER_CLAMP)
        at = gridding_clamp(at, length);
    if (sampler->sampling == SAMPLE_LINEAR && sampler->border == BORDER_REFLECT)
        at = reflect(sampler, at, length);
    const double base = floor(at);
    const uint32_t count = sampler->sampling == SAMPLE_LINEAR ? 2 : 4;
    for (uint32_t k = 0; k < count; k++) {
        const double place = base + (double)k - (count == 4 ? 1 : 0);
        places[k] = gridding_resolve(sampler, place, length);
        weights[k] = count == 2 ? 1 - fabs(at - place) : cubic_weight(at - place);
    }
    return count;
}

// All combinations of the taps of the dimensions, but for zeros.
static void gridding_find_taps(const struct sampler *sampler, const double *point,
                               struct taps *taps)
{
    taps->count = 1;
    taps->offsets[0] = 0;
    taps->weights[0] = 1;
    for (uint32_t d = 0; d < sampler->spatial; d++) {
        int64_t places[4];
        double weights[4];
        const double at =
            denormalize(sampler, point[sampler->spatial - 1 - d], sampler->lengths[d]);
        const uint32_t count = axis_taps(sampler, at, sampler->lengths[d], places, weights);
        struct taps next;
        next.count = 0;
        for (uint32_t i = 0; i < taps->count; i++) {
            for (uint32_t k = 0; k < count; k++) {
                if (places[k] < 0)
                    continue;
                next.offsets[next.count] = taps->offsets[i] + places[k] * sampler->steps[d];
                next.weights[next.count++] = taps->weights[i] * weights[k];
            }
        }
        taps->count = next.count;
        memcpy(taps->offsets, next.offsets, next.count * sizeof *next.offsets);
        memcpy(taps->weights, next.weights, next.count * sizeof *next.weights);
    }
}

#define SAMPLE_CHANNELS(type)                                                                      \
    do {                                                                                           \
        for (uint64_t c = 0; c < s->channels; c++) {                                               \
            const type *data = (const type *)s->source + (batch * s->channels + c) * s->plane;     \
            type sum = 0;                                                                          \
            for (uint32_t k = 0; k < taps.count; k++)                                              \
                sum += (type)taps.weights[k] * data[taps.offsets[k]];                              \
            ((type *)s->target)[(batch * s->channels + c) * s->places + place] = sum;              \
        }                                                                                          \
    } while (0)

static void sample_points(void *context, uint64_t from, uint64_t to, bool single)
{
    const struct sampler *s = context;
    struct taps taps;
    for (uint64_t i = from; i < to; i++) {
        const uint64_t batch = i / s->places, place = i % s->places;
        gridding_find_taps(s, s->grid + i * s->spatial, &taps);
        if (single)
            SAMPLE_CHANNELS(float);
        else
            SAMPLE_CHANNELS(double);
    }
}

static void sample_f32(void *context, uint64_t from, uint64_t to)
{
    sample_points(context, from, to, true);
}

static void sample_f64(void *context, uint64_t from, uint64_t to)
{
    sample_points(context, from, to, false);
}

// The tensor in another element; itself, without owning it, where it has it already.
static status as_element(const struct tensor *tensor, enum element element,
                         struct datum **out_datum)
{
    if (tensor->element == element) {
        *out_datum = datum_over(tensor);
        return STATUS_OK;
    }
    STATUS_TRY(datum_tensor(element, &tensor->shape, out_datum));
    convert_row(tensor->element, tensor->data, element, (*out_datum)->tensor.data,
                tensor_count(tensor), false);
    return STATUS_OK;
}

static struct sampler make_sampler(const struct kernel_call *call, const struct tensor *output)
{
    const struct shape *shape = &call->inputs[0]->shape;
    const struct view mode = attribute_text(call->attributes, "mode", "linear");
    const struct view padding = attribute_text(call->attributes, "padding_mode", "zeros");
    struct sampler sampler = {
        .sampling = view_is(mode, "nearest")        ? SAMPLE_NEAREST
                    : view_ends_with(mode, "cubic") ? SAMPLE_CUBIC
                                                    : SAMPLE_LINEAR,
        .border = view_is(padding, "zeros")    ? BORDER_ZEROS
                  : view_is(padding, "border") ? BORDER_CLAMP
                                               : BORDER_REFLECT,
        .align = attribute_integer(call->attributes, "align_corners", 0) != 0,
        .spatial = shape->rank - 2,
        .channels = (uint64_t)shape->dims[1],
        .plane = shape_count_between(shape, 2, shape->rank),
        .places = shape_count_between(&output->shape, 2, output->shape.rank),
    };
    int64_t step = 1;
    for (uint32_t d = sampler.spatial; d-- > 0;) {
        sampler.lengths[d] = shape->dims[d + 2];
        sampler.steps[d] = step;
        step *= shape->dims[d + 2];
    }
    return sampler;
}

status gridding_sample(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL || tensor_count(output) == 0)
        return STATUS_OK;
    struct sampler sampler = make_sampler(call, output);
    const bool single = element_size(output->element) < 4 || output->element == ELEMENT_F32;
    const enum element working = single ? ELEMENT_F32 : ELEMENT_F64;
    struct datum *source = NULL, *grid = NULL, *target = NULL;
    status failure = as_element(call->inputs[0], working, &source);
    if (failure == STATUS_OK)
        failure = as_element(call->inputs[1], ELEMENT_F64, &grid);
    if (failure == STATUS_OK && output->element != working)
        failure = datum_tensor(working, &output->shape, &target);
    if (failure == STATUS_OK) {
        sampler.source = source->tensor.data;
        sampler.grid = grid->tensor.data;
        sampler.target = target != NULL ? target->tensor.data : output->data;
        parallel_for(call->parallel, (uint64_t)output->shape.dims[0] * sampler.places, PIECE,
                     single ? sample_f32 : sample_f64, &sampler);
        if (target != NULL)
            convert_row(working, sampler.target, output->element, output->data,
                        tensor_count(output), true);
    }
    datum_release(source);
    datum_release(grid);
    datum_release(target);
    return failure;
}

// AffineGrid ---------------------------------------------------------------------

// Coordinate of place `i` of `length` between -1 and 1.
static double base_coordinate(uint64_t i, int64_t length, bool align)
{
    if (align)
        return length > 1 ? -1 + 2 * (double)i / (double)(length - 1) : 0;
    return (2 * (double)i + 1) / (double)length - 1;
}

struct affine {
    const double *theta;
    double *target;
    struct shape shape; // of the grid
    bool align;
};

static void affine_points(void *context, uint64_t from, uint64_t to)
{
    const struct affine *a = context;
    const uint32_t spatial = a->shape.rank - 2;
    for (uint64_t point = from; point < to; point++) {
        double coordinates[SPATIAL_MOST + 1]; // innermost dimension first
        uint64_t rest = point;
        for (uint32_t d = 0; d < spatial; d++) {
            const int64_t length = a->shape.dims[spatial - d];
            coordinates[d] = base_coordinate(rest % (uint64_t)length, length, a->align);
            rest /= (uint64_t)length;
        }
        coordinates[spatial] = 1;
        const double *theta = a->theta + rest * spatial * (spatial + 1);
        for (uint32_t row = 0; row < spatial; row++) {
            double sum = 0;
            for (uint32_t k = 0; k <= spatial; k++)
                sum += theta[row * (spatial + 1) + k] * coordinates[k];
            a->target[point * spatial + row] = sum;
        }
    }
}

status gridding_affine(struct kernel_call *call)
{
    struct tensor *output = kernel_output(call, 0);
    if (output == NULL || tensor_count(output) == 0)
        return STATUS_OK;
    struct datum *theta = NULL, *target = NULL;
    status failure = as_element(call->inputs[0], ELEMENT_F64, &theta);
    if (failure == STATUS_OK)
        failure = datum_tensor(ELEMENT_F64, &output->shape, &target);
    if (failure == STATUS_OK) {
        struct affine affine = {theta->tensor.data, target->tensor.data, output->shape,
                                attribute_integer(call->attributes, "align_corners", 0) != 0};
        parallel_for(call->parallel, tensor_count(output) / (output->shape.rank - 2), PIECE * 16,
                     affine_points, &affine);
        convert_row(ELEMENT_F64, affine.target, output->element, output->data, tensor_count(output),
                    false);
    }
    datum_release(theta);
    datum_release(target);
    return failure;
}
