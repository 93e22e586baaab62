#include "convert.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "network/real.h"

// Elements that are converted at a time through a wide type.
enum { CHUNK = 256 };

// Without branches, so that the loops below become vectors; real.h's functions
// give the same.
static inline float f16_value(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t rest = (uint32_t)(half & 0x7fff) << 13;
    const uint32_t scaled = real_bits(real_from_bits(rest) * 0x1p112f);
    const uint32_t special = rest | 0x7f800000;
    return real_from_bits((rest >= 0x0f800000 ? special : scaled) | sign);
}

static inline uint16_t f16_bits(float value)
{
    const uint32_t bits = real_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000;
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    // Adding 0.5 leaves room for multiples of 2^-24, the unit of small numbers.
    const uint32_t small = real_bits(real_from_bits(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t finite = magnitude < 0x38800000 ? small : normal;
    const uint32_t number = magnitude >= 0x477ff000 ? 0x7c00 : finite;
    return (uint16_t)((magnitude > 0x7f800000 ? 0x7e00 : number) | sign);
}

CORE_CLONES(void, f32_of_f16, (const uint16_t *in, float *out, uint64_t count), (in, out, count))
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = f16_value(in[i]);
}

CORE_CLONES(void, f16_of_f32, (const float *in, uint16_t *out, uint64_t count), (in, out, count))
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = f16_bits(in[i]);
}

CORE_CLONES(void, f32_of_bf16, (const uint16_t *in, float *out, uint64_t count), (in, out, count))
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = real_from_bf16(in[i]);
}

CORE_CLONES(void, bf16_of_f32, (const float *in, uint16_t *out, uint64_t count), (in, out, count))
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = real_to_bf16(in[i]);
}

CORE_CLONES(void, f64_of_f32, (const float *in, double *out, uint64_t count), (in, out, count))
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = (double)in[i];
}

void convert_to_f32(enum element element, const void *in, float *out, uint64_t count)
{
    if (element == ELEMENT_F16)
        f32_of_f16(in, out, count);
    else if (element == ELEMENT_BF16)
        f32_of_bf16(in, out, count);
    else
        memcpy(out, in, count * sizeof *out);
}

void convert_from_f32(enum element element, const float *in, void *out, uint64_t count)
{
    if (element == ELEMENT_F16)
        f16_of_f32(in, out, count);
    else if (element == ELEMENT_BF16)
        bf16_of_f32(in, out, count);
    else
        memcpy(out, in, count * sizeof *in);
}

bool convert_knows(enum element element)
{
    return element_is_float(element) || element_is_integer(element) || element == ELEMENT_BOOL;
}

// A chunk on its way: floats as doubles, which hold all of them, everything else
// as 64-bit integers.
struct wide {
    bool real;
    bool is_unsigned; // of integers: the bits of a uint64_t
    union {
        double reals[CHUNK];
        int64_t integers[CHUNK];
    };
};

static void widen_narrow_real(enum element from, const void *in, struct wide *wide, uint64_t count)
{
    float singles[CHUNK];
    const uint8_t *bytes = in;
    if (from == ELEMENT_F16 || from == ELEMENT_BF16) {
        convert_to_f32(from, in, singles, count);
    } else {
        for (uint64_t i = 0; i < count; i++)
            singles[i] = real_from_f8(from, bytes[i]);
    }
    for (uint64_t i = 0; i < count; i++)
        wide->reals[i] = (double)singles[i];
}

#define WIDEN(member, type)                                                                        \
    for (uint64_t i = 0; i < count; i++)                                                           \
        wide->member[i] = (__typeof__(wide->member[0]))((const type *)in)[i];                      \
    break

static void convert_widen(enum element from, const void *in, struct wide *wide, uint64_t count)
{
    wide->real = element_is_float(from);
    wide->is_unsigned = from == ELEMENT_U64;
    switch (from) {
    case ELEMENT_F32:
        WIDEN(reals, float);
    case ELEMENT_F64:
        memcpy(wide->reals, in, count * sizeof(double));
        break;
    case ELEMENT_BOOL:
    case ELEMENT_U4:
    case ELEMENT_U8:
        WIDEN(integers, uint8_t);
    case ELEMENT_I4:
    case ELEMENT_I8:
        WIDEN(integers, int8_t);
    case ELEMENT_U16:
        WIDEN(integers, uint16_t);
    case ELEMENT_I16:
        WIDEN(integers, int16_t);
    case ELEMENT_U32:
        WIDEN(integers, uint32_t);
    case ELEMENT_I32:
        WIDEN(integers, int32_t);
    case ELEMENT_I48:
    case ELEMENT_I64:
    case ELEMENT_U64:
        memcpy(wide->integers, in, count * sizeof(int64_t));
        break;
    default:
        widen_narrow_real(from, in, wide, count);
    }
}

// A double that rounds to any type of up to 40 significant bits as the integer
// does: the lowest bit kept says whether anything below it was lost.
static double sticky_double(int64_t value, bool is_unsigned)
{
    enum { LOST = 12 };
    const uint64_t mask = (UINT64_C(1) << LOST) - 1;
    const uint64_t bits = (uint64_t)value;
    const bool fits = is_unsigned ? bits >> 53 == 0 : value >= -(1ll << 53) && value <= 1ll << 53;
    const uint64_t kept =
        fits ? bits : (bits & ~mask) | ((bits & mask) != 0 ? UINT64_C(1) << LOST : 0);
    return is_unsigned ? (double)kept : (double)(int64_t)kept;
}

// A float that rounds to a narrower type as the double does: towards zero, the
// last bit set when anything was lost.
static float sticky_float(double value)
{
    const float nearest = (float)value;
    const double back = (double)nearest;
    if (back == value || isnan(value))
        return nearest;
    const uint32_t bits = real_bits(nearest) - (fabs(back) > fabs(value) ? 1 : 0);
    return real_from_bits(bits | 1);
}

static void narrow_to_f32(const struct wide *wide, float *out, uint64_t count)
{
    if (wide->real) {
        for (uint64_t i = 0; i < count; i++)
            out[i] = (float)wide->reals[i];
    } else if (wide->is_unsigned) {
        for (uint64_t i = 0; i < count; i++)
            out[i] = (float)(uint64_t)wide->integers[i];
    } else {
        for (uint64_t i = 0; i < count; i++)
            out[i] = (float)wide->integers[i];
    }
}

static void narrow_to_f64(const struct wide *wide, double *out, uint64_t count)
{
    if (wide->real) {
        memcpy(out, wide->reals, count * sizeof *out);
    } else if (wide->is_unsigned) {
        for (uint64_t i = 0; i < count; i++)
            out[i] = (double)(uint64_t)wide->integers[i];
    } else {
        for (uint64_t i = 0; i < count; i++)
            out[i] = (double)wide->integers[i];
    }
}

static void narrow_to_small_real(const struct wide *wide, enum element to, void *out,
                                 uint64_t count, bool saturate)
{
    float singles[CHUNK];
    uint8_t *bytes = out;
    for (uint64_t i = 0; i < count; i++)
        singles[i] = sticky_float(wide->real ? wide->reals[i]
                                             : sticky_double(wide->integers[i], wide->is_unsigned));
    if (to == ELEMENT_F16 || to == ELEMENT_BF16) {
        convert_from_f32(to, singles, out, count);
    } else {
        for (uint64_t i = 0; i < count; i++)
            bytes[i] = real_to_f8(to, singles[i], saturate);
    }
}

static void narrow_to_bool(const struct wide *wide, uint8_t *out, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = wide->real ? wide->reals[i] != 0 : wide->integers[i] != 0;
}

static void narrow_to_four_bits(const struct wide *wide, enum element to, void *out, uint64_t count)
{
    const double lowest = (double)element_lowest(to);
    const double highest = (double)element_highest(to);
    int8_t *bytes = out;
    for (uint64_t i = 0; i < count; i++) {
        const double real = wide->real          ? wide->reals[i]
                            : wide->is_unsigned ? (double)(uint64_t)wide->integers[i]
                                                : (double)wide->integers[i];
        const double whole = isnan(real) ? 0 : rint(real);
        bytes[i] = (int8_t)(whole < lowest ? lowest : whole > highest ? highest : whole);
    }
}

static inline int64_t i32_of_real(double value)
{
    return value > -2147483649.0 && value < 2147483648.0 ? (int32_t)value : INT32_MIN;
}

static inline int64_t i64_of_real(double value)
{
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

static inline int64_t u64_of_real(double value)
{
    if (value >= 0x1p63)
        return value < 0x1p64 ? (int64_t)(uint64_t)value : 0;
    return i64_of_real(value);
}

// In place.
static void wide_to_integers(struct wide *wide, enum element to, uint64_t count)
{
    if (!wide->real)
        return;
    wide->real = false;
    if (to == ELEMENT_U64) {
        for (uint64_t i = 0; i < count; i++)
            wide->integers[i] = u64_of_real(wide->reals[i]);
    } else if (to == ELEMENT_I64 || to == ELEMENT_U32 || to == ELEMENT_I48) {
        for (uint64_t i = 0; i < count; i++)
            wide->integers[i] = i64_of_real(wide->reals[i]);
    } else {
        for (uint64_t i = 0; i < count; i++)
            wide->integers[i] = i32_of_real(wide->reals[i]);
    }
}

#define NARROW(type)                                                                               \
    for (uint64_t i = 0; i < count; i++)                                                           \
        ((type *)out)[i] = (type)wide->integers[i];                                                \
    break

static void narrow_to_integer(struct wide *wide, enum element to, void *out, uint64_t count)
{
    wide_to_integers(wide, to, count);
    switch (to) {
    case ELEMENT_U8:
        NARROW(uint8_t);
    case ELEMENT_I8:
        NARROW(int8_t);
    case ELEMENT_U16:
        NARROW(uint16_t);
    case ELEMENT_I16:
        NARROW(int16_t);
    case ELEMENT_U32:
        NARROW(uint32_t);
    case ELEMENT_I32:
        NARROW(int32_t);
    case ELEMENT_I48:
        for (uint64_t i = 0; i < count; i++)
            ((int64_t *)out)[i] = (int64_t)((uint64_t)wide->integers[i] << 16) >> 16;
        break;
    default:
        memcpy(out, wide->integers, count * sizeof(int64_t));
    }
}

static void convert_narrow(struct wide *wide, enum element to, void *out, uint64_t count,
                           bool saturate)
{
    switch (to) {
    case ELEMENT_F32:
        narrow_to_f32(wide, out, count);
        return;
    case ELEMENT_F64:
        narrow_to_f64(wide, out, count);
        return;
    case ELEMENT_BOOL:
        narrow_to_bool(wide, out, count);
        return;
    case ELEMENT_U4:
    case ELEMENT_I4:
        narrow_to_four_bits(wide, to, out, count);
        return;
    default:
        if (element_is_float(to))
            narrow_to_small_real(wide, to, out, count, saturate);
        else
            narrow_to_integer(wide, to, out, count);
    }
}

static bool is_plain_float(enum element element)
{
    return element == ELEMENT_F16 || element == ELEMENT_BF16 || element == ELEMENT_F32;
}

void convert_row(enum element from, const void *in, enum element to, void *out, uint64_t count,
                 bool saturate)
{
    if (from == to) {
        memcpy(out, in, count * element_size(to));
        return;
    }
    if (to == ELEMENT_F32 && is_plain_float(from)) {
        convert_to_f32(from, in, out, count);
        return;
    }
    if (from == ELEMENT_F32 && is_plain_float(to)) {
        convert_from_f32(to, in, out, count);
        return;
    }
    if (from == ELEMENT_F32 && to == ELEMENT_F64) {
        f64_of_f32(in, out, count);
        return;
    }
    struct wide wide;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        const uint64_t part = count - at < CHUNK ? count - at : CHUNK;
        convert_widen(from, (const char *)in + at * element_size(from), &wide, part);
        convert_narrow(&wide, to, (char *)out + at * element_size(to), part, saturate);
    }
}
