// The public library as a program uses it: what is put in comes out, structures of other
// sizes are handled, misuse is refused, and nothing is shared between handles.

#include <opscope/opscope.h>

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 20000, THREADS = 4 };

static uint32_t add_track(struct opscope_profile *profile, const char *name, uint32_t kind,
                          uint32_t parent, uint32_t clock)
{
    const struct opscope_profile_track track = {.name = name,
                                                .parent = parent,
                                                .kind = kind,
                                                .clock = clock,
                                                .unit = "mW",
                                                .provenance = OPSCOPE_MODELLED,
                                                .rank = 3};
    return opscope_profile_add_track(profile, &track);
}

static void put(struct opscope_profile *profile, const char *key, uint32_t kind, uint64_t number)
{
    const struct opscope_profile_value value = {.key = key,
                                                .kind = kind,
                                                .number = number,
                                                .integer = -(int64_t)number,
                                                .real = (double)number / 4,
                                                .text = "t\xc3\xbcxt",
                                                .end = number + 5,
                                                .provenance = OPSCOPE_DERIVED};
    assert_int_equal(opscope_profile_put(profile, &value), OPSCOPE_OK);
}

static int add_span(struct opscope_profile *profile, uint32_t track, uint32_t call, uint64_t start,
                    uint64_t end)
{
    const struct opscope_profile_event event = {.name = "conv",
                                                .kind = OPSCOPE_SPAN,
                                                .track = track,
                                                .call = call,
                                                .start = start,
                                                .end = end};
    return opscope_profile_add_event(profile, &event);
}

// Tracks: 1 process, 2 lane, 3 counter. The spans come backwards.
static struct opscope_profile *example(void)
{
    struct opscope_profile *profile = opscope_profile_create();
    const struct opscope_profile_clock clock = {.name = "cycles", .frequency = 500000000};
    assert_int_equal(opscope_profile_add_clock(profile, &clock), 1);
    assert_int_equal(add_track(profile, "device", OPSCOPE_TRACK_PROCESS, 0, 0), 1);
    put(profile, "core", OPSCOPE_UINT, 7);
    assert_int_equal(add_track(profile, "SLICE 1", OPSCOPE_TRACK_LANE, 1, 1), 2);
    assert_int_equal(add_track(profile, "power", OPSCOPE_TRACK_COUNTER, 1, 1), 3);
    put(profile, "shape", OPSCOPE_TEXT, 0);
    const struct opscope_profile_operator op = {"conv_1", "conv2d", "net.mlir:3"};
    assert_int_equal(opscope_profile_add_operator(profile, &op), 1);
    const struct opscope_profile_call call = {.operator_id = 1, .iteration = 9, .key = 77};
    assert_int_equal(opscope_profile_add_call(profile, &call), 1);
    for (uint64_t i = ROUNDS; i-- > 0;) {
        put(profile, "bytes", OPSCOPE_UINT, i);
        put(profile, "", OPSCOPE_FLOW_OUT, i + 1);
        assert_int_equal(add_span(profile, 2, 1, 10 * i, 10 * i + 6), OPSCOPE_OK);
    }
    const struct opscope_profile_event sample = {
        .kind = OPSCOPE_SAMPLE, .track = 3, .start = 4, .sample = 2.5};
    assert_int_equal(opscope_profile_add_event(profile, &sample), OPSCOPE_OK);
    const struct opscope_profile_buffer buffer = {"lram", 1, 1, 4096, 512, 3, 9, 0, 2, "weights"};
    assert_int_equal(opscope_profile_add_buffer(profile, &buffer), OPSCOPE_OK);
    assert_int_equal(opscope_profile_add_fact(profile, "who", "test"), OPSCOPE_OK);
    return profile;
}

static void check_tables(const struct opscope_profile *profile)
{
    struct opscope_profile_track lane;
    struct opscope_profile_call call;
    struct opscope_profile_operator op;
    struct opscope_profile_buffer buffer;
    struct opscope_profile_value value;
    assert_int_equal(opscope_profile_track_count(profile), 4);
    assert_int_equal(opscope_profile_get_track(profile, 2, &lane), OPSCOPE_OK);
    assert_string_equal(lane.name, "SLICE 1");
    assert_string_equal(lane.engine, "slice");
    assert_int_equal(lane.engine_index, 1);
    assert_int_equal(lane.provenance, OPSCOPE_MODELLED);
    assert_int_equal(lane.spans, ROUNDS);
    assert_int_equal(lane.first, 0);
    assert_int_equal(lane.last, 10 * (ROUNDS - 1) + 6);
    assert_int_equal(opscope_profile_get_call(profile, 1, &call), OPSCOPE_OK);
    assert_int_equal(call.iteration, 9);
    assert_int_equal(call.key, 77);
    assert_int_equal(opscope_profile_get_operator(profile, call.operator_id, &op), OPSCOPE_OK);
    assert_string_equal(op.type, "conv2d");
    struct opscope_values *values = opscope_profile_operator_values(profile, 1);
    assert_int_equal(opscope_values_next(values, &value), 1);
    assert_string_equal(value.key, "shape");
    assert_string_equal(value.text, "t\xc3\xbcxt");
    assert_int_equal(value.provenance, OPSCOPE_DERIVED);
    assert_int_equal(opscope_values_next(values, &value), 0);
    opscope_values_free(values);
    assert_int_equal(opscope_profile_buffer_count(profile), 1);
    assert_int_equal(opscope_profile_get_buffer(profile, 0, &buffer), OPSCOPE_OK);
    assert_string_equal(buffer.memory, "lram");
    assert_int_equal(buffer.to, 9);
    assert_int_equal(buffer.core, 2);
    assert_string_equal(buffer.name, "weights");
    assert_string_equal(opscope_profile_fact(profile, "who"), "test");
    assert_null(opscope_profile_fact(profile, "nothing"));
    assert_int_equal(opscope_profile_to_ns(profile, 1, 5), 10);
    assert_int_equal(opscope_profile_to_ns(profile, 99, 5), OPSCOPE_UNKNOWN);
}

static void check_events(struct opscope_profile *profile)
{
    struct opscope_events *events;
    struct opscope_profile_event event;
    struct opscope_profile_value value;
    assert_int_equal(opscope_events_open(profile, OPSCOPE_ALL_TRACKS, &events, NULL, 0), 0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        assert_int_equal(opscope_events_next(events, &event), 1);
        assert_int_equal(event.track, 2);
        assert_int_equal(event.start, 10 * i);
        assert_int_equal(event.end_ns, 2 * (10 * i + 6));
        struct opscope_values *values = opscope_events_values(events);
        assert_int_equal(opscope_values_next(values, &value), 1);
        assert_int_equal(value.number, i);
        assert_int_equal(opscope_values_next(values, &value), 1);
        assert_int_equal(value.kind, OPSCOPE_FLOW_OUT);
        assert_int_equal(value.number, i + 1);
        assert_int_equal(opscope_values_next(values, &value), 0);
    }
    assert_int_equal(opscope_events_next(events, &event), 1);
    assert_int_equal(event.kind, OPSCOPE_SAMPLE);
    assert_true(event.sample == 2.5);
    assert_int_equal(opscope_events_next(events, &event), 0);
    assert_int_equal(opscope_events_next(events, &event), 0);
    assert_null(event.name);
    opscope_events_free(events);
}

static void what_is_built_is_read_in_order(void **state)
{
    (void)state;
    struct opscope_profile *profile = example();
    check_events(profile);
    check_tables(profile);
    // More may come afterwards.
    assert_int_equal(add_span(profile, 2, 1, 10 * ROUNDS, 10 * ROUNDS + 1), OPSCOPE_OK);
    struct opscope_profile_track lane;
    opscope_profile_get_track(profile, 2, &lane);
    assert_int_equal(lane.spans, ROUNDS + 1);
    opscope_profile_free(profile);
}

static void a_profile_survives_its_file_and_is_written_over_it(void **state)
{
    (void)state;
    char path[] = "/tmp/opscope-library-XXXXXX.prof";
    char message[256];
    struct opscope_profile *profile = example();
    close(mkstemps(path, 5));
    assert_int_equal(opscope_profile_write(profile, path, NULL, message, sizeof message), 0);
    opscope_profile_free(profile);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(opscope_profile_open(path, NULL, &profile, message, sizeof message), 0);
        assert_int_equal(opscope_profile_write(profile, path, NULL, message, sizeof message), 0);
        check_events(profile);
        check_tables(profile);
        opscope_profile_free(profile);
    }
    // What was read can be added to.
    struct opscope_profile_track lane;
    assert_int_equal(opscope_profile_open(path, NULL, &profile, message, sizeof message), 0);
    assert_int_equal(add_span(profile, 2, 1, 5, 6), OPSCOPE_OK);
    assert_int_equal(opscope_profile_write(profile, path, NULL, message, sizeof message), 0);
    opscope_profile_free(profile);
    assert_int_equal(opscope_profile_open(path, NULL, &profile, message, sizeof message), 0);
    opscope_profile_get_track(profile, 2, &lane);
    assert_int_equal(lane.spans, ROUNDS + 1);
    struct opscope_events *events;
    struct opscope_profile_event event;
    assert_int_equal(opscope_events_open(profile, 2, &events, message, sizeof message), 0);
    assert_int_equal(opscope_events_next(events, &event), 1);
    assert_int_equal(opscope_events_next(events, &event), 1);
    assert_int_equal(event.start, 5);
    opscope_events_free(events);
    opscope_profile_free(profile);
    unlink(path);
}

static void values_of_every_kind_come_out_as_they_went_in(void **state)
{
    (void)state;
    struct opscope_profile *profile = opscope_profile_create();
    struct opscope_profile_value value;
    for (uint32_t kind = OPSCOPE_UINT; kind <= OPSCOPE_TICKS; kind++)
        put(profile, "key", kind, kind == OPSCOPE_BOOL ? 1 : 11);
    assert_int_equal(add_track(profile, "lane", OPSCOPE_TRACK_LANE, 0, 0), 1);
    struct opscope_values *values = opscope_profile_track_values(profile, 1);
    for (uint32_t kind = OPSCOPE_UINT; kind <= OPSCOPE_TICKS; kind++) {
        assert_int_equal(opscope_values_next(values, &value), 1);
        assert_int_equal(value.kind, kind);
        assert_int_equal(value.provenance, OPSCOPE_DERIVED);
        assert_true(kind != OPSCOPE_INT || value.integer == -11);
        assert_true(kind != OPSCOPE_REAL || value.real == 2.75);
        assert_true(kind != OPSCOPE_BOOL || value.number == 1);
        assert_true(kind != OPSCOPE_TICKS || (value.number == 11 && value.end == 16));
        assert_true((kind == OPSCOPE_TEXT) == (value.text != NULL));
    }
    assert_int_equal(opscope_values_next(values, &value), 0);
    opscope_values_free(values);
    assert_null(opscope_profile_track_values(profile, 2));
    assert_int_equal(opscope_values_next(NULL, &value), 0);
    opscope_profile_free(profile);
}

static void what_makes_no_sense_is_refused_with_a_reason(void **state)
{
    (void)state;
    struct opscope_profile *profile = example();
    assert_string_equal(opscope_profile_problem(profile), "");
    assert_int_equal(add_track(profile, "x", OPSCOPE_TRACK_LANE, 99, 0), 0);
    assert_non_null(strstr(opscope_profile_problem(profile), "no track 99"));
    assert_int_equal(add_track(profile, "x", OPSCOPE_TRACK_LANE, 0, 9), 0);
    assert_int_equal(add_track(profile, "x", 17, 0, 0), 0);
    const struct opscope_profile_track unsaid = {.name = "x", .kind = OPSCOPE_TRACK_LANE};
    assert_int_equal(opscope_profile_add_track(profile, &unsaid), 0);
    assert_non_null(strstr(opscope_profile_problem(profile), "measured, modelled or derived"));
    assert_int_equal(add_span(profile, 1, 0, 1, 2), OPSCOPE_ERROR_USAGE);
    assert_int_equal(add_span(profile, 3, 0, 1, 2), OPSCOPE_ERROR_USAGE);
    assert_int_equal(add_span(profile, 2, 5, 1, 2), OPSCOPE_ERROR_USAGE);
    assert_int_equal(add_span(profile, 99, 0, 1, 2), OPSCOPE_ERROR_USAGE);
    const struct opscope_profile_call call = {.operator_id = 4};
    assert_int_equal(opscope_profile_add_call(profile, &call), 0);
    const struct opscope_profile_clock clock = {.name = "still"};
    assert_int_equal(opscope_profile_add_clock(profile, &clock), 0);
    const struct opscope_profile_value value = {.key = "x", .kind = 99};
    assert_int_equal(opscope_profile_put(profile, &value), OPSCOPE_ERROR_USAGE);
    assert_int_equal(opscope_profile_add_operator(profile, NULL), 0);
    assert_int_equal(opscope_profile_add_fact(profile, NULL, "x"), OPSCOPE_ERROR_USAGE);
    struct opscope_events *events;
    assert_int_equal(opscope_events_open(profile, 99, &events, NULL, 0), OPSCOPE_ERROR_USAGE);
    assert_null(events);
    check_events(profile);
    opscope_profile_free(profile);
}

static uint32_t add_engine(struct opscope_profile *profile, const char *engine, const char *role)
{
    const struct opscope_profile_track track = {.name = "x",
                                                .kind = OPSCOPE_TRACK_LANE,
                                                .provenance = OPSCOPE_MEASURED,
                                                .engine = engine,
                                                .role = role,
                                                .queue = "stream 1",
                                                .device = 1,
                                                .core = 3};
    return opscope_profile_add_track(profile, &track);
}

static void engines_have_any_name_and_roles_are_checked(void **state)
{
    (void)state;
    struct opscope_profile *profile = opscope_profile_create();
    struct opscope_profile_track track;
    assert_int_not_equal(add_engine(profile, "matrix", "compute"), 0);
    assert_int_equal(opscope_profile_get_track(profile, 1, &track), OPSCOPE_OK);
    assert_string_equal(track.engine, "matrix");
    assert_string_equal(track.role, "compute");
    assert_string_equal(track.queue, "stream 1");
    assert_true(track.device == 1 && track.core == 3);
    // Of an engine that is known the role is, too; of another one it is not said.
    assert_int_not_equal(add_engine(profile, "dma in", NULL), 0);
    assert_int_equal(opscope_profile_get_track(profile, 2, &track), OPSCOPE_OK);
    assert_string_equal(track.role, "transfer in");
    assert_int_not_equal(add_engine(profile, "widget", NULL), 0);
    assert_int_equal(opscope_profile_get_track(profile, 3, &track), OPSCOPE_OK);
    assert_string_equal(track.engine, "widget");
    assert_null(track.role);
    assert_int_not_equal(add_engine(profile, "none", NULL), 0);
    assert_int_equal(opscope_profile_get_track(profile, 4, &track), OPSCOPE_OK);
    assert_null(track.engine);
    assert_int_equal(add_engine(profile, "matrix", "juggling"), 0);
    assert_non_null(strstr(opscope_profile_problem(profile), "'juggling' is no role"));
    for (uint32_t i = 0; opscope_role(i) != NULL; i++)
        assert_int_not_equal(add_engine(profile, "matrix", opscope_role(i)), 0);
    assert_string_equal(opscope_role(0), "compute");
    opscope_profile_free(profile);
}

static void the_ledger_says_what_is_missing(void **state)
{
    (void)state;
    struct opscope_profile *profile = example();
    struct opscope_ledger ledger;
    struct opscope_profile_note note;
    assert_int_equal(opscope_profile_get_ledger(profile, 2, &ledger), OPSCOPE_OK);
    assert_int_equal(ledger.expected, OPSCOPE_UNKNOWN);
    assert_int_equal(ledger.recorded, ROUNDS);
    assert_int_equal(add_span(profile, 2, 1, 9, 8), OPSCOPE_ERROR_USAGE);
    opscope_profile_expect(profile, 2, ROUNDS + 3);
    opscope_profile_add_note(profile, 2, OPSCOPE_NOTE_LOST, 2, "overwritten");
    opscope_profile_get_ledger(profile, 2, &ledger);
    assert_int_equal(ledger.expected, ledger.recorded + ledger.lost + ledger.impossible);
    assert_int_equal(ledger.impossible, 1);
    assert_int_equal(opscope_profile_get_ledger(profile, OPSCOPE_ALL_TRACKS, &ledger), OPSCOPE_OK);
    assert_int_equal(ledger.recorded, ROUNDS + 1);
    assert_int_equal(ledger.lost, 2);
    assert_int_equal(opscope_profile_note_count(profile), 1);
    assert_int_equal(opscope_profile_get_note(profile, 0, &note), OPSCOPE_OK);
    assert_string_equal(note.text, "overwritten");
    assert_int_equal(opscope_profile_get_note(profile, 1, &note), OPSCOPE_ERROR_NOT_FOUND);
    assert_int_equal(opscope_profile_get_ledger(profile, 99, &ledger), OPSCOPE_ERROR_NOT_FOUND);
    opscope_profile_free(profile);
}

// Programs that exist rely on it: fields may only come after these.
static void a_query_gives_rows(void **state)
{
    (void)state;
    struct opscope_profile *profile = example();
    struct opscope_query *query;
    struct opscope_query_cell cell;
    assert_int_equal(opscope_query_open(profile,
                                        "CREATE TEMP VIEW v AS SELECT * FROM span;\n"
                                        "SELECT n.value AS name, v.ts, v.ts / 4.0, v.role, x'00'"
                                        " FROM v JOIN string n ON n.id = v.name_id ORDER BY v.id;",
                                        &query, NULL, 0),
                     OPSCOPE_OK);
    assert_int_equal(opscope_query_column_count(query), 5);
    assert_string_equal(opscope_query_column_name(query, 0), "name");
    assert_null(opscope_query_column_name(query, 5));
    assert_int_equal(opscope_query_get_cell(query, 0, &cell), OPSCOPE_ERROR_NOT_FOUND);
    for (int64_t i = 0; i < (int64_t)ROUNDS; i++) {
        static const uint32_t KINDS[] = {OPSCOPE_CELL_TEXT, OPSCOPE_CELL_INTEGER, OPSCOPE_CELL_REAL,
                                         OPSCOPE_CELL_TEXT, OPSCOPE_CELL_BLOB};
        assert_int_equal(opscope_query_next(query, NULL, 0), 1);
        for (uint32_t j = 0; j < 5; j++) {
            assert_int_equal(opscope_query_get_cell(query, j, &cell), OPSCOPE_OK);
            assert_int_equal(cell.kind, KINDS[j]);
            if (j == 1)
                assert_int_equal(cell.integer, 20 * i); // of 500 MHz
            if (j == 2)
                assert_true(cell.real == 5.0 * (double)i);
            if (j == 4)
                assert_int_equal(cell.size, 1);
        }
        assert_int_equal(opscope_query_get_cell(query, 5, &cell), OPSCOPE_ERROR_NOT_FOUND);
    }
    assert_int_equal(opscope_query_next(query, NULL, 0), 0);
    assert_int_equal(opscope_query_next(query, NULL, 0), 0);
    opscope_query_free(query);
    opscope_profile_free(profile);
}

static void a_query_that_is_wrong_is_refused(void **state)
{
    (void)state;
    static const char *const WRONG[] = {
        "SELECT",         "SELECT nothing FROM span", "",
        "-- nothing",     "DELETE FROM span",         "SELECT 1; SELECT 2",
        "ATTACH 'x' AS y"};
    struct opscope_profile *profile = example();
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        struct opscope_query *query;
        char message[64] = "";
        assert_int_equal(opscope_query_open(profile, WRONG[i], &query, message, sizeof message),
                         OPSCOPE_ERROR_USAGE);
        assert_null(query);
        assert_true(strncmp(message, "SQL: ", 5) == 0);
    }
    opscope_query_free(NULL);
    opscope_profile_free(profile);
}

static void structures_keep_their_layout(void **state)
{
    (void)state;
    if (sizeof(void *) != 8)
        skip();
    assert_int_equal(offsetof(struct opscope_read_options, torq_clock_hz), 8);
    assert_int_equal(offsetof(struct opscope_profile_clock, base_ns), 24);
    assert_int_equal(offsetof(struct opscope_profile_track, parent), 24);
    assert_int_equal(offsetof(struct opscope_profile_track, last), 88);
    assert_int_equal(offsetof(struct opscope_profile_operator, location), 16);
    assert_int_equal(offsetof(struct opscope_profile_call, key), 32);
    assert_int_equal(offsetof(struct opscope_profile_buffer, to), 40);
    assert_int_equal(offsetof(struct opscope_ledger, not_carried), 32);
    assert_int_equal(offsetof(struct opscope_query_cell, size), 32);
    assert_int_equal(offsetof(struct opscope_profile_note, kind), 16);
    assert_int_equal(offsetof(struct opscope_profile_value, number), 24);
    assert_int_equal(offsetof(struct opscope_profile_value, clock), 56);
    assert_int_equal(offsetof(struct opscope_profile_event, start), 24);
    assert_int_equal(offsetof(struct opscope_profile_event, sample), 56);
    assert_int_equal(offsetof(struct opscope_metric, percent), 24);
    assert_int_equal(offsetof(struct opscope_operator_time, host_self_ns), 56);
    assert_int_equal(offsetof(struct opscope_time_chart_log, end_time), 32);
    assert_int_equal(sizeof(struct opscope_time_chart_profile_log), 16);
}

// A program of an older version has shorter structures, one of a newer version longer ones.
static void structures_of_other_versions_are_handled(void **state)
{
    (void)state;
    struct {
        struct opscope_profile_track now;
        uint64_t later;
    } track = {.later = 1};
    struct opscope_profile *profile = example();
    struct opscope_profile_track *given = &track.now;
    assert_int_equal(opscope_profile_get_track_sized(profile, 2, given, sizeof track), OPSCOPE_OK);
    assert_int_equal(track.later, 0);
    assert_int_equal(track.now.spans, ROUNDS);

    const size_t shorter = offsetof(struct opscope_profile_track, spans);
    memset(given, 0x55, sizeof track.now);
    assert_int_equal(opscope_profile_get_track_sized(profile, 2, given, shorter), OPSCOPE_OK);
    assert_string_equal(track.now.name, "SLICE 1");
    assert_int_equal(track.now.spans, 0x5555555555555555);

    opscope_profile_get_track(profile, 2, given);
    track.later = 1;
    assert_int_equal(opscope_profile_add_track_sized(profile, given, sizeof track), 0);
    assert_non_null(strstr(opscope_profile_problem(profile), "does not know"));
    track.later = 0;
    assert_int_equal(opscope_profile_add_track_sized(profile, given, sizeof track), 4);
    assert_int_equal(opscope_profile_add_track_sized(profile, given, shorter), 5);
    opscope_profile_free(profile);
}

static void failures_have_a_code_and_a_message_that_fits(void **state)
{
    (void)state;
    char message[8] = "unset";
    struct opscope_profile *profile = (void *)&message;
    assert_int_equal(opscope_profile_open("/nowhere/x.prof", NULL, &profile, message, 8),
                     OPSCOPE_ERROR_NOT_FOUND);
    assert_string_equal(message, "/nowher");
    assert_null(profile);
    assert_int_equal(opscope_profile_open_memory("junk", 4, "j", NULL, &profile, NULL, 0),
                     OPSCOPE_ERROR_DATA);
    assert_int_equal(opscope_profile_open_memory(NULL, 0, NULL, NULL, &profile, NULL, 0),
                     OPSCOPE_ERROR_DATA);
    assert_int_equal(opscope_profile_open(NULL, NULL, &profile, NULL, 0), OPSCOPE_ERROR_USAGE);
    const struct opscope_read_options options = {.reserved = 1};
    assert_int_equal(opscope_profile_open("x", &options, &profile, NULL, 0), OPSCOPE_ERROR_USAGE);
    assert_int_equal(opscope_convert("x", "y.unknown", NULL, NULL, 0), OPSCOPE_ERROR_USAGE);
    profile = example();
    assert_int_equal(opscope_profile_write(profile, "x.pb", "nothing", NULL, 0),
                     OPSCOPE_ERROR_USAGE);
    assert_int_equal(opscope_profile_write(profile, "/nowhere/x.pb", NULL, NULL, 0),
                     OPSCOPE_ERROR_NOT_FOUND);
    assert_int_equal(opscope_profile_write(profile, "/dev/full", "perfetto", NULL, 0),
                     OPSCOPE_ERROR_IO);
    opscope_profile_free(profile);
    opscope_profile_free(NULL);
    opscope_events_free(NULL);
    opscope_values_free(NULL);
    opscope_overview_free(NULL);
    opscope_time_chart_view_free(NULL);
}

static void an_overview_tells_absent_from_nothing(void **state)
{
    (void)state;
    struct opscope_profile *profile = example();
    struct opscope_overview *overview;
    struct opscope_metric metric;
    bool host = false;
    assert_int_equal(opscope_overview_create(profile, 0, &overview, NULL, 0), OPSCOPE_OK);
    opscope_profile_free(profile);
    assert_int_equal(opscope_overview_count(overview), 1);
    assert_string_equal(opscope_overview_name(overview, 0), "device");
    assert_null(opscope_overview_name(overview, 1));
    assert_int_equal(opscope_overview_get_metric(overview, 0, 0, &metric), OPSCOPE_OK);
    assert_string_equal(metric.name, "OVERALL");
    assert_int_equal(metric.provenance, OPSCOPE_MODELLED);
    assert_int_equal(metric.ns, 2 * (10 * (ROUNDS - 1) + 6));
    for (uint32_t i = 0; opscope_overview_get_metric(overview, 0, i, &metric) == 0; i++) {
        if (strcmp(metric.name, "Slice 1") == 0) {
            assert_int_equal(metric.ns, 2 * 6 * ROUNDS);
            assert_true(metric.has_percent && fabs(metric.percent - 60) < 0.01);
        }
        host |= strcmp(metric.name, "Host") == 0 && metric.provenance == OPSCOPE_ABSENT;
    }
    assert_true(host);
    opscope_overview_free(overview);
}

static void operators_have_the_time_of_their_spans(void **state)
{
    (void)state;
    struct opscope_profile *profile = example();
    struct opscope_operator_times *times;
    struct opscope_operator_time time;
    assert_int_equal(add_span(profile, 2, 0, 10 * ROUNDS, 10 * ROUNDS + 1), OPSCOPE_OK);
    assert_int_equal(opscope_operator_times_create(profile, &times, NULL, 0), OPSCOPE_OK);
    opscope_profile_free(profile);
    for (uint32_t grouping = OPSCOPE_BY_OPERATOR; grouping <= OPSCOPE_BY_TYPE; grouping++) {
        assert_int_equal(opscope_operator_times_count(times, grouping), 2);
        assert_int_equal(opscope_operator_times_get(times, grouping, 0, &time), OPSCOPE_OK);
        assert_int_equal(time.operator_id, 1);
        assert_int_equal(time.calls, 1);
        assert_int_equal(time.spans, ROUNDS);
        assert_int_equal(time.device_ns, 2 * 6 * ROUNDS);
        assert_true(time.has_device && !time.has_host);
        assert_int_equal(opscope_operator_times_get(times, grouping, 1, &time), OPSCOPE_OK);
        assert_int_equal(time.operator_id, 0); // nobody's
        assert_int_equal(time.device_ns, 2);
        assert_int_equal(opscope_operator_times_get(times, grouping, 2, &time),
                         OPSCOPE_ERROR_NOT_FOUND);
    }
    assert_int_equal(opscope_operator_times_count(times, 2), 0);
    assert_int_equal(opscope_operator_times_unassigned(times), 1);
    opscope_operator_times_free(times);
    opscope_operator_times_free(NULL);
}

static void ends_without_a_begin_and_begins_without_an_end_are_told(void **state)
{
    (void)state;
    char path[] = "/tmp/opscope-library-XXXXXX.pb";
    char message[256];
    struct opscope_time_chart_view *view;
    const struct opscope_time_chart_log log = {"p", "t", "f", 10, 5};
    const struct opscope_time_chart_log half = {.process = "p"};
    close(mkstemps(path, 3));
    assert_int_equal(opscope_time_chart_view_create(path, &view, message, sizeof message), 0);
    assert_int_equal(opscope_time_chart_view_render(view, &log), OPSCOPE_ERROR_USAGE);
    assert_int_equal(opscope_time_chart_view_render(view, &half), OPSCOPE_ERROR_USAGE);
    assert_int_equal(opscope_time_chart_view_set_track_event(view, 5, OPSCOPE_TYPE_SLICE_END, &log),
                     OPSCOPE_ERROR_USAGE);
    assert_int_equal(
        opscope_time_chart_view_set_track_event(view, 5, OPSCOPE_TYPE_SLICE_BEGIN, &log), 0);
    assert_int_equal(opscope_time_chart_view_set_track_event(view, 5, 17, &log),
                     OPSCOPE_ERROR_USAGE);
    assert_int_equal(opscope_time_chart_view_set_clock(view, 0), OPSCOPE_ERROR_USAGE);
    assert_int_equal(opscope_time_chart_view_flush(view, message, sizeof message), OPSCOPE_OK);
    assert_int_equal(opscope_time_chart_view_close(view, message, sizeof message), OPSCOPE_LOSS);
    assert_string_equal(message, "0 events recorded, 1 lost, 2 impossible, 0 not carried");
    unlink(path);
}

static void *use_a_profile(void *nothing)
{
    (void)nothing;
    for (int i = 0; i < 3; i++) {
        struct opscope_profile *profile = example();
        check_events(profile);
        check_tables(profile);
        opscope_profile_free(profile);
    }
    return NULL;
}

static void threads_use_profiles_of_their_own(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_a_profile, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_is_read_in_order),
        cmocka_unit_test(a_profile_survives_its_file_and_is_written_over_it),
        cmocka_unit_test(values_of_every_kind_come_out_as_they_went_in),
        cmocka_unit_test(what_makes_no_sense_is_refused_with_a_reason),
        cmocka_unit_test(engines_have_any_name_and_roles_are_checked),
        cmocka_unit_test(the_ledger_says_what_is_missing),
        cmocka_unit_test(a_query_gives_rows),
        cmocka_unit_test(a_query_that_is_wrong_is_refused),
        cmocka_unit_test(structures_keep_their_layout),
        cmocka_unit_test(structures_of_other_versions_are_handled),
        cmocka_unit_test(failures_have_a_code_and_a_message_that_fits),
        cmocka_unit_test(an_overview_tells_absent_from_nothing),
        cmocka_unit_test(operators_have_the_time_of_their_spans),
        cmocka_unit_test(ends_without_a_begin_and_begins_without_an_end_are_told),
        cmocka_unit_test(threads_use_profiles_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
