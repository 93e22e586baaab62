// Levels of detail against the spans themselves: nothing is lost at any level, what is long enough
// stays as it is, and what is one block began in one bucket.

#include "reports/page/levels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SPANS = 300, ROUNDS = 200, NAMES = 4, LEVELS = 5 };

struct placed {
    uint64_t start, end;
    uint32_t name;
};

struct decoded {
    uint64_t start, end, count, busy;
    uint32_t name, operator_id;
};

static uint32_t same_number(struct level_numbers *numbers, uint32_t id)
{
    (void)numbers;
    return id;
}

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

static void invent(struct placed *spans, unsigned *seed)
{
    for (size_t i = 0; i < SPANS; i++) {
        const uint64_t length = (uint64_t)rand_r(seed) % (rand_r(seed) % 8 == 0 ? 3000 : 20);
        spans[i].start = (uint64_t)rand_r(seed) % 10000;
        spans[i].end = spans[i].start + length;
        spans[i].name = 1 + (uint32_t)rand_r(seed) % NAMES;
    }
    qsort(spans, SPANS, sizeof *spans, compare_placed);
}

static uint64_t next(const unsigned char **at, const unsigned char *end)
{
    uint64_t number = 0;
    assert_true(varint_get(at, end, &number));
    return number;
}

// All blocks of the rows of spans; `rows` gets where each row ends.
static size_t decode(const struct level *level, unsigned row_count, struct decoded *blocks,
                     size_t *rows)
{
    struct bytes text = {0};
    size_t count = 0;
    level_append(level, row_count, &text);
    assert_true(text.size <= level_size(level, row_count));
    const unsigned char *at = text.data;
    const unsigned char *end = text.data + text.size;
    assert_int_equal(next(&at, end), row_count + 1);
    for (unsigned row = 0; row <= row_count; row++) {
        uint64_t start = 0;
        for (uint64_t left = next(&at, end); left > 0; left--) {
            struct decoded *block = &blocks[count++];
            start += next(&at, end);
            block->start = start;
            block->end = start + next(&at, end);
            const uint64_t name = next(&at, end);
            block->name = (uint32_t)(name >> 1);
            block->count = (name & 1) != 0 ? next(&at, end) : 1;
            block->busy = (name & 1) != 0 ? next(&at, end) : block->end - block->start;
            block->operator_id = (name & 1) != 0 ? 0 : (uint32_t)next(&at, end);
        }
        rows[row] = count;
    }
    assert_ptr_equal(at, end);
    bytes_free(&text);
    return count;
}

static void check_level(const struct levels *levels, const struct level *level,
                        const struct placed *spans)
{
    struct decoded blocks[SPANS + 10];
    size_t rows[LEVELS_ROWS_MOST + 1];
    const size_t count = decode(level, levels->rows, blocks, rows);
    const uint64_t bucket = level->shift == LEVELS_EXACT ? 0 : 1ull << level->shift;
    uint64_t total = 0, busy = 0, expected = 0, kept = 0, wide = 0;
    assert_int_equal(count, level_blocks(level));
    for (size_t i = 0; i < count; i++) {
        total += blocks[i].count;
        busy += blocks[i].busy;
        assert_true(blocks[i].busy <= blocks[i].end - blocks[i].start);
        kept += blocks[i].count == 1 && blocks[i].end - blocks[i].start >= bucket;
        assert_true(blocks[i].count == 1 || blocks[i].end - blocks[i].start < 2 * bucket);
        assert_true(blocks[i].count > 1 || blocks[i].operator_id == blocks[i].name + 100);
    }
    for (size_t i = 0; i < SPANS; i++) {
        expected += spans[i].end - spans[i].start;
        wide += spans[i].end - spans[i].start >= bucket;
    }
    assert_int_equal(total, SPANS);
    assert_int_equal(busy, expected);
    assert_int_equal(kept, wide);
    size_t row = 0;
    for (size_t i = 1; i < count; i++) {
        while (i >= rows[row])
            row++;
        if (row == 0 || i > rows[row - 1])
            assert_true(blocks[i].start >= blocks[i - 1].end); // a row does not overlap
    }
}

static void test_no_level_loses_a_span(void **state)
{
    static const uint8_t SHIFTS[LEVELS] = {LEVELS_EXACT, 3, 5, 8, 11};
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct placed spans[SPANS];
        struct level_numbers numbers = {same_number, same_number};
        struct levels levels;
        invent(spans, &seed);
        levels_start(&levels, SHIFTS, LEVELS);
        levels.numbers = &numbers;
        for (unsigned i = 0; i < LEVELS; i++)
            levels.items[i].wanted = true;
        for (size_t i = 0; i < SPANS; i++)
            levels_add_span(&levels, spans[i].start, spans[i].end, spans[i].name,
                            spans[i].name + 100);
        levels_finish(&levels);
        assert_int_equal(levels.deeper, 0);
        for (unsigned i = 0; i < LEVELS; i++)
            check_level(&levels, &levels.items[i], spans);
        assert_true(level_blocks(&levels.items[LEVELS - 1]) < level_blocks(&levels.items[0]));
        levels_free(&levels);
    }
}

static void test_a_block_has_the_name_of_most_of_its_time(void **state)
{
    static const uint8_t SHIFTS[2] = {LEVELS_EXACT, 10};
    struct level_numbers numbers = {same_number, same_number};
    struct levels levels;
    struct decoded blocks[4];
    size_t rows[LEVELS_ROWS_MOST + 1];
    (void)state;
    levels_start(&levels, SHIFTS, 2);
    levels.numbers = &numbers;
    levels.items[1].wanted = true;
    levels_add_span(&levels, 0, 100, 1, 0);
    levels_add_span(&levels, 100, 400, 2, 0);
    levels_add_span(&levels, 500, 600, 3, 0);
    levels_add_instant(&levels, 700, 4);
    levels_finish(&levels);
    assert_int_equal(decode(&levels.items[1], 1, blocks, rows), 2);
    assert_int_equal(blocks[0].name, 2);
    assert_int_equal(blocks[0].count, 3);
    assert_int_equal(blocks[0].busy, 500);
    assert_int_equal(blocks[0].end, 600);
    assert_int_equal(blocks[1].start, 700);
    levels_free(&levels);
}

static void test_what_lies_too_deep_is_counted(void **state)
{
    static const uint8_t SHIFTS[1] = {LEVELS_EXACT};
    struct levels levels;
    (void)state;
    levels_start(&levels, SHIFTS, 1);
    for (uint64_t i = 0; i < LEVELS_ROWS_MOST + 5; i++)
        levels_add_span(&levels, i, 1000 - i, 1, 0);
    levels_finish(&levels);
    assert_int_equal(levels.rows, LEVELS_ROWS_MOST);
    assert_int_equal(levels.deeper, 5);
    assert_int_equal(level_blocks(&levels.items[0]), LEVELS_ROWS_MOST + 5);
    levels_clear(&levels);
    assert_int_equal(level_blocks(&levels.items[0]), 0);
    levels_free(&levels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_level_loses_a_span),
        cmocka_unit_test(test_a_block_has_the_name_of_most_of_its_time),
        cmocka_unit_test(test_what_lies_too_deep_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
