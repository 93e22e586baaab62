// Quantized rows against one number at a time in double.

#include "kernels/core/linear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "kernels/core/convert.h"
#include "network/real.h"

enum { COUNT = 4099 };

static const enum element ELEMENTS[] = {ELEMENT_I8, ELEMENT_U8, ELEMENT_I16, ELEMENT_U16};

static int64_t wanted(enum element element, float x, float scale, int32_t zero)
{
    const float quotient = x / scale;
    const double lowest = (double)element_lowest(element);
    const double highest = (double)element_highest(element);
    if (isnan(quotient))
        return (int64_t)lowest;
    const double whole = nearbyint((double)quotient) + zero;
    return (int64_t)(whole < lowest ? lowest : whole > highest ? highest : whole);
}

static void check_quantized(enum element element, const float *x, float scale, int32_t zero)
{
    static uint16_t y[COUNT];
    static int64_t got[COUNT];
    linear_quantize_row(element, x, scale, zero, COUNT, y);
    convert_row(element, y, ELEMENT_I64, got, COUNT, true);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], wanted(element, x[i], scale, zero));
}

// Numbers around the range, halves among them, and any bits at all.
static void quantized_numbers_are_rounded_once_to_even_and_clamped(void **state)
{
    (void)state;
    static float x[COUNT];
    const float scales[] = {1, 0.5f, 0.0235f, 1e-30f, 3e38f};
    unsigned seed = 1;
    for (size_t e = 0; e < sizeof ELEMENTS / sizeof *ELEMENTS; e++) {
        const int64_t lowest = element_lowest(ELEMENTS[e]), highest = element_highest(ELEMENTS[e]);
        const int32_t zeros[] = {0, (int32_t)lowest, (int32_t)highest, (int32_t)(highest / 3)};
        for (size_t s = 0; s < 20; s++) {
            const float scale = scales[s / 4];
            for (int i = 0; i < COUNT; i++) {
                const uint32_t bits = (uint32_t)rand_r(&seed) ^ (uint32_t)rand_r(&seed) << 16;
                const float near = ((float)(i % 1200) - 600) * 0.5f * scale;
                x[i] = i % 3 == 0 ? real_from_bits(bits) : near;
            }
            check_quantized(ELEMENTS[e], x, scale, zeros[s % 4]);
        }
    }
}

static void dequantized_numbers_are_differences_times_the_scale(void **state)
{
    (void)state;
    static int64_t whole[COUNT];
    static uint32_t x[COUNT];
    static float y[COUNT];
    const enum element elements[] = {ELEMENT_I8, ELEMENT_U8, ELEMENT_I16, ELEMENT_U16, ELEMENT_I32};
    unsigned seed = 2;
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
        const int64_t lowest = element_lowest(elements[e]);
        const uint64_t range = (uint64_t)(element_highest(elements[e]) - lowest) + 1;
        const int32_t zero = elements[e] == ELEMENT_I32 ? 0 : (int32_t)(lowest + 17);
        for (int i = 0; i < COUNT; i++) {
            const uint64_t bits = (uint64_t)rand_r(&seed) << 16 ^ (uint64_t)rand_r(&seed);
            whole[i] = lowest + (int64_t)(bits % range);
        }
        convert_row(ELEMENT_I64, whole, elements[e], x, COUNT, true);
        linear_dequantize_row(elements[e], x, 0.0371f, zero, COUNT, y);
        for (int i = 0; i < COUNT; i++)
            assert_true(y[i] == (float)(whole[i] - zero) * 0.0371f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantized_numbers_are_rounded_once_to_even_and_clamped),
        cmocka_unit_test(dequantized_numbers_are_differences_times_the_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
