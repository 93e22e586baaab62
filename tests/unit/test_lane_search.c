// Lanes that are found against a look at each.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/trace/lane_search.h"

enum { LANES = 300, ROUNDS = 20000 };

static void the_first_lane_with_room_is_found(void **state)
{
    (void)state;
    struct lane_search search = {0};
    uint64_t ends[LANES];
    bool full[LANES];
    size_t count = 0;
    srand(5);
    for (int round = 0; round < ROUNDS; round++) {
        const size_t lane =
            count < LANES && rand() % 50 == 0 ? count++ : (size_t)rand() % (count + 1);
        if (lane < count) {
            ends[lane] = (uint64_t)rand() % 100;
            full[lane] = rand() % 8 == 0;
            lane_search_set(&search, lane, ends[lane], full[lane]);
        }
        const bool nests = rand() % 2 == 0;
        const uint64_t start = (uint64_t)rand() % 6;
        const uint64_t end = start + 80 + (uint64_t)rand() % 30;
        const size_t from = (size_t)rand() % (count + 2);
        size_t want = from < count ? from : count;
        while (want < count &&
               !(ends[want] <= start || (nests && ends[want] >= end && !full[want])))
            want++;
        assert_int_equal(lane_search_next(&search, from, count, nests, start, end), want);
    }
    lane_search_free(&search);
}

static void an_index_without_lanes_has_none(void **state)
{
    (void)state;
    struct lane_search search = {0};
    assert_int_equal(lane_search_next(&search, 0, 0, true, 0, 0), 0);
    lane_search_set(&search, 0, 7, false);
    assert_int_equal(lane_search_next(&search, 0, 1, false, 6, 9), 1);
    assert_int_equal(lane_search_next(&search, 0, 1, false, 7, 9), 0);
    assert_int_equal(lane_search_next(&search, 0, 1, true, 6, 7), 0);
    lane_search_free(&search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_lane_with_room_is_found),
        cmocka_unit_test(an_index_without_lanes_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
