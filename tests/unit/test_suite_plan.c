// Plans of test sessions: what holds for all, and what a section says itself.

#include "suite/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct suite_plan *read(const char *text)
{
    struct suite_plan *plan;
    const status failure = suite_plan_read("a.plan", view_of(text), &plan);
    assert_null(failure);
    return plan;
}

static void sections_inherit_what_they_do_not_say(void **state)
{
    (void)state;
    struct suite_plan *plan =
        read("target = one\n target =two # both\r\ntimeout=2.5\nrun = go {program}\n"
             "[networks]\nmodels = *.onnx\n# nothing\n\n"
             "[networks]\nmodels = a\nmodels = b\ntarget = three\n"
             "input = 1x2xf32=1\ninput = @x#1.npy\ntimeout = 7");
    assert_int_equal(plan->count, 2);
    const struct plan_networks *first = &plan->networks[0], *second = &plan->networks[1];
    assert_int_equal(first->line, 5);
    assert_int_equal(first->models.count, 1);
    assert_int_equal(first->targets.count, 2);
    assert_string_equal(first->targets.items[1], "two");
    assert_true(first->timeout == 2.5);
    assert_string_equal(first->run, "go {program}");
    assert_null(first->compile);
    assert_int_equal(second->models.count, 2);
    assert_int_equal(second->targets.count, 1);
    assert_string_equal(second->targets.items[0], "three");
    assert_int_equal(second->inputs.count, 2);
    assert_string_equal(second->inputs.items[0], "1x2xf32=1");
    assert_string_equal(second->inputs.items[1], "@x#1.npy");
    assert_true(second->timeout == 7);
    suite_plan_free(plan);
}

static void seconds_are_positive_and_at_most_a_day(void **state)
{
    (void)state;
    double seconds;
    assert_true(plan_seconds(view_of("0.001"), &seconds));
    assert_true(plan_seconds(view_of("86400"), &seconds));
    static const char *const WRONG[] = {"0", "-1", "86401", "nan", "inf", "", "1s"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        assert_false(plan_seconds(view_of(WRONG[i]), &seconds));
}

static void failures_name_their_line(void **state)
{
    (void)state;
    struct suite_plan *plan;
    const status failure =
        suite_plan_read("a.plan", view_of("[networks]\n\nmodels = a\nspeed = 3\n"), &plan);
    assert_non_null(failure);
    assert_int_equal(strncmp(status_message(failure), "a.plan:4: ", 10), 0);
    status_free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_inherit_what_they_do_not_say),
        cmocka_unit_test(seconds_are_positive_and_at_most_a_day),
        cmocka_unit_test(failures_name_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
