// Views: searching, trimming, and numbers that must fill the whole text.

#include "base/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void positions_of_what_is_not_there_are_the_size(void **state)
{
    (void)state;
    const struct view v = view_of("a,b,c");
    assert_int_equal(view_find(v, ','), 1);
    assert_int_equal(view_find_last(v, ','), 3);
    assert_int_equal(view_find_text(v, "b,c"), 2);
    assert_int_equal(view_find(v, ';'), v.size);
    assert_int_equal(view_find_last(v, ';'), v.size);
    assert_int_equal(view_find_text(v, "b;"), v.size);
    assert_int_equal(view_find((struct view){NULL, 0}, ','), 0);
}

static void comparisons_look_at_the_whole_text(void **state)
{
    (void)state;
    assert_true(view_is(view_of("DMA"), "DMA"));
    assert_false(view_is(view_of("DMA"), "DM"));
    assert_false(view_is(view_of("DM"), "DMA"));
    assert_true(view_equal((struct view){NULL, 0}, view_of("")));
    assert_true(view_is_ignoring_case(view_of("Dma In"), "DMA IN"));
    assert_false(view_is_ignoring_case(view_of("Dma In"), "DMA"));
    assert_true(view_starts_with(view_of("CSS12"), "CSS"));
    assert_false(view_starts_with(view_of("CS"), "CSS"));
    assert_true(view_ends_with(view_of("x.csv.gz"), ".gz"));
    assert_false(view_ends_with(view_of("z"), ".gz"));
}

static void trimming_takes_blanks_and_tabs_only(void **state)
{
    (void)state;
    assert_true(view_is(view_trim(view_of(" \t a b\t ")), "a b"));
    assert_true(view_is(view_trim(view_of("a\n ")), "a\n"));
    assert_int_equal(view_trim(view_of(" \t ")).size, 0);
}

static void whole_numbers_up_to_their_limits(void **state)
{
    (void)state;
    uint64_t u;
    assert_true(view_to_u64(view_of("18446744073709551615"), &u));
    assert_int_equal(u, UINT64_MAX);
    assert_true(view_to_u64(view_of("007"), &u));
    assert_int_equal(u, 7);
    const char *const wrong[] = {
        "", "-1", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(view_to_u64(view_of(wrong[i]), &u));

    int64_t s;
    assert_true(view_to_i64(view_of("-9223372036854775808"), &s));
    assert_true(s == INT64_MIN);
    assert_true(view_to_i64(view_of("9223372036854775807"), &s));
    assert_true(s == INT64_MAX);
    assert_false(view_to_i64(view_of("9223372036854775808"), &s));
    assert_false(view_to_i64(view_of("-9223372036854775809"), &s));
    assert_false(view_to_i64(view_of("-"), &s));
}

static void decimal_numbers_fill_the_view(void **state)
{
    (void)state;
    double d;
    assert_true(view_to_double(view_of("-12.5"), &d));
    assert_true(d > -12.6 && d < -12.4);
    assert_false(view_to_double(view_of("12.5 "), &d));
    assert_false(view_to_double(view_of(" 12.5"), &d));
    assert_false(view_to_double(view_of("us"), &d));
    assert_false(view_to_double(view_of(""), &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_of_what_is_not_there_are_the_size),
        cmocka_unit_test(comparisons_look_at_the_whole_text),
        cmocka_unit_test(trimming_takes_blanks_and_tabs_only),
        cmocka_unit_test(whole_numbers_up_to_their_limits),
        cmocka_unit_test(decimal_numbers_fill_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
