#include "resize_taps.h"

#include <math.h>

// `x` of the output in units of the input. Scales are of single precision: so is
// the result where it is rounded to an element, lest 1.5 / 0.6 be less than 2.5.
static double unscaled(const struct resize *resize, const struct resize_axis *axis, double x)
{
    const double quotient = x * axis->from / axis->to;
    const bool by_scale = axis->from == 1;
    return by_scale && resize->mode == RESIZE_NEAREST ? (double)(float)quotient : quotient;
}

// Where place `x` of the output lies in the input.
static double original(const struct resize *resize, const struct resize_axis *axis, int64_t place,
                       int64_t length, int64_t count)
{
    const double x = (double)place, last = (double)(length - 1);
    const double middle = unscaled(resize, axis, x + 0.5);
    switch (resize->coordinates) {
    case RESIZE_HALF_PIXEL:
        return middle - 0.5;
    case RESIZE_HALF_PIXEL_SYMMETRIC:
        return (double)length / 2 * (1 - (double)count / axis->length) +
               (x + 0.5) * axis->from / axis->to - 0.5;
    case RESIZE_PYTORCH_HALF_PIXEL:
        return count > 1 ? middle - 0.5 : 0;
    case RESIZE_ALIGN_CORNERS:
        return axis->length > 1 ? x * last / (axis->length - 1) : 0;
    case RESIZE_ASYMMETRIC:
        return unscaled(resize, axis, x);
    case RESIZE_TF_HALF_PIXEL_FOR_NN:
        return middle;
    case RESIZE_TF_CROP_AND_RESIZE:
        return count > 1
                   ? axis->start * last + x * (axis->end - axis->start) * last / (double)(count - 1)
                   : (axis->start + axis->end) * last / 2;
    }
    return x;
}

static int64_t resize_taps_clamp(double at, int64_t length)
{
    return at >= 0 ? at < (double)length ? (int64_t)at : length - 1 : 0;
}

static int64_t resize_taps_nearest(const struct resize *resize, double x, int64_t length)
{
    switch (resize->nearest) {
    case RESIZE_ROUND_PREFER_FLOOR:
        return resize_taps_clamp(ceil(x - 0.5), length);
    case RESIZE_ROUND_PREFER_CEIL:
        return resize_taps_clamp(floor(x + 0.5), length);
    case RESIZE_FLOOR:
        return resize_taps_clamp(floor(x), length);
    case RESIZE_CEIL:
        return resize_taps_clamp(ceil(x), length);
    }
    return 0;
}

// The weight of an element at a distance, in elements of the kernel.
static double kernel_weight(const struct resize *resize, double distance)
{
    const double x = fabs(distance), a = resize->cubic;
    if (resize->mode == RESIZE_LINEAR)
        return x < 1 ? 1 - x : 0;
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// How much the kernel is stretched when it must cover several elements.
static double stretch(const struct resize *resize, const struct resize_axis *axis)
{
    return resize->antialias && axis->scale < 1 ? axis->scale : 1;
}

static int64_t taps_width(const struct resize *resize, const struct resize_axis *axis)
{
    if (resize->mode == RESIZE_NEAREST)
        return 1;
    const double reach = resize->mode == RESIZE_LINEAR ? 1 : 2;
    return (int64_t)fmin(ceil(reach / stretch(resize, axis)), 0x1p50) * 2;
}

static void fill_taps(const struct resize *resize, const struct resize_axis *axis, double x,
                      int64_t length, int64_t width, int64_t *indices, double *weights)
{
    const double base = floor(x), scale = stretch(resize, axis);
    const double first = base - (double)(width / 2 - 1);
    double sum = 0;
    for (int64_t k = 0; k < width; k++) {
        const double at = first + (double)k;
        const bool inside = at >= 0 && at < (double)length;
        indices[k] = resize_taps_clamp(at, length);
        weights[k] =
            inside || !resize->exclude_outside ? kernel_weight(resize, (at - x) * scale) : 0;
        sum += weights[k];
    }
    if (!resize->exclude_outside && scale == 1)
        return; // they come to 1
    for (int64_t k = 0; sum != 0 && k < width; k++)
        weights[k] /= sum;
}

static bool is_identity(const struct resize_taps *taps, int64_t length)
{
    if (taps->count != length || taps->outside)
        return false;
    for (int64_t i = 0; i < taps->count; i++) {
        double own = 0;
        for (int64_t k = 0; k < taps->width; k++) {
            const bool here = taps->indices[i * taps->width + k] == i;
            const double weight = taps->weights != NULL ? taps->weights[i * taps->width + k] : 1;
            if (!here && weight != 0)
                return false;
            own += here ? weight : 0;
        }
        if (own != 1)
            return false;
    }
    return true;
}

status resize_taps_make(const struct resize *resize, uint32_t axis_index, int64_t length,
                        int64_t count, struct resize_taps *out_taps)
{
    const struct resize_axis *axis = &resize->axes[axis_index];
    *out_taps = (struct resize_taps){.count = count, .width = taps_width(resize, axis)};
    const struct shape shape = {2, {count, out_taps->width}};
    STATUS_TRY(datum_tensor(ELEMENT_I64, &shape, &out_taps->memory[0]));
    int64_t *indices = out_taps->memory[0]->tensor.data;
    double *weights = NULL;
    if (resize->mode != RESIZE_NEAREST) {
        STATUS_TRY(datum_tensor(ELEMENT_F64, &shape, &out_taps->memory[1]));
        weights = out_taps->memory[1]->tensor.data;
    }
    out_taps->indices = indices;
    out_taps->weights = weights;
    for (int64_t i = 0; i < count; i++) {
        const double x = original(resize, axis, i, length, count);
        if (weights == NULL)
            indices[i] = resize_taps_nearest(resize, x, length);
        else
            fill_taps(resize, axis, x, length, out_taps->width, indices + i * out_taps->width,
                      weights + i * out_taps->width);
        if (resize->coordinates == RESIZE_TF_CROP_AND_RESIZE &&
            !(x >= 0 && x <= (double)(length - 1))) {
            indices[i * out_taps->width] = RESIZE_OUTSIDE;
            out_taps->outside = true;
        }
    }
    out_taps->identity = is_identity(out_taps, length);
    return STATUS_OK;
}

void resize_taps_free(struct resize_taps *taps)
{
    datum_release(taps->memory[0]);
    datum_release(taps->memory[1]);
    *taps = (struct resize_taps){0};
}
