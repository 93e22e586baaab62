// A sweep over so many intervals that it is cut at the marks of their lists.

#include "analysis/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SPANS = 1200000, LANES = 2 };

// Most of the time has few of them.
static uint64_t start_of(uint64_t span)
{
    const uint64_t half = SPANS / 2;
    return span < half ? 10 * span : 10 * half + 1000 * (span - half);
}

static void many_intervals_are_added_up_wherever_they_are_cut(void **state)
{
    (void)state;
    struct busy busy[LANES] = {busy_empty(), busy_empty()};
    for (uint64_t i = 0; i < SPANS; i++) {
        const uint64_t start = start_of(i);
        assert_null(busy_add(&busy[0], (struct interval){start, start + 4}));
        assert_null(busy_add(&busy[1], (struct interval){start + 2, start + 6}));
    }
    struct sweep_lane lanes[LANES] = {{.busy = &busy[0], .part = 0}, {.busy = &busy[1], .part = 1}};
    uint64_t group = 0;
    uint64_t *times = calloc(1 << SWEEP_PARTS_MOST, sizeof *times);
    for (int i = 0; i < LANES; i++)
        assert_null(busy_finish(&busy[i]));
    assert_true(busy[0].in_order.mark_count > 8);
    sweep_lanes(&(struct sweep_input){.range = {0, start_of(SPANS)},
                                      .lanes = lanes,
                                      .lane_count = LANES,
                                      .group_totals = &group,
                                      .group_count = 1,
                                      .times = times});
    assert_true(lanes[0].total == 4 * (uint64_t)SPANS && lanes[1].total == 4 * (uint64_t)SPANS);
    assert_true(group == 6 * (uint64_t)SPANS);
    assert_true(times[1] == 2 * (uint64_t)SPANS && times[2] == 2 * (uint64_t)SPANS);
    assert_true(times[3] == 2 * (uint64_t)SPANS);
    assert_true(times[0] == start_of(SPANS) - 6 * (uint64_t)SPANS);
    free(times);
    for (int i = 0; i < LANES; i++)
        busy_free(&busy[i]);
}

int main(void)
{
    setenv("OPSCOPE_THREADS", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_intervals_are_added_up_wherever_they_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
