// Orders and sums of data frames: permutations that numpy 1.24 gave, and definitions.

#include "reports/tenstorrent/frame.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void equal_keys_come_as_numpy_leaves_them(void **state)
{
    (void)state;
    static const size_t want[] = {0,  33, 22, 11, 30, 8, 19, 16, 5, 27, 38, 24, 35, 13,
                                  2,  10, 21, 32, 29, 7, 18, 15, 4, 37, 26, 1,  34, 23,
                                  12, 31, 20, 9,  28, 6, 17, 39, 3, 14, 36, 25};
    int64_t keys[40];
    size_t order[40];
    for (size_t i = 0; i < 40; i++)
        keys[i] = (int64_t)(i * 7 % 11);
    frame_order(keys, 40, order);
    assert_memory_equal(order, want, sizeof want);
}

static void few_equal_keys_stay_as_they_stood(void **state)
{
    (void)state;
    int64_t keys[16];
    size_t order[16];
    for (size_t i = 0; i < 16; i++)
        keys[i] = (int64_t)(i % 3);
    frame_order(keys, 16, order);
    for (size_t i = 1; i < 16; i++)
        assert_true(keys[order[i - 1]] < keys[order[i]] ||
                    (keys[order[i - 1]] == keys[order[i]] && order[i - 1] < order[i]));
    frame_order_descending(keys, 16, order);
    for (size_t i = 1; i < 16; i++)
        assert_true(keys[order[i - 1]] > keys[order[i]] ||
                    (keys[order[i - 1]] == keys[order[i]] && order[i - 1] < order[i]));
}

// Keys that lead a median of three astray, so that the heap takes over.
static void everything_is_sorted_once(void **state)
{
    (void)state;
    enum { COUNT = 4000, HALF = COUNT / 2 };
    static int64_t keys[COUNT + 2];
    static size_t order[COUNT];
    static unsigned char seen[COUNT];
    for (size_t i = 1; i <= HALF; i++) {
        if (i % 2 == 1) {
            keys[i - 1] = (int64_t)i;
            keys[i] = (int64_t)(HALF + i);
        }
        keys[HALF + i - 1] = (int64_t)(2 * i);
    }
    frame_order(keys, COUNT, order);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(i == 0 || keys[order[i - 1]] <= keys[order[i]]);
        seen[order[i]]++;
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], 1);
}

static void keys_sort_as_their_numbers_do(void **state)
{
    (void)state;
    static const double rising[] = {-INFINITY, -1e9, -1, -1e-9, 0, 1e-9, 1, 1e9, INFINITY};
    for (size_t i = 1; i < sizeof rising / sizeof rising[0]; i++)
        assert_true(frame_key(rising[i - 1]) < frame_key(rising[i]));
    assert_true(frame_key(-0.0) == frame_key(0.0));
}

static void a_sum_keeps_what_an_addition_drops(void **state)
{
    (void)state;
    struct frame_sum sum = {0};
    double plain = 0;
    for (int i = 0; i < 1000; i++) {
        frame_add(&sum, 0.1);
        plain += 0.1;
    }
    assert_true(sum.value == 100.0);
    assert_true(plain != 100.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_keys_come_as_numpy_leaves_them),
        cmocka_unit_test(few_equal_keys_stay_as_they_stood),
        cmocka_unit_test(everything_is_sorted_once),
        cmocka_unit_test(keys_sort_as_their_numbers_do),
        cmocka_unit_test(a_sum_keeps_what_an_addition_drops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
