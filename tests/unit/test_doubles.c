// Copies of rows against all pairs.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/doubles.h"
#include "base/hash.h"

static void a_copy_is_found_as_long_as_it_is_kept(void **state)
{
    (void)state;
    char texts[3 * DOUBLES_KEPT][16];
    struct doubles doubles = {0};
    for (int i = 0; i < 3 * DOUBLES_KEPT; i++) {
        snprintf(texts[i], sizeof texts[i], "row %d", i);
        assert_false(doubles_find(&doubles, view_of(texts[i])));
        for (int back = 0; back < DOUBLES_KEPT && back <= i; back++) {
            char copy[16];
            strcpy(copy, texts[i - back]);
            assert_true(doubles_find(&doubles, view_of(copy)));
        }
    }
    assert_false(doubles_find(&doubles, view_of("row 0")));
}

// Pieces that were looked at by themselves, of rows that none of which has a copy.
static void pieces_follow_one_another(void **state)
{
    (void)state;
    enum { PIECES = 5, ROWS = 20 * DOUBLES_KEPT };
    static char texts[ROWS][16];
    static const int ends[PIECES] = {10, 30, 5 * DOUBLES_KEPT, 6 * DOUBLES_KEPT, ROWS};
    struct doubles whole = {0};
    struct doubles joined = {0};
    int at = 0;
    for (int piece = 0; piece < PIECES; piece++) {
        struct doubles part = {0};
        for (; at < ends[piece]; at++) {
            snprintf(texts[at], sizeof texts[at], "row %d", at);
            assert_false(doubles_find(&whole, view_of(texts[at])));
            assert_false(doubles_find(&part, view_of(texts[at])));
        }
        doubles_follow(&joined, &part);
        for (int i = 0; i < at; i++) {
            const struct view row = view_of(texts[i]);
            const uint32_t hash = hash_bytes(row.data, row.size);
            assert_int_equal(doubles_has(&joined, hash, row), doubles_has(&whole, hash, row));
            assert_int_equal(doubles_has(&joined, hash, row), i >= at - DOUBLES_KEPT);
        }
    }
}

static void what_is_empty_or_longer_is_no_copy(void **state)
{
    (void)state;
    struct doubles doubles = {0};
    assert_false(doubles_find(&doubles, view_of("")));
    assert_false(doubles_find(&doubles, view_of("")));
    assert_false(doubles_find(&doubles, view_of("a,1")));
    assert_false(doubles_find(&doubles, view_of("a,12")));
    assert_true(doubles_find(&doubles, view_of("a,1")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_is_found_as_long_as_it_is_kept),
        cmocka_unit_test(pieces_follow_one_another),
        cmocka_unit_test(what_is_empty_or_longer_is_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
