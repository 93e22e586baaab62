// Maps between clocks against clocks whose offset and drift are known.

#include "analysis/align.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ANCHORS = 24, LENGTH = 1000000000 };

struct world {
    int64_t offset;
    int64_t drift_ppb; // of the clock to be mapped: it shows offset + time * (1 + drift)
    int64_t scatter;   // ns
};

static uint64_t shown(const struct world *world, uint64_t time)
{
    const __int128 drifted = (__int128)time * world->drift_ppb / 1000000000;
    return (uint64_t)((int64_t)time + (int64_t)drifted + world->offset);
}

static int64_t chance(unsigned *seed, int64_t most)
{
    return most == 0 ? 0 : rand_r(seed) % (2 * most + 1) - most;
}

static void make_anchors(const struct world *world, unsigned *seed, struct align_anchor *anchors,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t time = 10000 + (uint64_t)rand_r(seed) % LENGTH;
        const uint64_t from = shown(world, time) + (uint64_t)chance(seed, world->scatter);
        anchors[i] = (struct align_anchor){from, from, time, time, i, false, false};
    }
}

static struct align_request request_for(const struct world *world, struct align_anchor *anchors,
                                        size_t count)
{
    return (struct align_request){.anchors = anchors,
                                  .count = count,
                                  .first = shown(world, 10000),
                                  .last = shown(world, 2ull * LENGTH),
                                  .resolution = 2};
}

static uint64_t worst_error(const struct world *world, const struct align_map *map)
{
    uint64_t worst = 0;
    for (uint64_t time = 10000; time <= 2ull * LENGTH; time += LENGTH / 50) {
        int64_t got;
        assert_true(align_apply(map, shown(world, time), &got));
        const uint64_t off = (uint64_t)llabs(got - (int64_t)time);
        worst = off > worst ? off : worst;
    }
    return worst;
}

static void the_error_stays_below_the_bound(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 500; round++) {
        unsigned seed = round;
        const struct world world = {.offset = 1000000000 + chance(&seed, 900000000),
                                    .drift_ppb = chance(&seed, 100000),
                                    .scatter = rand_r(&seed) % 1000};
        struct align_anchor anchors[ANCHORS];
        struct align_fit fit;
        make_anchors(&world, &seed, anchors, ANCHORS);
        const struct align_request request = request_for(&world, anchors, ANCHORS);
        align_fit(&request, &fit);
        assert_true(fit.has_drift);
        assert_true(worst_error(&world, &fit.map) <= fit.error_ns);
        // It is extended to twice the range of the anchors, and no more than that.
        assert_true(fit.error_ns <= (uint64_t)world.scatter * 10 + 50);
    }
}

static void wrong_anchors_do_not_matter(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        unsigned seed = round;
        const struct world world = {500000, 30000, 0};
        struct align_anchor anchors[ANCHORS];
        struct align_fit fit;
        make_anchors(&world, &seed, anchors, ANCHORS);
        for (size_t i = 0; i < ANCHORS / 4; i++)
            anchors[i].to_start = anchors[i].to_end =
                anchors[i].to_start + 1000000 + (uint64_t)rand_r(&seed) % LENGTH;
        const struct align_request request = request_for(&world, anchors, ANCHORS);
        align_fit(&request, &fit);
        assert_int_equal(fit.used, ANCHORS - ANCHORS / 4);
        for (size_t i = 0; i < ANCHORS; i++)
            assert_int_equal(anchors[i].used, anchors[i].label >= ANCHORS / 4);
        assert_true(worst_error(&world, &fit.map) <= fit.error_ns);
        assert_true(fit.error_ns < 100);
    }
}

static void a_span_inside_another_leaves_half_the_difference_open(void **state)
{
    (void)state;
    struct align_anchor anchors[] = {{1000, 2000, 51000, 53000, 0, false, false}};
    const struct align_request request = {anchors, 1, 0, 5000, 2, false};
    struct align_fit fit;
    align_fit(&request, &fit);
    int64_t mapped;
    assert_true(align_apply(&fit.map, 1500, &mapped));
    assert_int_equal(mapped, 52000);
    assert_int_equal(fit.error_ns, 500 + 2);
    assert_false(fit.has_drift);
}

// Spans at the very start of those around them, on a clock whose drift they do not show.
static void a_drift_that_is_not_shown_is_part_of_the_error(void **state)
{
    (void)state;
    enum { WIDTH = 2000000 };
    for (int64_t drift_ppb = -900000; drift_ppb <= 900000; drift_ppb += 300000) {
        const struct world world = {7000000, drift_ppb, 0};
        struct align_anchor anchors[ANCHORS];
        for (size_t i = 0; i < ANCHORS; i++) {
            const uint64_t time = 10000 + i * (LENGTH / ANCHORS);
            const uint64_t from = shown(&world, time);
            anchors[i] = (struct align_anchor){from, from, time, time + WIDTH, i, false, false};
        }
        struct align_fit fit;
        const struct align_request request = request_for(&world, anchors, ANCHORS);
        align_fit(&request, &fit);
        assert_false(fit.has_drift);
        assert_true(worst_error(&world, &fit.map) <= fit.error_ns);
        assert_true(fit.error_ns < 2 * WIDTH);
    }
}

static void many_anchors_are_taken_all_over_the_time(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    static struct align_anchor anchors[MANY];
    const struct world world = {7000, 25000, 0};
    for (size_t i = 0; i < MANY; i++) {
        const uint64_t time = 10000 + i * (LENGTH / MANY);
        const uint64_t from = shown(&world, time);
        anchors[i] = (struct align_anchor){from, from, time, time, i, false, false};
    }
    struct align_fit fit;
    const struct align_request request = request_for(&world, anchors, MANY);
    align_fit(&request, &fit);
    assert_int_equal(fit.used, ALIGN_ANCHORS_MOST);
    assert_true(worst_error(&world, &fit.map) <= fit.error_ns);
    assert_true(fit.error_ns < 50);
    assert_true(anchors[0].used && anchors[MANY - 1].used);
}

static void maps_compose(void **state)
{
    (void)state;
    const struct align_map inner = {1000, -5000, 20000};
    const struct align_map outer = {0, 7000000, -100000};
    struct align_map both;
    assert_true(align_compose(&outer, &inner, &both));
    for (uint64_t time = 10000; time < 1000000000; time += 7777777) {
        int64_t step, want, got;
        assert_true(align_apply(&inner, time, &step));
        assert_true(align_apply(&outer, (uint64_t)step, &want));
        assert_true(align_apply(&both, time, &got));
        assert_true(llabs(got - want) <= 3);
    }
}

static void what_does_not_fit_is_said(void **state)
{
    (void)state;
    const struct align_map map = {0, INT64_MAX - 10, 0};
    int64_t mapped;
    assert_true(align_apply(&map, 10, &mapped));
    assert_false(align_apply(&map, 11, &mapped));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_stays_below_the_bound),
        cmocka_unit_test(wrong_anchors_do_not_matter),
        cmocka_unit_test(a_span_inside_another_leaves_half_the_difference_open),
        cmocka_unit_test(a_drift_that_is_not_shown_is_part_of_the_error),
        cmocka_unit_test(many_anchors_are_taken_all_over_the_time),
        cmocka_unit_test(maps_compose),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
