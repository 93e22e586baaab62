// The record: what goes in comes out, in order, accounted for.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "profile/profile.h"

struct collector {
    struct event_sink sink;
    struct event *events;
    struct bytes *values;
    size_t count;
    size_t capacity;
    size_t value_capacity;
    size_t fail_at; // 0: never
};

static status collect(struct event_sink *sink, const struct event_batch *batch)
{
    struct collector *collector = (struct collector *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        if (collector->fail_at != 0 && collector->count >= collector->fail_at)
            return status_make(STATUS_IO, "the sink is full");
        collector->events = memory_grow(collector->events, collector->count, &collector->capacity,
                                        sizeof *collector->events);
        collector->values = memory_grow(collector->values, collector->count,
                                        &collector->value_capacity, sizeof *collector->values);
        const struct view values = event_values(batch, &batch->events[i]);
        collector->events[collector->count] = batch->events[i];
        collector->values[collector->count] = (struct bytes){0};
        bytes_append(&collector->values[collector->count++], values.data, values.size);
    }
    return STATUS_OK;
}

static void collector_free(struct collector *collector)
{
    for (size_t i = 0; i < collector->count; i++)
        bytes_free(&collector->values[i]);
    free(collector->values);
    free(collector->events);
}

// Event i of a test profile, derived from its index alone.
static struct event make_event(const uint32_t *tracks, uint64_t i)
{
    const uint64_t start = i * 977 % 100003;
    return (struct event){.start = start,
                          .end = start + i % 50,
                          .track = tracks[i % 3],
                          .name = (uint32_t)(i % 2),
                          .kind = EVENT_SPAN};
}

static struct profile *make_profile(uint32_t *tracks, struct event_sink *sink, uint64_t count)
{
    struct profile *profile = profile_create();
    for (int i = 0; i < 3; i++)
        tracks[i] = profile_track_add(profile, &(struct track){.kind = TRACK_LANE});
    profile_stream_to(profile, sink);
    struct bytes values = {0};
    for (uint64_t i = 0; i < count; i++) {
        const struct event event = make_event(tracks, i);
        values.size = 0;
        value_add_uint(&values, 1, i);
        profile_event_add(profile, &event, bytes_view(&values));
    }
    bytes_free(&values);
    return profile;
}

static uint64_t index_of(const struct bytes *values)
{
    struct value_reader reader = value_read(bytes_view(values));
    struct value value;
    assert_true(value_next(&reader, &value));
    assert_ptr_equal(reader.at, reader.end);
    return value.number;
}

static void assert_event(const struct event *got, const struct event *want)
{
    assert_true(got->start == want->start && got->end == want->end);
    assert_int_equal(got->track, want->track);
    assert_int_equal(got->name, want->name);
}

static void stored_events_come_out_once_each_in_order_of_start(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    uint32_t tracks[3];
    struct profile *profile = make_profile(tracks, NULL, COUNT);
    assert_true(profile_finish(profile) == STATUS_OK);
    struct collector collector = {.sink.take = collect};
    assert_true(profile_replay(profile, &collector.sink) == STATUS_OK);
    assert_int_equal(collector.count, COUNT);

    char *seen = memory_allocate_zeroed(COUNT, 1);
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t index = index_of(&collector.values[i]);
        const struct event want = make_event(tracks, index);
        assert_int_equal(seen[index]++, 0);
        assert_event(&collector.events[i], &want);
        if (i == 0 || collector.events[i].track != collector.events[i - 1].track)
            continue;
        const struct event *before = &collector.events[i - 1];
        assert_true(before->start < want.start ||
                    (before->start == want.start && before->end >= want.end));
    }
    const struct ledger ledger = profile_ledger(profile);
    assert_true(ledger.recorded == COUNT);
    free(seen);
    collector_free(&collector);
    profile_free(profile);
}

static void streamed_events_reach_the_sink_in_the_order_they_were_added(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    uint32_t tracks[3];
    struct collector collector = {.sink.take = collect};
    struct profile *profile = make_profile(tracks, &collector.sink, COUNT);
    assert_true(profile_finish(profile) == STATUS_OK);
    assert_int_equal(collector.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const struct event want = make_event(tracks, i);
        assert_true(index_of(&collector.values[i]) == i);
        assert_event(&collector.events[i], &want);
    }
    collector_free(&collector);
    profile_free(profile);
}

static void a_failing_sink_fails_the_profile_and_no_more(void **state)
{
    (void)state;
    uint32_t tracks[3];
    struct collector collector = {.sink.take = collect, .fail_at = 5000};
    struct profile *profile = make_profile(tracks, &collector.sink, 100000);
    const status failure = profile_finish(profile);
    assert_string_equal(status_message(failure), "the sink is full");
    status_free(failure);
    assert_int_equal(collector.count, 5000);
    collector_free(&collector);
    profile_free(profile);
}

static void a_store_without_a_place_fails_the_profile(void **state)
{
    (void)state;
    uint32_t tracks[3];
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    struct profile *profile = make_profile(tracks, NULL, 400000);
    const status failure = profile_finish(profile);
    assert_non_null(strstr(status_message(failure), "/nowhere"));
    status_free(failure);
    assert_int_equal(unsetenv("TMPDIR"), 0);
    profile_free(profile);
}

static void a_span_that_ends_before_it_starts_is_impossible(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t track = profile_track_add(profile, &(struct track){.kind = TRACK_LANE});
    profile_event_add(profile, &(struct event){.start = 5, .end = 4, .track = track},
                      VIEW_LITERAL(""));
    profile_event_add(profile, &(struct event){.start = 5, .end = 5, .track = track},
                      VIEW_LITERAL(""));
    assert_true(profile_finish(profile) == STATUS_OK);
    const struct ledger ledger = profile_ledger(profile);
    assert_true(ledger.recorded == 1 && ledger.impossible == 1 && ledger.lost == 0);
    profile_free(profile);
}

static void only_tracks_that_are_not_in_order_need_sorting(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    const uint32_t track = profile_track_add(profile, &(struct track){.kind = TRACK_LANE});
    const struct event events[] = {{.start = 0, .end = 7},
                                   {.start = 0, .end = 5},
                                   {.start = 8, .end = 9},
                                   {.start = 8, .end = 12}};
    for (size_t i = 0; i < 4; i++) {
        struct event event = events[i];
        event.track = track;
        profile_event_add(profile, &event, VIEW_LITERAL(""));
        assert_int_equal(profile_track(profile, track)->unsorted, i == 3);
    }
    profile_free(profile);
}

static void notes_beyond_the_kept_ones_are_still_counted(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    for (int i = 0; i < 100; i++)
        profile_note(profile, 0, LEDGER_LOST, 2, "row %d", i);
    profile_note(profile, 0, LEDGER_REMARK, 1, "no newline");
    assert_int_equal(profile->notes.count, LEDGER_NOTES_KEPT + 1);
    assert_true(profile->note_counts[LEDGER_LOST] == 200);
    assert_true(profile_ledger(profile).lost == 200);
    profile_free(profile);
}

static void a_sample_is_the_number_without_a_key(void **state)
{
    (void)state;
    struct bytes list = {0};
    double number = 7;
    value_add_uint(&list, 5, 1);
    value_add_text(&list, 0, VIEW_LITERAL("much"));
    assert_false(value_sample(bytes_view(&list), &number));
    assert_float_equal(number, 7, 0);
    const struct value values[] = {{.kind = VALUE_INT, .number = (uint64_t)-3},
                                   {.kind = VALUE_UINT, .number = 4},
                                   {.kind = VALUE_BOOL, .number = 1},
                                   {.kind = VALUE_REAL, .real = 0.5}};
    const double want[] = {-3, 4, 1, 0.5};
    for (size_t i = 0; i < 4; i++) {
        list.size = 0;
        value_add_uint(&list, 5, 99);
        value_add(&list, &values[i]);
        assert_true(value_sample(bytes_view(&list), &number));
        assert_float_equal(number, want[i], 0);
    }
    bytes_free(&list);
}

static void values_of_every_kind_round_trip(void **state)
{
    (void)state;
    const struct value values[] = {
        {.key = 3, .kind = VALUE_UINT, .number = UINT64_MAX, .provenance = PROVENANCE_MODELLED},
        {.key = 300, .kind = VALUE_INT, .number = (uint64_t)-5},
        {.key = 1, .kind = VALUE_BOOL, .number = 1},
        {.key = 1, .kind = VALUE_REAL, .real = -0.1, .provenance = PROVENANCE_DERIVED},
        {.key = 1, .kind = VALUE_STRING, .number = 70000},
        {.key = 1, .kind = VALUE_TEXT, .text = VIEW_LITERAL("DI0")},
        {.kind = VALUE_FLOW_OUT, .number = 1ull << 63},
        {.kind = VALUE_FLOW_IN, .number = 9},
        {.key = 2, .kind = VALUE_TICKS, .clock = 4, .number = 100, .end = 90},
    };
    enum { COUNT = sizeof values / sizeof values[0] };
    struct bytes list = {0};
    for (size_t i = 0; i < COUNT; i++)
        value_add(&list, &values[i]);
    struct value_reader reader = value_read(bytes_view(&list));
    for (size_t i = 0; i < COUNT; i++) {
        struct value got = {0};
        assert_true(value_next(&reader, &got));
        assert_int_equal(got.key, values[i].key);
        assert_int_equal(got.kind, values[i].kind);
        assert_int_equal(got.provenance, values[i].provenance);
        assert_true(got.number == values[i].number);
        assert_true(got.kind != VALUE_REAL || got.real == values[i].real);
        assert_true(got.kind != VALUE_TEXT || view_equal(got.text, values[i].text));
        assert_true(got.kind != VALUE_TICKS || (got.clock == 4 && got.end == 90));
    }
    assert_ptr_equal(reader.at, reader.end);
    for (size_t cut = 0; cut < list.size; cut++) {
        struct value_reader short_reader = value_read((struct view){(char *)list.data, cut});
        struct value got;
        while (value_next(&short_reader, &got))
            ;
        assert_true(short_reader.at <= short_reader.end);
    }
    bytes_free(&list);
}

static void ticks_become_nanoseconds_by_floor(void **state)
{
    (void)state;
    const uint64_t frequencies[] = {1000000000, 800000000, 19200000, 1000000, 1350000000, 3};
    for (size_t f = 0; f < sizeof frequencies / sizeof frequencies[0]; f++) {
        struct clock_domain domain = {.frequency = frequencies[f]};
        clock_prepare(&domain);
        for (uint64_t i = 0; i < 2000; i++) {
            const uint64_t ticks = i < 1000 ? i : i * 0x123456789abcull;
            const unsigned __int128 want = (unsigned __int128)ticks * 1000000000u / frequencies[f];
            const uint64_t ns = clock_to_ns(&domain, ticks);
            assert_true(ns == (want > UINT64_MAX ? UINT64_MAX : (uint64_t)want));
            if (frequencies[f] <= 1000000000 && ns != UINT64_MAX)
                assert_true(clock_from_ns(&domain, ns) == ticks);
        }
    }
    struct clock_domain shifted = {.frequency = 1000, .base_ticks = 100, .base_ns = 5000000};
    clock_prepare(&shifted);
    assert_true(clock_to_ns(&shifted, 101) == 6000000);
    assert_true(clock_to_ns(&shifted, 99) == 4000000);
    assert_true(clock_to_ns(&shifted, 0) == 0);
}

static void a_clock_may_drift(void **state)
{
    (void)state;
    const int64_t drifts[] = {1, -1, 20000, -333333, 499999999, -499999999};
    const uint64_t frequencies[] = {1000000000, 1000000, 800000000, 3333333333, 40000000001};
    for (size_t d = 0; d < sizeof drifts / sizeof drifts[0]; d++) {
        for (size_t f = 0; f < sizeof frequencies / sizeof frequencies[0]; f++) {
            struct clock_domain domain = {.frequency = frequencies[f], .drift_ppb = drifts[d]};
            clock_prepare(&domain);
            for (uint64_t ticks = 0; ticks < 10000000000000; ticks += 77777777777) {
                const unsigned __int128 longer = (unsigned __int128)(1000000000 + drifts[d]);
                const unsigned __int128 want =
                    (unsigned __int128)ticks * 1000000000u / frequencies[f] * longer / 1000000000u;
                const uint64_t got = clock_to_ns(&domain, ticks);
                // Beyond 18 GHz the ratio is rounded.
                const bool rounded = frequencies[f] > 18000000000;
                const uint64_t apart = (rounded ? (uint64_t)want / 100000000 : 0) + 2;
                assert_true(got + apart >= (uint64_t)want && got <= (uint64_t)want + apart);
            }
        }
    }
    struct clock_domain wild = {.frequency = 1000, .drift_ppb = INT64_MIN};
    clock_prepare(&wild);
    assert_int_equal(clock_to_ns(&wild, 5), 5000000);
}

static void roles_have_names_that_lead_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        enum role role;
        assert_true(role_from_name(view_of(role_name((enum role)i)), &role));
        assert_int_equal(role, i);
        assert_false(role_is_transfer(role) && !role_is_device(role));
    }
    enum role role = ROLE_WAIT;
    assert_false(role_from_name(VIEW_LITERAL("Compute"), &role));
    assert_false(role_from_name(VIEW_LITERAL(""), &role));
    assert_int_equal(role, ROLE_WAIT);
    assert_false(role_is_device(ROLE_NONE));
}

static void texts_that_are_not_listed_have_ids_of_their_own_and_stay_where_they_are(void **state)
{
    (void)state;
    enum { TEXTS = 20000, SIZE = 8 };
    static char lent[TEXTS * SIZE + 1];
    struct strings strings;
    strings_start(&strings);
    const uint32_t listed = strings_add(&strings, VIEW_LITERAL("net:0007"));
    for (uint32_t i = 0; i < TEXTS; i++) {
        snprintf(lent + i * SIZE, SIZE + 1, "net:%04x", i);
        const struct view text = {lent + i * SIZE, SIZE};
        assert_int_equal(strings_append_unlisted(&strings, text, true), listed + 1 + i);
    }
    size_t stayed = 0;
    for (uint32_t i = 0; i < TEXTS; i++) {
        char copy[SIZE + 1];
        snprintf(copy, sizeof copy, "net:%04x", i);
        const struct view text = strings_get(&strings, listed + 1 + i);
        assert_true(view_is(text, copy));
        assert_int_equal(strings_find(&strings, view_of(copy)), i == 7 ? listed : HASH_NONE);
        stayed += text.data == lent + i * SIZE;
    }
    assert_in_range(stayed, 1, TEXTS - 1); // the first ones are copied
    char gone[] = "gone";
    const uint32_t copied = strings_append_unlisted(&strings, view_of(gone), false);
    gone[0] = 'd';
    assert_true(view_is(strings_get(&strings, copied), "gone"));
    strings_free(&strings);
}

static void texts_of_any_size_are_found(void **state)
{
    (void)state;
    static const size_t SIZES[] = {0, 1, 65534, 65535, 65536, 1 << 20};
    static char text[1 << 20];
    struct strings strings;
    memset(text, 't', sizeof text);
    strings_start(&strings);
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++)
            assert_int_equal(strings_add(&strings, (struct view){text, SIZES[i]}), i);
    }
    for (uint32_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++)
        assert_true(view_equal(strings_get(&strings, i), (struct view){text, SIZES[i]}));
    strings_free(&strings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_events_come_out_once_each_in_order_of_start),
        cmocka_unit_test(streamed_events_reach_the_sink_in_the_order_they_were_added),
        cmocka_unit_test(a_failing_sink_fails_the_profile_and_no_more),
        cmocka_unit_test(a_store_without_a_place_fails_the_profile),
        cmocka_unit_test(a_span_that_ends_before_it_starts_is_impossible),
        cmocka_unit_test(only_tracks_that_are_not_in_order_need_sorting),
        cmocka_unit_test(notes_beyond_the_kept_ones_are_still_counted),
        cmocka_unit_test(a_sample_is_the_number_without_a_key),
        cmocka_unit_test(values_of_every_kind_round_trip),
        cmocka_unit_test(ticks_become_nanoseconds_by_floor),
        cmocka_unit_test(a_clock_may_drift),
        cmocka_unit_test(roles_have_names_that_lead_back),
        cmocka_unit_test(texts_of_any_size_are_found),
        cmocka_unit_test(texts_that_are_not_listed_have_ids_of_their_own_and_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
