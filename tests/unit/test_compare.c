// What counts as equal when outputs are compared.

#include "network/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "network/tensor_text.h"

static const struct compare_tolerance LOOSE = {1e-3, 1e-7};

static struct datum *parse(const char *text)
{
    struct datum *datum = NULL;
    const status failure = tensor_text_parse(view_of(text), 1 << 20, &datum);
    if (failure != STATUS_OK)
        fail_msg("%s: %s", text, status_message(failure));
    return datum;
}

static struct comparison compare(const char *got, const char *want)
{
    struct datum *left = parse(got);
    struct datum *right = parse(want);
    struct comparison comparison = {0};
    compare_data(left, right, &LOOSE, &comparison);
    datum_release(left);
    datum_release(right);
    return comparison;
}

static void expect_equal(const char *got, const char *want)
{
    const struct comparison comparison = compare(got, want);
    if (comparison.different)
        fail_msg("%s and %s: %s", got, want, comparison.reason);
    assert_string_equal(comparison.reason, "");
}

static void expect_different(const char *got, const char *want, const char *reason)
{
    const struct comparison comparison = compare(got, want);
    assert_true(comparison.different);
    assert_string_equal(comparison.reason, reason);
}

static void reals_may_differ_within_the_tolerance(void **state)
{
    (void)state;
    expect_equal("2xf32=1 1000", "2xf32=1.0009 1000.9");
    expect_equal("f32=0", "f32=0.9e-7");
    expect_equal("f32=0", "f32=-0");
    expect_equal("2xf64=nan inf", "2xf64=nan inf");
    expect_equal("f16=1", "f16=1.0005");
    expect_equal("c64=1+2i", "c64=1.0001+2i");
    expect_different("2xf32=1 1000", "2xf32=1 1002",
                     "1 of 2 elements differ, the first [1]: 1000 instead of 1002");
    expect_different("f32=0", "f32=1.5e-7",
                     "1 of 1 elements differ, the first: 0 instead of "
                     "1.50000005e-07");
    expect_different("2x2xf32=1 2 3 4", "2x2xf32=1 2 nan 5",
                     "2 of 4 elements differ, the first [1,0]: 3 instead of nan");
    expect_different("f32=inf", "f32=-inf",
                     "1 of 1 elements differ, the first: inf instead of -inf");
    expect_different("f32=inf", "f32=3e38",
                     "1 of 1 elements differ, the first: inf instead of 3.00000001e+38");
    expect_different("c64=1+2i", "c64=1+3i",
                     "1 of 1 elements differ, the first: 1+2i instead of 1+3i");
}

static void everything_else_must_be_equal(void **state)
{
    (void)state;
    expect_equal("2xi8=1 2", "2xi8=1 2");
    expect_different("2xi64=1 9007199254740993", "2xi64=1 9007199254740992",
                     "1 of 2 elements differ, the first [1]: 9007199254740993 instead of "
                     "9007199254740992");
    expect_different("ui64=18446744073709551615", "ui64=18446744073709551614",
                     "1 of 1 elements differ, the first: 18446744073709551615 instead of "
                     "18446744073709551614");
    expect_different("i1=1", "i1=0", "1 of 1 elements differ, the first: 1 instead of 0");
    expect_different("i4=-8", "i4=7", "1 of 1 elements differ, the first: -8 instead of 7");
    expect_equal("2xtext=\"a\" \"\"", "2xtext=\"a\" \"\"");
    expect_different("2xtext=\"a\" \"b\"", "2xtext=\"a\" \"c\"",
                     "1 of 2 elements differ, the first [1]: 'b' instead of 'c'");
    expect_different("2xi8=1", "2xi16=1", "elements are i8 instead of i16");
    expect_different("2xi8=1", "1x2xi8=1", "shape is [2] instead of [1x2]");
    expect_equal("0x3xf32", "0x3xf32");
}

static void the_largest_differences_are_kept(void **state)
{
    (void)state;
    const struct comparison comparison = compare("4xf32=1 0.5 100 inf", "4xf32=2 0 101 1");
    assert_true(comparison.max_abs == 1);
    assert_true(comparison.max_rel == 0.5);
    const struct comparison exact = compare("2xi32=5 5", "2xi32=5 4");
    assert_true(exact.max_abs == 1);
    assert_true(exact.max_rel == 0.25);
}

static void sequences_are_compared_item_by_item(void **state)
{
    (void)state;
    struct datum *left_items[] = {parse("i8=1"), parse("i8=2")};
    struct datum *right_items[] = {parse("i8=1"), parse("i8=3")};
    struct datum *left = datum_sequence(left_items, 2);
    struct datum *right = datum_sequence(right_items, 2);
    struct datum *shorter = datum_sequence((struct datum *[]){datum_keep(left_items[0])}, 1);
    struct datum *nothing = datum_nothing();
    struct comparison comparison = {0};
    compare_data(left, left, &LOOSE, &comparison);
    compare_data(nothing, nothing, &LOOSE, &comparison);
    assert_false(comparison.different);
    compare_data(left, right, &LOOSE, &comparison);
    assert_string_equal(comparison.reason, "1 of 1 elements differ, the first: 2 instead of 3");
    comparison = (struct comparison){0};
    compare_data(left, shorter, &LOOSE, &comparison);
    assert_string_equal(comparison.reason, "2 items instead of 1");
    comparison = (struct comparison){0};
    compare_data(nothing, left_items[0], &LOOSE, &comparison);
    assert_string_equal(comparison.reason, "nothing instead of a tensor");
    datum_release(left);
    datum_release(right);
    datum_release(shorter);
    datum_release(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals_may_differ_within_the_tolerance),
        cmocka_unit_test(everything_else_must_be_equal),
        cmocka_unit_test(the_largest_differences_are_kept),
        cmocka_unit_test(sequences_are_compared_item_by_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
