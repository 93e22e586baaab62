// Overview metrics against a bitmap per engine: slow and obviously right.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/overview.h"

enum { TICKS = 400, ENGINES = 7, MOST = 12 };

static const struct {
    enum engine engine;
    uint32_t index;
} LANES[ENGINES] = {
    {ENGINE_DMA_IN, 0}, {ENGINE_DMA_OUT, 0}, {ENGINE_CDMA, 0},      {ENGINE_SLICE, 0},
    {ENGINE_SLICE, 1},  {ENGINE_CSS, 0},     {ENGINE_HOST_COPY, 0},
};

struct bitmaps {
    bool busy[ENGINES][TICKS];
    unsigned first;
    unsigned last;
};

static uint64_t count(const struct bitmaps *maps, unsigned some, unsigned none, unsigned and_some)
{
    uint64_t ticks = 0;
    for (unsigned t = 0; t < TICKS; t++) {
        unsigned set = 0;
        for (unsigned e = 0; e < ENGINES; e++)
            set |= (unsigned)maps->busy[e][t] << e;
        ticks += (set & some) != 0 && (set & none) == 0 && (set & and_some) != 0;
    }
    return ticks;
}

// Random spans, in order of start or not.
static void fill(struct profile *profile, unsigned seed, bool sorted, struct bitmaps *maps)
{
    memset(maps, 0, sizeof *maps);
    maps->first = TICKS;
    for (unsigned e = 0; e < ENGINES; e++) {
        const struct track lane = {
            .kind = TRACK_LANE, .engine = LANES[e].engine, .index = LANES[e].index};
        const uint32_t track = profile_track_add(profile, &lane);
        const unsigned spans = (unsigned)rand_r(&seed) % MOST + (e == 0);
        unsigned start = 0;
        for (unsigned i = 0; i < spans; i++) {
            start = sorted ? start + (unsigned)rand_r(&seed) % 30
                           : (unsigned)rand_r(&seed) % (TICKS - 40);
            const unsigned end = start + (unsigned)rand_r(&seed) % 40;
            if (end > TICKS)
                break;
            const struct event event = {.start = start, .end = end, .track = track};
            profile_event_add(profile, &event, VIEW_LITERAL(""));
            memset(&maps->busy[e][start], 1, end - start);
            maps->first = start < maps->first ? start : maps->first;
            maps->last = end > maps->last ? end : maps->last;
        }
    }
}

static void assert_metric(const struct overview *overview, enum overview_metric metric,
                          uint64_t ticks)
{
    if (overview->metrics[metric].present)
        assert_true(overview->metrics[metric].ns == ticks);
    else
        assert_true(ticks == 0);
}

static void check(const struct overview *overview, const struct bitmaps *maps)
{
    enum { DMA = 3, TRANSFER = 7, SLICES = 24, COMPUTE = 56, COPY = 64, ALL = 127 };
    assert_metric(overview, OVERVIEW_DMA_COMBINED, count(maps, TRANSFER, 0, ALL));
    assert_metric(overview, OVERVIEW_COMPUTE_COMBINED, count(maps, COMPUTE, 0, ALL));
    assert_metric(overview, OVERVIEW_DMA, count(maps, DMA, 0, ALL));
    assert_metric(overview, OVERVIEW_DMA_IN, count(maps, 1, 0, ALL));
    assert_metric(overview, OVERVIEW_DMA_OUT, count(maps, 2, 0, ALL));
    assert_metric(overview, OVERVIEW_CDMA, count(maps, 4, 0, ALL));
    assert_metric(overview, OVERVIEW_SLICE, count(maps, SLICES, 0, ALL));
    assert_metric(overview, OVERVIEW_SLICE_0, count(maps, 8, 0, ALL));
    assert_metric(overview, OVERVIEW_SLICE_1, count(maps, 16, 0, ALL));
    assert_metric(overview, OVERVIEW_CSS, count(maps, 32, 0, ALL));
    assert_metric(overview, OVERVIEW_DMA_ONLY, count(maps, TRANSFER, COMPUTE, ALL));
    assert_metric(overview, OVERVIEW_COMPUTE_ONLY, count(maps, COMPUTE, TRANSFER, ALL));
    assert_metric(overview, OVERVIEW_OVERLAP, count(maps, TRANSFER, 0, COMPUTE));
    assert_metric(overview, OVERVIEW_HOST_COPY, count(maps, COPY, 0, ALL));
    const uint64_t overall = maps->last - maps->first;
    assert_metric(overview, OVERVIEW_OVERALL, overall);
    assert_metric(overview, OVERVIEW_IDLE, overall - count(maps, ALL, 0, ALL));
    if (overview->metrics[OVERVIEW_TOTAL_NPU].present)
        assert_metric(overview, OVERVIEW_TOTAL_NPU,
                      overall - count(maps, COPY, TRANSFER | COMPUTE, ALL));
}

static void metrics_agree_with_bitmaps(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 1000; seed++) {
        struct profile *profile = profile_create();
        struct bitmaps maps;
        fill(profile, seed, seed % 2 == 0, &maps);
        assert_true(profile_finish(profile) == STATUS_OK);

        struct overview_collector *collector = overview_collector_create(profile);
        assert_true(profile_replay(profile, overview_collector_sink(collector)) == STATUS_OK);
        assert_int_equal(overview_count(collector), 1);
        struct overview overview;
        assert_true(overview_compute(collector, 0, &overview) == STATUS_OK);
        check(&overview, &maps);
        overview_free(&overview);
        overview_collector_free(collector);
        profile_free(profile);
    }
}

// The same without sorting first: as a stream hands the events over.
static void metrics_do_not_depend_on_the_order_of_events(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 500; seed++) {
        struct profile *profile = profile_create();
        struct overview_collector *collector = overview_collector_create(profile);
        struct bitmaps maps;
        profile_stream_to(profile, overview_collector_sink(collector));
        fill(profile, seed, false, &maps);
        assert_true(profile_finish(profile) == STATUS_OK);
        struct overview overview;
        assert_true(overview_compute(collector, 0, &overview) == STATUS_OK);
        check(&overview, &maps);
        overview_free(&overview);
        overview_collector_free(collector);
        profile_free(profile);
    }
}

static void what_the_profile_does_not_cover_is_absent(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const struct track lane = {.kind = TRACK_LANE, .engine = ENGINE_SLICE, .index = 5};
    const uint32_t track = profile_track_add(profile, &lane);
    profile_event_add(profile, &(struct event){.start = 10, .end = 30, .track = track},
                      VIEW_LITERAL(""));
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_collector *collector = overview_collector_create(profile);
    assert_true(profile_replay(profile, overview_collector_sink(collector)) == STATUS_OK);
    struct overview overview;
    assert_true(overview_compute(collector, 0, &overview) == STATUS_OK);
    assert_false(overview.metrics[OVERVIEW_HOST].present);
    assert_false(overview.metrics[OVERVIEW_HAL].present);
    assert_true(overview.metrics[OVERVIEW_CDMA].present);
    assert_true(overview.metrics[OVERVIEW_SLICE].ns == 20);
    assert_int_equal(overview.slice_count, 1);
    assert_int_equal(overview.slices[0].index, 5);
    assert_true(overview.start == 10);
    overview_free(&overview);
    overview_collector_free(collector);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_agree_with_bitmaps),
        cmocka_unit_test(metrics_do_not_depend_on_the_order_of_events),
        cmocka_unit_test(what_the_profile_does_not_cover_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
