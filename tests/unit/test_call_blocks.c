// Blocks of calls against sums over all calls.

#include "analysis/call_blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PARTS = 5, BLOCKS_EACH = 64 };

static const uint64_t CALLS[PARTS] = {0, 1, 64, 65, 1000};

// What call `turn` of a part takes.
static double taken(size_t part, uint64_t turn)
{
    return (double)(turn * 7 % 13 + 1) * (double)(part + 1);
}

static void calls_lie_in_blocks_that_follow_one_another(void **state)
{
    (void)state;
    struct call_blocks blocks = call_blocks_make(CALLS, PARTS);
    for (size_t part = 0; part < PARTS; part++) {
        for (uint64_t turn = 0; turn < CALLS[part]; turn++) { // in two pieces
            call_blocks_add(&blocks, part, turn, taken(part, turn) / 4);
            call_blocks_add(&blocks, part, turn, taken(part, turn) * 3 / 4);
        }
    }
    for (size_t part = 0; part < PARTS; part++) {
        const uint64_t count = call_blocks_count(&blocks, part);
        assert_int_equal(count, CALLS[part] < BLOCKS_EACH ? CALLS[part] : BLOCKS_EACH);
        uint64_t turn = 0;
        for (uint64_t block = 0; block < count; block++) {
            double sum = 0;
            uint64_t many = 0;
            for (; turn < CALLS[part] && turn * count / CALLS[part] == block; turn++, many++)
                sum += taken(part, turn);
            assert_true(many >= CALLS[part] / count && many <= CALLS[part] / count + 1);
            assert_true(fabs(blocks.ns[blocks.begins[part] + block] - sum / (double)many) < 1e-9);
        }
        assert_int_equal(turn, CALLS[part]);
    }
    call_blocks_free(&blocks);
}

static void many_parts_share_the_room(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    uint64_t *calls = malloc(MANY * sizeof *calls);
    assert_non_null(calls);
    for (size_t i = 0; i < MANY; i++)
        calls[i] = 1000;
    struct call_blocks blocks = call_blocks_make(calls, MANY);
    assert_true(blocks.begins[MANY] <= 2 << 20 && call_blocks_count(&blocks, 0) >= 20);
    call_blocks_add(&blocks, MANY - 1, 999, 5);
    assert_true(blocks.ns[blocks.begins[MANY] - 1] > 0);
    call_blocks_free(&blocks);
    free(calls);
}

static void nobody_called(void **state)
{
    (void)state;
    struct call_blocks blocks = call_blocks_make(NULL, 0);
    assert_int_equal(blocks.begins[0], 0);
    call_blocks_free(&blocks);
    const uint64_t none[1] = {0};
    blocks = call_blocks_make(none, 1);
    call_blocks_add(&blocks, 0, 0, 7); // there is no such call
    assert_int_equal(call_blocks_count(&blocks, 0), 0);
    call_blocks_free(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_lie_in_blocks_that_follow_one_another),
        cmocka_unit_test(many_parts_share_the_room),
        cmocka_unit_test(nobody_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
