// The Perfetto writer against the reader: what goes in comes back, on as many
// lanes as it takes. (The end-to-end tests put Perfetto itself in the reader's
// place.)

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "formats/perfetto/pack.h"
#include "formats/perfetto/reader.h"
#include "formats/perfetto/writer.h"
#include "profile/value.h"
#include "temporary_file.h"

static uint32_t add_lane(struct profile *profile, const char *name, bool nests)
{
    const struct track process = {.kind = TRACK_PROCESS,
                                  .name = profile_string(profile, VIEW_LITERAL("npu"))};
    const uint32_t parent = profile->tracks.count == 1 ? profile_track_add(profile, &process) : 1;
    const struct track lane = {.parent = parent,
                               .kind = TRACK_LANE,
                               .nests = nests,
                               .name = profile_string(profile, view_of(name))};
    return profile_track_add(profile, &lane);
}

static void add_span(struct profile *profile, uint32_t track, uint64_t start, uint64_t end)
{
    char name[48];
    snprintf(name, sizeof name, "%llu-%llu", (unsigned long long)start, (unsigned long long)end);
    const struct event event = {
        .start = start, .end = end, .track = track, .name = profile_string(profile, view_of(name))};
    profile_event_add(profile, &event, VIEW_LITERAL(""));
}

// Checks that a span is what its name says and lies on a lane of the right name.
struct checker {
    struct event_sink sink;
    const struct profile *profile;
    const char *lane;
    uint64_t spans;
    uint64_t sum;
};

static status check(struct event_sink *sink, const struct event_batch *batch)
{
    struct checker *checker = (struct checker *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        char name[32];
        snprintf(name, sizeof name, "%llu-%llu", (unsigned long long)event->start,
                 (unsigned long long)event->end);
        const struct track *track = profile_track(checker->profile, event->track);
        assert_true(view_is(profile_text(checker->profile, event->name), name));
        assert_true(view_is(profile_text(checker->profile, track->name), checker->lane));
        checker->spans++;
        checker->sum += event->start * 3 + event->end;
    }
    return STATUS_OK;
}

// What was written; the caller closes the input.
static struct profile *read_back(struct input **out_input)
{
    struct profile *again = profile_create();
    assert_true(input_open(path, out_input) == STATUS_OK);
    assert_true(perfetto_recognise((*out_input)->bytes));
    assert_true(perfetto_read(*out_input, again) == STATUS_OK);
    assert_true(profile_finish(again) == STATUS_OK);
    return again;
}

static struct checker write_and_read(struct profile *profile, uint32_t *out_lanes)
{
    const struct perfetto_writer_options options = {0};
    assert_true(profile_finish(profile) == STATUS_OK);
    assert_true(perfetto_write(profile, path, &options) == STATUS_OK);
    struct input *input;
    struct profile *again = read_back(&input);
    const struct ledger ledger = profile_ledger(again);
    assert_true(ledger.lost == 0 && ledger.impossible == 0);
    struct checker checker = {.sink.take = check, .profile = again, .lane = "SLICE 0"};
    assert_true(profile_replay(again, &checker.sink) == STATUS_OK);
    *out_lanes = 0;
    for (uint32_t i = 1; i < again->tracks.count; i++)
        *out_lanes += profile_track(again, i)->spans > 0;
    input_close(input);
    profile_free(again);
    return checker;
}

static void spans_that_overlap_get_as_many_lanes_as_they_need(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t lane = add_lane(profile, "SLICE 0", false);
    add_span(profile, lane, 0, 10);
    add_span(profile, lane, 5, 20);  // overlaps the first
    add_span(profile, lane, 6, 8);   // inside both: engines do not nest
    add_span(profile, lane, 10, 11); // fits after the first
    add_span(profile, lane, 20, 20);
    uint32_t lanes;
    assert_int_equal(write_and_read(profile, &lanes).spans, 5);
    assert_int_equal(lanes, 3);
    profile_free(profile);
}

static void nested_spans_stay_on_one_lane(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t lane = add_lane(profile, "SLICE 0", true);
    add_span(profile, lane, 2, 3); // children end, and are added, before parents
    add_span(profile, lane, 3, 5);
    add_span(profile, lane, 1, 9);
    add_span(profile, lane, 0, 10);
    add_span(profile, lane, 10, 12);
    uint32_t lanes;
    assert_int_equal(write_and_read(profile, &lanes).spans, 5);
    assert_int_equal(lanes, 1);
    profile_free(profile);
}

static void random_spans_come_back_whatever_their_order(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 40; seed++) {
        unsigned random = seed;
        struct profile *profile = profile_create();
        const uint32_t lane = add_lane(profile, "SLICE 0", seed % 2 == 0);
        uint64_t sum = 0;
        for (int i = 0; i < 300; i++) {
            const uint64_t start = (uint64_t)rand_r(&random) % 1000;
            const uint64_t end = start + (uint64_t)rand_r(&random) % 30;
            add_span(profile, lane, start, end);
            sum += start * 3 + end;
        }
        uint32_t lanes;
        const struct checker checker = write_and_read(profile, &lanes);
        assert_int_equal(checker.spans, 300);
        assert_true(checker.sum == sum);
        profile_free(profile);
    }
}

static void late_events_of_a_stream_are_written_too(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t lane = add_lane(profile, "SLICE 0", false);
    struct perfetto_writer *writer;
    const struct perfetto_writer_options options = {0};
    assert_true(perfetto_writer_open(path, profile, &options, &writer) == STATUS_OK);
    profile_stream_to(profile, perfetto_writer_sink(writer));
    enum { COUNT = 20000 };
    for (uint64_t i = 0; i < COUNT; i++)
        add_span(profile, lane, (COUNT - i) * 10, (COUNT - i) * 10 + 10);
    assert_true(profile_finish(profile) == STATUS_OK);
    assert_true(perfetto_writer_close(writer, STATUS_OK) == STATUS_OK);

    struct input *input;
    struct profile *again = read_back(&input);
    struct checker checker = {.sink.take = check, .profile = again, .lane = "SLICE 0"};
    assert_true(profile_replay(again, &checker.sink) == STATUS_OK);
    assert_int_equal(checker.spans, COUNT);
    input_close(input);
    profile_free(again);
    profile_free(profile);
}

static void large_traces_are_packed_and_small_ones_are_not(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct profile *profile = profile_create();
        const uint32_t lane = add_lane(profile, "SLICE 0", false);
        const uint64_t count = large ? 120000 : 1000;
        for (uint64_t i = 0; i < count; i++)
            add_span(profile, lane, i * 10, i * 10 + 9);
        uint32_t lanes;
        assert_true(write_and_read(profile, &lanes).spans == count);
        struct input *input;
        assert_true(input_open(path, &input) == STATUS_OK);
        // A compressed packet: field 50, then a zlib stream.
        const bool packed = view_find_text(input->bytes, "\x92\x03") < input->bytes.size && large;
        assert_int_equal(packed, large);
        assert_true(input->bytes.size < count * (large ? 60 : 80));
        input_close(input);
        profile_free(profile);
    }
}

static void times_beyond_the_format_are_not_carried_and_said_so(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t lane = add_lane(profile, "SLICE 0", false);
    add_span(profile, lane, 0, 10);
    add_span(profile, lane, UINT64_MAX - 1, UINT64_MAX);
    uint32_t lanes;
    assert_int_equal(write_and_read(profile, &lanes).spans, 1);
    assert_true(profile->note_counts[LEDGER_NOT_CARRIED] == 1);
    profile_free(profile);
}

// Of values with many names: the first ones before it is said what keys there are, or none.
static uint64_t size_of_values(bool tells)
{
    enum { EVENTS = 500, KEYS = 200 };
    struct profile *profile = profile_create();
    const uint32_t lane = add_lane(profile, "SLICE 0", false);
    const uint32_t key = profile_string(profile, VIEW_LITERAL("key"));
    const struct perfetto_writer_options options = {0};
    struct perfetto_writer *writer;
    assert_true(key < 64);
    assert_true(perfetto_writer_open(path, profile, &options, &writer) == STATUS_OK);
    profile_stream_to(profile, perfetto_writer_sink(writer));
    for (uint64_t i = 0; i < EVENTS; i++) {
        struct bytes values = {0};
        char name[16];
        snprintf(name, sizeof name, "k%d", (int)i);
        const uint32_t other = profile_string(profile, view_of(name));
        value_add_uint(&values, i < KEYS ? other : key, i);
        if (i == KEYS && tells)
            profile_keys_tell(profile, (uint64_t)1 << key);
        profile_event_add(profile,
                          &(struct event){.start = 10 * i, .end = 10 * i + 9, .track = lane},
                          bytes_view(&values));
        bytes_free(&values);
    }
    assert_true(profile_finish(profile) == STATUS_OK);
    assert_true(perfetto_writer_close(writer, STATUS_OK) == STATUS_OK);
    struct input *input;
    struct profile *again = read_back(&input);
    assert_true(profile_ledger(again).recorded == EVENTS && profile_ledger(again).lost == 0);
    const uint64_t size = input->bytes.size;
    input_close(input);
    profile_free(again);
    profile_free(profile);
    return size;
}

static void keys_that_are_told_change_nothing(void **state)
{
    (void)state;
    assert_true(size_of_values(false) == size_of_values(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_that_overlap_get_as_many_lanes_as_they_need),
        cmocka_unit_test(nested_spans_stay_on_one_lane),
        cmocka_unit_test(random_spans_come_back_whatever_their_order),
        cmocka_unit_test(late_events_of_a_stream_are_written_too),
        cmocka_unit_test(large_traces_are_packed_and_small_ones_are_not),
        cmocka_unit_test(keys_that_are_told_change_nothing),
        cmocka_unit_test(times_beyond_the_format_are_not_carried_and_said_so),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
