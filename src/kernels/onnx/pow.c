// Powers, whose base and exponent may be of different types; the result is of the
// base's.
//
// Two floats of f32 use powf, but for squares and cubes, which are products on every machine. With
// integers on both sides the result is exact, modulo the width of the type; a negative exponent
// gives what is left of the fraction when cut: 0 except for bases of 1 and -1. Everything else is
// computed in f64 and converted by the rules of convert.h.

#include <math.h>

#include "binary.h"
#include "kernels/core/broadcast.h"
#include "kernels/core/clones.h"
#include "kernels/core/convert.h"
#include "kernels/core/elementary.h"
#include "network/onnx/legacy.h"

enum { CHUNK = 256 };

struct pow_types {
    enum element base;
    enum element exponent;
};

CORE_CLONES(void, cube_all, (const float *from, float *to, uint64_t count), (from, to, count))
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = elementary_cube_f32(from[i]);
}

static void row_of_f32(const void *context, void *out, const void *const *in, const uint8_t *steps,
                       uint64_t count)
{
    const float *base = in[0];
    const float *exponent = in[1];
    float *to = out;
    (void)context;
    if (steps[0] != 0 && steps[1] == 0 && exponent[0] == 2) {
        for (uint64_t i = 0; i < count; i++)
            to[i] = base[i] * base[i];
        return;
    }
    if (steps[0] != 0 && steps[1] == 0 && exponent[0] == 3) {
        cube_all(base, to, count);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        to[i] = powf(base[i * steps[0]], exponent[i * steps[1]]);
}

static uint64_t whole_power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base) {
        if (exponent & 1)
            result *= base;
    }
    return result;
}

static int64_t integer_power(int64_t base, int64_t exponent, bool exponent_unsigned)
{
    if (exponent >= 0 || exponent_unsigned)
        return (int64_t)whole_power((uint64_t)base, (uint64_t)exponent);
    if (base == 1)
        return 1;
    return base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
}

// A chunk of an input as `wide`.
static void pow_widen(enum element element, const void *in, uint8_t step, uint64_t at,
                      enum element wide, void *out, uint64_t count)
{
    convert_row(element, (const char *)in + at * step * element_size(element), wide, out,
                step != 0 ? count : 1, true);
}

static void row_of_integers(const void *context, void *out, const void *const *in,
                            const uint8_t *steps, uint64_t count)
{
    const struct pow_types *types = context;
    int64_t base[CHUNK], exponent[CHUNK], result[CHUNK];
    const bool exponent_unsigned = types->exponent == ELEMENT_U64;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        pow_widen(types->base, in[0], steps[0], at, ELEMENT_I64, base, part);
        pow_widen(types->exponent, in[1], steps[1], at, ELEMENT_I64, exponent, part);
        for (uint64_t i = 0; i < part; i++)
            result[i] =
                integer_power(base[i * steps[0]], exponent[i * steps[1]], exponent_unsigned);
        convert_row(ELEMENT_I64, result, types->base, (char *)out + at * element_size(types->base),
                    part, true);
    }
}

static void row_of_reals(const void *context, void *out, const void *const *in,
                         const uint8_t *steps, uint64_t count)
{
    const struct pow_types *types = context;
    double base[CHUNK], exponent[CHUNK], result[CHUNK];
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        pow_widen(types->base, in[0], steps[0], at, ELEMENT_F64, base, part);
        pow_widen(types->exponent, in[1], steps[1], at, ELEMENT_F64, exponent, part);
        for (uint64_t i = 0; i < part; i++)
            result[i] = pow(base[i * steps[0]], exponent[i * steps[1]]);
        convert_row(ELEMENT_F64, result, types->base, (char *)out + at * element_size(types->base),
                    part, true);
    }
}

status binary_pow(struct kernel_call *call)
{
    const struct tensor *out = kernel_output(call, 0);
    const struct tensor *base = kernel_input(call, 0);
    const struct tensor *exponent = kernel_input(call, 1);
    if (out == NULL || base == NULL || exponent == NULL)
        return STATUS_OK;
    const struct pow_types types = {base->element, exponent->element};
    struct broadcast_input inputs[2] = {broadcast_input(base), broadcast_input(exponent)};
    STATUS_TRY(legacy_align(&base->shape, &exponent->shape, call->attributes, call->version,
                            &inputs[1].shape));
    const bool integers =
        element_is_integer(base->element) && element_is_integer(exponent->element);
    const bool singles = base->element == ELEMENT_F32 && exponent->element == ELEMENT_F32;
    broadcast_run(call->parallel, out, inputs, 2,
                  integers  ? row_of_integers
                  : singles ? row_of_f32
                            : row_of_reals,
                  &types);
    return STATUS_OK;
}
