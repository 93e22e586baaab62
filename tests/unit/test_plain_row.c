// What a plain row is split to is what split.h makes of it; and the same of IDs.

#include "formats/torq/plain_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/torq/unit.h"

// Whether the row is plain; if so, it has to be split as any other.
static bool is_plain(const char *text)
{
    const struct view line = view_of(text);
    struct split_compile plain, any;
    struct split_problem problem;
    struct split_texts texts = {0};
    struct view type, location;
    if (!plain_row_take(line, &plain, &type, &location))
        return false;
    assert_true(split_c1(line, &any, &problem));
    assert_true(split_run_c1(any.run, &texts, &problem) ||
                strcmp(problem.what, "is not closed") == 0);
    assert_true(view_equal(plain.id, any.id));
    assert_int_equal(plain.start, any.start);
    assert_int_equal(plain.end, any.end);
    assert_int_equal(plain.has_bytes, any.has_bytes);
    if (any.has_bytes)
        assert_int_equal(plain.bytes, any.bytes);
    const bool closed = split_location_is_whole(location);
    assert_true(!closed || (view_equal(type, texts.type) && view_equal(location, texts.location)));
    split_texts_free(&texts);
    return true;
}

#define LOCATION "loc(callsite(\"/models/net.mlir\":10:16 at \"/models/net.mlir\":2:3))"

static void rows_as_tools_write_them_are_plain(void **state)
{
    (void)state;
    assert_true(is_plain("DI0,35,5891," LOCATION ",DMA_IN,27815"));
    assert_true(is_plain("S123456_1,0,123456789012345," LOCATION ",conv2d"));
    assert_true(is_plain("CSS1,12345678,123456789," LOCATION ",CSS"));
    assert_true(is_plain("CDMA_D2L3,1,2," LOCATION ",CDMA_DTCM_TO_LRAM,12345678"));
    assert_true(is_plain("DI0,35,5891,,DMA_IN_OF_SOMETHING_THAT_HAS_A_LONG_NAME,27,DMA_IN,1"));
}

static void what_is_not_sure_is_not_plain(void **state)
{
    (void)state;
    assert_false(is_plain("DI0,35,5891,short,DMA_IN,27815"));
    assert_false(is_plain("DI0,35,5891," LOCATION ",DMA_IN,"));
    assert_false(is_plain("DI0,35,5891," LOCATION ",DMA_IN, 27815"));
    assert_false(is_plain("DI0,35,5891," LOCATION ",DMA_IN,123456789"));
    assert_false(is_plain("DI0, 35,5891," LOCATION ",DMA_IN,27815"));
    assert_false(is_plain("DI0,1234567890123456,5891," LOCATION ",DMA_IN,27815"));
    assert_false(is_plain("DI0,35x,5891," LOCATION ",DMA_IN,27815"));
    assert_false(is_plain("\"DI0\",35,5891," LOCATION ",DMA_IN,27815"));
    assert_false(
        is_plain("DI0,35,5891,\"plain text of more than thirty-two bytes in all\",DMA_IN,1"));
    assert_false(is_plain("DI0,35,5891," LOCATION ",\"DMA_IN\",27815"));
    assert_false(is_plain("an_ID_of_many_letters,35,5891," LOCATION ",DMA_IN,27815"));
    assert_false(
        is_plain("DI0,35,5891," LOCATION ",a type longer than what is looked at of a row"));
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

// One byte or two of a plain row are others.
static void rows_that_are_nearly_plain_are_split_alike(void **state)
{
    (void)state;
    static const char BYTES[] = "0123456789,,,, \t\"()[]xX_:";
    static const char *const ROWS[] = {
        "DI0,35,5891," LOCATION ",DMA_IN,27815",
        "S12_1,123456789,1234567890," LOCATION ",conv2d",
        "CDMA_D2L3,12345678,99," LOCATION ",CDMA_DTCM_TO_LRAM,7",
    };
    uint32_t random = 1;
    unsigned plain = 0;
    for (unsigned i = 0; i < 200000; i++) {
        char row[256];
        snprintf(row, sizeof row, "%s", ROWS[i % 3]);
        for (unsigned k = 0; k <= i % 2; k++)
            row[next_random(&random) % strlen(row)] =
                BYTES[next_random(&random) % (sizeof BYTES - 1)];
        plain += is_plain(row);
    }
    assert_in_range(plain, 1000, 199000);
}

static void ids_say_the_same_at_once(void **state)
{
    (void)state;
    static const char LETTERS[] = "DIOSCHMA_0123456789012345";
    static const char *const FIRST[] = {"DI", "DO", "CDMA_", "CDMA_D2L", "CSS", "S", "H", ""};
    uint32_t random = 7;
    unsigned known = 0;
    for (unsigned i = 0; i < 200000; i++) {
        char text[64] = "";
        snprintf(text, sizeof text, "%s", FIRST[next_random(&random) % 8]);
        for (unsigned k = next_random(&random) % 10; k > 0; k--)
            strncat(text, &LETTERS[next_random(&random) % (sizeof LETTERS - 1)], 1);
        const struct view id = {text, strnlen(text, 16)};
        text[id.size] = ',';
        struct unit_id plain;
        if (!unit_of_plain_id(id, 3, &plain))
            continue;
        uint64_t index = 0;
        const struct unit unit = unit_of_id(id, 3);
        const bool has_index = unit_index_of_id(unit, id, &index);
        assert_int_equal(plain.unit, unit_number(unit));
        assert_int_equal(plain.slice, unit.slice);
        assert_int_equal(plain.has_index, has_index);
        if (has_index)
            assert_int_equal(plain.index, index);
        assert_int_equal(UNIT_COUNTER_OF[plain.unit], unit.kind->counter);
        known++;
    }
    assert_in_range(known, 1000, 199000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_as_tools_write_them_are_plain),
        cmocka_unit_test(what_is_not_sure_is_not_plain),
        cmocka_unit_test(rows_that_are_nearly_plain_are_split_alike),
        cmocka_unit_test(ids_say_the_same_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
