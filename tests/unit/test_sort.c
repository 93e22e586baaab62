// Sorting in place against qsort.

#include "base/sort.h"

#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct item {
    uint32_t key;
    char payload[SORT_ITEM_MOST - sizeof(uint32_t)];
};

static bool item_before(const void *a, const void *b)
{
    return ((const struct item *)a)->key < ((const struct item *)b)->key;
}

static uint64_t comparisons;

static bool counting_before(const void *a, const void *b)
{
    comparisons++;
    return item_before(a, b);
}

static int item_compare(const void *a, const void *b)
{
    return item_before(b, a) - item_before(a, b);
}

static void agrees_with_qsort(void **state)
{
    (void)state;
    enum { MOST = 300 };
    struct item items[MOST], wanted[MOST];
    for (unsigned round = 0; round < 300; round++) {
        unsigned seed = round;
        const size_t count = round % MOST;
        for (size_t i = 0; i < count; i++) {
            const uint32_t key = (uint32_t)rand_r(&seed) % (round % 2 == 0 ? 10 : 100000);
            memset(&items[i], (int)(key % 100), sizeof *items);
            items[i].key = key;
        }
        memcpy(wanted, items, sizeof items);
        qsort(wanted, count, sizeof *wanted, item_compare);
        sort_in_place(items, count, sizeof *items, item_before);
        assert_memory_equal(items, wanted, count * sizeof *items);
    }
}

// What makes a quicksort slow, or go beyond its items when it is wrong.
static uint32_t pattern(unsigned kind, uint32_t i, uint32_t count, unsigned *seed)
{
    switch (kind) {
    case 0:
        return i;
    case 1:
        return count - i;
    case 2:
        return 7;
    case 3: // an organ pipe
        return i < count / 2 ? i : count - i;
    case 4: // sorted but for the last
        return i + 1 < count ? i + 1 : 0;
    case 5: // teeth
        return i % 10;
    case 6: // the evens, then the odds
        return i < count / 2 ? 2 * i : 2 * (i - count / 2) + 1;
    default:
        return (uint32_t)rand_r(seed);
    }
}

static void every_pattern_is_sorted_without_much_ado(void **state)
{
    (void)state;
    enum { COUNT = 100000, KINDS = 8 };
    struct item *items = malloc(COUNT * sizeof *items);
    unsigned seed = 1;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            items[i].key = pattern(kind, i, COUNT, &seed);
            sum += items[i].key;
        }
        comparisons = 0;
        sort_in_place(items, COUNT, sizeof *items, counting_before);
        for (uint32_t i = 1; i < COUNT; i++)
            assert_false(item_before(&items[i], &items[i - 1]));
        for (uint32_t i = 0; i < COUNT; i++)
            sum -= items[i].key;
        assert_true(sum == 0);
        assert_true(comparisons < 6ull * COUNT * 17); // log2 of COUNT
    }
    free(items);
}

// Those that are equal stay in order, and of what is in order no pointer moves.
static void pointers_are_sorted_by_what_they_point_to(void **state)
{
    (void)state;
    enum { COUNT = 20000, KINDS = 8 };
    struct item *items = malloc(COUNT * sizeof *items);
    const void **room = malloc(2 * COUNT * sizeof *room);
    unsigned seed = 1;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            items[i].key = pattern(kind, i, COUNT, &seed);
            room[i] = &items[i];
        }
        // Without any order, teeth of ten, and others that run on.
        assert_int_equal(sort_in_runs(items, COUNT, sizeof *items, item_before),
                         kind != 1 && kind != 3 && kind != 7);
        comparisons = 0;
        const void **sorted = sort_pointers(room, room + COUNT, COUNT, counting_before);
        assert_true(kind != 0 || (sorted == room && comparisons < COUNT));
        for (uint32_t i = 1; i < COUNT; i++) {
            assert_false(item_before(sorted[i], sorted[i - 1]));
            assert_true(item_before(sorted[i - 1], sorted[i]) || sorted[i - 1] < sorted[i]);
        }
    }
    assert_ptr_equal(sort_pointers(room, room, 0, counting_before), room);
    free(items);
    free(room);
}

static void what_is_in_order_is_left_alone(void **state)
{
    (void)state;
    const uint32_t keys[] = {1, 2, 2, 5, 4};
    struct item items[5];
    for (size_t i = 0; i < 5; i++)
        items[i].key = keys[i];
    comparisons = 0;
    sort_where_needed(items, 4, sizeof *items, counting_before);
    assert_true(comparisons == 3);
    sort_where_needed(items, 5, sizeof *items, counting_before);
    assert_true(items[3].key == 4 && items[4].key == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_qsort),
        cmocka_unit_test(every_pattern_is_sorted_without_much_ado),
        cmocka_unit_test(pointers_are_sorted_by_what_they_point_to),
        cmocka_unit_test(what_is_in_order_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
