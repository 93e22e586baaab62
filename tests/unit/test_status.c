// Failures carry a code and a message that names the place.

#include "base/status.h"

#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static status fails_when(bool wanted)
{
    return wanted ? status_make(STATUS_DATA, "no") : STATUS_OK;
}

static status tries(bool first, bool second)
{
    STATUS_TRY(fails_when(first));
    STATUS_TRY(fails_when(second));
    return status_make(STATUS_LIMIT, "end");
}

static enum status_code code_and_free(status failure)
{
    const enum status_code code = status_code_of(failure);
    status_free(failure);
    return code;
}

static void messages_name_the_place(void **state)
{
    (void)state;
    status failure = status_at(STATUS_DATA, "trace.csv", 12, "column '%s': '%s' is not a number",
                               "Start", "abc");
    assert_string_equal(status_message(failure),
                        "trace.csv:12: column 'Start': 'abc' is not a number");
    assert_int_equal(code_and_free(failure), STATUS_DATA);

    failure = status_system(ENOENT, "trace.csv", "cannot open");
    assert_string_equal(status_message(failure),
                        "trace.csv: cannot open: No such file or directory");
    assert_int_equal(code_and_free(failure), STATUS_NOT_FOUND);
    assert_int_equal(code_and_free(status_system(EACCES, "a", "b")), STATUS_IO);
}

static void a_failure_ends_the_function_that_tries(void **state)
{
    (void)state;
    assert_int_equal(code_and_free(tries(true, false)), STATUS_DATA);
    assert_int_equal(code_and_free(tries(false, true)), STATUS_DATA);
    assert_int_equal(code_and_free(tries(false, false)), STATUS_LIMIT);
}

static void the_first_of_two_failures_is_kept(void **state)
{
    (void)state;
    const status io = status_make(STATUS_IO, "io");
    assert_int_equal(code_and_free(status_first(io, status_make(STATUS_DATA, "data"))), STATUS_IO);
    assert_int_equal(code_and_free(status_first(STATUS_OK, status_make(STATUS_DATA, "data"))),
                     STATUS_DATA);
    assert_int_equal(status_code_of(status_first(STATUS_OK, STATUS_OK)), STATUS_DONE);
}

static void control_characters_stay_out(void **state)
{
    (void)state;
    const status failure =
        status_at(STATUS_DATA, "\x1b[2J.csv", 1, "no operator '%s'\n\tuse another", "Re\x7f\x01lu");
    assert_string_equal(status_message(failure), "?[2J.csv:1: no operator 'Re??lu'\n\tuse another");
    status_free(failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_name_the_place),
        cmocka_unit_test(a_failure_ends_the_function_that_tries),
        cmocka_unit_test(the_first_of_two_failures_is_kept),
        cmocka_unit_test(control_characters_stay_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
