// Rows picked and put by offsets, and keys that sort, against plain loops.

#include "kernels/core/scatter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/core/convert.h"
#include "kernels/core/order.h"

enum { PLACES = 40, UPDATES = 100 };

static double combine(enum scatter_reduction reduction, double a, double b)
{
    switch (reduction) {
    case SCATTER_SET:
        return b;
    case SCATTER_ADD:
        return a + b;
    case SCATTER_MULTIPLY:
        return a * b;
    case SCATTER_MAXIMUM:
        return a > b ? a : b;
    case SCATTER_MINIMUM:
        return a < b ? a : b;
    }
    return 0;
}

// Small integers, which every type holds exactly; products are kept small by ones.
static void updates_are_applied_one_after_the_other(void **state)
{
    (void)state;
    static const enum element ELEMENTS[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16,
                                            ELEMENT_I8,  ELEMENT_U8,  ELEMENT_I16, ELEMENT_U16,
                                            ELEMENT_I32, ELEMENT_U32, ELEMENT_I64, ELEMENT_U64};
    for (size_t e = 0; e < sizeof ELEMENTS / sizeof *ELEMENTS; e++) {
        for (int reduction = SCATTER_SET; reduction <= SCATTER_MINIMUM; reduction++) {
            unsigned seed = (unsigned)(e * 7 + (size_t)reduction);
            double want[PLACES], updates[UPDATES], got[PLACES];
            int64_t offsets[UPDATES];
            _Alignas(16) char target[PLACES * 8], source[UPDATES * 8];
            for (int i = 0; i < PLACES; i++)
                want[i] = rand_r(&seed) % 5;
            for (int i = 0; i < UPDATES; i++) {
                offsets[i] = rand_r(&seed) % PLACES;
                updates[i] = reduction == SCATTER_MULTIPLY ? 1 + (rand_r(&seed) % 8 == 0)
                                                           : rand_r(&seed) % 9;
            }
            convert_row(ELEMENT_F64, want, ELEMENTS[e], target, PLACES, false);
            convert_row(ELEMENT_F64, updates, ELEMENTS[e], source, UPDATES, false);
            for (int i = 0; i < UPDATES; i++)
                want[offsets[i]] =
                    combine((enum scatter_reduction)reduction, want[offsets[i]], updates[i]);
            scatter_put((enum scatter_reduction)reduction, ELEMENTS[e], target, source, offsets,
                        UPDATES);
            convert_row(ELEMENTS[e], target, ELEMENT_F64, got, PLACES, false);
            assert_memory_equal(got, want, sizeof want);
        }
    }
}

static void integers_wrap_around_and_nan_wins(void **state)
{
    (void)state;
    const int64_t zero = 0;
    int64_t number = INT64_MAX;
    scatter_put(SCATTER_ADD, ELEMENT_I64, &number, &(int64_t){1}, &zero, 1);
    assert_true(number == INT64_MIN);
    int32_t narrow = INT32_MIN;
    scatter_put(SCATTER_MULTIPLY, ELEMENT_I32, &narrow, &(int32_t){-1}, &zero, 1);
    assert_int_equal(narrow, INT32_MIN);
    float real = 1;
    scatter_put(SCATTER_MAXIMUM, ELEMENT_F32, &real, &(float){NAN}, &zero, 1);
    assert_true(isnan(real));
    scatter_put(SCATTER_MINIMUM, ELEMENT_F32, &real, &(float){3}, &zero, 1);
    assert_true(isnan(real));
}

static void picks_take_elements_of_every_size(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (size_t size = 1; size <= 16; size *= 2) {
        _Alignas(16) char source[PLACES * 16], target[UPDATES * 16];
        int64_t offsets[UPDATES];
        for (size_t i = 0; i < sizeof source; i++)
            source[i] = (char)rand_r(&seed);
        for (int i = 0; i < UPDATES; i++)
            offsets[i] = rand_r(&seed) % PLACES;
        scatter_pick(size, target, source, offsets, UPDATES);
        for (size_t i = 0; i < UPDATES; i++)
            assert_memory_equal(target + i * size, source + (size_t)offsets[i] * size, size);
    }
}

static void keys_keep_the_order_of_numbers(void **state)
{
    (void)state;
    const double numbers[] = {-INFINITY, -3.5, -1, -0.0, 0.0, 0x1p-20, 1, 2.5, 1e9, INFINITY, NAN};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    static const enum element ELEMENTS[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16};
    for (size_t e = 0; e < sizeof ELEMENTS / sizeof *ELEMENTS; e++) {
        _Alignas(16) char data[COUNT * 8];
        uint64_t keys[COUNT];
        convert_row(ELEMENT_F64, numbers, ELEMENTS[e], data, COUNT, false);
        order_keys(ELEMENTS[e], data, 1, COUNT, keys);
        for (int i = 0; i + 1 < COUNT; i++)
            assert_true(numbers[i] == numbers[i + 1] ? keys[i] == keys[i + 1]
                                                     : keys[i] <= keys[i + 1]);
        assert_true(keys[0] < keys[1]);
        assert_true(keys[COUNT - 1] == UINT64_MAX);
    }
    const int64_t integers[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    uint64_t keys[5];
    order_keys(ELEMENT_I64, integers, 1, 5, keys);
    for (int i = 0; i < 4; i++)
        assert_true(keys[i] < keys[i + 1]);
    order_keys(ELEMENT_I64, integers + 4, -1, 5, keys);
    for (int i = 0; i < 4; i++)
        assert_true(keys[i] > keys[i + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_applied_one_after_the_other),
        cmocka_unit_test(integers_wrap_around_and_nan_wins),
        cmocka_unit_test(picks_take_elements_of_every_size),
        cmocka_unit_test(keys_keep_the_order_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
