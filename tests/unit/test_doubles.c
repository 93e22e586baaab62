// Copies of rows against all pairs.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/doubles.h"

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
        cmocka_unit_test(what_is_empty_or_longer_is_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
