// CumSum: sums of everything up to each element of an axis. Floats are summed in f64
// from the first (the last, when reversed) and each sum is rounded once; integers wrap
// around.

#include "kernels/core/convert.h"
#include "reduce.h"

enum {
    LANES = 256,
    GRAIN = 16384, // elements of one parallel piece
};

struct summing {
    const struct tensor *in;
    const struct tensor *out;
    uint64_t length; // of the axis
    uint64_t inner;  // elements between neighbours along it
    bool exclusive;
    bool reverse;
    bool real;
};

union numbers {
    double reals[LANES];
    int64_t integers[LANES];
};

// Adds a row to the sums; `row` becomes the sums with or without it.
#define ADVANCE(name, type, plus)                                                                  \
    static void name(type *sums, type *row, uint64_t count, bool exclusive)                        \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type before = sums[i];                                                           \
            sums[i] = plus(before, row[i]);                                                        \
            row[i] = exclusive ? before : sums[i];                                                 \
        }                                                                                          \
    }

#define PLUS_REAL(a, b) ((a) + (b))
#define PLUS_INTEGER(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))

ADVANCE(advance_reals, double, PLUS_REAL)
ADVANCE(advance_integers, int64_t, PLUS_INTEGER)

// `count` lanes side by side, along the whole axis.
static void sum_lanes(const struct summing *summing, uint64_t base, uint64_t count)
{
    const enum element element = summing->in->element;
    const enum element wide = summing->real ? ELEMENT_F64 : ELEMENT_I64;
    const size_t size = element_size(element);
    union numbers sums = {{0}};
    union numbers row;
    for (uint64_t k = 0; k < summing->length; k++) {
        const uint64_t place = summing->reverse ? summing->length - 1 - k : k;
        const uint64_t offset = (base + place * summing->inner) * size;
        convert_row(element, (const char *)summing->in->data + offset, wide, &row, count, true);
        if (summing->real)
            advance_reals(sums.reals, row.reals, count, summing->exclusive);
        else
            advance_integers(sums.integers, row.integers, count, summing->exclusive);
        convert_row(wide, &row, element, (char *)summing->out->data + offset, count, true);
    }
}

static void sum_piece(void *context, uint64_t from, uint64_t to)
{
    const struct summing *summing = context;
    while (from < to) {
        const uint64_t left = summing->inner - from % summing->inner;
        uint64_t count = left < to - from ? left : to - from;
        if (count > LANES)
            count = LANES;
        sum_lanes(summing,
                  from / summing->inner * summing->inner * summing->length + from % summing->inner,
                  count);
        from += count;
    }
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
        .length = (uint64_t)in->shape.dims[axis],
        .inner = shape_count_between(&in->shape, axis + 1, in->shape.rank),
        .exclusive = attribute_integer(call->attributes, "exclusive", 0) != 0,
        .reverse = attribute_integer(call->attributes, "reverse", 0) != 0,
        .real = element_is_float(in->element),
    };
    const uint64_t grain = summing.length < GRAIN ? GRAIN / summing.length : 1;
    parallel_for(call->parallel, tensor_count(in) / summing.length, grain, sum_piece, &summing);
    return STATUS_OK;
}
