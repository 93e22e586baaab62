#include "kernels/core/whole_numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_numbers.h"

enum { MOST = 600 };

static void bytes_that_were_scaled_are_found(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 3000; round++) {
        const uint64_t count = (uint64_t)between(&seed, 1, round % 50 == 0 ? MOST : 30);
        const int64_t most = between(&seed, 1, 127);
        const float scale = ldexpf((float)between(&seed, 1, 1 << 24), (int)between(&seed, -60, 20));
        float numbers[MOST];
        int8_t bytes[MOST];
        float found;
        for (uint64_t i = 0; i < count; i++)
            numbers[i] = (float)between(&seed, -most - 1, most) * scale;
        assert_true(whole_numbers_find(numbers, count, bytes, &found));
        for (uint64_t i = 0; i < count; i++)
            assert_true((float)bytes[i] * found == numbers[i]);
    }
}

static void others_are_not(void **state)
{
    (void)state;
    int8_t bytes[MOST];
    float scale, numbers[MOST];
    unsigned seed = 2;
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 40; i++)
            numbers[i] = (float)between(&seed, 1, 1 << 20) / 4099.0F;
        assert_false(whole_numbers_find(numbers, 40, bytes, &scale));
    }
    const float wide[] = {-129, 1, 128}; // whole, but no bytes
    assert_false(whole_numbers_find(wide, 3, bytes, &scale));
    const float endless[] = {1, INFINITY}, none[] = {1, NAN};
    assert_false(whole_numbers_find(endless, 2, bytes, &scale));
    assert_false(whole_numbers_find(none, 2, bytes, &scale));
}

static void zeros_are_zeros(void **state)
{
    (void)state;
    const float numbers[] = {0, -0.0F, 0};
    int8_t bytes[3] = {1, 1, 1};
    float scale;
    assert_true(whole_numbers_find(numbers, 3, bytes, &scale));
    for (int i = 0; i < 3; i++)
        assert_int_equal(bytes[i], 0);
    assert_true(scale > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_were_scaled_are_found),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(zeros_are_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
