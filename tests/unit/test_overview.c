// Overviews against a bitmap per engine: slow and obviously right.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/torq/engines.h"
#include "reports/overview/list.h"
#include "reports/overview/roles.h"
#include "reports/torq/overview_rows.h"

enum { TICKS = 400, ENGINES = 7, MOST = 12 };

static const struct {
    const struct torq_engine *engine;
    uint32_t index;
} LANES[ENGINES] = {
    {&TORQ_DMA_IN, 0}, {&TORQ_DMA_OUT, 0}, {&TORQ_CDMA, 0},      {&TORQ_SLICE, 0},
    {&TORQ_SLICE, 1},  {&TORQ_CSS, 0},     {&TORQ_HOST_COPY, 0},
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
static void fill_tracks(struct profile *profile, const uint32_t tracks[ENGINES], unsigned seed,
                        bool sorted, struct bitmaps *maps)
{
    memset(maps, 0, sizeof *maps);
    maps->first = TICKS;
    for (unsigned e = 0; e < ENGINES; e++) {
        const uint32_t track = tracks[e];
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

static void fill(struct profile *profile, unsigned seed, bool sorted, struct bitmaps *maps)
{
    uint32_t tracks[ENGINES];
    for (unsigned e = 0; e < ENGINES; e++) {
        struct track lane = {.kind = TRACK_LANE};
        torq_engine_set(profile, &lane, LANES[e].engine, LANES[e].index);
        tracks[e] = profile_track_add(profile, &lane);
    }
    fill_tracks(profile, tracks, seed, sorted, maps);
}

static const struct overview_row *find_row(const struct overview_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->rows[i].name, name) == 0)
            return &rows->rows[i];
    }
    fail_msg("there is no row '%s'", name);
    return NULL;
}

static void assert_metric(const struct overview_rows *rows, const char *name, uint64_t ticks)
{
    const struct overview_row *row = find_row(rows, name);
    if (row->present)
        assert_true(row->ns == ticks);
    else
        assert_true(ticks == 0);
}

static void check(const struct overview *overview, const struct bitmaps *maps)
{
    enum { DMA = 3, TRANSFER = 7, SLICES = 24, COMPUTE = 56, COPY = 64, ALL = 127 };
    struct overview_rows rows;
    torq_overview_rows(overview, true, &rows);
    assert_metric(&rows, "Dma", count(maps, TRANSFER, 0, ALL));
    assert_metric(&rows, "Compute", count(maps, COMPUTE, 0, ALL));
    assert_metric(&rows, "Dma Total", count(maps, DMA, 0, ALL));
    assert_metric(&rows, "Dma In", count(maps, 1, 0, ALL));
    assert_metric(&rows, "Dma Out", count(maps, 2, 0, ALL));
    assert_metric(&rows, "Cdma", count(maps, 4, 0, ALL));
    assert_metric(&rows, "Slice", count(maps, SLICES, 0, ALL));
    assert_metric(&rows, "Slice 0", count(maps, 8, 0, ALL));
    assert_metric(&rows, "Slice 1", count(maps, 16, 0, ALL));
    assert_metric(&rows, "Css", count(maps, 32, 0, ALL));
    assert_metric(&rows, "Dma Only", count(maps, TRANSFER, COMPUTE, ALL));
    assert_metric(&rows, "Compute Only", count(maps, COMPUTE, TRANSFER, ALL));
    assert_metric(&rows, "Overlap", count(maps, TRANSFER, 0, COMPUTE));
    assert_metric(&rows, "Host Copy", count(maps, COPY, 0, ALL));
    const uint64_t overall = maps->last - maps->first;
    assert_metric(&rows, "OVERALL", overall);
    assert_metric(&rows, "Idle", overall - count(maps, ALL, 0, ALL));
    if (find_row(&rows, "TOTAL NPU OPERATIONS")->present)
        assert_metric(&rows, "TOTAL NPU OPERATIONS",
                      overall - count(maps, COPY, TRANSFER | COMPUTE, ALL));
    overview_rows_free(&rows);
}

static struct overview compute(struct overview_collector *collector)
{
    struct overview overview;
    assert_int_equal(overview_count(collector), 1);
    assert_true(overview_compute(collector, 0, TORQ_OVERVIEW_PARTS, TORQ_OVERVIEW_PART_COUNT,
                                 &overview) == STATUS_OK);
    return overview;
}

static void metrics_agree_with_bitmaps(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 1000; seed++) {
        struct profile *profile = profile_create();
        struct bitmaps maps;
        fill(profile, seed, seed % 2 == 0, &maps);
        assert_true(profile_finish(profile) == STATUS_OK);

        struct overview_collector *collector = overview_collector_create(profile, false);
        assert_true(profile_replay(profile, overview_collector_sink(collector)) == STATUS_OK);
        struct overview overview = compute(collector);
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
        struct overview_collector *collector = overview_collector_create(profile, false);
        struct bitmaps maps;
        profile_stream_to(profile, overview_collector_sink(collector));
        fill(profile, seed, false, &maps);
        assert_true(profile_finish(profile) == STATUS_OK);
        struct overview overview = compute(collector);
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
    struct track lane = {.kind = TRACK_LANE};
    torq_engine_set(profile, &lane, &TORQ_SLICE, 5);
    const uint32_t track = profile_track_add(profile, &lane);
    profile_event_add(profile, &(struct event){.start = 10, .end = 30, .track = track},
                      VIEW_LITERAL(""));
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_collector *collector = overview_collector_create(profile, false);
    assert_true(profile_replay(profile, overview_collector_sink(collector)) == STATUS_OK);
    struct overview overview = compute(collector);
    struct overview_rows rows;
    torq_overview_rows(&overview, true, &rows);
    assert_false(find_row(&rows, "Host")->present);
    assert_false(find_row(&rows, "Hal")->present);
    assert_true(find_row(&rows, "Cdma")->present);
    assert_true(find_row(&rows, "Slice")->ns == 20);
    assert_true(find_row(&rows, "Slice 5")->ns == 20);
    assert_int_equal(overview.lane_count, 1);
    assert_int_equal(overview.lanes[0].index, 5);
    assert_true(overview.overall.start == 10);
    overview_rows_free(&rows);
    overview_free(&overview);
    overview_collector_free(collector);
    profile_free(profile);
}

// Any machine -------------------------------------------------------------------------

// Lanes of random roles, engines, cores and numbers, which may be the same ones.
static void add_random_tracks(struct profile *profile, unsigned *seed, uint32_t tracks[ENGINES])
{
    static const char *const NAMES[] = {"", "matrix", "vector"};
    for (unsigned e = 0; e < ENGINES; e++) {
        struct track lane = {.kind = TRACK_LANE,
                             .index = (uint32_t)rand_r(seed) % 2,
                             .core = (uint32_t)rand_r(seed) % 3};
        const enum role role = (enum role)((unsigned)rand_r(seed) % ROLE_COUNT);
        profile_track_set_engine(profile, &lane, role, NAMES[(unsigned)rand_r(seed) % 3]);
        tracks[e] = profile_track_add(profile, &lane);
    }
}

// The lanes that a part has, as bits.
static unsigned lanes_of(const struct profile *profile, const uint32_t tracks[ENGINES],
                         const struct overview_part *part)
{
    unsigned lanes = 0;
    for (unsigned e = 0; e < ENGINES; e++) {
        const struct track *track = profile_track(profile, tracks[e]);
        if (track->spans > 0 && track->role == part->role)
            lanes |= 1u << e;
    }
    return lanes;
}

static unsigned lanes_of_set(const unsigned of_part[], uint32_t parts)
{
    unsigned lanes = 0;
    for (unsigned i = 0; i < OVERVIEW_ROLE_PART_COUNT; i++)
        lanes |= (parts & 1u << i) != 0 ? of_part[i] : 0;
    return lanes;
}

// Sets of parts at random, as a row may be of.
static void check_rules(const struct overview *overview, const struct bitmaps *maps,
                        const unsigned of_part[], unsigned *seed)
{
    for (int round = 0; round < 20; round++) {
        const uint32_t mask = (1u << OVERVIEW_ROLE_PART_COUNT) - 1;
        const struct overview_rule rule = {.some = (uint32_t)rand_r(seed) & mask,
                                           .minus = (uint32_t)rand_r(seed) & mask,
                                           .with = round % 2 ? (uint32_t)rand_r(seed) & mask : 0};
        const unsigned with = rule.with != 0 ? lanes_of_set(of_part, rule.with) : 127;
        const struct overview_value value = overview_evaluate(overview, &rule);
        assert_true(value.present);
        assert_true(value.ns == count(maps, lanes_of_set(of_part, rule.some),
                                      lanes_of_set(of_part, rule.minus), with));
    }
}

static void check_engines(const struct overview *overview, const struct profile *profile,
                          const uint32_t tracks[ENGINES], const struct bitmaps *maps)
{
    for (size_t i = 0; i < overview->engine_count; i++) {
        const struct overview_lane *engine = &overview->engines[i];
        unsigned lanes = 0;
        for (unsigned e = 0; e < ENGINES; e++) {
            const struct track *track = profile_track(profile, tracks[e]);
            const bool unknown = track->role == ROLE_NONE && track->engine == 0;
            const uint32_t core = unknown ? 0 : track->core;
            lanes |= (unsigned)(track->spans > 0 && track->role == engine->role &&
                                track->engine == engine->engine && core == engine->core)
                     << e;
        }
        assert_true(lanes != 0);
        assert_true(engine->ns == count(maps, lanes, 0, 127));
    }
}

static void rules_of_any_machine_agree_with_bitmaps(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 1000; seed++) {
        unsigned random = seed;
        struct profile *profile = profile_create();
        uint32_t tracks[ENGINES];
        struct bitmaps maps;
        add_random_tracks(profile, &random, tracks);
        fill_tracks(profile, tracks, seed, seed % 2 == 0, &maps);
        assert_true(profile_finish(profile) == STATUS_OK);
        struct overview_collector *collector = overview_collector_create(profile, true);
        assert_true(profile_replay(profile, overview_collector_sink(collector)) == STATUS_OK);
        struct overview overview;
        assert_true(overview_compute(collector, 0, OVERVIEW_ROLE_PARTS, OVERVIEW_ROLE_PART_COUNT,
                                     &overview) == STATUS_OK);
        unsigned of_part[OVERVIEW_PARTS_MOST];
        for (size_t i = 0; i < OVERVIEW_ROLE_PART_COUNT; i++)
            of_part[i] = lanes_of(profile, tracks, &OVERVIEW_ROLE_PARTS[i]);
        check_rules(&overview, &maps, of_part, &random);
        check_engines(&overview, profile, tracks, &maps);
        assert_true(overview.overall.start == maps.first && overview.overall.end == maps.last);
        overview_free(&overview);
        overview_collector_free(collector);
        profile_free(profile);
    }
}

// More lists of edges than are searched one by one.
static void many_lanes_are_added_up_like_few(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct profile *profile = profile_create();
    for (uint32_t i = 0; i < MANY; i++) {
        struct track lane = {.kind = TRACK_LANE, .index = i, .core = i / 10 + 1};
        profile_track_set_engine(profile, &lane, ROLE_COMPUTE, "matrix");
        const uint32_t track = profile_track_add(profile, &lane);
        for (uint64_t k = 0; k < 3; k++)
            profile_event_add(profile,
                              &(struct event){.start = 1000 * k + 5 * i,
                                              .end = 1000 * k + 5 * i + 7,
                                              .track = track},
                              VIEW_LITERAL(""));
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_rows *list;
    size_t rows;
    assert_true(overview_rows_list(profile, false, &list, &rows) == STATUS_OK);
    assert_int_equal(rows, 1);
    assert_true(find_row(list, "Compute")->ns == 3 * (5 * (MANY - 1) + 7));
    assert_true(find_row(list, "core 3 matrix")->ns == 3 * (5 * 9 + 7));
    overview_rows_list_free(list, rows);
    profile_free(profile);
}

// Times that leave no room in a number for the list that they are of.
static void long_times_are_added_up_like_short_ones(void **state)
{
    (void)state;
    const uint64_t far = UINT64_C(1) << 62;
    const struct event spans[] = {{.start = 0, .end = 10, .track = 0},
                                  {.start = far, .end = far + 10, .track = 0},
                                  {.start = 5, .end = far + 5, .track = 1},
                                  {.start = far + 10, .end = far + 30, .track = 2}};
    struct profile *profile = profile_create();
    for (uint32_t i = 0; i < 3; i++) {
        struct track lane = {.kind = TRACK_LANE, .index = i};
        profile_track_set_engine(profile, &lane, i < 2 ? ROLE_COMPUTE : ROLE_TRANSFER_IN,
                                 i < 2 ? "matrix" : "load");
        profile_track_add(profile, &lane);
    }
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        struct event span = spans[i];
        span.track += 1;
        profile_event_add(profile, &span, VIEW_LITERAL(""));
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_rows *list;
    size_t rows;
    assert_true(overview_rows_list(profile, false, &list, &rows) == STATUS_OK);
    assert_true(find_row(list, "OVERALL")->ns == far + 30);
    assert_true(find_row(list, "Compute")->ns == far + 10);
    assert_true(find_row(list, "Idle")->ns == 0);
    overview_rows_list_free(list, rows);
    profile_free(profile);
}

static void a_role_that_nobody_said_is_said_to_be_unknown(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    struct track lane = {.kind = TRACK_LANE};
    profile_track_set_engine(profile, &lane, ROLE_NONE, "widget");
    const uint32_t track = profile_track_add(profile, &lane);
    profile_event_add(profile, &(struct event){.start = 10, .end = 30, .track = track},
                      VIEW_LITERAL(""));
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_rows *list;
    size_t rows;
    assert_true(overview_rows_list(profile, true, &list, &rows) == STATUS_OK);
    assert_true(find_row(list, "Unknown Role")->ns == 20);
    assert_true(find_row(list, "widget")->ns == 20);
    assert_false(find_row(list, "Host")->present);
    overview_rows_list_free(list, rows);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_agree_with_bitmaps),
        cmocka_unit_test(metrics_do_not_depend_on_the_order_of_events),
        cmocka_unit_test(what_the_profile_does_not_cover_is_absent),
        cmocka_unit_test(rules_of_any_machine_agree_with_bitmaps),
        cmocka_unit_test(many_lanes_are_added_up_like_few),
        cmocka_unit_test(long_times_are_added_up_like_short_ones),
        cmocka_unit_test(a_role_that_nobody_said_is_said_to_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
