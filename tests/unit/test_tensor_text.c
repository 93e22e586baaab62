// Tensors as text: what IREE's syntax means, and that printing and parsing are
// each other's inverse.

#include "network/tensor_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "network/tensor_random.h"

enum { MOST = 1 << 20 };

static struct datum *parse(const char *text)
{
    struct datum *datum = NULL;
    const status failure = tensor_text_parse(view_of(text), MOST, &datum);
    if (failure != STATUS_OK)
        fail_msg("%s: %s", text, status_message(failure));
    return datum;
}

static void expect_printed(const struct datum *datum, uint64_t most, const char *want)
{
    struct bytes text = {0};
    tensor_text_append_datum(&text, datum, most);
    bytes_append(&text, "", 1);
    assert_string_equal((char *)text.data, want);
    bytes_free(&text);
}

static void expect(const char *literal, const char *want)
{
    struct datum *datum = parse(literal);
    expect_printed(datum, 100, want);
    datum_release(datum);
}

static void literals_mean_what_iree_means(void **state)
{
    (void)state;
    expect("1x2x2xi8=1", "1x2x2xi8=[[1 1][1 1]]");
    expect("1x3xi8=[[1,2,3]]", "1x3xi8=[1 2 3]");
    expect("1x3xi8=1,2,3", "1x3xi8=[1 2 3]");
    expect("2x2xf32=[1 2][3 4]", "2x2xf32=[1 2][3 4]");
    expect("4xf32", "4xf32=0 0 0 0");
    expect("f32=3.5", "f32=3.5");
    expect("i32=-7", "i32=-7");
    expect("0xf32=", "0xf32=");
    expect("2x0xf32", "2x0xf32=");
}

static void every_kind_of_number_is_read(void **state)
{
    (void)state;
    expect("2xi1=1,0", "2xi1=1 0");
    expect("2xbool=true False", "2xi1=1 0");
    expect("3xui8=0,255,0x10", "3xui8=0 255 16");
    expect("2xu16=65535 1", "2xui16=65535 1");
    expect("2xi4=-8 7", "2xi4=-8 7");
    expect("ui64=18446744073709551615", "ui64=18446744073709551615");
    expect("2xi64=-9223372036854775808 9223372036854775807",
           "2xi64=-9223372036854775808 9223372036854775807");
    expect("2xi48=-140737488355328 140737488355327", "2xi48=-140737488355328 140737488355327");
    expect("3xf32=0x1.8p3 1e-3 -2.5E2", "3xf32=12 0.001 -250");
    expect("3xf32=inf,-inf,nan", "3xf32=INF -INF NAN");
    expect("2xf16=0.1 65504", "2xf16=0.0999756 65504");
    expect("2xbf16=1.5 3.14159", "2xbf16=1.5 3.14062");
    // Just above the middle of two: rounding to f32 first would lose that.
    expect("bf16=1.00390625000001", "bf16=1.00781");
    expect("bf16=1.00390625", "bf16=1");
    expect("f64=0.1", "f64=0.1");
    expect("f32=0.1", "f32=0.1");
    expect("f32=16777217", "f32=16777216");
    expect("f8e5m2=1.25", "f8e5m2=1.25");
    expect("3xc64=1+2i -1e-3-2.5j 7", "3xc64=1+2i -0.001-2.5i 7+0i");
    expect("2xtext=\"a b\",\"\\\"\\\\\\n\"", "2xtext=\"a b\" \"\\\"\\\\\\n\"");
}

static void large_tensors_are_shortened(void **state)
{
    (void)state;
    struct datum *datum = parse("2x3xi8=1 2 3 4 5 6");
    expect_printed(datum, 6, "2x3xi8=[1 2 3][4 5 6]");
    expect_printed(datum, 5, "2x3xi8=[1 2 3][4 5 ...]");
    expect_printed(datum, 3, "2x3xi8=[1 2 3]...");
    expect_printed(datum, 1, "2x3xi8=[1 ...]...");
    datum_release(datum);
}

static void expect_failure(const char *text, const char *piece)
{
    struct datum *datum = NULL;
    const status failure = tensor_text_parse(view_of(text), MOST, &datum);
    if (failure == STATUS_OK)
        fail_msg("'%s' was taken", text);
    if (strstr(status_message(failure), piece) == NULL)
        fail_msg("%s: '%s' lacks '%s'", text, status_message(failure), piece);
    status_free(failure);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    expect_failure("", "not a type");
    expect_failure("1x3xf33=1", "'1x3xf33' is not a type");
    expect_failure("1x3=1", "not a type");
    expect_failure("-1x3xf32=1", "not a type");
    expect_failure("3xf32=1,2", "2 values instead of 3");
    expect_failure("3xf32=", "0 values instead of 3");
    expect_failure("2xf32=1,2,3", "more than the 2 values");
    expect_failure("0xf32=1", "more than the 0 values");
    expect_failure("2xf32=1,two", "'two' is not a value of type f32");
    expect_failure("i8=128", "'128' is not a value of type i8");
    expect_failure("i8=-129", "not a value");
    expect_failure("ui8=-1", "not a value");
    expect_failure("i8=1.5", "not a value");
    expect_failure("i8=--1", "not a value");
    expect_failure("ui64=18446744073709551616", "not a value");
    expect_failure("i1=2", "not a value");
    expect_failure("c64=1+2", "not a value");
    expect_failure("text=a", "double quotes");
    expect_failure("text=\"a", "double quotes");
    expect_failure("text=\"a\\", "double quotes");
    expect_failure("99999999999999999999xf32=1", "too large");
    expect_failure("4611686018427387904x4xf32=1", "too large");
    expect_failure("1000000x1000000xf32=1", "too large");
    expect_failure("1x1x1x1x1x1x1x1x1x1x1x1x1xf32=1", "dimensions");
}

static void printed_numbers_read_back_exactly(void **state)
{
    (void)state;
    for (int element = 1; element < ELEMENT_COUNT; element++) {
        const struct shape shape = {2, {5, 40}};
        struct datum *datum;
        assert_ptr_equal(datum_tensor((enum element)element, &shape, &datum), STATUS_OK);
        tensor_random_fill(&datum->tensor, 7, 0);
        // Any exponent, not only those near 1.
        unsigned seed = 3;
        for (uint64_t i = 0; element == ELEMENT_F32 && i < 200; i++)
            ((uint32_t *)datum->tensor.data)[i] =
                ((uint32_t)rand_r(&seed) << 16 ^ (uint32_t)rand_r(&seed)) & 0xbfffffff;
        struct bytes text = {0};
        tensor_text_append_datum(&text, datum, 200);
        bytes_append(&text, "", 1);
        struct datum *again = parse((char *)text.data);
        assert_int_equal(again->tensor.element, element);
        assert_true(shape_equal(&again->tensor.shape, &shape));
        if (element != ELEMENT_TEXT)
            assert_memory_equal(again->tensor.data, datum->tensor.data,
                                tensor_bytes(&datum->tensor));
        bytes_free(&text);
        datum_release(again);
        datum_release(datum);
    }
}

static void sequences_and_nothing_are_printed(void **state)
{
    (void)state;
    struct datum *items[] = {parse("2xi8=1 2"), parse("f32=1")};
    struct datum *sequence = datum_sequence(items, 2);
    expect_printed(sequence, 100, "[2xi8=1 2, f32=1]");
    datum_release(sequence);
    struct datum *nothing = datum_nothing();
    expect_printed(nothing, 100, "nothing");
    datum_release(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_mean_what_iree_means),
        cmocka_unit_test(every_kind_of_number_is_read),
        cmocka_unit_test(large_tensors_are_shortened),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(printed_numbers_read_back_exactly),
        cmocka_unit_test(sequences_and_nothing_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
