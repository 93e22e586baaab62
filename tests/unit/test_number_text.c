// Numbers as numpy writes them, and numbers read from texts.

#include "kernels/core/number_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "network/real.h"

static void assert_text(enum element element, const void *number, const char *want)
{
    char text[NUMBER_TEXT_MOST];
    const size_t size = number_text(element, number, text);
    assert_string_equal(text, want);
    assert_int_equal(size, strlen(want));
}

static void floats_have_the_fewest_digits_that_name_them(void **state)
{
    (void)state;
    const struct {
        float number;
        const char *text;
    } CASES[] = {
        {0.1f, "0.1"},
        {1.0f, "1.0"},
        {-0.0f, "-0.0"},
        {100.0f, "100.0"},
        {1e-4f, "0.0001"},
        {1e-5f, "1e-05"},
        {123456.789f, "123456.79"},
        {1e15f, "1000000000000000.0"},
        {1e16f, "1e+16"},
        {3.4028235e38f, "3.4028235e+38"},
        {-1.5e-7f, "-1.5e-07"},
        {1e-45f, "1e-45"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {16777216.0f, "16777216.0"},
        {-2.5f, "-2.5"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_text(ELEMENT_F32, &CASES[i].number, CASES[i].text);
}

static void every_type_has_its_own_digits(void **state)
{
    (void)state;
    const double tenth = 0.1, third = 1.0 / 3;
    assert_text(ELEMENT_F64, &tenth, "0.1");
    assert_text(ELEMENT_F64, &third, "0.3333333333333333");
    const uint16_t half = real_to_f16(0.1f);
    assert_text(ELEMENT_F16, &half, "0.1");
    const uint8_t truth[2] = {0, 1};
    assert_text(ELEMENT_BOOL, &truth[0], "False");
    assert_text(ELEMENT_BOOL, &truth[1], "True");
    assert_text(ELEMENT_I64, &(int64_t){INT64_MIN}, "-9223372036854775808");
    assert_text(ELEMENT_U64, &(uint64_t){UINT64_MAX}, "18446744073709551615");
    assert_text(ELEMENT_I4, &(int8_t){-8}, "-8");
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    uint32_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 1664525u + 1013904223u;
        const float number = real_from_bits(bits);
        if (isnan(number))
            continue;
        char text[NUMBER_TEXT_MOST];
        float back;
        const size_t size = number_text(ELEMENT_F32, &number, text);
        assert_true(number_parse((struct view){text, size}, ELEMENT_F32, &back));
        assert_int_equal(real_bits(back), real_bits(number));
    }
}

static void texts_become_numbers_of_the_type_asked_for(void **state)
{
    (void)state;
    float real;
    assert_true(number_parse(VIEW_LITERAL("1e-7"), ELEMENT_F32, &real) && real == 1e-7f);
    assert_true(number_parse(VIEW_LITERAL("-INF"), ELEMENT_F32, &real) && real == -INFINITY);
    assert_true(number_parse(VIEW_LITERAL("+INF"), ELEMENT_F32, &real) && real == INFINITY);
    assert_true(number_parse(VIEW_LITERAL("NaN"), ELEMENT_F32, &real) && isnan(real));
    assert_true(number_parse(VIEW_LITERAL(" 42 "), ELEMENT_F32, &real) && real == 42);
    int64_t integer;
    assert_true(number_parse(VIEW_LITERAL("9007199254740993"), ELEMENT_I64, &integer));
    assert_int_equal(integer, 9007199254740993);
    uint64_t natural;
    assert_true(number_parse(VIEW_LITERAL("18446744073709551615"), ELEMENT_U64, &natural));
    assert_true(natural == UINT64_MAX);
    uint8_t truth = 0;
    assert_true(number_parse(VIEW_LITERAL("True"), ELEMENT_BOOL, &truth) && truth == 1);
    assert_true(number_parse(VIEW_LITERAL("false"), ELEMENT_BOOL, &truth) && truth == 0);
    assert_false(number_parse(VIEW_LITERAL("abc"), ELEMENT_F32, &real));
    assert_false(number_parse(VIEW_LITERAL(""), ELEMENT_I64, &integer));
    assert_false(number_parse(VIEW_LITERAL("1 2"), ELEMENT_I64, &integer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_have_the_fewest_digits_that_name_them),
        cmocka_unit_test(every_type_has_its_own_digits),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(texts_become_numbers_of_the_type_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
