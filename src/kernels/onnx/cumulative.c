// CumSum: sums of everything up to each element of an axis. Floats are summed in f64
// from the first (the last, when reversed) and each sum is rounded once; integers wrap
// around.

#include "kernels/core/axis.h"
#include "kernels/core/convert.h"
#include "reduce.h"

enum { LANES = 256 };

struct summing {
    const struct tensor *in;
    const struct tensor *out;
    struct axis axis;
    bool exclusive;
    bool reverse;
    bool real;
};

union numbers {
    double reals[LANES];
    int64_t integers[LANES];
};

#define PLUS_REAL(a, b) ((a) + (b))
#define PLUS_INTEGER(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))

// `rows` adds a row to the sums of its lanes; `run` adds up one lane, whose elements lie
// in a row, from either end. The items become the sums with or without them.
#define SUMS(rows, run, type, plus)                                                                \
    static void rows(type *sums, type *items, uint64_t count, bool exclusive)                      \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type before = sums[i];                                                           \
            sums[i] = plus(before, items[i]);                                                      \
            items[i] = exclusive ? before : sums[i];                                               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void run(type *sum, type *items, uint64_t count, bool exclusive, bool reverse)          \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++)                                                       \
            rows(sum, &items[reverse ? count - 1 - i : i], 1, exclusive);                          \
    }

SUMS(sum_rows_of_reals, sum_run_of_reals, double, PLUS_REAL)
SUMS(sum_rows_of_integers, sum_run_of_integers, int64_t, PLUS_INTEGER)

static enum element wide_element(const struct summing *summing)
{
    return summing->real ? ELEMENT_F64 : ELEMENT_I64;
}

static void cumulative_load(const struct summing *summing, uint64_t at, uint64_t count,
                            union numbers *items)
{
    const enum element element = summing->in->element;
    convert_row(element, (const char *)summing->in->data + at * element_size(element),
                wide_element(summing), items, count, true);
}

static void cumulative_store(const struct summing *summing, uint64_t at, uint64_t count,
                             const union numbers *items)
{
    const enum element element = summing->out->element;
    convert_row(wide_element(summing), items, element,
                (char *)summing->out->data + at * element_size(element), count, true);
}

// `count` lanes side by side, along the whole axis.
static void sum_lanes(const struct summing *summing, uint64_t base, uint64_t count)
{
    union numbers sums = {{0}};
    union numbers items;
    for (uint64_t k = 0; k < summing->axis.length; k++) {
        const uint64_t place = summing->reverse ? summing->axis.length - 1 - k : k;
        const uint64_t at = base + place * summing->axis.inner;
        cumulative_load(summing, at, count, &items);
        if (summing->real)
            sum_rows_of_reals(sums.reals, items.reals, count, summing->exclusive);
        else
            sum_rows_of_integers(sums.integers, items.integers, count, summing->exclusive);
        cumulative_store(summing, at, count, &items);
    }
}

// One lane whose elements lie in a row.
static void sum_run(const struct summing *summing, uint64_t base)
{
    double real = 0;
    int64_t integer = 0;
    union numbers items;
    for (uint64_t done = 0; done < summing->axis.length; done += LANES) {
        const uint64_t left = summing->axis.length - done;
        const uint64_t part = left < LANES ? left : LANES;
        const uint64_t at = base + (summing->reverse ? left - part : done);
        cumulative_load(summing, at, part, &items);
        if (summing->real)
            sum_run_of_reals(&real, items.reals, part, summing->exclusive, summing->reverse);
        else
            sum_run_of_integers(&integer, items.integers, part, summing->exclusive,
                                summing->reverse);
        cumulative_store(summing, at, part, &items);
    }
}

static void sum_lines(void *context, uint64_t base, uint64_t first, uint64_t count, void *scratch)
{
    const struct summing *summing = context;
    (void)first;
    (void)scratch;
    if (summing->axis.inner == 1)
        sum_run(summing, base);
    else
        sum_lanes(summing, base, count);
}

status reduce_cumulative(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *in = kernel_input(call, 0);
    const struct tensor *axis_input = kernel_input(call, 1);
    if (out == NULL || in == NULL || axis_input == NULL || tensor_count(in) == 0)
        return STATUS_OK;
    const struct constant constant = {*axis_input, false, tensor_bytes(axis_input)};
    uint32_t axis;
    STATUS_TRY(shape_axis(constant_integer(&constant, 0), in->shape.rank, &axis));
    struct summing summing = {
        .in = in,
        .out = out,
        .axis = axis_of(&in->shape, axis),
        .exclusive = attribute_integer(call->attributes, "exclusive", 0) != 0,
        .reverse = attribute_integer(call->attributes, "reverse", 0) != 0,
        .real = element_is_float(in->element),
    };
    axis_for(call->parallel, &summing.axis, LANES, 0, sum_lines, &summing);
    return STATUS_OK;
}
