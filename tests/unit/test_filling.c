// Parts are taken in the order in which they were handed on, each worked on once, and filled again.

#include "base/filling.h"

#include <stdint.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/parts.h"

enum { MANY = 2000 };

struct number {
    struct filled_part filled;
    uint32_t number;
    uint32_t squared;
    uint32_t times_filled;
};

static void square(void *part)
{
    struct number *number = part;
    number->squared = number->number * number->number;
}

static void take(void *context, void *part)
{
    uint32_t *taken = context;
    const struct number *number = part;
    assert_int_equal(number->number, *taken);
    assert_int_equal(number->squared, *taken * *taken);
    ++*taken;
}

static void with_threads(const char *threads, uint32_t count)
{
    uint32_t taken = 0, filled = 0, parts = 0;
    struct filling filling;
    setenv("OPSCOPE_THREADS", threads, 1);
    filling_start(&filling, sizeof(struct number), square, take, &taken);
    for (uint32_t i = 0; i < count; i++) {
        struct number *number = filling_part(&filling);
        number->number = i;
        number->times_filled++; // all zero at first, and kept
        filling_hand_on(&filling, number);
    }
    filling_finish(&filling);
    assert_int_equal(taken, count);
    for (struct number *number; (number = filling_give_back(&filling)) != NULL; parts++) {
        filled += number->times_filled;
        free(number);
    }
    assert_int_equal(filled, count);
    assert_true(parts <= PARTS_OF_THREAD * parts_threads() + 1);
    unsetenv("OPSCOPE_THREADS");
}

static void test_parts_come_in_order_and_are_filled_again(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "4", "16"};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        with_threads(threads[i], 0);
        with_threads(threads[i], 1);
        with_threads(threads[i], MANY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_come_in_order_and_are_filled_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
