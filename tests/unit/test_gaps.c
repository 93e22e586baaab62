// Places against a bitmap of what is taken.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/gaps.h"

enum { UNIT = 64, PLACES = 4096, ROUNDS = 3000, HELD = 60 };

struct held {
    uint64_t from;
    uint64_t size;
};

// The smallest run of free places below `end` that is large enough; `end` when none is.
static uint64_t smallest_fit(const bool *taken, uint64_t end, uint64_t wanted)
{
    uint64_t best = end;
    uint64_t best_size = UINT64_MAX;
    for (uint64_t from = 0; from < end;) {
        uint64_t to = from;
        while (to < end && !taken[to])
            to++;
        if (to - from >= wanted && to > from && to - from < best_size) {
            best = from;
            best_size = to - from;
        }
        from = to + 1;
    }
    return best;
}

static void places_never_overlap_and_fit_best(void **state)
{
    (void)state;
    static bool taken[PLACES];
    struct held held[HELD];
    size_t count = 0;
    struct gaps gaps = {0};
    unsigned seed = 11;
    for (int round = 0; round < ROUNDS; round++) {
        if (count < HELD && (count == 0 || rand_r(&seed) % 2 == 0)) {
            const uint64_t size = 1 + (uint64_t)rand_r(&seed) % 9;
            const uint64_t end = gaps.end / UNIT;
            const uint64_t expected = smallest_fit(taken, end, size);
            const uint64_t from = gaps_take(&gaps, size * UNIT);
            assert_int_equal(from % UNIT, 0);
            const uint64_t at = from / UNIT;
            assert_true(at + size <= PLACES);
            for (uint64_t i = at; i < at + size; i++) {
                assert_false(taken[i]);
                taken[i] = true;
            }
            if (expected < end) // a gap was large enough: the smallest one
                assert_int_equal(at, expected);
            held[count++] = (struct held){at, size};
        } else {
            const size_t which = (size_t)rand_r(&seed) % count;
            gaps_give_back(&gaps, held[which].from * UNIT, held[which].size * UNIT);
            memset(taken + held[which].from, 0, held[which].size);
            held[which] = held[--count];
        }
        for (size_t i = 0; i < gaps.count; i++) {
            assert_true(gaps.items[i].from < gaps.items[i].to && gaps.items[i].to <= gaps.end);
            if (i > 0) // in order, and merged
                assert_true(gaps.items[i - 1].to < gaps.items[i].from);
        }
    }
    gaps_free(&gaps);
}

static void what_comes_back_is_used_again(void **state)
{
    (void)state;
    struct gaps gaps = {0};
    assert_int_equal(gaps_take(&gaps, 128), 0);
    assert_int_equal(gaps_take(&gaps, 64), 128);
    assert_int_equal(gaps_take(&gaps, 192), 192);
    gaps_give_back(&gaps, 0, 128);
    gaps_give_back(&gaps, 128, 64);
    assert_int_equal(gaps_take(&gaps, 192), 0);
    assert_int_equal(gaps.end, 384);
    gaps_free(&gaps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_never_overlap_and_fit_best),
        cmocka_unit_test(what_comes_back_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
