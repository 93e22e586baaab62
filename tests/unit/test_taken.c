// What is free between stretches of a memory, against a bitmap.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/taken.h"

enum { FROM = 7, TO = 103, ROUNDS = 2000, HELD = 12 };

static void paint(bool *taken, const struct taken *spans)
{
    memset(taken, 0, TO * sizeof *taken);
    for (size_t i = 0; i < spans->count; i++) {
        for (uint64_t at = spans->items[i].from; at < spans->items[i].to; at++)
            taken[at] = true;
    }
}

// The longest run of what is free, the first one of several.
static struct span longest(const bool *taken)
{
    struct span best = {FROM, FROM};
    for (uint64_t from = FROM; from < TO; from++) {
        uint64_t to = from;
        while (to < TO && !taken[to])
            to++;
        if (to - from > best.to - best.from)
            best = (struct span){from, to};
    }
    return best;
}

static bool is_free(const bool *taken, uint64_t from, uint64_t bytes)
{
    for (uint64_t at = from; at < from + bytes; at++) {
        if (at >= TO || taken[at])
            return false;
    }
    return true;
}

// The lowest or the highest address where so much is free; TO when there is none.
static uint64_t place(const bool *taken, uint64_t bytes, bool high)
{
    uint64_t found = TO;
    for (uint64_t from = FROM; from < TO && (high || found == TO); from++) {
        if (is_free(taken, from, bytes))
            found = from;
    }
    return found;
}

static void what_is_free_is_found(void **state)
{
    (void)state;
    const struct span all = {FROM, TO};
    struct taken spans = {0};
    bool taken[TO];
    srand(5);
    for (int round = 0; round < ROUNDS; round++) {
        if (spans.count >= HELD || (spans.count > 0 && rand() % 3 == 0)) {
            taken_remove(&spans, spans.items[(size_t)rand() % spans.count]);
        } else {
            const uint64_t from = FROM + (uint64_t)rand() % (TO - FROM - 10);
            taken_add(&spans, (struct span){from, from + 1 + (uint64_t)rand() % 10});
        }
        paint(taken, &spans);
        const struct span expected = longest(taken);
        const struct span gap = taken_largest_gap(&spans, all);
        assert_int_equal(gap.from, expected.from);
        assert_int_equal(gap.to, expected.to);
        const uint64_t bytes = 1 + (uint64_t)rand() % 20;
        for (int high = 0; high < 2; high++) {
            uint64_t address = TO;
            assert_int_equal(taken_find_place(&spans, all, bytes, high != 0, &address),
                             place(taken, bytes, high != 0) != TO);
            assert_int_equal(address, place(taken, bytes, high != 0));
        }
    }
    free(spans.items);
}

static void what_is_not_there_is_not_removed(void **state)
{
    (void)state;
    struct taken spans = {0};
    taken_add(&spans, (struct span){8, 16});
    taken_remove(&spans, (struct span){8, 24});
    assert_int_equal(spans.count, 1);
    free(spans.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free_is_found),
        cmocka_unit_test(what_is_not_there_is_not_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
