// exp, expm1, log, softplus, tanh, sigmoid and erf of f32 without branches, so that loops
// over them become vectors. At most 2 units in the last place from the true value, softplus
// and sigmoid 2.5 (the unit test sweeps them); infinities, NaN and denormal results as in
// libm. The f64 forms are libm's own.
//
// The polynomials are fits made for these ranges.

#ifndef OPSCOPE_KERNELS_CORE_ELEMENTARY_H
#define OPSCOPE_KERNELS_CORE_ELEMENTARY_H

#include <math.h>
#include <stdbool.h>

#include "network/real.h"

// e^clamped as p x 2^k: gives p, and the bits of k + 0x4b400000.
static inline float elementary_exp_parts(float clamped, uint32_t *out_exponent)
{
    // Adding 1.5 x 2^23 rounds to a whole number and leaves it in the low bits.
    const float shifted = clamped * 1.442695041f + 12582912.0f;
    const float whole = shifted - 12582912.0f;
    *out_exponent = real_bits(shifted);
    const float r = (clamped - whole * 0.693359375f) + whole * 2.12194440e-4f;
    float p = 0.0013814467f;
    p = p * r + 0.008368781f;
    p = p * r + 0.041668393f;
    p = p * r + 0.1666652f;
    p = p * r + 0.49999994f;
    return p * (r * r) + r + 1.0f;
}

static inline float elementary_exp_f32(float x)
{
    uint32_t bits;
    const float p = elementary_exp_parts(x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x, &bits);
    const int32_t exponent = (int32_t)(bits - 0x4b400000);
    // In two steps: each power of two alone is a normal number.
    const int32_t half = exponent >> 1;
    const float first = real_from_bits((uint32_t)(half + 127) << 23);
    const float second = real_from_bits((uint32_t)(exponent - half + 127) << 23);
    return p * first * second;
}

// The same where x is not above 0, or not below it, with fewer instructions: one of the two steps
// is always as long.
static inline float elementary_exp_below_f32(float x)
{
    uint32_t bits;
    const float p = elementary_exp_parts(x < -104.0f ? -104.0f : x, &bits);
    return p * real_from_bits((bits - 0x4b400000 + 127 + 64) << 23) * 0x1p-64f;
}

static inline float elementary_exp_above_f32(float x)
{
    uint32_t bits;
    const float p = elementary_exp_parts(x > 89.0f ? 89.0f : x, &bits);
    return p * real_from_bits((bits - 0x4b400000 + 127 - 64) << 23) * 0x1p64f;
}

// Rounded once: the square is exact.
static inline float elementary_cube_f32(float x)
{
    return (float)((double)x * (double)x * (double)x);
}

static inline float elementary_expm1_f32(float x)
{
    float p = 2.4926952e-05f;
    p = p * x + 0.00019966699f;
    p = p * x + 0.0013888746f;
    p = p * x + 0.008333191f;
    p = p * x + 0.041666668f;
    p = p * x + 0.16666667f;
    const float square = x * x;
    const float small = x + (square * 0.5f + square * x * p);
    const float large = elementary_exp_f32(x) - 1.0f;
    return fabsf(x) < 0.5f ? small : large;
}

// The logarithm of (1 + f) x 2^whole, where 1 + f is from the root of 1/2 to that of 2.
static inline float elementary_log_of_parts(float f, float whole)
{
    float p = 0.06971612f;
    p = p * f - 0.11479734f;
    p = p * f + 0.1168542f;
    p = p * f - 0.12425687f;
    p = p * f + 0.14249058f;
    p = p * f - 0.16667803f;
    p = p * f + 0.20000716f;
    p = p * f - 0.24999997f;
    p = p * f + 0.3333333f;
    const float square = f * f;
    const float rest = f * square * p - whole * 2.12194440e-4f - square * 0.5f;
    return f + rest + whole * 0.693359375f;
}

static inline float elementary_log_f32(float x)
{
    const bool tiny = x < 0x1p-126f;
    const uint32_t bits = real_bits(tiny ? x * 0x1p23f : x);
    const int32_t exponent = (int32_t)(bits - 0x3f3504f3) >> 23;
    const float m = real_from_bits(bits - ((uint32_t)exponent << 23));
    const float whole = (float)(exponent - (tiny ? 23 : 0));
    const float limit = x == 0 ? -INFINITY : x > 0 ? INFINITY : NAN;
    return x > 0 && x < INFINITY ? elementary_log_of_parts(m - 1.0f, whole) : limit;
}

// log(1 + exp(x))
static inline float elementary_softplus_f32(float x)
{
    const float e = elementary_exp_below_f32(-fabsf(x));
    const float sum = 1.0f + e;
    const float lost = e - (sum - 1.0f);
    const bool upper = sum > 1.41421356f;
    const float m = upper ? sum * 0.5f : sum;
    const float logarithm = elementary_log_of_parts(m - 1.0f, upper ? 1.0f : 0.0f) + lost / sum;
    return logarithm + (x < 0 ? 0.0f : x);
}

static inline float elementary_tanh_f32(float x)
{
    const float a = fabsf(x);
    const float square = a * a;
    float p = 0.002092841f;
    p = p * square - 0.0081231f;
    p = p * square + 0.021678988f;
    p = p * square - 0.053942855f;
    p = p * square + 0.13333176f;
    p = p * square - 0.3333333f;
    const float small = a + a * square * p;
    const float large = 1.0f - 2.0f / (elementary_exp_above_f32(2.0f * a) + 1.0f);
    return copysignf(a < 0.625f ? small : large, x);
}

static inline float elementary_sigmoid_f32(float x)
{
    const float e = elementary_exp_below_f32(-fabsf(x));
    return (x < 0 ? e : 1.0f) / (1.0f + e);
}

static inline float elementary_erf_f32(float x)
{
    const float a = fabsf(x);
    const float square = a * a;
    float p = 7.853861e-05f;
    p = p * square - 0.00080101937f;
    p = p * square + 0.0051883277f;
    p = p * square - 0.026853813f;
    p = p * square + 0.112835854f;
    p = p * square - 0.37612626f;
    p = p * square + 0.1283791671f;
    const float small = a + a * p;
    // The logarithm of 1 - erf on [0.95, 4].
    const float b = a > 4.0f ? 4.0f : a;
    float q = 0.00019150414f;
    q = q * b - 0.0029995407f;
    q = q * b + 0.022051997f;
    q = q * b - 0.10356689f;
    q = q * b - 0.63760006f;
    q = q * b - 1.127426f;
    q = q * b - 0.0002564457f;
    const float large = 1.0f - elementary_exp_below_f32(q);
    return copysignf(a < 1.0f ? small : large, x);
}

static inline double elementary_softplus_f64(double x)
{
    return log1p(exp(-fabs(x))) + (x < 0 ? 0 : x);
}

static inline double elementary_sigmoid_f64(double x)
{
    const double e = exp(-fabs(x));
    return (x < 0 ? e : 1.0) / (1.0 + e);
}

// For both types.
#define elementary_exp(x) _Generic((x), float : elementary_exp_f32, double : exp)(x)
#define elementary_exp_below(x) _Generic((x), float : elementary_exp_below_f32, double : exp)(x)
#define elementary_expm1(x) _Generic((x), float : elementary_expm1_f32, double : expm1)(x)
#define elementary_log(x) _Generic((x), float : elementary_log_f32, double : log)(x)
#define elementary_tanh(x) _Generic((x), float : elementary_tanh_f32, double : tanh)(x)
#define elementary_erf(x) _Generic((x), float : elementary_erf_f32, double : erf)(x)
#define elementary_softplus(x)                                                                     \
    _Generic((x), float : elementary_softplus_f32, double : elementary_softplus_f64)(x)
#define elementary_sigmoid(x)                                                                      \
    _Generic((x), float : elementary_sigmoid_f32, double : elementary_sigmoid_f64)(x)

#endif
