// The host's zones, in both sets of columns.

#include "formats/tenstorrent/ops_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COLUMNS "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"

static void assert_text(struct view got, const char *want)
{
    if (!view_is(got, want))
        fail_msg("got '%.*s', want '%s'", VIEW_ARGUMENTS(got), want);
}

static void both_sets_of_columns_are_read(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        COLUMNS "special_parent_text\n"
                "TT_DNN_DEVICE_OP,/a/b.hpp,244,,\"id:12\",1902162596,514808015,1,\n"
                "CompileProgram,/c.cpp,871,ttnn::to_layout,,7,8,2,id:12\n",
        COLUMNS "value,special_parent_text\r\n"
                "TT_DNN_DEVICE_OP,/a/b.hpp,244,,\"id:12\",1902162596,514808015,1,3,\r\n"
                "CompileProgram,/c.cpp,871,ttnn::to_layout,,7,8,2,,id:12\r\n",
    };
    for (size_t i = 0; i < 2; i++) {
        struct ops_times times = ops_times_of(view_of(TEXTS[i]));
        struct ops_time time;
        assert_true(ops_times_recognise(view_of(TEXTS[i])));
        assert_int_equal(ops_times_next(&times, &time), OPS_TIMES_ROW);
        assert_text(time.name, "TT_DNN_DEVICE_OP");
        assert_true(time.has_call && !time.has_parent);
        assert_int_equal(time.call, 12);
        assert_int_equal(time.start, 1902162596);
        assert_int_equal(time.duration, 514808015);
        assert_int_equal(time.thread, 1);
        assert_text(time.source, "/a/b.hpp,244");
        assert_int_equal(ops_times_next(&times, &time), OPS_TIMES_ROW);
        assert_true(time.has_parent && !time.has_call);
        assert_int_equal(time.parent, 12);
        assert_text(time.name, "CompileProgram");
        assert_text(time.zone_name, "ttnn::to_layout");
        assert_int_equal(ops_times_next(&times, &time), OPS_TIMES_END);
    }
}

static void names_may_hold_commas(void **state)
{
    (void)state;
    struct ops_times times =
        ops_times_of(view_of(COLUMNS "special_parent_text\n"
                                     "f<int, long>,/c.cpp,871,g<a, b>,\"x, y\",7,8,2,\n"));
    struct ops_time time;
    assert_int_equal(ops_times_next(&times, &time), OPS_TIMES_ROW);
    assert_text(time.name, "f<int, long>");
    assert_text(time.source, "/c.cpp,871");
    assert_text(time.zone_name, "g<a, b>");
    assert_text(time.zone_text, "x, y");
    assert_int_equal(time.start, 7);
}

static void bad_rows_are_told_and_passed_over(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        const char *problem;
    } CASES[] = {
        {"cut", "has no commas"},
        {"a,/b,1,,,7,8,x,", "column 'thread' is not a number"},
        {"a,/b,1,,,7,x,2,", "column 'exec_time_ns' is not a number"},
        {"a,/b,1,,,x,8,2,", "column 'ns_since_start' is not a number"},
        {"7,8,2,", "column 'ns_since_start' is not a number"},
        {",7,8,2,", "has too few columns"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[512];
        struct ops_time time;
        snprintf(text, sizeof text, "%sspecial_parent_text\n%s\na,/b,1,,,7,8,2,\n", COLUMNS,
                 CASES[i].row);
        struct ops_times times = ops_times_of(view_of(text));
        assert_int_equal(ops_times_next(&times, &time), OPS_TIMES_BAD);
        assert_string_equal(times.problem, CASES[i].problem);
        assert_int_equal(times.line.number, 2);
        assert_int_equal(ops_times_next(&times, &time), OPS_TIMES_ROW);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sets_of_columns_are_read),
        cmocka_unit_test(names_may_hold_commas),
        cmocka_unit_test(bad_rows_are_told_and_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
