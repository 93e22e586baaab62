// Reals made bytes, by every vector of this machine, against one number at a time.

#include "kernels/core/byte_results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/core/isa.h"

enum { COUNT_MOST = 200, BEHIND = 5, ROUNDS = 3 };

static uint8_t one(const struct byte_result *result, float x)
{
    const float scaled = x / result->scale;
    float kept = scaled > result->low ? scaled : result->low;
    kept = kept < result->high ? kept : result->high;
    return (uint8_t)((int32_t)rintf(kept) + result->zero);
}

// Many lie in the middle between two whole numbers, or next to it.
static float number(const struct byte_result *result, unsigned *seed)
{
    const float middle = ((float)(rand_r(seed) % 600 - 300) + 0.5F) * result->scale;
    switch (rand_r(seed) % 8) {
    case 0:
        return middle;
    case 1:
        return nextafterf(middle, INFINITY);
    case 2:
        return nextafterf(middle, -INFINITY);
    case 3: {
        const float odd[] = {NAN, INFINITY, -INFINITY, 3e38F, -3e38F, 0.0F, -0.0F};
        return odd[rand_r(seed) % 7];
    }
    default:
        return (float)(rand_r(seed) % 60001 - 30000) / 91.0F * result->scale;
    }
}

static void check_count(const struct byte_result *result, uint64_t count, unsigned seed)
{
    float from[COUNT_MOST + BEHIND];
    uint8_t to[COUNT_MOST + BEHIND];
    for (size_t i = 0; i < COUNT_MOST + BEHIND; i++)
        from[i] = number(result, &seed);
    memset(to, 0xa5, sizeof to);
    byte_results_put(result, from, count, to);
    for (size_t i = 0; i < COUNT_MOST + BEHIND; i++)
        assert_int_equal(to[i], i < count ? one(result, from[i]) : 0xa5);
}

static void every_count_and_sign_is_rounded_alike(void **state)
{
    (void)state;
    const struct byte_result results[] = {
        {0.0235294122F, 0, 255, 0}, {0.37F, -128, 127, 128}, {1, -255, 0, 255},
        {3.1e-3F, -128, 127, 0},    {7, -100, 155, -28},     {0.1F, -2, 9, 2},
        {1e-30F, -28, 227, 28},     {1e-35F, -28, 227, 28},  {0.25F, -128, 127, 0},
    };
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
            for (uint64_t count = 0; count <= COUNT_MOST; count++) {
                for (unsigned round = 0; round < ROUNDS; round++)
                    check_count(&results[i], count, (unsigned)(count * ROUNDS) + round);
            }
        }
    }
    isa_limit(ISA_COUNT);
}

// A scale whose mantissa is anything, or close to what quotients are hard to tell apart with.
static float random_scale(unsigned *seed)
{
    const int32_t near = rand_r(seed) % 128 * 65536 + rand_r(seed) % 401 - 200;
    const int32_t any = rand_r(seed) % (1 << 23);
    const int32_t bits = (100 << 23) + (rand_r(seed) % 2 == 0 ? any : near);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

// Around the middle between any two neighbouring results.
static void quotients_are_rounded_as_if_divided(void **state)
{
    (void)state;
    enum { RESULTS = 256, AROUND = 5, SCALES = 2000 };
    unsigned seed = 3;
    for (int round = 0; round < SCALES; round++) {
        const struct byte_result result = {random_scale(&seed), -128, 127, 0};
        float from[RESULTS * AROUND];
        uint8_t to[RESULTS * AROUND];
        for (int i = 0; i < RESULTS; i++) {
            float x = ((float)(i - RESULTS / 2) - 0.5F) * result.scale;
            x = nextafterf(nextafterf(x, -INFINITY), -INFINITY);
            for (int j = 0; j < AROUND; j++, x = nextafterf(x, INFINITY))
                from[i * AROUND + j] = x;
        }
        byte_results_put(&result, from, RESULTS * AROUND, to);
        for (int i = 0; i < RESULTS * AROUND; i++)
            assert_int_equal(to[i], one(&result, from[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_and_sign_is_rounded_alike),
        cmocka_unit_test(quotients_are_rounded_as_if_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
