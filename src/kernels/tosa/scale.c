// Casts, rescaling of integers, lookup tables.

#include "scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/core/broadcast.h"
#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/kernel_tables.h"
#include "tosa.h"

// Elements that are computed at a time.
enum { CHUNK = 256 };

static uint64_t chunk_length(uint64_t count, uint64_t at)
{
    return count - at < CHUNK ? count - at : CHUNK;
}

// Rescale ---------------------------------------------------------------------

// Of one channel.
struct scale {
    int32_t multiplier;
    uint32_t shift;
};

struct rescale {
    enum element in;
    enum element out;
    int64_t in_zero;
    int64_t out_zero;
    int64_t lowest;
    int64_t highest;
    bool double_round;
    bool narrow; // both sides fit 32 bits, also without the zero point
};

static int64_t tosa_scale_between(int64_t value, int64_t lowest, int64_t highest)
{
    return value < lowest ? lowest : value > highest ? highest : value;
}

// The scaled value is one of 32 bits.
static inline int64_t rescale_one(const struct rescale *rescale, int64_t value, struct scale scale,
                                  bool double_round)
{
    const int64_t difference = (int64_t)((uint64_t)value - (uint64_t)rescale->in_zero);
    const int32_t scaled =
        (int32_t)scale_apply(difference, scale.multiplier, scale.shift, double_round);
    return tosa_scale_between(scaled + rescale->out_zero, rescale->lowest, rescale->highest);
}

static void rescale_wide(const struct rescale *rescale, const void *in, const struct scale *scales,
                         uint64_t scale_step, uint64_t count, void *out)
{
    const bool double_round = rescale->double_round;
    int64_t values[CHUNK];
    convert_row(rescale->in, in, ELEMENT_I64, values, count, false);
    for (uint64_t i = 0; i < count; i++)
        values[i] = rescale_one(rescale, values[i], scales[i * scale_step], double_round);
    convert_row(ELEMENT_I64, values, rescale->out, out, count, false);
}

// The same for numbers of at most 32 bits and one scale, so that the loops become
// vectors. What is negative is shifted with an offset, as an unsigned number.
CORE_CLONES(void, rescale_values,
            (const struct rescale *rescale, struct scale scale, int32_t *values, uint64_t count),
            (rescale, scale, values, count))
{
    const uint64_t offset = UINT64_C(1) << 63;
    const int64_t shifted_offset = (int64_t)(offset >> scale.shift);
    const uint64_t round = UINT64_C(1) << (scale.shift - 1);
    const uint64_t more = rescale->double_round && scale.shift > 31 ? UINT64_C(1) << 30 : 0;
    const int64_t multiplier = scale.multiplier;
    const int64_t out_zero = rescale->out_zero;
    const int64_t lowest = rescale->lowest;
    const int64_t highest = rescale->highest;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t product = (uint64_t)(values[i] * multiplier) + round +
                                 (values[i] >= 0 ? more : 0 - more) + offset;
        const int64_t scaled = (int32_t)((int64_t)(product >> scale.shift) - shifted_offset);
        const int64_t result = scaled + out_zero;
        const int64_t above = result < lowest ? lowest : result;
        values[i] = (int32_t)(above > highest ? highest : above);
    }
}

#define LOAD(type)                                                                                 \
    for (uint64_t i = 0; i < count; i++)                                                           \
        values[i] = ((const type *)in)[i] - zero;                                                  \
    break

static void load_values(enum element element, const void *in, int32_t zero, int32_t *values,
                        uint64_t count)
{
    switch (element) {
    case ELEMENT_I8:
        LOAD(int8_t);
    case ELEMENT_U8:
        LOAD(uint8_t);
    case ELEMENT_I16:
        LOAD(int16_t);
    case ELEMENT_U16:
        LOAD(uint16_t);
    default:
        memcpy(values, in, count * sizeof *values);
    }
}

#define STORE(type)                                                                                \
    for (uint64_t i = 0; i < count; i++)                                                           \
        ((type *)out)[i] = (type)values[i];                                                        \
    break

static void store_values(enum element element, const int32_t *values, void *out, uint64_t count)
{
    switch (element) {
    case ELEMENT_I8:
    case ELEMENT_U8:
        STORE(uint8_t);
    case ELEMENT_I16:
    case ELEMENT_U16:
        STORE(uint16_t);
    default:
        memcpy(out, values, count * sizeof *values);
    }
}

static bool fits_32(enum element element)
{
    return element_size(element) < sizeof(int32_t) || element == ELEMENT_I32;
}

static void rescale_row(const void *context, void *out, const void *const *in, const uint8_t *steps,
                        uint64_t count)
{
    const struct rescale *rescale = context;
    const struct scale *scales = in[1];
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = chunk_length(count, at);
        const void *from = (const char *)in[0] + at * steps[0] * element_size(rescale->in);
        void *to = (char *)out + at * element_size(rescale->out);
        if (!rescale->narrow || steps[1] != 0) {
            rescale_wide(rescale, from, scales + at * steps[1], steps[1], part, to);
            continue;
        }
        int32_t values[CHUNK];
        load_values(rescale->in, from, (int32_t)rescale->in_zero, values, part);
        rescale_values(rescale, *scales, values, part);
        store_values(rescale->out, values, to, part);
    }
}

static status check_shift(int64_t shift)
{
    return shift >= SCALE_SHIFT_LEAST && shift <= SCALE_SHIFT_MOST
               ? STATUS_OK
               : status_make(STATUS_DATA, "a shift by %" PRId64 " bits: TOSA has %d to %d", shift,
                             SCALE_SHIFT_LEAST, SCALE_SHIFT_MOST);
}

static status read_scales(const struct tensor *multipliers, const struct tensor *shifts,
                          struct scale *out_scales)
{
    const uint64_t count = tensor_count(multipliers);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t shift = tosa_integer(shifts, i);
        STATUS_TRY(check_shift(shift));
        out_scales[i] = (struct scale){(int32_t)tosa_integer(multipliers, i), (uint32_t)shift};
    }
    return STATUS_OK;
}

// A zero point of the element it belongs to, which may be unsigned.
static int64_t tosa_scale_zero_point(const struct tensor *tensor, bool is_unsigned)
{
    const struct tensor view = tosa_view(tensor, is_unsigned);
    return tosa_scale_between(tosa_integer(&view, 0), INT32_MIN, INT32_MAX);
}

static status run_rescale(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const struct attributes attributes = call->attributes;
    const bool in_unsigned = attribute_integer(attributes, "input_unsigned", 0) != 0;
    const bool out_unsigned = attribute_integer(attributes, "output_unsigned", 0) != 0;
    const struct view mode = attribute_text(attributes, "rounding_mode", "SINGLE_ROUND");
    const bool scale32 = attribute_integer(attributes, "scale32", 1) != 0;
    const struct tensor input = tosa_view(call->inputs[0], in_unsigned);
    struct rescale rescale = {
        .in = input.element,
        .out = tosa_element(out->element, out_unsigned),
        .in_zero = tosa_scale_zero_point(call->inputs[3], in_unsigned),
        .out_zero = tosa_scale_zero_point(call->inputs[4], out_unsigned),
        .double_round = scale32 && view_is(mode, "DOUBLE_ROUND"),
    };
    rescale.lowest = element_lowest(rescale.out);
    rescale.highest = element_highest(rescale.out);
    rescale.narrow = fits_32(rescale.in) && fits_32(rescale.out) &&
                     (rescale.in != ELEMENT_I32 || rescale.in_zero == 0) &&
                     rescale.in_zero >= -65536 && rescale.in_zero <= 65536;
    const uint64_t channels = tensor_count(call->inputs[1]);
    struct scale *scales = memory_allocate_zeroed(channels + 1, sizeof *scales);
    const status failure = read_scales(call->inputs[1], call->inputs[2], scales);
    if (failure == STATUS_OK) {
        const struct broadcast_input inputs[2] = {
            broadcast_input(&input),
            {scales, sizeof *scales, {channels == 1 ? 0 : 1, {(int64_t)channels}}},
        };
        broadcast_run(call->parallel, out, inputs, 2, rescale_row, &rescale);
    }
    free(scales);
    return failure;
}

// apply_scale: multiplier and shift are tensors as the value is.

static void apply_scale_row(const void *context, void *out, const void *const *in,
                            const uint8_t *steps, uint64_t count)
{
    const bool double_round = *(const bool *)context;
    const int64_t *values = in[0];
    const int64_t *multipliers = in[1];
    const int64_t *shifts = in[2];
    int32_t *to = out;
    for (uint64_t i = 0; i < count; i++)
        to[i] = (int32_t)scale_apply(values[i * steps[0]], multipliers[i * steps[1]],
                                     (uint32_t)shifts[i * steps[2]], double_round);
}

static status check_shifts(const int64_t *shifts, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        STATUS_TRY(check_shift(shifts[i]));
    return STATUS_OK;
}

static status run_apply_scale(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    struct broadcast_input inputs[3];
    int64_t *wide[3];
    for (uint32_t i = 0; i < 3; i++) {
        const struct tensor *tensor = call->inputs[i];
        const uint64_t count = tensor_count(tensor);
        wide[i] = memory_allocate_zeroed(count + 1, sizeof *wide[i]);
        convert_row(tensor->element, tensor->data, ELEMENT_I64, wide[i], count, false);
        inputs[i] = (struct broadcast_input){wide[i], sizeof *wide[i], tensor->shape};
    }
    const status failure = check_shifts(wide[2], tensor_count(call->inputs[2]));
    const bool double_round =
        view_is(attribute_text(call->attributes, "rounding_mode", "SINGLE_ROUND"), "DOUBLE_ROUND");
    if (failure == STATUS_OK)
        broadcast_run(call->parallel, out, inputs, 3, apply_scale_row, &double_round);
    for (uint32_t i = 0; i < 3; i++)
        free(wide[i]);
    return failure;
}

// Cast ------------------------------------------------------------------------

struct cast {
    enum element in;
    enum element out;
    double lowest;
    double highest;
};

// Floats to the nearest integer, halves to the even one; what does not fit
// becomes the nearest that does, and NaN becomes 0.
static void round_row(const void *context, void *out, const void *const *in, const uint8_t *steps,
                      uint64_t count)
{
    const struct cast *cast = context;
    double reals[CHUNK];
    int64_t integers[CHUNK];
    (void)steps;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = chunk_length(count, at);
        convert_row(cast->in, (const char *)in[0] + at * element_size(cast->in), ELEMENT_F64, reals,
                    part, false);
        for (uint64_t i = 0; i < part; i++) {
            const double whole = rint(reals[i]);
            integers[i] = whole >= cast->highest  ? element_highest(cast->out)
                          : whole <= cast->lowest ? element_lowest(cast->out)
                          : whole != whole        ? 0
                                                  : (int64_t)whole;
        }
        convert_row(ELEMENT_I64, integers, cast->out, (char *)out + at * element_size(cast->out),
                    part, false);
    }
}

static void tosa_scale_convert_piece(const void *context, void *out, const void *const *in,
                                     const uint8_t *steps, uint64_t count)
{
    const struct cast *cast = context;
    (void)steps;
    convert_row(cast->in, in[0], cast->out, out, count, false);
}

static status run_cast(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const bool rounds =
        element_is_float(call->inputs[0]->element) && element_is_integer(out->element);
    const struct cast cast = {
        .in = call->inputs[0]->element,
        .out = out->element,
        .lowest = rounds ? (double)element_lowest(out->element) : 0,
        .highest = rounds ? (double)element_highest(out->element) : 0,
    };
    broadcast_tensors(call->parallel, out, call->inputs, 1,
                      rounds ? round_row : tosa_scale_convert_piece, &cast);
    return STATUS_OK;
}

// Table -----------------------------------------------------------------------

static void table_row_i8(const void *context, void *out, const void *const *in,
                         const uint8_t *steps, uint64_t count)
{
    const int8_t *table = context;
    const int8_t *from = in[0];
    int8_t *to = out;
    (void)steps;
    for (uint64_t i = 0; i < count; i++)
        to[i] = table[from[i] + 128];
}

// The upper nine bits choose an entry, the lower seven lie between it and the next.
static void table_row_i16(const void *context, void *out, const void *const *in,
                          const uint8_t *steps, uint64_t count)
{
    const int16_t *table = context;
    const int16_t *from = in[0];
    int32_t *to = out;
    (void)steps;
    for (uint64_t i = 0; i < count; i++) {
        const int32_t index = (from[i] + 32768) >> 7;
        const int32_t fraction = from[i] & 127;
        const int32_t base = table[index];
        const int32_t slope = table[index + 1] - base;
        to[i] = base * 128 + slope * fraction;
    }
}

static status run_table(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    if (out == NULL)
        return STATUS_OK;
    const bool wide = call->inputs[0]->element == ELEMENT_I16;
    broadcast_tensors(call->parallel, out, call->inputs, 1, wide ? table_row_i16 : table_row_i8,
                      call->inputs[1]->data);
    return STATUS_OK;
}

static const struct kernel ITEMS[] = {
    {"tosa.apply_scale", run_apply_scale},
    {"tosa.cast", run_cast},
    {"tosa.rescale", run_rescale},
    {"tosa.table", run_table},
};

const struct kernel_table TOSA_SCALE_KERNELS = KERNEL_TABLE(ITEMS);
