// Medians, percentiles, correlations and intervals against their definitions.

#include "analysis/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t state = 7;

static double invent(void)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (double)(state >> 40) / 1000;
}

static void fill(double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = invent();
}

static int compare_whole(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void the_selected_one_stands_there_when_sorted(void **unused)
{
    (void)unused;
    for (size_t count = 1; count < 200; count++) {
        uint64_t numbers[200], sorted[200];
        for (size_t i = 0; i < count; i++)
            numbers[i] = sorted[i] = (uint64_t)invent() % (1 + count / 2);
        qsort(sorted, count, sizeof *sorted, compare_whole);
        for (size_t rank = 0; rank < count; rank++)
            assert_int_equal(statistics_select(numbers, count, rank), sorted[rank]);
        qsort(numbers, count, sizeof *numbers, compare_whole);
        assert_memory_equal(numbers, sorted, count * sizeof *sorted);
    }
}

static void medians_lie_halfway(void **unused)
{
    (void)unused;
    const uint64_t whole[] = {1, 2, 5, 10};
    int64_t negative[] = {4, -3, INT64_MIN, INT64_MAX};
    int64_t pair[] = {-1, -4};
    assert_int_equal(statistics_median_whole(whole, 1), 1);
    assert_int_equal(statistics_median_whole(whole, 3), 2);
    assert_int_equal(statistics_median_whole(whole, 4), 3);
    assert_int_equal(statistics_median_whole((const uint64_t[]){UINT64_MAX - 2, UINT64_MAX}, 2),
                     UINT64_MAX - 1);
    assert_int_equal(statistics_median_signed(negative, 4), 0);
    assert_int_equal(statistics_median_signed(pair, 2), -3); // down, not towards 0
    const double reals[] = {1, 2, 5, 10};
    assert_true(statistics_median(reals, 4) == 3.5);
    assert_true(statistics_median(reals, 3) == 2);
}

static void percentiles_are_the_least_that_enough_keep_to(void **unused)
{
    (void)unused;
    for (size_t count = 1; count < 250; count++) {
        for (unsigned percent = 1; percent <= 100; percent++) {
            size_t rank = 0;
            while ((rank + 1) * 100 < count * percent)
                rank++;
            assert_int_equal(statistics_rank(count, percent), rank);
        }
        // What reports had before there was one definition.
        assert_int_equal(statistics_rank(count, 90), count - 1 - count / 10);
    }
}

static void deviations_agree(void **unused)
{
    (void)unused;
    double numbers[100], sum = 0, squares = 0;
    fill(numbers, 100);
    for (size_t i = 0; i < 100; i++) {
        sum += numbers[i];
        squares += numbers[i] * numbers[i];
    }
    assert_true(fabs(statistics_mean(numbers, 100) - sum / 100) < 1e-9);
    assert_true(fabs(statistics_deviation(numbers, 100) -
                     statistics_deviation_of_sums(sum, squares, 100)) < 1e-3);
    const double known[] = {2, 4, 4, 4, 5, 5, 7, 9};
    assert_true(fabs(statistics_deviation(known, 8) - sqrt(32.0 / 7)) < 1e-12);
    assert_true(statistics_deviation_of_sums(6, 12, 3) == 0);
}

// Each number's rank by counting, as score once did.
static double rank_of(const double *numbers, size_t count, size_t index)
{
    double rank = 0;
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] > numbers[index])
            rank += 1;
        else if (numbers[i] == numbers[index] && i != index)
            rank += 0.5;
    }
    return rank;
}

static void correlations_are_those_of_ranks(void **unused)
{
    (void)unused;
    enum { COUNT = 60 };
    double a[COUNT], b[COUNT], got;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            a[i] = floor(invent() / 1000); // with ties
            b[i] = a[i] + invent() / 2000;
        }
        double both = 0, left = 0, right = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const double x = rank_of(a, COUNT, i) - (COUNT - 1) / 2.0;
            const double y = rank_of(b, COUNT, i) - (COUNT - 1) / 2.0;
            both += x * y;
            left += x * x;
            right += y * y;
        }
        assert_true(statistics_rank_correlation(a, b, COUNT, &got));
        assert_true(got == both / sqrt(left * right));
    }
    const double equal[] = {1, 1, 1}, rising[] = {1, 2, 3}, falling[] = {9, 4, 1};
    assert_false(statistics_rank_correlation(equal, rising, 3, &got));
    assert_false(statistics_rank_correlation(rising, falling, 0, &got));
    assert_true(statistics_rank_correlation(rising, falling, 3, &got) && got == -1);
}

static void intervals_of_medians_are_those_of_tables(void **unused)
{
    (void)unused;
    // Ranks of the textbook's table for 95 %, from 1.
    static const size_t known[][2] = {{6, 1},  {8, 1},   {9, 2},   {12, 3},
                                      {20, 6}, {50, 18}, {100, 40}};
    double numbers[100];
    struct statistics_interval got;
    for (size_t i = 0; i < 100; i++)
        numbers[i] = (double)i + 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t count = known[i][0];
        assert_true(statistics_median_interval(numbers, count, 0.95, &got));
        assert_int_equal(got.low, known[i][1]);
        assert_int_equal(got.high, count + 1 - known[i][1]);
    }
    assert_false(statistics_median_interval(numbers, 5, 0.95, &got));
    assert_false(statistics_median_interval(numbers, 0, 0.95, &got));
}

static void intervals_hold_the_median_as_often_as_they_say(void **unused)
{
    (void)unused;
    enum { ROUNDS = 400, COUNT = 30 };
    int held = 0;
    const double middle = (double)(1 << 24) / 2000;
    for (int i = 0; i < ROUNDS; i++) {
        double numbers[COUNT];
        struct statistics_interval got;
        fill(numbers, COUNT);
        statistics_sort(numbers, COUNT);
        assert_true(statistics_median_interval(numbers, COUNT, 0.95, &got));
        held += got.low <= middle && middle <= got.high;
    }
    assert_in_range(held, ROUNDS * 92 / 100, ROUNDS);
}

static void ratios_have_the_same_interval_every_time(void **unused)
{
    (void)unused;
    double a[40], b[40];
    struct statistics_interval first, again;
    fill(b, 40);
    for (size_t i = 0; i < 40; i++) {
        b[i] += 100000;
        a[i] = 2 * b[i];
    }
    assert_true(statistics_ratio_interval(a, 40, b, 40, 0.95, &first));
    assert_true(statistics_ratio_interval(a, 40, b, 40, 0.95, &again));
    assert_true(first.low == again.low && first.high == again.high);
    assert_true(first.low < 2 && 2 < first.high && first.high - first.low < 0.2);
    assert_false(statistics_ratio_interval(a, 1, b, 40, 0.95, &first));
    b[0] = -1000000;
    assert_false(statistics_ratio_interval(a, 2, b, 2, 0.95, &first));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_lie_halfway),
        cmocka_unit_test(the_selected_one_stands_there_when_sorted),
        cmocka_unit_test(percentiles_are_the_least_that_enough_keep_to),
        cmocka_unit_test(deviations_agree),
        cmocka_unit_test(correlations_are_those_of_ranks),
        cmocka_unit_test(intervals_of_medians_are_those_of_tables),
        cmocka_unit_test(intervals_hold_the_median_as_often_as_they_say),
        cmocka_unit_test(ratios_have_the_same_interval_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
