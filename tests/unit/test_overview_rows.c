// The overview's text: durations, rows in the document's order, and the figures
// that a trace carries in the names of its events.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/torq/engines.h"
#include "reports/torq/overview_rows.h"

static void durations_are_printed_and_parsed(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        const char *text;
    } CASES[] = {
        {0, "0ns"},
        {999, "999ns"},
        {1000, "1.000\u00b5s"},
        {453000, "453.000\u00b5s"},
        {999999, "999.999\u00b5s"},
        {12845000, "12.845ms"},
        {1234000000, "1.234s"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[OVERVIEW_DURATION_ROOM];
        uint64_t ns;
        overview_format_duration(CASES[i].ns, text);
        assert_string_equal(text, CASES[i].text);
        assert_true(overview_parse_duration(view_of(text), &ns));
        assert_true(ns == CASES[i].ns);
    }
    uint64_t ns;
    assert_true(overview_parse_duration(VIEW_LITERAL("12us"), &ns) && ns == 12000);
    assert_false(overview_parse_duration(VIEW_LITERAL("12"), &ns));
    assert_false(overview_parse_duration(VIEW_LITERAL("-3ms"), &ns));
    assert_false(overview_parse_duration(VIEW_LITERAL("ms"), &ns));
}

// A scope with some span on each of these lanes.
static struct overview make_overview(struct profile *profile, const char *const *lanes)
{
    for (uint64_t i = 0; lanes[i] != NULL; i++) {
        uint32_t index;
        struct track lane = {.kind = TRACK_LANE};
        torq_engine_set(profile, &lane, torq_engine_of_name(view_of(lanes[i]), &index), index);
        lane.index = index;
        const struct event event = {.start = 100 + 700 * i,
                                    .end = 5000 + 2300 * i,
                                    .track = profile_track_add(profile, &lane)};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_collector *collector = overview_collector_create(profile, false);
    assert_true(profile_replay(profile, overview_collector_sink(collector)) == STATUS_OK);
    struct overview overview;
    assert_true(overview_compute(collector, 0, TORQ_OVERVIEW_PARTS, TORQ_OVERVIEW_PART_COUNT,
                                 &overview) == STATUS_OK);
    overview_collector_free(collector);
    return overview;
}

static void a_trace_carries_the_overview_there_and_back(void **state)
{
    (void)state;
    static const char *const LANES[] = {"DMA IN", "CDMA", "SLICE 0", "SLICE 1",
                                        "CSS",    "HAL",  "NSS",     NULL};
    struct profile *profile = profile_create();
    struct profile *measured = profile_create();
    struct overview overview = make_overview(measured, LANES);
    struct overview_rows rows;
    torq_overview_rows(&overview, false, &rows);

    torq_overview_tracks_add(profile, "trace.csv", &overview, 0);
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_rows *read;
    size_t count;
    assert_true(torq_overview_read(profile, &read, &count) == STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(read->model, "trace.csv");
    assert_int_equal(read->count, 16);
    for (size_t i = 0, k = 0; i < rows.count; i++) {
        const struct overview_row *want = &rows.rows[i];
        if (strcmp(want->name, "Npu") == 0)
            continue; // not in a trace
        const struct overview_row *got = &read->rows[k++];
        assert_string_equal(got->name, want->name);
        assert_int_equal(got->present, want->present);
        assert_true(got->ns == want->ns);
        assert_int_equal(got->has_percent, want->has_percent);
        assert_true(!got->has_percent || fabs(got->percent - want->percent) < 0.005);
    }
    overview_rows_free(&rows);
    overview_rows_free(read);
    free(read);
    overview_free(&overview);
    profile_free(measured);
    profile_free(profile);
}

static void the_documents_rows_come_in_its_order(void **state)
{
    (void)state;
    static const char *const NAMES[] = {
        "OVERALL",      "Dma",   "Dma Only", "Dma Total", "Cdma",    "Compute",
        "Compute Only", "Slice", "Slice 0",  "Slice 1",   "Slice 7", "Css",
        "Overlap",      "Idle",  "Host",     "Host Copy",
    };
    static const char *const LANES[] = {"DMA IN", "SLICE 7", "SLICE 0", "HOST", NULL};
    struct profile *profile = profile_create();
    struct overview overview = make_overview(profile, LANES);
    struct overview_rows rows;
    torq_overview_rows(&overview, false, &rows);
    assert_int_equal(rows.count, sizeof NAMES / sizeof NAMES[0]);
    for (size_t i = 0; i < rows.count; i++)
        assert_string_equal(rows.rows[i].name, NAMES[i]);
    overview_rows_free(&rows);
    overview_free(&overview);
    profile_free(profile);
}

static void add_event(struct profile *profile, const char *track_name, const char *name)
{
    const struct track track = {.kind = TRACK_LANE,
                                .name = profile_string(profile, view_of(track_name))};
    const struct event event = {.start = 0,
                                .end = 77,
                                .track = profile_track_add(profile, &track),
                                .name = profile_string(profile, view_of(name))};
    profile_event_add(profile, &event, VIEW_LITERAL(""));
}

static void labels_of_other_versions_are_understood_or_shown_as_they_are(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    add_event(profile, "16 OVERVIEW NEW THING", "NEW_THING total: 5.000ms (12.30%)");
    add_event(profile, "05 OVERVIEW SLICE 0", "SLICE 0 total: 407.000\u00b5s (3.17%)");
    add_event(profile, "17 OVERVIEW ODD", "no figure at all");
    add_event(profile, "15 OVERALL", "OVERALL: 12.845ms");
    add_event(profile, "DMA IN", "DMA total: 1ns");
    assert_true(profile_finish(profile) == STATUS_OK);
    struct overview_rows *read;
    size_t count;
    assert_true(torq_overview_read(profile, &read, &count) == STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(read->count, 4);
    assert_string_equal(read->rows[0].name, "OVERALL");
    assert_false(read->rows[0].has_percent);
    assert_string_equal(read->rows[1].name, "Slice 0");
    assert_true(read->rows[1].ns == 407000 && read->rows[1].percent == 3.17);
    assert_string_equal(read->rows[2].name, "New Thing Total");
    assert_true(read->rows[2].ns == 5000000);
    assert_string_equal(read->rows[3].name, "No Figure At All");
    assert_true(read->rows[3].ns == 77);
    overview_rows_free(read);
    free(read);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_printed_and_parsed),
        cmocka_unit_test(a_trace_carries_the_overview_there_and_back),
        cmocka_unit_test(the_documents_rows_come_in_its_order),
        cmocka_unit_test(labels_of_other_versions_are_understood_or_shown_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
