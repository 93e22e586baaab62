// Growing bytes and the numbers in them.

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t numbers[] = {0,     1,          127,        128,       16383,
                                   16384, UINT32_MAX, 1ull << 32, INT64_MAX, UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void numbers_come_back(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    for (size_t i = 0; i < NUMBERS; i++)
        bytes_append_varint(&bytes, numbers[i]);
    const unsigned char *at = bytes.data;
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t number;
        assert_true(varint_get(&at, bytes.data + bytes.size, &number));
        assert_int_equal(number, numbers[i]);
    }
    assert_ptr_equal(at, bytes.data + bytes.size);
    bytes_free(&bytes);
}

static void a_cut_number_is_refused_and_nothing_is_taken(void **state)
{
    (void)state;
    unsigned char text[VARINT_MOST];
    for (size_t i = 0; i < NUMBERS; i++) {
        const unsigned char *end = varint_put(text, numbers[i]);
        for (const unsigned char *cut = text; cut < end; cut++) {
            const unsigned char *at = text;
            uint64_t number;
            assert_false(varint_get(&at, cut, &number));
            assert_ptr_equal(at, text);
        }
    }
    memset(text, 0xff, sizeof text);
    const unsigned char *at = text;
    uint64_t number;
    assert_false(varint_get(&at, text + sizeof text, &number));
}

static void a_number_for_32_bits_must_fit_them(void **state)
{
    (void)state;
    unsigned char text[VARINT_MOST];
    const unsigned char *end = varint_put(text, 1ull << 32);
    const unsigned char *at = text;
    uint32_t number;
    assert_false(varint_get_u32(&at, end, &number));
    end = varint_put(text, UINT32_MAX);
    at = text;
    assert_true(varint_get_u32(&at, end, &number));
    assert_int_equal(number, UINT32_MAX);
}

static void folding_keeps_small_numbers_short_and_all_numbers_whole(void **state)
{
    (void)state;
    const int64_t wanted[] = {0, -1, 1, -2, 2};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(varint_fold(wanted[i]), i);
    assert_true(varint_unfold(varint_fold(INT64_MIN)) == INT64_MIN);
    assert_true(varint_unfold(varint_fold(INT64_MAX)) == INT64_MAX);
}

static void growing_keeps_what_was_there(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    size_t wanted = 0;
    for (int i = 0; i < 1000; i++) {
        char text[16];
        wanted += (size_t)snprintf(text, sizeof text, "%d;", i);
        bytes_append_format(&bytes, "%d;", i);
    }
    bytes_append(&bytes, NULL, 0);
    assert_int_equal(bytes.size, wanted);
    assert_true(view_starts_with(bytes_view(&bytes), "0;1;2;3;"));
    assert_true(view_ends_with(bytes_view(&bytes), "998;999;"));
    bytes_free(&bytes);
    assert_null(bytes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(a_cut_number_is_refused_and_nothing_is_taken),
        cmocka_unit_test(a_number_for_32_bits_must_fit_them),
        cmocka_unit_test(folding_keeps_small_numbers_short_and_all_numbers_whole),
        cmocka_unit_test(growing_keeps_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
