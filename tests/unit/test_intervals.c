// Interval sets against a bitmap: one bit per tick is slow and obviously right.

#include "analysis/intervals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TICKS = 200, MOST = 40 };

static struct interval_set random_set(struct interval *items, unsigned *seed, char *bitmap)
{
    const size_t count = (size_t)rand_r(seed) % MOST;
    memset(bitmap, 0, TICKS);
    for (size_t i = 0; i < count; i++) {
        const uint64_t start = (uint64_t)(rand_r(seed) % (TICKS - 20));
        items[i] = (struct interval){start, start + (uint64_t)(rand_r(seed) % 20)};
        memset(bitmap + start, 1, items[i].end - start);
    }
    size_t impossible;
    const struct interval_set set = intervals_normalize(items, count, &impossible);
    assert_int_equal(impossible, 0);
    return set;
}

static void assert_equals_bitmap(struct interval_set set, const char *bitmap)
{
    char seen[TICKS] = {0};
    for (size_t i = 0; i < set.count; i++) {
        assert_true(set.items[i].start < set.items[i].end);
        if (i > 0)
            assert_true(set.items[i - 1].end < set.items[i].start);
        memset(seen + set.items[i].start, 1, set.items[i].end - set.items[i].start);
    }
    assert_memory_equal(seen, bitmap, TICKS);
}

static void algebra_agrees_with_bitmaps(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        unsigned seed = round;
        struct interval a_items[MOST], b_items[MOST], items[2 * MOST];
        char a_bits[TICKS], b_bits[TICKS], want[TICKS];
        const struct interval_set a = random_set(a_items, &seed, a_bits);
        const struct interval_set b = random_set(b_items, &seed, b_bits);
        assert_equals_bitmap(a, a_bits);

        for (int t = 0; t < TICKS; t++)
            want[t] = (char)(a_bits[t] && b_bits[t]);
        assert_equals_bitmap(intervals_intersect(a, b, items), want);

        for (int t = 0; t < TICKS; t++)
            want[t] = (char)(a_bits[t] && !b_bits[t]);
        assert_equals_bitmap(intervals_subtract(a, b, items), want);
    }
}

static void touching_intervals_merge_and_impossible_ones_are_counted(void **state)
{
    (void)state;
    struct interval items[] = {{5, 9}, {9, 12}, {3, 3}, {8, 2}};
    size_t impossible;
    const struct interval_set set = intervals_normalize(items, 4, &impossible);
    assert_int_equal(impossible, 1);
    assert_int_equal(set.count, 1);
    assert_int_equal(intervals_total(set), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algebra_agrees_with_bitmaps),
        cmocka_unit_test(touching_intervals_merge_and_impossible_ones_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
