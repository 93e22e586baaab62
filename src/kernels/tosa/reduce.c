// Reductions along one axis, and argmax.
//
// Integers and bools are combined as i64, whose low bits are the result; floats
// in f32 (f64 in f64), in the order in which they lie.

#include <math.h>
#include <stdlib.h>

#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/kernel_tables.h"
#include "narrow.h"
#include "tosa.h"

// Elements that are combined at a time.
enum { CHUNK = 256 };

enum reduction { SUM, PRODUCT, LARGEST, SMALLEST, LARGEST_NUMBER, SMALLEST_NUMBER };

// What combines numbers of one type: columns side by side, or one line.
struct folder {
    void (*start)(void *sums, uint64_t count);
    void (*columns)(void *sums, const void *values, uint64_t count);
    void (*line)(void *sum, const void *values, uint64_t count);
};

#define FOLDER(start, columns, line, type, first, expression)                                      \
    static void start(void *sums, uint64_t count)                                                  \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++)                                                       \
            ((type *)sums)[i] = (type)(first);                                                     \
    }                                                                                              \
    CORE_CLONES(void, columns, (void *sums, const void *values, uint64_t count),                   \
                (sums, values, count))                                                             \
    {                                                                                              \
        type *to = sums;                                                                           \
        const type *from = values;                                                                 \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type a = to[i];                                                                  \
            const type b = from[i];                                                                \
            to[i] = (type)(expression);                                                            \
        }                                                                                          \
    }                                                                                              \
    static void line(void *sum, const void *values, uint64_t count)                                \
    {                                                                                              \
        const type *from = values;                                                                 \
        type a = *(type *)sum;                                                                     \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type b = from[i];                                                                \
            a = (type)(expression);                                                                \
        }                                                                                          \
        *(type *)sum = a;                                                                          \
    }

#define FOLDER_ENTRY(name)                                                                         \
    {                                                                                              \
        name##_start, name##_columns, name##_line                                                  \
    }

FOLDER(sum_i64_start, sum_i64_columns, sum_i64_line, int64_t, 0, (uint64_t)a + (uint64_t)b)
FOLDER(product_i64_start, product_i64_columns, product_i64_line, int64_t, 1,
       (uint64_t)a *(uint64_t)b)
FOLDER(largest_i64_start, largest_i64_columns, largest_i64_line, int64_t, INT64_MIN, a > b ? a : b)
FOLDER(smallest_i64_start, smallest_i64_columns, smallest_i64_line, int64_t, INT64_MAX,
       a < b ? a : b)
FOLDER(sum_f32_start, sum_f32_columns, sum_f32_line, float, 0, a + b)
FOLDER(sum_f64_start, sum_f64_columns, sum_f64_line, double, 0.0, a + b)
FOLDER(product_f32_start, product_f32_columns, product_f32_line, float, 1, a *b)
FOLDER(product_f64_start, product_f64_columns, product_f64_line, double, 1.0, a *b)
FOLDER(largest_f32_start, largest_f32_columns, largest_f32_line, float, -INFINITY,
       a > b || a != a ? a : b)
FOLDER(largest_f64_start, largest_f64_columns, largest_f64_line, double, -INFINITY,
       a > b || a != a ? a : b)
FOLDER(smallest_f32_start, smallest_f32_columns, smallest_f32_line, float, INFINITY,
       a < b || a != a ? a : b)
FOLDER(smallest_f64_start, smallest_f64_columns, smallest_f64_line, double, INFINITY,
       a < b || a != a ? a : b)
// Nothing but NaN stays NaN.
FOLDER(largest_number_f32_start, largest_number_f32_columns, largest_number_f32_line, float, NAN,
       a > b || b != b ? a : b)
FOLDER(largest_number_f64_start, largest_number_f64_columns, largest_number_f64_line, double, NAN,
       a > b || b != b ? a : b)
FOLDER(smallest_number_f32_start, smallest_number_f32_columns, smallest_number_f32_line, float, NAN,
       a < b || b != b ? a : b)
FOLDER(smallest_number_f64_start, smallest_number_f64_columns, smallest_number_f64_line, double,
       NAN, a < b || b != b ? a : b)

static const struct folder INTEGER_FOLDERS[] = {
    [SUM] = FOLDER_ENTRY(sum_i64),
    [PRODUCT] = FOLDER_ENTRY(product_i64),
    [LARGEST] = FOLDER_ENTRY(largest_i64),
    [SMALLEST] = FOLDER_ENTRY(smallest_i64),
    [LARGEST_NUMBER] = FOLDER_ENTRY(largest_i64),
    [SMALLEST_NUMBER] = FOLDER_ENTRY(smallest_i64),
};

#define REAL_TABLE(suffix)                                                                         \
    {                                                                                              \
        [SUM] = FOLDER_ENTRY(sum_##suffix), [PRODUCT] = FOLDER_ENTRY(product_##suffix),            \
        [LARGEST] = FOLDER_ENTRY(largest_##suffix), [SMALLEST] = FOLDER_ENTRY(smallest_##suffix),  \
        [LARGEST_NUMBER] = FOLDER_ENTRY(largest_number_##suffix),                                  \
        [SMALLEST_NUMBER] = FOLDER_ENTRY(smallest_number_##suffix),                                \
    }

// Products of narrow floats and sums of f16 are rounded at every step, but sums of
// bf16 are not: TOSA adds those up in f32.
#define NARROW_FOLDER(name, columns, line, element, base_start, base_columns)                      \
    static void columns(void *sums, const void *values, uint64_t count)                            \
    {                                                                                              \
        base_columns(sums, values, count);                                                         \
        narrow_round(element, sums, count);                                                        \
    }                                                                                              \
    static void line(void *sum, const void *values, uint64_t count)                                \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++)                                                       \
            columns(sum, (const float *)values + i, 1);                                            \
    }                                                                                              \
    static const struct folder name = {base_start, columns, line};

NARROW_FOLDER(sum_f16, sum_f16_columns, sum_f16_line, ELEMENT_F16, sum_f32_start, sum_f32_columns)
NARROW_FOLDER(product_f16, product_f16_columns, product_f16_line, ELEMENT_F16, product_f32_start,
              product_f32_columns)
NARROW_FOLDER(product_bf16, product_bf16_columns, product_bf16_line, ELEMENT_BF16,
              product_f32_start, product_f32_columns)

static const struct folder F32_FOLDERS[] = REAL_TABLE(f32);
static const struct folder F64_FOLDERS[] = REAL_TABLE(f64);

// A tensor seen as outer x length x inner, the axis in the middle.
struct axis {
    const struct tensor *in;
    const struct tensor *out;
    uint64_t outer;
    uint64_t length;
    uint64_t inner;
    uint64_t blocks;   // of columns, in each outer index
    enum element wide; // that numbers are combined as
    const struct folder *folder;
};

static struct axis axis_of(const struct kernel_call *call, const struct tensor *out)
{
    const struct tensor *in = call->inputs[0];
    const int64_t given = attribute_integer(call->attributes, "axis", 0);
    const uint32_t at = (uint32_t)(given < 0 ? given + (int64_t)in->shape.rank : given);
    struct axis axis = {
        .in = in,
        .out = out,
        .outer = shape_count_between(&in->shape, 0, at),
        .length = (uint64_t)in->shape.dims[at],
        .inner = shape_count_between(&in->shape, at + 1, in->shape.rank),
    };
    axis.blocks = (axis.inner + CHUNK - 1) / CHUNK;
    axis.wide = !element_is_float(in->element) ? ELEMENT_I64
                : in->element == ELEMENT_F64   ? ELEMENT_F64
                                               : ELEMENT_F32;
    return axis;
}

// `count` numbers from element `index` on.
static void tosa_reduce_load(const struct axis *axis, uint64_t index, void *wide, uint64_t count)
{
    convert_row(axis->in->element,
                (const char *)axis->in->data + index * element_size(axis->in->element), axis->wide,
                wide, count, false);
}

static void tosa_reduce_store(const struct axis *axis, uint64_t index, const void *wide,
                              uint64_t count)
{
    convert_row(axis->wide, wide, axis->out->element,
                (char *)axis->out->data + index * element_size(axis->out->element), count, false);
}

static void reduce_line(const struct axis *axis, uint64_t outer)
{
    double values[CHUNK];
    double sum;
    axis->folder->start(&sum, 1);
    for (uint64_t at = 0; at < axis->length; at += CHUNK) {
        const uint64_t count = axis->length - at < CHUNK ? axis->length - at : CHUNK;
        tosa_reduce_load(axis, outer * axis->length + at, values, count);
        axis->folder->line(&sum, values, count);
    }
    tosa_reduce_store(axis, outer, &sum, 1);
}

static void reduce_columns(const struct axis *axis, uint64_t outer, uint64_t column)
{
    double values[CHUNK];
    double sums[CHUNK];
    const uint64_t count = axis->inner - column < CHUNK ? axis->inner - column : CHUNK;
    axis->folder->start(sums, count);
    for (uint64_t i = 0; i < axis->length; i++) {
        tosa_reduce_load(axis, (outer * axis->length + i) * axis->inner + column, values, count);
        axis->folder->columns(sums, values, count);
    }
    tosa_reduce_store(axis, outer * axis->inner + column, sums, count);
}

static void reduce_piece(void *context, uint64_t from, uint64_t to)
{
    const struct axis *axis = context;
    for (uint64_t i = from; i < to; i++) {
        if (axis->inner == 1)
            reduce_line(axis, i);
        else
            reduce_columns(axis, i / axis->blocks, i % axis->blocks * CHUNK);
    }
}

// So many pieces that each has about 16384 elements.
static uint64_t grain_of(const struct axis *axis)
{
    const uint64_t columns = axis->inner < CHUNK ? axis->inner : CHUNK;
    return 16384 / (axis->length * columns + 1) + 1;
}

static const struct folder *folder_of(enum element element, enum element wide,
                                      enum reduction reduction)
{
    if (wide == ELEMENT_I64)
        return &INTEGER_FOLDERS[reduction];
    if (wide == ELEMENT_F64)
        return &F64_FOLDERS[reduction];
    if (element == ELEMENT_F16 && reduction == SUM)
        return &sum_f16;
    if (element == ELEMENT_F16 && reduction == PRODUCT)
        return &product_f16;
    if (element == ELEMENT_BF16 && reduction == PRODUCT)
        return &product_bf16;
    return &F32_FOLDERS[reduction];
}

static status reduce(struct kernel_call *call, enum reduction reduction)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    struct axis axis = axis_of(call, out);
    axis.folder = folder_of(axis.in->element, axis.wide, reduction);
    parallel_for(call->parallel, axis.outer * axis.blocks, grain_of(&axis), reduce_piece, &axis);
    return STATUS_OK;
}

static status run_reduce_sum(struct kernel_call *call)
{
    return reduce(call, SUM);
}

static status run_reduce_product(struct kernel_call *call)
{
    return reduce(call, PRODUCT);
}

// Also of bools: any of them.
static status run_reduce_max(struct kernel_call *call)
{
    return reduce(call, tosa_ignores_nan(call) ? LARGEST_NUMBER : LARGEST);
}

// Also of bools: all of them.
static status run_reduce_min(struct kernel_call *call)
{
    return reduce(call, tosa_ignores_nan(call) ? SMALLEST_NUMBER : SMALLEST);
}

// Argmax ----------------------------------------------------------------------

// The first of the largest. NaN is the largest of all, unless it is ignored.
struct argmax {
    struct axis axis;
    bool ignores_nan;
};

#define ARGMAX(name, type, first, better)                                                          \
    static void name(const struct argmax *argmax, uint64_t outer, uint64_t column, uint64_t count, \
                     int64_t *places)                                                              \
    {                                                                                              \
        const struct axis *axis = &argmax->axis;                                                   \
        const bool ignores_nan __attribute__((unused)) = argmax->ignores_nan;                      \
        type best[CHUNK];                                                                          \
        type values[CHUNK];                                                                        \
        for (uint64_t j = 0; j < count; j++) {                                                     \
            best[j] = (first);                                                                     \
            places[j] = 0;                                                                         \
        }                                                                                          \
        for (uint64_t i = 0; i < axis->length; i++) {                                              \
            tosa_reduce_load(axis, (outer * axis->length + i) * axis->inner + column, values,      \
                             count);                                                               \
            for (uint64_t j = 0; j < count; j++) {                                                 \
                const type a = best[j];                                                            \
                const type b = values[j];                                                          \
                const bool wins = (better);                                                        \
                best[j] = wins ? b : a;                                                            \
                places[j] = wins ? (int64_t)i : places[j];                                         \
            }                                                                                      \
        }                                                                                          \
    }

ARGMAX(argmax_integers, int64_t, INT64_MIN, b > a)
ARGMAX(argmax_reals, double, -(double)INFINITY, b > a || (!ignores_nan && b != b && a == a))

// The same of a line: the largest of chunks of it.
#define ARGMAX_LINE(name, type, first, better)                                                     \
    static int64_t name(const struct argmax *argmax, uint64_t outer)                               \
    {                                                                                              \
        const struct axis *axis = &argmax->axis;                                                   \
        const bool ignores_nan __attribute__((unused)) = argmax->ignores_nan;                      \
        type values[CHUNK];                                                                        \
        type a = (first);                                                                          \
        int64_t place = 0;                                                                         \
        for (uint64_t at = 0; at < axis->length; at += CHUNK) {                                    \
            const uint64_t count = axis->length - at < CHUNK ? axis->length - at : CHUNK;          \
            tosa_reduce_load(axis, outer * axis->length + at, values, count);                      \
            for (uint64_t i = 0; i < count; i++) {                                                 \
                const type b = values[i];                                                          \
                const bool wins = (better);                                                        \
                a = wins ? b : a;                                                                  \
                place = wins ? (int64_t)(at + i) : place;                                          \
            }                                                                                      \
        }                                                                                          \
        return place;                                                                              \
    }

ARGMAX_LINE(argmax_integer_line, int64_t, INT64_MIN, b > a)
ARGMAX_LINE(argmax_real_line, double, -(double)INFINITY,
            b > a || (!ignores_nan && b != b && a == a))

static void argmax_piece(void *context, uint64_t from, uint64_t to)
{
    const struct argmax *argmax = context;
    const struct axis *axis = &argmax->axis;
    const bool real = axis->wide == ELEMENT_F64;
    const size_t size = element_size(axis->out->element);
    for (uint64_t i = from; i < to; i++) {
        int64_t places[CHUNK];
        uint64_t outer = i;
        uint64_t column = 0;
        uint64_t count = 1;
        if (axis->inner == 1) {
            places[0] = real ? argmax_real_line(argmax, i) : argmax_integer_line(argmax, i);
        } else {
            outer = i / axis->blocks;
            column = i % axis->blocks * CHUNK;
            count = axis->inner - column < CHUNK ? axis->inner - column : CHUNK;
            if (real)
                argmax_reals(argmax, outer, column, count, places);
            else
                argmax_integers(argmax, outer, column, count, places);
        }
        convert_row(ELEMENT_I64, places, axis->out->element,
                    (char *)axis->out->data + (outer * axis->inner + column) * size, count, false);
    }
}

static status run_argmax(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL || tensor_count(out) == 0)
        return STATUS_OK;
    struct argmax argmax = {axis_of(call, out), tosa_ignores_nan(call)};
    struct axis *axis = &argmax.axis;
    axis->wide = axis->wide == ELEMENT_I64 ? ELEMENT_I64 : ELEMENT_F64;
    parallel_for(call->parallel, axis->outer * axis->blocks, grain_of(axis), argmax_piece, &argmax);
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"tosa.argmax", run_argmax},         {"tosa.reduce_all", run_reduce_min},
    {"tosa.reduce_any", run_reduce_max}, {"tosa.reduce_max", run_reduce_max},
    {"tosa.reduce_min", run_reduce_min}, {"tosa.reduce_product", run_reduce_product},
    {"tosa.reduce_sum", run_reduce_sum},
};

const struct kernel_table TOSA_REDUCE_KERNELS = KERNEL_TABLE(ITEMS);
