// Events by number: walks and lookups against a list that is made plainly.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/events.h"
#include "sql/events_state.h"
#include "sql/query.h"
#include "sql/schema.h"

enum { TRACKS = 4, EVENTS = 3000 };

struct made {
    uint64_t start, end;
    enum event_kind kind;
    uint32_t call;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static struct made make_event(uint64_t *state)
{
    const uint64_t start = next_random(state) % 5000;
    const enum event_kind kind = next_random(state) % 5 == 0 ? EVENT_INSTANT : EVENT_SPAN;
    const uint64_t length = kind == EVENT_SPAN ? next_random(state) % 400 : 0;
    return (struct made){start, start + length, kind, (uint32_t)(next_random(state) % 8)};
}

// Tracks of random events, of which every second is a call stack.
static struct profile *make_profile(void)
{
    struct profile *profile = profile_create();
    uint64_t state = 7;
    for (uint32_t i = 1; i < 8; i++)
        profile_call_add(profile, &(struct call){.iteration = i});
    for (uint32_t i = 0; i < TRACKS; i++)
        profile_track_add(profile, &(struct track){.kind = TRACK_LANE, .nests = i % 2 == 1});
    for (int i = 0; i < EVENTS; i++) {
        const struct made made = make_event(&state);
        const struct event event = {.start = made.start,
                                    .end = made.end,
                                    .track = 1 + (uint32_t)(next_random(&state) % TRACKS),
                                    .call = made.call,
                                    .kind = made.kind};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    assert_null(profile_finish(profile));
    return profile;
}

struct seen {
    struct event event;
    uint64_t id, parent;
    uint32_t depth;
};

static size_t walk_all(struct profile *profile, struct sql_events *events, enum event_kind kind,
                       struct seen *seen)
{
    size_t count = 0;
    struct sql_walk walk = sql_walk_of(events, kind);
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        assert_null(sql_walk_to_track(&walk, i, 0));
        while (sql_walk_next(&walk) == SQL_WALK_EVENT)
            seen[count++] = (struct seen){walk.event, walk.id, walk.parent, walk.depth};
    }
    sql_walk_free(&walk);
    return count;
}

// The innermost span before it on its track that holds it and that no span in between has closed.
static void check_parent(const struct profile *profile, const struct seen *seen, size_t index)
{
    const struct seen *one = &seen[index];
    if (!profile_track(profile, one->event.track)->nests) {
        assert_int_equal(one->parent, 0);
        return;
    }
    if (one->parent == 0) {
        assert_int_equal(one->depth, 0);
        return;
    }
    const struct seen *parent = &seen[one->parent - 1];
    assert_int_equal(parent->event.track, one->event.track);
    assert_true(parent->event.start <= one->event.start && parent->event.end >= one->event.end);
    assert_true(parent->event.end > one->event.start);
    assert_int_equal(one->depth, parent->depth + 1);
}

static void test_ids_count_in_order_and_are_found_again(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct sql_events *events = sql_events_create(profile);
    struct seen *seen = calloc(EVENTS, sizeof *seen);
    uint64_t total = 0;
    for (int kind = EVENT_SPAN; kind <= EVENT_INSTANT; kind++) {
        struct sql_walk walk = sql_walk_of(events, (enum event_kind)kind);
        const size_t count = walk_all(profile, events, (enum event_kind)kind, seen);
        assert_int_equal(count, sql_events_count(events, (enum event_kind)kind));
        total += count;
        for (size_t i = count; i-- > 0;) {
            bool found;
            assert_int_equal(seen[i].id, i + 1);
            if (kind == EVENT_SPAN)
                check_parent(profile, seen, i);
            assert_null(sql_walk_to(&walk, i + 1, &found));
            assert_true(found);
            assert_int_equal(walk.event.start, seen[i].event.start);
            assert_int_equal(walk.event.end, seen[i].event.end);
            assert_int_equal(walk.event.track, seen[i].event.track);
            assert_int_equal(walk.parent, seen[i].parent);
            assert_int_equal(walk.depth, seen[i].depth);
        }
        bool found = true;
        assert_null(sql_walk_to(&walk, count + 1, &found));
        assert_false(found);
        sql_walk_free(&walk);
    }
    assert_int_equal(total, EVENTS);
    free(seen);
    sql_events_free(events);
    profile_free(profile);
}

static void test_a_time_is_found(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct sql_events *events = sql_events_create(profile);
    struct seen *seen = calloc(EVENTS, sizeof *seen);
    const size_t count = walk_all(profile, events, EVENT_SPAN, seen);
    struct sql_walk walk = sql_walk_of(events, EVENT_SPAN);
    for (uint64_t from = 1; from < 5400; from += 137) {
        for (uint32_t track = 1; track <= TRACKS; track++) {
            uint64_t left = 0;
            for (size_t i = 0; i < count; i++)
                left += seen[i].event.track == track && seen[i].event.start >= from;
            assert_null(sql_walk_to_track(&walk, track, from));
            while (sql_walk_next(&walk) == SQL_WALK_EVENT)
                left -= walk.event.start >= from;
            assert_int_equal(left, 0);
        }
    }
    sql_walk_free(&walk);
    free(seen);
    sql_events_free(events);
    profile_free(profile);
}

static void test_calls_have_their_spans(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct sql_events *events = sql_events_create(profile);
    struct seen *seen = calloc(EVENTS, sizeof *seen);
    const size_t count = walk_all(profile, events, EVENT_SPAN, seen);
    for (uint32_t call = 1; call < 8; call++) {
        struct sql_call_times times;
        const uint64_t *spans;
        assert_null(sql_events_call(events, call, &times, &spans));
        uint64_t at = 0;
        uint64_t start = UINT64_MAX;
        uint64_t end = 0;
        for (size_t i = 0; i < count; i++) {
            if (seen[i].event.call != call)
                continue;
            assert_true(at < times.count);
            assert_int_equal(spans[at++], seen[i].id);
            start = seen[i].event.start < start ? seen[i].event.start : start;
            end = seen[i].event.end > end ? seen[i].event.end : end;
        }
        assert_int_equal(at, times.count);
        assert_int_equal(start, times.start);
        assert_int_equal(end, times.end);
    }
    free(seen);
    sql_events_free(events);
    profile_free(profile);
}

static void add_flow_end(struct profile *profile, uint64_t start, enum value_kind kind,
                         uint64_t flow)
{
    struct bytes values = {0};
    value_add_flow(&values, kind, flow);
    profile_event_add(profile, &(struct event){.start = start, .end = start + 1, .track = 1},
                      bytes_view(&values));
    bytes_free(&values);
}

static void test_flows_go_step_by_step(void **state)
{
    (void)state;
    struct profile *profile = profile_create();
    profile_track_add(profile, &(struct track){.kind = TRACK_LANE});
    add_flow_end(profile, 1, VALUE_FLOW_OUT, 5);
    add_flow_end(profile, 2, VALUE_FLOW_OUT, 5);
    add_flow_end(profile, 3, VALUE_FLOW_IN, 5);
    add_flow_end(profile, 4, VALUE_FLOW_IN, 5);
    add_flow_end(profile, 5, VALUE_FLOW_IN, 6);
    add_flow_end(profile, 6, VALUE_FLOW_OUT, 7);
    assert_null(profile_finish(profile));
    struct sql_events *events = sql_events_create(profile);
    static const uint64_t WANT[][3] = {{5, 1, 2}, {5, 2, 3}, {5, 2, 4}, {6, 0, 5}, {7, 6, 0}};
    const struct sql_flow *flows;
    uint64_t count;
    assert_null(sql_events_flows(events, &flows, &count));
    assert_int_equal(count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(flows[i].number, WANT[i][0]);
        assert_int_equal(flows[i].from, WANT[i][1]);
        assert_int_equal(flows[i].to, WANT[i][2]);
    }
    sql_events_free(events);
    profile_free(profile);
}

static void test_queries_count_what_there_is(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct sql_connection *connection;
    struct sql_statement *statement;
    const char *text = " SELECT COUNT(*), MAX(id), 'x' FROM span ; -- and nothing";
    bool found;
    assert_null(sql_connection_open(profile, &connection));
    assert_null(sql_statement_open(connection, &text, &statement));
    assert_int_equal(sql_statement_column_count(statement), 3);
    assert_null(sql_statement_next(statement, &found));
    assert_true(found);
    const int64_t count = sql_statement_value(statement, 0).integer;
    assert_int_equal(count, sql_statement_value(statement, 1).integer);
    assert_true(view_is(sql_statement_value(statement, 2).text, "x"));
    for (int i = 0; i < 3; i++) { // the end stays the end
        assert_null(sql_statement_next(statement, &found));
        assert_false(found);
    }
    sql_statement_free(statement);
    assert_null(sql_statement_open(connection, &text, &statement));
    assert_null(statement);
    sql_connection_close(connection);
    profile_free(profile);
}

static void test_a_failure_stays_one(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct sql_connection *connection;
    struct sql_statement *statement;
    const char *text = "SELECT abs(-9223372036854775807 - id) FROM span";
    bool found;
    assert_null(sql_connection_open(profile, &connection));
    assert_null(sql_statement_open(connection, &text, &statement));
    for (int i = 0; i < 3; i++) {
        const status result = sql_statement_next(statement, &found);
        assert_non_null(result);
        assert_non_null(strstr(status_message(result), "overflow"));
        status_free(result);
        assert_false(found);
    }
    sql_statement_free(statement);
    sql_connection_close(connection);
    profile_free(profile);
}

static int64_t count_of(struct sql_connection *connection, const char *text)
{
    struct sql_statement *statement;
    bool found;
    assert_null(sql_statement_open(connection, &text, &statement));
    assert_null(sql_statement_next(statement, &found));
    assert_true(found);
    const int64_t count = sql_statement_value(statement, 0).integer;
    sql_statement_free(statement);
    return count;
}

static void test_a_time_is_found_by_queries(void **state)
{
    (void)state;
    struct profile *profile = make_profile();
    struct sql_connection *connection;
    assert_null(sql_connection_open(profile, &connection));
    int64_t most = 0;
    for (int at = -1; at < 5000; at += 61) {
        char text[100];
        snprintf(text, sizeof text, "SELECT COUNT(*) FROM span WHERE ts = %d AND ts < 4800", at);
        const int64_t count = count_of(connection, text);
        snprintf(text, sizeof text, "SELECT COUNT(*) FROM span WHERE +ts = %d AND +ts < 4800", at);
        assert_int_equal(count, count_of(connection, text));
        most = count > most ? count : most;
    }
    assert_true(most > 0);
    sql_connection_close(connection);
    profile_free(profile);
}

// Far more open spans than lie between two marks: what is open is not copied to each.
static void test_deep_stacks(void **state)
{
    (void)state;
    enum { DEPTH = 20000 };
    struct profile *profile = profile_create();
    profile_track_add(profile, &(struct track){.kind = TRACK_LANE, .nests = true});
    for (uint64_t i = 0; i < DEPTH; i++) {
        const struct event event = {.start = i, .end = 2 * DEPTH - i, .track = 1};
        profile_event_add(profile, &event, VIEW_LITERAL(""));
    }
    assert_null(profile_finish(profile));
    struct sql_events *events = sql_events_create(profile);
    struct sql_walk walk = sql_walk_of(events, EVENT_SPAN);
    bool found;
    for (uint64_t id = DEPTH; id > 0; id = id * 9 / 10) {
        assert_null(sql_walk_to(&walk, id, &found));
        assert_true(found);
        assert_int_equal(walk.depth, id - 1);
        assert_int_equal(walk.parent, id - 1);
    }
    assert_in_range(events->tracks[1].open_count, 1, 2 * DEPTH);
    sql_walk_free(&walk);
    sql_events_free(events);
    profile_free(profile);
}

static void test_the_schema_is_described(void **state)
{
    (void)state;
    struct bytes text = {0};
    assert_null(sql_table_find("nothing"));
    sql_schema_table(sql_table_find("fact"), &text);
    assert_true(view_is(bytes_view(&text), "CREATE TABLE fact( -- about the profile as a whole\n"
                                           "  id INTEGER PRIMARY KEY,\n  tag TEXT,\n"
                                           "  value TEXT\n);\n"));
    text.size = 0;
    sql_schema_indexes(sql_table_find("counter"), &text);
    assert_true(view_is(bytes_view(&text),
                        "CREATE INDEX counter_by_track_id_ts ON counter(track_id, ts);\n"));
    bytes_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_count_in_order_and_are_found_again),
        cmocka_unit_test(test_a_time_is_found),
        cmocka_unit_test(test_calls_have_their_spans),
        cmocka_unit_test(test_flows_go_step_by_step),
        cmocka_unit_test(test_queries_count_what_there_is),
        cmocka_unit_test(test_a_failure_stays_one),
        cmocka_unit_test(test_a_time_is_found_by_queries),
        cmocka_unit_test(test_deep_stacks),
        cmocka_unit_test(test_the_schema_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
