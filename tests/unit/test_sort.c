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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_qsort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
