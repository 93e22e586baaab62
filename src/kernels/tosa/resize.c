// Images of another size: NHWC, scaled by a fraction for each direction.

#include <string.h>

#include "kernels/core/convert.h"
#include "kernels/kernel_tables.h"
#include "narrow.h"
#include "tosa.h"

// Where an output row (column) lies between two of the input, in units of
// 1 / `unit` from the first one.
struct resize_source {
    uint64_t first;
    uint64_t second;
    int64_t fraction;
};

struct resize {
    const struct tensor *in;
    const struct tensor *out;
    int64_t scale[4]; // numerator and denominator of y and x
    int64_t offset[2];
    bool bilinear;
};

static int64_t tosa_resize_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static uint64_t tosa_resize_clamp(int64_t value, int64_t length)
{
    return (uint64_t)(value < 0 ? 0 : value >= length ? length - 1 : value);
}

// `axis` is 0 for y, 1 for x.
static struct resize_source tosa_resize_place_of(const struct resize *resize, uint32_t axis,
                                                 uint64_t index)
{
    const int64_t unit = resize->scale[2 * axis];
    const int64_t length = resize->in->shape.dims[1 + axis];
    const int64_t at = (int64_t)index * resize->scale[2 * axis + 1] + resize->offset[axis];
    const int64_t whole = tosa_resize_floor_divide(at, unit);
    return (struct resize_source){tosa_resize_clamp(whole, length),
                                  tosa_resize_clamp(whole + 1, length), at - whole * unit};
}

// The pixel of the input at a row and a column of batch `batch`.
static const char *tosa_resize_pixel(const struct resize *resize, uint64_t batch, uint64_t y,
                                     uint64_t x)
{
    const struct shape *shape = &resize->in->shape;
    const uint64_t index = (batch * (uint64_t)shape->dims[1] + y) * (uint64_t)shape->dims[2] + x;
    return (const char *)resize->in->data +
           index * (uint64_t)shape->dims[3] * element_size(resize->in->element);
}

static void tosa_resize_nearest(const struct resize *resize, uint64_t batch, struct resize_source y,
                                struct resize_source x, char *out)
{
    const uint64_t row = 2 * y.fraction >= resize->scale[0] ? y.second : y.first;
    const uint64_t column = 2 * x.fraction >= resize->scale[2] ? x.second : x.first;
    memcpy(out, tosa_resize_pixel(resize, batch, row, column),
           (size_t)resize->in->shape.dims[3] * element_size(resize->in->element));
}

enum { CHUNK = 128 };

struct corners {
    const char *pixels[4]; // upper left, upper right, lower left, lower right
    int64_t weights[4];
    int64_t y_fraction;
    int64_t x_fraction;
};

static struct corners corners_of(const struct resize *resize, uint64_t batch,
                                 struct resize_source y, struct resize_source x)
{
    const int64_t y_unit = resize->scale[0];
    const int64_t x_unit = resize->scale[2];
    return (struct corners){
        {tosa_resize_pixel(resize, batch, y.first, x.first),
         tosa_resize_pixel(resize, batch, y.first, x.second),
         tosa_resize_pixel(resize, batch, y.second, x.first),
         tosa_resize_pixel(resize, batch, y.second, x.second)},
        {(y_unit - y.fraction) * (x_unit - x.fraction), (y_unit - y.fraction) * x.fraction,
         y.fraction * (x_unit - x.fraction), y.fraction * x.fraction},
        y.fraction,
        x.fraction,
    };
}

// Integers keep the factors of the scale.
static void blend_integers(const struct resize *resize, const struct corners *corners, uint64_t at,
                           uint64_t count, char *out)
{
    const size_t size = element_size(resize->in->element);
    uint64_t sums[CHUNK] = {0};
    for (uint32_t corner = 0; corner < 4; corner++) {
        int64_t values[CHUNK];
        convert_row(resize->in->element, corners->pixels[corner] + at * size, ELEMENT_I64, values,
                    count, false);
        const uint64_t weight = (uint64_t)corners->weights[corner];
        for (uint64_t i = 0; i < count; i++)
            sums[i] += (uint64_t)values[i] * weight;
    }
    convert_row(ELEMENT_I64, sums, resize->out->element,
                out + at * element_size(resize->out->element), count, false);
}

static void blend_reals(const struct resize *resize, const struct corners *corners, uint64_t at,
                        uint64_t count, char *out)
{
    const size_t size = element_size(resize->in->element);
    const double whole = (double)resize->scale[0] * (double)resize->scale[2];
    double sums[CHUNK] = {0};
    for (uint32_t corner = 0; corner < 4; corner++) {
        if (corners->weights[corner] == 0)
            continue; // else an infinite neighbour would make it NaN
        double values[CHUNK];
        convert_row(resize->in->element, corners->pixels[corner] + at * size, ELEMENT_F64, values,
                    count, false);
        const double weight = (double)corners->weights[corner] / whole;
        for (uint64_t i = 0; i < count; i++)
            sums[i] += values[i] * weight;
    }
    convert_row(ELEMENT_F64, sums, resize->out->element, out + at * size, count, false);
}

// f16 and bf16 are rounded at every step, first along x, then along y.

// a and b, `b_part` of the way from a to b, into a.
static void blend_pair(enum element element, float *a, float *b, float b_part, uint64_t count)
{
    float a_part = 1 - b_part;
    narrow_round(element, &a_part, 1);
    for (uint64_t i = 0; i < count; i++) {
        a[i] *= a_part;
        b[i] *= b_part;
    }
    narrow_round(element, a, count);
    narrow_round(element, b, count);
    for (uint64_t i = 0; i < count; i++)
        a[i] += b[i];
    narrow_round(element, a, count);
}

static float tosa_resize_part_of(enum element element, int64_t fraction, int64_t unit)
{
    float parts[2] = {(float)fraction, (float)unit};
    narrow_round(element, parts, 2);
    parts[0] /= parts[1];
    narrow_round(element, parts, 1);
    return parts[0];
}

static void blend_narrow(const struct resize *resize, const struct corners *corners, uint64_t at,
                         uint64_t count, char *out)
{
    const enum element element = resize->in->element;
    const size_t size = element_size(element);
    float values[4][CHUNK];
    for (uint32_t corner = 0; corner < 4; corner++)
        convert_to_f32(element, corners->pixels[corner] + at * size, values[corner], count);
    if (resize->in->shape.dims[2] > 1) {
        const float x_part = tosa_resize_part_of(element, corners->x_fraction, resize->scale[2]);
        blend_pair(element, values[0], values[1], x_part, count);
        blend_pair(element, values[2], values[3], x_part, count);
    }
    if (resize->in->shape.dims[1] > 1)
        blend_pair(element, values[0], values[2],
                   tosa_resize_part_of(element, corners->y_fraction, resize->scale[0]), count);
    convert_from_f32(element, values[0], out + at * size, count);
}

typedef void (*blend_function)(const struct resize *resize, const struct corners *corners,
                               uint64_t at, uint64_t count, char *out);

static blend_function blend_of(enum element element)
{
    if (element == ELEMENT_F16 || element == ELEMENT_BF16)
        return blend_narrow;
    return element_is_float(element) ? blend_reals : blend_integers;
}

static void bilinear(const struct resize *resize, uint64_t batch, struct resize_source y,
                     struct resize_source x, char *out)
{
    const struct corners corners = corners_of(resize, batch, y, x);
    const uint64_t channels = (uint64_t)resize->in->shape.dims[3];
    const blend_function blend = blend_of(resize->in->element);
    for (uint64_t at = 0; at < channels; at += CHUNK)
        blend(resize, &corners, at, channels - at < CHUNK ? channels - at : CHUNK, out);
}

// Rows of the output, of all batches.
static void resize_rows(void *context, uint64_t from, uint64_t to)
{
    const struct resize *resize = context;
    const struct shape *shape = &resize->out->shape;
    const uint64_t height = (uint64_t)shape->dims[1];
    const uint64_t width = (uint64_t)shape->dims[2];
    const uint64_t bytes = (uint64_t)shape->dims[3] * element_size(resize->out->element);
    for (uint64_t row = from; row < to; row++) {
        const struct resize_source y = tosa_resize_place_of(resize, 0, row % height);
        char *out = (char *)resize->out->data + row * width * bytes;
        for (uint64_t column = 0; column < width; column++, out += bytes) {
            const struct resize_source x = tosa_resize_place_of(resize, 1, column);
            if (resize->bilinear)
                bilinear(resize, row / height, y, x, out);
            else
                tosa_resize_nearest(resize, row / height, y, x, out);
        }
    }
}

static status tosa_resize_run_resize(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    struct resize resize = {
        .in = call->inputs[0],
        .out = out,
        .bilinear = view_is(attribute_text(call->attributes, "mode", ""), "BILINEAR"),
    };
    for (uint32_t i = 0; i < 4; i++)
        resize.scale[i] = tosa_integer(call->inputs[1], i);
    for (uint32_t i = 0; i < 2; i++)
        resize.offset[i] = tosa_integer(call->inputs[2], i);
    const uint64_t rows = (uint64_t)(out->shape.dims[0] * out->shape.dims[1]);
    const uint64_t row_elements = (uint64_t)(out->shape.dims[2] * out->shape.dims[3]);
    parallel_for(call->parallel, rows, 8192 / row_elements + 1, resize_rows, &resize);
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"tosa.resize", tosa_resize_run_resize},
};

const struct kernel_table TOSA_RESIZE_KERNELS = KERNEL_TABLE(ITEMS);
