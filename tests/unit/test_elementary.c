// The vectorisable functions against libm in double, over a sweep of all floats.

#include "kernels/core/elementary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Units in the last place between a result and the true value.
static double error_in_units(float got, double want)
{
    if (isnan(want))
        return isnan(got) ? 0 : 1e9;
    const float nearest = (float)want;
    if (isinf(nearest) || isinf(got))
        return got == nearest || fabs(want) > 3.4028234e38 ? 0 : 1e9;
    const float magnitude = fabsf(nearest);
    const double unit = (double)(nextafterf(magnitude, INFINITY) - magnitude);
    return fabs((double)got - want) / unit;
}

static void sweep(float (*function)(float), double (*truth)(double), double most)
{
    enum { STEP = 4099 };
    double worst = 0;
    float worst_at = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += STEP) {
        const float x = real_from_bits((uint32_t)bits);
        const double error = error_in_units(function(x), truth((double)x));
        if (error > worst) {
            worst = error;
            worst_at = x;
        }
    }
    if (worst > most)
        fail_msg("%.2f units in the last place at %g", worst, (double)worst_at);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void exp_is_within_two_units(void **state)
{
    (void)state;
    sweep(elementary_exp_f32, exp, 2);
}

static bool same_bits(float a, float b)
{
    return real_bits(a) == real_bits(b) || (isnan(a) && isnan(b));
}

// The forms of exp for one half of the numbers, with infinities and NaN.
static void exp_of_each_half_has_the_same_bits(void **state)
{
    (void)state;
    enum { STEP = 4099 };
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += STEP) {
        const float x = real_from_bits((uint32_t)bits);
        const float power = elementary_exp_f32(x);
        if ((!(x > 0) && !same_bits(power, elementary_exp_below_f32(x))) ||
            (!(x < 0) && !same_bits(power, elementary_exp_above_f32(x))))
            fail_msg("another number at %g", (double)x);
    }
    assert_true(elementary_exp_below_f32(-INFINITY) == 0);
    assert_true(elementary_exp_above_f32(INFINITY) == INFINITY);
}

static void tanh_is_within_two_units(void **state)
{
    (void)state;
    sweep(elementary_tanh_f32, tanh, 2);
}

static void sigmoid_is_within_two_and_a_half_units(void **state)
{
    (void)state;
    sweep(elementary_sigmoid_f32, sigmoid, 2.5);
}

static void erf_is_within_two_units(void **state)
{
    (void)state;
    sweep(elementary_erf_f32, erf, 2);
}

static void expm1_is_within_two_units(void **state)
{
    (void)state;
    sweep(elementary_expm1_f32, expm1, 2);
}

static void log_is_within_two_units(void **state)
{
    (void)state;
    sweep(elementary_log_f32, log, 2);
}

static void softplus_is_within_two_and_a_half_units(void **state)
{
    (void)state;
    sweep(elementary_softplus_f32, elementary_softplus_f64, 2.5);
}

// Where the logarithm is small the sweep is coarse.
static void logarithms_near_one_are_as_exact(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2000000; i++) {
        const float x = real_from_bits(0x3f7c0000 + i * 37 % 0x80000);
        assert_true(error_in_units(elementary_log_f32(x), log((double)x)) <= 2);
        assert_true(error_in_units(elementary_expm1_f32(x - 1), expm1((double)(x - 1))) <= 2);
    }
}

static void limits_are_exact(void **state)
{
    (void)state;
    assert_true(elementary_exp_f32(-INFINITY) == 0);
    assert_true(elementary_exp_f32(INFINITY) == INFINITY);
    assert_true(elementary_exp_f32(0) == 1);
    assert_true(isnan(elementary_exp_f32(NAN)));
    assert_true(elementary_expm1_f32(-INFINITY) == -1);
    assert_true(elementary_expm1_f32(INFINITY) == INFINITY);
    assert_true(elementary_log_f32(0) == -INFINITY && elementary_log_f32(-0.0f) == -INFINITY);
    assert_true(elementary_log_f32(INFINITY) == INFINITY && elementary_log_f32(1) == 0);
    assert_true(isnan(elementary_log_f32(-1)) && isnan(elementary_log_f32(NAN)));
    assert_true(elementary_softplus_f32(-INFINITY) == 0 && isnan(elementary_softplus_f32(NAN)));
    assert_true(elementary_softplus_f32(INFINITY) == INFINITY);
    assert_true(elementary_tanh_f32(INFINITY) == 1 && elementary_tanh_f32(-INFINITY) == -1);
    assert_true(elementary_erf_f32(INFINITY) == 1 && elementary_erf_f32(-INFINITY) == -1);
    assert_true(elementary_sigmoid_f32(INFINITY) == 1 && elementary_sigmoid_f32(-INFINITY) == 0);
    assert_true(elementary_sigmoid_f32(0) == 0.5f);
    assert_true(signbit(elementary_tanh_f32(-0.0f)) && signbit(elementary_erf_f32(-0.0f)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_two_units),
        cmocka_unit_test(exp_of_each_half_has_the_same_bits),
        cmocka_unit_test(tanh_is_within_two_units),
        cmocka_unit_test(sigmoid_is_within_two_and_a_half_units),
        cmocka_unit_test(erf_is_within_two_units),
        cmocka_unit_test(expm1_is_within_two_units),
        cmocka_unit_test(log_is_within_two_units),
        cmocka_unit_test(softplus_is_within_two_and_a_half_units),
        cmocka_unit_test(logarithms_near_one_are_as_exact),
        cmocka_unit_test(limits_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
