// The largest and the mean of windows: NHWC, padding does not count.

#include <float.h>
#include <string.h>

#include "kernels/core/clones.h"
#include "kernels/core/sliding.h"
#include "kernels/core/widened.h"
#include "kernels/kernel_tables.h"
#include "narrow.h"
#include "network/tosa/convolution.h"
#include "scale.h"
#include "tosa.h"

struct pool;

// Computes one pixel from the taps of its window that lie within the input.
typedef void (*pool_pixel)(const struct pool *pool, const char *in, struct sliding_range rows,
                           struct sliding_range columns, char *out);

struct pool {
    const char *in;
    char *out;
    size_t in_size; // of an element
    size_t out_size;
    struct shape in_shape;
    struct shape out_shape;
    struct tosa_window window;
    pool_pixel pixel;
    int64_t in_zero;
    int64_t out_zero;
    int64_t lowest;
    int64_t highest;
    enum element sums; // of floats: the type that they are added up in
    double least;      // of floats: what is left where all taps are NaN and ignored
};

// The places of a window, which begins at place `index` of the output along
// `axis` (0 is y), that lie within the input.
static struct sliding_range tosa_pooling_window_range(const struct pool *pool, uint32_t axis,
                                                      uint64_t index)
{
    const int64_t start =
        (int64_t)index * pool->window.stride[1 + axis] - pool->window.before[1 + axis];
    const int64_t end = start + pool->window.kernel[1 + axis];
    const int64_t length = pool->in_shape.dims[1 + axis];
    return (struct sliding_range){start < 0 ? 0 : start, end > length ? length : end};
}

static void pool_rows(void *context, uint64_t from, uint64_t to)
{
    const struct pool *pool = context;
    const uint64_t height = (uint64_t)pool->out_shape.dims[1];
    const uint64_t width = (uint64_t)pool->out_shape.dims[2];
    const uint64_t channels = (uint64_t)pool->in_shape.dims[3];
    const uint64_t image = shape_count_between(&pool->in_shape, 1, 4) * pool->in_size;
    for (uint64_t row = from; row < to; row++) {
        const struct sliding_range y = tosa_pooling_window_range(pool, 0, row % height);
        for (uint64_t column = 0; column < width; column++) {
            const struct sliding_range x = tosa_pooling_window_range(pool, 1, column);
            pool->pixel(pool, pool->in + row / height * image, y, x,
                        pool->out + (row * width + column) * channels * pool->out_size);
        }
    }
}

static void run_pool(struct kernel_call *call, struct pool *pool)
{
    tosa_window_read(call->attributes, 2, &pool->window);
    const uint64_t rows = (uint64_t)(pool->out_shape.dims[0] * pool->out_shape.dims[1]);
    const uint64_t work = shape_count_between(&pool->out_shape, 2, 4) *
                          (uint64_t)pool->window.kernel[1] * (uint64_t)pool->window.kernel[2];
    parallel_for(call->parallel, rows, 32768 / (work + 1) + 1, pool_rows, pool);
}

static const char *tap(const struct pool *pool, const char *in, int64_t y, int64_t x)
{
    return in +
           (uint64_t)((y * pool->in_shape.dims[2] + x) * pool->in_shape.dims[3]) * pool->in_size;
}

// The largest -----------------------------------------------------------------

// `first` is what the taps are compared with at first.
#define MAX_PIXEL(name, add_tap, type, first, expression)                                          \
    CORE_CLONES(void, add_tap, (type * best, const type *values, int64_t channels),                \
                (best, values, channels))                                                          \
    {                                                                                              \
        for (int64_t i = 0; i < channels; i++) {                                                   \
            const type a = best[i];                                                                \
            const type b = values[i];                                                              \
            best[i] = (expression) ? a : b;                                                        \
        }                                                                                          \
    }                                                                                              \
    static void name(const struct pool *pool, const char *in, struct sliding_range rows,           \
                     struct sliding_range columns, char *out)                                      \
    {                                                                                              \
        const int64_t channels = pool->in_shape.dims[3];                                           \
        const type *start __attribute__((unused)) =                                                \
            (const type *)tap(pool, in, rows.from, columns.from);                                  \
        for (int64_t i = 0; i < channels; i++)                                                     \
            ((type *)out)[i] = (first);                                                            \
        for (int64_t y = rows.from; y < rows.to; y++) {                                            \
            for (int64_t x = columns.from; x < columns.to; x++)                                    \
                add_tap((type *)out, (const type *)tap(pool, in, y, x), channels);                 \
        }                                                                                          \
    }

MAX_PIXEL(max_i8, max_i8_tap, int8_t, start[i], a > b)
MAX_PIXEL(max_u8, max_u8_tap, uint8_t, start[i], a > b)
MAX_PIXEL(max_i16, max_i16_tap, int16_t, start[i], a > b)
MAX_PIXEL(max_u16, max_u16_tap, uint16_t, start[i], a > b)
MAX_PIXEL(max_i32, max_i32_tap, int32_t, start[i], a > b)
MAX_PIXEL(max_u32, max_u32_tap, uint32_t, start[i], a > b)
MAX_PIXEL(max_i64, max_i64_tap, int64_t, start[i], a > b)
MAX_PIXEL(max_f32, max_f32_tap, float, start[i], a > b || a != a)
MAX_PIXEL(max_f64, max_f64_tap, double, start[i], a > b || a != a)
MAX_PIXEL(max_number_f32, max_number_f32_tap, float, (float)pool->least, a > b || b != b)
MAX_PIXEL(max_number_f64, max_number_f64_tap, double, (double)pool->least, a > b || b != b)

// The lowest finite number.
static double least_real(enum element element)
{
    switch (element) {
    case ELEMENT_F16:
        return -65504;
    case ELEMENT_BF16:
        return -0x1.fep127;
    case ELEMENT_F8E4M3FN:
        return -448;
    case ELEMENT_F8E5M2:
        return -57344;
    case ELEMENT_F32:
        return -(double)FLT_MAX;
    default:
        return -DBL_MAX;
    }
}

static pool_pixel max_pixel(enum element element, bool ignores_nan)
{
    switch (element) {
    case ELEMENT_I8:
        return max_i8;
    case ELEMENT_U8:
        return max_u8;
    case ELEMENT_I16:
        return max_i16;
    case ELEMENT_U16:
        return max_u16;
    case ELEMENT_I32:
        return max_i32;
    case ELEMENT_U32:
        return max_u32;
    case ELEMENT_I64:
        return max_i64;
    case ELEMENT_F64:
        return ignores_nan ? max_number_f64 : max_f64;
    default:
        return ignores_nan ? max_number_f32 : max_f32;
    }
}

// Floats but f64 are pooled in f32.
static status pool_widened(struct kernel_call *call, const struct tensor *out, struct pool *pool)
{
    struct widened input = {0}, output = {0};
    status failure = widened_input(call->inputs[0], call->parallel, &input);
    if (failure == STATUS_OK)
        failure = widened_output(out, &output);
    if (failure == STATUS_OK) {
        pool->in = (const char *)input.data;
        pool->out = (char *)output.data;
        pool->in_size = pool->out_size = sizeof(float);
        run_pool(call, pool);
        widened_finish(&output, call->parallel);
    }
    widened_free(&input);
    widened_free(&output);
    return failure;
}

static struct pool pool_of(const struct kernel_call *call, const struct tensor *out)
{
    return (struct pool){
        .in = call->inputs[0]->data,
        .out = out->data,
        .in_size = element_size(call->inputs[0]->element),
        .out_size = element_size(out->element),
        .in_shape = call->inputs[0]->shape,
        .out_shape = out->shape,
    };
}

static status run_pool_of(struct kernel_call *call, const struct tensor *out, struct pool *pool)
{
    const enum element element = call->inputs[0]->element;
    if (element_is_float(element) && element != ELEMENT_F64)
        return pool_widened(call, out, pool);
    run_pool(call, pool);
    return STATUS_OK;
}

static status run_max_pool2d(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    struct pool pool = pool_of(call, out);
    pool.least = least_real(out->element);
    pool.pixel = max_pixel(tosa_element(out->element, false), tosa_ignores_nan(call));
    return run_pool_of(call, out, &pool);
}

// The mean --------------------------------------------------------------------

enum { CHUNK = 256 };

// 1 / count as a multiplier and a shift, exactly as TOSA says.
static int64_t divide_by_count(int64_t sum, uint32_t count)
{
    const uint32_t bits = count == 1 ? 0 : 32 - (uint32_t)__builtin_clz(count - 1);
    const int64_t multiplier = (int64_t)((((UINT64_C(1) << 30) + 1) << bits) / count);
    return scale_apply(sum, multiplier, 30 + bits, false);
}

#define MEAN_INTEGERS(name, type)                                                                  \
    static void name(const struct pool *pool, const char *in, struct sliding_range rows,           \
                     struct sliding_range columns, char *out)                                      \
    {                                                                                              \
        const int64_t channels = pool->in_shape.dims[3];                                           \
        const int64_t taps = (rows.to - rows.from) * (columns.to - columns.from);                  \
        for (int64_t at = 0; at < channels; at += CHUNK) {                                         \
            const int64_t count = channels - at < CHUNK ? channels - at : CHUNK;                   \
            int64_t sums[CHUNK] = {0};                                                             \
            for (int64_t y = rows.from; y < rows.to; y++) {                                        \
                for (int64_t x = columns.from; x < columns.to; x++) {                              \
                    const type *values = (const type *)tap(pool, in, y, x) + at;                   \
                    for (int64_t i = 0; i < count; i++)                                            \
                        sums[i] += values[i];                                                      \
                }                                                                                  \
            }                                                                                      \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const int32_t sum = (int32_t)(sums[i] - taps * pool->in_zero);                     \
                const int64_t mean = divide_by_count(sum, (uint32_t)taps) + pool->out_zero;        \
                ((type *)out)[at + i] = (type)(mean < pool->lowest    ? pool->lowest               \
                                               : mean > pool->highest ? pool->highest              \
                                                                      : mean);                     \
            }                                                                                      \
        }                                                                                          \
    }

MEAN_INTEGERS(mean_i8, int8_t)
MEAN_INTEGERS(mean_u8, uint8_t)
MEAN_INTEGERS(mean_i16, int16_t)

#define MEAN_REALS(name, type)                                                                     \
    static void name(const struct pool *pool, const char *in, struct sliding_range rows,           \
                     struct sliding_range columns, char *out)                                      \
    {                                                                                              \
        const int64_t channels = pool->in_shape.dims[3];                                           \
        const type taps = (type)((rows.to - rows.from) * (columns.to - columns.from));             \
        type *sums = (type *)out;                                                                  \
        for (int64_t i = 0; i < channels; i++)                                                     \
            sums[i] = 0;                                                                           \
        for (int64_t y = rows.from; y < rows.to; y++) {                                            \
            for (int64_t x = columns.from; x < columns.to; x++) {                                  \
                const type *values = (const type *)tap(pool, in, y, x);                            \
                for (int64_t i = 0; i < channels; i++)                                             \
                    sums[i] += values[i];                                                          \
            }                                                                                      \
        }                                                                                          \
        for (int64_t i = 0; i < channels; i++)                                                     \
            sums[i] /= taps;                                                                       \
    }

MEAN_REALS(mean_f32, float)
MEAN_REALS(mean_f64, double)

// Sums rounded to a narrow type at every step.
static void mean_narrow(const struct pool *pool, const char *in, struct sliding_range rows,
                        struct sliding_range columns, char *out)
{
    const int64_t channels = pool->in_shape.dims[3];
    const float taps = (float)((rows.to - rows.from) * (columns.to - columns.from));
    for (int64_t at = 0; at < channels; at += CHUNK) {
        const int64_t count = channels - at < CHUNK ? channels - at : CHUNK;
        float sums[CHUNK] = {0};
        for (int64_t y = rows.from; y < rows.to; y++) {
            for (int64_t x = columns.from; x < columns.to; x++) {
                const float *values = (const float *)tap(pool, in, y, x) + at;
                for (int64_t i = 0; i < count; i++)
                    sums[i] += values[i];
                narrow_round(pool->sums, sums, (uint64_t)count);
            }
        }
        for (int64_t i = 0; i < count; i++)
            ((float *)out)[at + i] = sums[i] / taps;
    }
}

static pool_pixel mean_pixel(enum element element, enum element sums)
{
    if (sums == ELEMENT_F16 || sums == ELEMENT_BF16)
        return mean_narrow;
    switch (element) {
    case ELEMENT_I8:
        return mean_i8;
    case ELEMENT_U8:
        return mean_u8;
    case ELEMENT_I16:
        return mean_i16;
    case ELEMENT_F64:
        return mean_f64;
    default:
        return mean_f32;
    }
}

static status run_avg_pool2d(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    struct pool pool = pool_of(call, out);
    pool.sums = tosa_accumulator(call);
    pool.pixel = mean_pixel(out->element, pool.sums);
    if (element_is_integer(out->element)) {
        pool.in_zero = tosa_integer(call->inputs[1], 0);
        pool.out_zero = tosa_integer(call->inputs[2], 0);
        pool.lowest = element_lowest(out->element);
        pool.highest = element_highest(out->element);
    }
    return run_pool_of(call, out, &pool);
}

static const struct kernel ITEMS[] = {
    {"tosa.avg_pool2d", run_avg_pool2d},
    {"tosa.max_pool2d", run_max_pool2d},
};

const struct kernel_table TOSA_POOLING_KERNELS = KERNEL_TABLE(ITEMS);
