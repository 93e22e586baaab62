// The tree of a flame graph against a map of every nanosecond.

#include "analysis/flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NAMES = 3, LENGTH = 300, MOST = 40, ROUNDS = 300 };

struct placed {
    uint64_t start, end;
    uint32_t name;
};

// Spans that may cut into one another, in order of their start.
static size_t invent(struct placed *spans, unsigned *seed)
{
    const size_t count = (size_t)rand_r(seed) % MOST + 1;
    uint64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        start += 1 + (uint64_t)rand_r(seed) % 8;
        spans[i].start = start;
        spans[i].end = start + (uint64_t)rand_r(seed) % 60;
        spans[i].name = (uint32_t)rand_r(seed) % NAMES;
    }
    return count;
}

static struct profile *make_profile(const struct placed *spans, size_t count, bool nests)
{
    static const char *const TEXTS[NAMES] = {"outer", "middle", "inner"};
    struct profile *profile = profile_create();
    struct track lane = {.kind = TRACK_LANE, .nests = nests};
    profile_track_set_engine(profile, &lane, ROLE_HOST, "thread");
    const uint32_t track = profile_track_add(profile, &lane);
    for (size_t i = 0; i < count; i++) {
        const struct event event = {.start = spans[i].start,
                                    .end = spans[i].end,
                                    .track = track,
                                    .name = profile_string(profile, view_of(TEXTS[spans[i].name]))};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    return profile;
}

// Nanoseconds in which some span is open.
static uint64_t covered(const struct placed *spans, size_t count)
{
    uint64_t sum = 0;
    for (uint64_t time = 0; time < LENGTH + 100; time++) {
        bool open = false;
        for (size_t i = 0; i < count; i++)
            open |= spans[i].start <= time && time < spans[i].end;
        sum += open;
    }
    return sum;
}

static void test_every_nanosecond_is_in_one_node(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned seed = round;
        struct placed spans[MOST];
        const size_t count = invent(spans, &seed);
        struct profile *profile = make_profile(spans, count, true);
        struct flame flame;
        uint64_t self = 0, found = 0;
        assert_true(flame_measure(profile, &flame) == STATUS_OK);
        for (uint32_t i = 0; i < flame.nodes.count; i++) {
            const struct flame_node *node = flame_node(&flame, i);
            self += node->self;
            found += node->count;
            assert_true(node->self <= LENGTH + 100);
            assert_true(i == 0 || node->parent < i);
            assert_true(i == 0 || flame_node(&flame, node->parent)->total >= node->total);
        }
        assert_int_equal(self, covered(spans, count));
        assert_int_equal(flame_node(&flame, 0)->total, self);
        assert_int_equal(found, count);
        flame_free(&flame);
        profile_free(profile);
    }
}

static void test_stacks_become_paths(void **state)
{
    static const struct placed SPANS[] = {{0, 100, 0}, {10, 40, 1}, {15, 20, 2}, {50, 60, 1}};
    (void)state;
    struct profile *profile = make_profile(SPANS, 4, true);
    struct flame flame;
    assert_true(flame_measure(profile, &flame) == STATUS_OK);
    assert_int_equal(flame.nodes.count, 6); // all, host, thread, outer, middle, inner
    const struct flame_node *middle = flame_node(&flame, 4);
    assert_int_equal(middle->count, 2);
    assert_int_equal(middle->total, 40);
    assert_int_equal(middle->self, 35);
    assert_int_equal(flame_node(&flame, 3)->self, 60);
    flame_keep(&flame, 4);
    assert_int_equal(flame_node(&flame, 3)->kept, 4);
    assert_int_equal(flame_node(&flame, 4)->kept, 0);
    flame_free(&flame);
    profile_free(profile);
}

static void test_lanes_side_by_side_are_added_up(void **state)
{
    static const struct placed SPANS[] = {{0, 100, 0}, {10, 40, 1}};
    (void)state;
    struct profile *profile = make_profile(SPANS, 2, false);
    struct flame flame;
    assert_true(flame_measure(profile, &flame) == STATUS_OK);
    assert_int_equal(flame_node(&flame, 0)->total, 130);
    flame_free(&flame);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_nanosecond_is_in_one_node),
        cmocka_unit_test(test_stacks_become_paths),
        cmocka_unit_test(test_lanes_side_by_side_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
