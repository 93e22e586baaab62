// Series of numbers against sets that keep all of them.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/dense.h"

enum { NUMBERS = 200, ROUNDS = 2000 };

static void what_is_left_out_is_missing(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t first = (uint64_t)rand() % 3000;
        const uint64_t step = 1 + (uint64_t)rand() % 1024;
        bool there[NUMBERS];
        uint64_t missing = 0;
        for (int i = 0; i < NUMBERS; i++) {
            // Both ends and two neighbours say what the series is.
            there[i] = i < 2 || i == NUMBERS - 1 || rand() % 4 != 0;
            missing += !there[i];
        }
        struct dense dense = {0};
        const bool backwards = rand() % 2 == 0;
        for (int i = 0; i < NUMBERS; i++) {
            const int at = backwards ? NUMBERS - 1 - i : i;
            if (there[at])
                dense_add(&dense, first + step * (uint64_t)at);
        }
        assert_int_equal(dense_missing(&dense), missing);
        assert_int_equal(dense_repeated(&dense), 0);
        assert_true(dense_is_series(&dense));
        dense_add(&dense, first + step);
        dense_add(&dense, first);
        assert_int_equal(dense_missing(&dense), missing > 2 ? missing - 2 : 0);
    }
}

static void a_series_is_the_same_in_one_piece_or_in_several(void **state)
{
    (void)state;
    srand(2);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t step = (uint64_t)(round % 2);
        struct dense whole = {.step = step};
        struct dense joined = {.step = step};
        for (int piece = 0; piece < 5; piece++) {
            struct dense part = {.step = step};
            for (int i = rand() % 4; i > 0; i--) {
                const uint64_t number = 6 * ((uint64_t)rand() % 20);
                dense_add(&whole, number);
                dense_add(&part, number);
            }
            dense_join(&joined, &part);
        }
        assert_memory_equal(&joined, &whole, sizeof whole);
    }
}

static void what_is_there_too_often_is_repeated(void **state)
{
    (void)state;
    struct dense dense = {.step = 1};
    assert_int_equal(dense_missing(&dense), 0);
    assert_int_equal(dense_repeated(&dense), 0);
    for (uint64_t i = 0; i < 10; i++)
        dense_add(&dense, UINT64_MAX - i);
    dense_add(&dense, UINT64_MAX);
    assert_int_equal(dense_repeated(&dense), 1);
    assert_true(dense_is_series(&dense));
    for (int i = 0; i < 20; i++)
        dense_add(&dense, UINT64_MAX);
    assert_false(dense_is_series(&dense));
}

static void numbers_that_nobody_counted_are_no_series(void **state)
{
    (void)state;
    struct dense dense = {0};
    const uint64_t numbers[] = {7, 100, 3, 91};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        dense_add(&dense, numbers[i]);
    assert_false(dense_is_series(&dense));
    struct dense widest = {.step = 1};
    dense_add(&widest, 0);
    dense_add(&widest, UINT64_MAX);
    assert_int_equal(dense_missing(&widest), UINT64_MAX - 1);
    assert_false(dense_is_series(&widest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_missing),
        cmocka_unit_test(a_series_is_the_same_in_one_piece_or_in_several),
        cmocka_unit_test(what_is_there_too_often_is_repeated),
        cmocka_unit_test(numbers_that_nobody_counted_are_no_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
