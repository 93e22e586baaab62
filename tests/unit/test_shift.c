// Shifts of measurements against all ways to mix them, and against samples whose shift is known.

#include "analysis/shift.h"
#include "analysis/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/gate.h"

static double uniform(unsigned *seed)
{
    return (rand_r(seed) + 0.5) / ((double)RAND_MAX + 1);
}

// Times of a machine that others use now and then.
static double noisy(unsigned *seed)
{
    return 100 * (1 + 0.02 * uniform(seed)) * (uniform(seed) < 0.2 ? 1 + uniform(seed) : 1);
}

static struct shift compare(const double *a, const double *b, size_t count, double confidence)
{
    return shift_between((struct shift_side){a, count}, (struct shift_side){b, count}, confidence,
                         SHIFT_IN_TURN);
}

static void the_least_number_is_that_of_the_ways_to_mix(void **state)
{
    (void)state;
    // Two sides of n that do not overlap come by chance twice in (2n over n) ways.
    assert_int_equal(shift_least(0.90), 3);  // 2 in 20
    assert_int_equal(shift_least(0.95), 4);  // 2 in 70
    assert_int_equal(shift_least(0.99), 5);  // 2 in 252
    assert_int_equal(shift_least(0.999), 7); // 2 in 3432
}

static void a_factor_is_found(void **state)
{
    (void)state;
    const double a[] = {100, 101, 102, 103, 104}, b[] = {200, 202, 204, 206, 208};
    const struct shift shift = compare(a, b, 5, 0.99);
    assert_true(shift.known);
    assert_true(fabs(shift.factor - 2) < 1e-9);
    assert_true(fabs(shift.low - 200.0 / 104) < 1e-9 && fabs(shift.high - 208.0 / 100) < 1e-9);
    assert_false(compare(a, b, 4, 0.99).known);
}

static void intervals_hold_what_they_promise(void **state)
{
    (void)state;
    enum { COUNT = 9, ROUNDS = 4000 };
    unsigned seed = 5;
    unsigned held = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        double a[COUNT], b[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            a[i] = noisy(&seed);
            b[i] = 1.03 * noisy(&seed);
        }
        const struct shift shift = compare(a, b, COUNT, 0.9);
        held += shift.low <= 1.03 && shift.high >= 1.03;
    }
    assert_true(held > ROUNDS * 0.88 && held < ROUNDS * 0.95);
}

static void beside_a_number_without_noise(void **state)
{
    (void)state;
    enum { COUNT = 21, ROUNDS = 2000 };
    unsigned seed = 21;
    unsigned held = 0, other = 0;
    double sorted[COUNT * ROUNDS]; // the true median
    for (size_t i = 0; i < COUNT * ROUNDS; i++)
        sorted[i] = noisy(&seed);
    statistics_sort(sorted, COUNT * ROUNDS);
    const double truth = statistics_median(sorted, COUNT * ROUNDS) / 50;
    for (unsigned round = 0; round < ROUNDS; round++) {
        double b[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            b[i] = noisy(&seed);
        const struct shift_side side = {b, COUNT};
        const struct shift from = shift_from_exact(50, side, 0.9),
                           to = shift_to_exact(side, 50, 0.9);
        held += from.low <= truth && from.high >= truth;
        other += to.low <= 1 / truth && to.high >= 1 / truth;
        assert_true(from.known && from.low <= from.factor && from.factor <= from.high);
        assert_true(fabs(to.factor * from.factor - 1) < 1e-9);
    }
    assert_true(held > ROUNDS * 0.9 && other == held);
    const double few[] = {100, 101, 102};
    assert_false(shift_from_exact(50, (struct shift_side){few, 3}, 0.99).known);
}

static void many_numbers_are_as_exact_as_the_distribution(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static double a[COUNT], b[COUNT];
    unsigned seed = 9;
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = noisy(&seed);
        b[i] = 1.01 * noisy(&seed);
    }
    const struct shift shift = compare(a, b, COUNT, 0.99);
    assert_true(shift.known && shift.low <= 1.01 && shift.high >= 1.01);
    assert_true(shift.high - shift.low < 0.01);
}

static void a_machine_that_drifts_is_not_believed(void **state)
{
    (void)state;
    double a[10], b[10];
    for (size_t i = 0; i < 10; i++) { // it becomes slower all the time, whoever runs
        a[i] = 100 + (double)i;
        b[i] = 110 + (double)i;
    }
    const struct shift_side sides[] = {{a, 10}, {b, 10}};
    assert_true(shift_between(sides[0], sides[1], 0.99, SHIFT_IN_TURN).low > 1);
    const struct shift careful = shift_between(sides[0], sides[1], 0.99, SHIFT_ONE_AFTER_THE_OTHER);
    assert_true(careful.low < 1);
}

static void a_gate_decides(void **state)
{
    (void)state;
    const struct {
        double low, high;
        enum gate_outcome outcome;
    } CASES[] = {
        {0.99, 1.01, GATE_PASSED}, {1.01, 1.02, GATE_PASSED}, // slower, but within the limit
        {0.80, 0.90, GATE_PASSED}, {1.01, 1.05, GATE_FAILED},
        {1.04, 1.05, GATE_FAILED}, {0.98, 1.05, GATE_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct shift shift = {1, CASES[i].low, CASES[i].high, true};
        const struct gate_decision decision = gate_decide(&shift, 0.03, 5, 0.99);
        assert_int_equal(decision.outcome, CASES[i].outcome);
        assert_int_equal(decision.needed > 0, decision.outcome == GATE_UNDECIDED);
    }
    const struct shift unknown = {1.5, 0, 0, false};
    assert_int_equal(gate_decide(&unknown, 0.03, 1, 0.99).outcome, GATE_UNDECIDED);
    assert_int_equal(gate_decide(&unknown, 0.03, 1, 0.99).needed, 5);
    // Twice as wide needs four times as many.
    const struct shift wide = {1, exp(-2 * log1p(0.015)), exp(2 * log1p(0.015)), true};
    assert_int_equal(gate_decide(&wide, 0.03, 10, 0.99).outcome == GATE_PASSED, wide.high <= 1.03);
    assert_int_equal(shift_needed(&wide, 10, 0.015, 0.99), 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_number_is_that_of_the_ways_to_mix),
        cmocka_unit_test(a_factor_is_found),
        cmocka_unit_test(intervals_hold_what_they_promise),
        cmocka_unit_test(beside_a_number_without_noise),
        cmocka_unit_test(many_numbers_are_as_exact_as_the_distribution),
        cmocka_unit_test(a_machine_that_drifts_is_not_believed),
        cmocka_unit_test(a_gate_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
