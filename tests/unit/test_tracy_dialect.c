// Protocols of Tracy's releases, against the numbers of their headers.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/tracy/dialect.h"
#include "formats/tracy/wire.h"

static unsigned number_of(const struct tracy_dialect *dialect, unsigned type)
{
    unsigned number = 0;
    while (number < dialect->type_count && dialect->types[number] != type)
        number++;
    return number;
}

static void items_have_the_numbers_of_each_release(void **state)
{
    (void)state;
    static const struct {
        uint32_t protocol;
        unsigned items, end, text, context, context_size;
        size_t welcome, bytes; // of all items together
    } RELEASES[] = {
        {63, 110, 57, 97, 78, 28, 1178, 1468},  {64, 111, 57, 98, 78, 28, 1178, 1493},
        {66, 112, 57, 99, 79, 29, 1178, 1526},  {69, 113, 57, 100, 79, 28, 1178, 1528},
        {74, 115, 59, 102, 81, 28, 1178, 1576}, {76, 117, 60, 104, 82, 28, 1170, 1610},
        {82, 132, 73, 119, 95, 28, 1170, 1735},
    };
    for (size_t i = 0; i < sizeof RELEASES / sizeof RELEASES[0]; i++) {
        struct tracy_dialect dialect;
        size_t bytes = 0;
        assert_true(tracy_dialect_find(RELEASES[i].protocol, &dialect));
        assert_int_equal(dialect.type_count, RELEASES[i].items);
        assert_int_equal(number_of(&dialect, TRACY_TERMINATE), RELEASES[i].end);
        assert_int_equal(number_of(&dialect, TRACY_STRING), RELEASES[i].text);
        assert_int_equal(number_of(&dialect, TRACY_NEW_CONTEXT), RELEASES[i].context);
        assert_int_equal(dialect.sizes[RELEASES[i].context], RELEASES[i].context_size);
        assert_int_equal(tracy_dialect_welcome(&dialect), RELEASES[i].welcome);
        for (unsigned k = 0; k < dialect.type_count; k++)
            bytes += dialect.sizes[k];
        assert_int_equal(bytes, RELEASES[i].bytes);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    struct tracy_dialect dialect;
    static const uint32_t OTHERS[] = {0, 62, 65, 67, 75, 79, 81, 83, UINT32_MAX};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        assert_false(tracy_dialect_find(OTHERS[i], &dialect));
        assert_int_equal(dialect.type_count, 0);
    }
    unsigned offered = 0;
    while (tracy_dialect_offer(offered) != 0)
        assert_true(tracy_dialect_find(tracy_dialect_offer(offered++), &dialect));
    assert_int_equal(offered, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_have_the_numbers_of_each_release),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
