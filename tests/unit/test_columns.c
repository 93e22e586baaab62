// Tables as columns: what was put in comes out whatever came together in a column, absent is not 0,
// and the spans of a profile are those that its events are, one by one.

#include <opscope/opscope.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/columns.h"
#include "random_numbers.h"

#include <cmocka.h>

enum { SPANS = 3000, NAMES = 7 };

static struct opscope_column column_at(const struct opscope_table *table, uint32_t index)
{
    struct opscope_column column;
    assert_int_equal(opscope_table_get_column(table, index, &column), OPSCOPE_OK);
    return column;
}

static struct opscope_column column_named(const struct opscope_table *table, const char *name)
{
    for (uint32_t i = 0; i < opscope_table_column_count(table); i++) {
        const struct opscope_column column = column_at(table, i);
        if (strcmp(column.name, name) == 0)
            return column;
    }
    fail_msg("no column %s", name);
    return (struct opscope_column){0};
}

static bool lacks(const struct opscope_column *column, size_t row)
{
    return column->absent != NULL && column->absent[row] != 0;
}

static void assert_text(const struct opscope_column *column, size_t row, const char *text)
{
    assert_int_equal(column->kind, OPSCOPE_COLUMN_TEXT);
    assert_false(lacks(column, row));
    const uint32_t which = ((const uint32_t *)column->data)[row];
    assert_in_range(which, 0, column->text_count - 1);
    const uint64_t from = which > 0 ? column->text_ends[which - 1] : 0;
    const struct view found = {column->texts + from, column->text_ends[which] - from};
    if (!view_is(found, text))
        fail_msg("row %zu of %s: '%.*s' is not '%s'", row, column->name, VIEW_ARGUMENTS(found),
                 text);
}

static int64_t integer_at(const struct opscope_column *column, size_t row)
{
    assert_int_equal(column->kind, OPSCOPE_COLUMN_INT);
    assert_false(lacks(column, row));
    return ((const int64_t *)column->data)[row];
}

static double real_at(const struct opscope_column *column, size_t row)
{
    assert_int_equal(column->kind, OPSCOPE_COLUMN_REAL);
    assert_false(lacks(column, row));
    return ((const double *)column->data)[row];
}

static struct opscope_column finished(struct opscope_table *table)
{
    columns_finish(table);
    return column_at(table, 0);
}

static void test_whole_numbers_are_signed_where_they_fit(void **state)
{
    (void)state;
    struct opscope_table table = {0};
    struct column *column = columns_add(&table, VIEW_LITERAL("n"), "", "");
    column_add_absent(column);
    column_add_whole(column, INT64_MAX);
    column_add_signed(column, -3);
    const struct opscope_column found = finished(&table);
    assert_true(lacks(&found, 0));
    assert_true(integer_at(&found, 1) == INT64_MAX);
    assert_int_equal(integer_at(&found, 2), -3);
    columns_free(&table);

    table = (struct opscope_table){0};
    column = columns_add(&table, VIEW_LITERAL("n"), "", "");
    column_add_whole(column, UINT64_MAX);
    column_add_whole(column, 1);
    const struct opscope_column large = finished(&table);
    assert_int_equal(large.kind, OPSCOPE_COLUMN_UINT);
    assert_null(large.absent);
    assert_true(((const uint64_t *)large.data)[0] == UINT64_MAX);
    columns_free(&table);
}

static void test_numbers_become_reals(void **state)
{
    (void)state;
    struct opscope_table table = {0};
    struct column *column = columns_add(&table, VIEW_LITERAL("n"), "", "");
    column_add_signed(column, -2);
    column_add_absent(column);
    column_add_real(column, 0.5);
    column_add_whole(column, 7);
    column_add_signed(column, -1);
    const struct opscope_column found = finished(&table);
    assert_true(real_at(&found, 0) == -2.0);
    assert_true(lacks(&found, 1));
    assert_true(real_at(&found, 2) == 0.5);
    assert_true(real_at(&found, 3) == 7.0);
    assert_true(real_at(&found, 4) == -1.0);
    columns_free(&table);

    // Neither an int64_t nor a uint64_t holds both.
    table = (struct opscope_table){0};
    column = columns_add(&table, VIEW_LITERAL("n"), "", "");
    column_add_whole(column, UINT64_MAX);
    column_add_signed(column, -1);
    column_add_whole(column, 1);
    const struct opscope_column both = finished(&table);
    assert_true(real_at(&both, 0) == 18446744073709551616.0);
    assert_true(real_at(&both, 1) == -1.0);
    assert_true(real_at(&both, 2) == 1.0);
    columns_free(&table);
}

static void test_everything_becomes_text(void **state)
{
    (void)state;
    struct opscope_table table = {0};
    struct column *column = columns_add(&table, VIEW_LITERAL("n"), "", "");
    column_add_flag(column, true);
    column_add_absent(column);
    column_add_signed(column, -5);
    column_add_real(column, 0.25);
    column_add_text(column, VIEW_LITERAL("true"));
    column_add_whole(column, 9);
    const struct opscope_column found = finished(&table);
    assert_text(&found, 0, "true");
    assert_true(lacks(&found, 1));
    assert_text(&found, 2, "-5");
    assert_text(&found, 3, "0.25");
    assert_text(&found, 4, "true");
    assert_text(&found, 5, "9");
    assert_int_equal(found.text_count, 4);
    columns_free(&table);
}

static void test_flags_and_empty_texts(void **state)
{
    (void)state;
    struct opscope_table table = {0};
    struct column *column = columns_add(&table, VIEW_LITERAL("f"), "", "");
    column_add_absent(column);
    column_add_flag(column, true);
    column_add_flag(column, false);
    column = columns_add(&table, VIEW_LITERAL("t"), "", "");
    column_add_text(column, VIEW_LITERAL("a"));
    column_add_text(column, VIEW_LITERAL(""));
    column_add_text(column, VIEW_LITERAL("a"));
    columns_finish(&table);
    const struct opscope_column flags = column_at(&table, 0);
    assert_int_equal(flags.kind, OPSCOPE_COLUMN_BOOL);
    assert_true(lacks(&flags, 0));
    assert_int_equal(((const uint8_t *)flags.data)[1], 1);
    assert_int_equal(((const uint8_t *)flags.data)[2], 0);
    const struct opscope_column texts = column_at(&table, 1);
    assert_text(&texts, 0, "a");
    assert_text(&texts, 1, "");
    assert_text(&texts, 2, "a");
    assert_int_equal(texts.text_count, 2);
    struct opscope_column none;
    assert_int_equal(opscope_table_get_column(&table, 2, &none), OPSCOPE_ERROR_NOT_FOUND);
    columns_free(&table);
}

// Profiles ------------------------------------------------------------------------

static uint32_t add_lane(struct opscope_profile *profile, const char *name, uint32_t parent,
                         uint32_t kind)
{
    const struct opscope_profile_track track = {.name = name,
                                                .parent = parent,
                                                .kind = kind,
                                                .role =
                                                    kind == OPSCOPE_TRACK_LANE ? "compute" : NULL,
                                                .unit = "W",
                                                .device = 2,
                                                .provenance = OPSCOPE_MEASURED};
    return opscope_profile_add_track(profile, &track);
}

static void add_numbers(struct opscope_profile *profile, uint32_t lane, uint32_t call)
{
    unsigned seed = 5;
    uint64_t at = 100;
    char name[16];
    for (size_t i = 0; i < SPANS; i++) {
        snprintf(name, sizeof name, "kernel%u", (unsigned)between(&seed, 0, NAMES - 1));
        const uint64_t length = (uint64_t)between(&seed, 0, 49);
        const struct opscope_profile_event event = {.name = name,
                                                    .kind = OPSCOPE_SPAN,
                                                    .track = lane,
                                                    .call = i % 3 == 0 ? call : 0,
                                                    .start = at,
                                                    .end = at + length};
        const struct opscope_profile_value value = {
            .key = "stream", .kind = OPSCOPE_UINT, .number = i, .provenance = OPSCOPE_MEASURED};
        if (i % 2 == 0)
            assert_int_equal(opscope_profile_put(profile, &value), OPSCOPE_OK);
        assert_int_equal(opscope_profile_add_event(profile, &event), OPSCOPE_OK);
        at += length + (uint64_t)between(&seed, 1, 8);
    }
}

static struct opscope_profile *made(void)
{
    struct opscope_profile *profile = opscope_profile_create();
    const struct opscope_profile_operator op = {.name = "/conv1", .type = "Conv"};
    const uint32_t process = add_lane(profile, "GPU", 0, OPSCOPE_TRACK_PROCESS);
    const uint32_t lane = add_lane(profile, "stream 7", process, OPSCOPE_TRACK_LANE);
    const uint32_t power = add_lane(profile, "power", process, OPSCOPE_TRACK_COUNTER);
    const struct opscope_profile_call call = {.operator_id =
                                                  opscope_profile_add_operator(profile, &op)};
    add_numbers(profile, lane, opscope_profile_add_call(profile, &call));
    const struct opscope_profile_event sample = {
        .kind = OPSCOPE_SAMPLE, .track = power, .start = 150, .sample = 2.5};
    assert_int_equal(opscope_profile_add_event(profile, &sample), OPSCOPE_OK);
    return profile;
}

static struct opscope_table *table_of(struct opscope_profile *profile, const char *name,
                                      const struct opscope_table_options *options)
{
    struct opscope_table *table;
    char message[256] = "";
    if (opscope_profile_table(profile, name, options, &table, message, sizeof message) !=
        OPSCOPE_OK)
        fail_msg("%s: %s", name, message);
    return table;
}

static void compare_row(const struct opscope_table *table, size_t row,
                        const struct opscope_profile_event *event)
{
    const struct opscope_column start = column_named(table, "start_ns");
    const struct opscope_column duration = column_named(table, "duration_ns");
    const struct opscope_column name = column_named(table, "name");
    const struct opscope_column lane = column_named(table, "lane");
    const struct opscope_column process = column_named(table, "process");
    const struct opscope_column role = column_named(table, "role");
    const struct opscope_column device = column_named(table, "device");
    const struct opscope_column op = column_named(table, "operator");
    const struct opscope_column category = column_named(table, "category");
    assert_int_equal(integer_at(&start, row), event->start_ns);
    assert_int_equal(integer_at(&duration, row), event->end_ns - event->start_ns);
    assert_text(&name, row, event->name);
    assert_text(&lane, row, "stream 7");
    assert_text(&process, row, "GPU");
    assert_text(&role, row, "compute");
    assert_int_equal(integer_at(&device, row), 1);
    assert_true(lacks(&category, row));
    if (event->call != 0)
        assert_text(&op, row, "/conv1");
    else
        assert_true(lacks(&op, row));
}

static void test_spans_are_the_events(void **state)
{
    (void)state;
    struct opscope_profile *profile = made();
    const struct opscope_table_options options = {.arguments = "stream, nothing"};
    struct opscope_table *table = table_of(profile, "spans", &options);
    assert_int_equal(opscope_table_row_count(table), SPANS);
    const struct opscope_column stream = column_named(table, "args.stream");
    const struct opscope_column nothing = column_named(table, "args.nothing");
    struct opscope_events *events;
    struct opscope_profile_event event;
    opscope_events_open(profile, 2, &events, NULL, 0);
    for (size_t i = 0; i < SPANS; i++) {
        assert_int_equal(opscope_events_next(events, &event), 1);
        compare_row(table, i, &event);
        assert_true(lacks(&nothing, i));
        if (i % 2 == 0)
            assert_int_equal(integer_at(&stream, i), i);
        else
            assert_true(lacks(&stream, i));
    }
    opscope_events_free(events);
    opscope_profile_free(profile);
    // It does not need the profile.
    const struct opscope_column name = column_named(table, "name");
    assert_int_equal(name.text_count, NAMES);
    opscope_table_free(table);
}

static size_t count_by_hand(struct opscope_profile *profile, const char *name, uint64_t from,
                            uint64_t to)
{
    struct opscope_events *events;
    struct opscope_profile_event event;
    size_t count = 0;
    opscope_events_open(profile, OPSCOPE_ALL_TRACKS, &events, NULL, 0);
    while (opscope_events_next(events, &event) == 1)
        count += event.kind == OPSCOPE_SPAN && strcmp(event.name, name) == 0 &&
                 event.end_ns >= from && event.start_ns < to;
    opscope_events_free(events);
    return count;
}

static void test_spans_are_chosen(void **state)
{
    (void)state;
    struct opscope_profile *profile = made();
    const struct opscope_table_options options = {
        .columns = "start_ns,name", .filter = "kern*3", .from_ns = 5000, .to_ns = 20000};
    struct opscope_table *table = table_of(profile, "spans", &options);
    const size_t count = count_by_hand(profile, "kernel3", 5000, 20000);
    assert_in_range(count, 10, SPANS / 2);
    assert_int_equal(opscope_table_row_count(table), count);
    assert_int_equal(opscope_table_column_count(table), 2);
    opscope_table_free(table);
    opscope_profile_free(profile);
}

static void test_every_table_is_made(void **state)
{
    (void)state;
    struct opscope_profile *profile = made();
    static const size_t ROWS[] = {SPANS, 0, 1, 3, 2, 2, NAMES};
    for (uint32_t i = 0; opscope_table_name(i) != NULL; i++) {
        struct opscope_table *table = table_of(profile, opscope_table_name(i), NULL);
        if (i < sizeof ROWS / sizeof *ROWS)
            assert_int_equal(opscope_table_row_count(table), ROWS[i]);
        else
            assert_true(opscope_table_row_count(table) > 0);
        assert_true(opscope_table_column_count(table) > 2);
        opscope_table_free(table);
    }
    struct opscope_table *samples = table_of(profile, "samples", NULL);
    const struct opscope_column value = column_named(samples, "value");
    const struct opscope_column unit = column_named(samples, "unit");
    assert_true(real_at(&value, 0) == 2.5);
    assert_text(&unit, 0, "W");
    opscope_table_free(samples);
    opscope_profile_free(profile);
}

static void assert_refused(struct opscope_profile *profile, const char *name,
                           struct opscope_table_options options, const char *words)
{
    struct opscope_table *table;
    char message[256] = "";
    const int code =
        opscope_profile_table(profile, name, &options, &table, message, sizeof message);
    assert_int_equal(code, OPSCOPE_ERROR_USAGE);
    assert_null(table);
    if (strstr(message, words) == NULL)
        fail_msg("'%s' does not say '%s'", message, words);
}

static void test_what_is_not_there_is_refused(void **state)
{
    (void)state;
    struct opscope_profile *profile = made();
    const struct opscope_table_options none = {0};
    assert_refused(profile, "spams", none, "there is no table 'spams': one of spans, instants");
    assert_refused(profile, NULL, none, "by its name");
    assert_refused(profile, "spans", (struct opscope_table_options){.columns = "name,colour"},
                   "the table 'spans' has no column 'colour'");
    assert_refused(profile, "top", (struct opscope_table_options){.by = "luck"}, "by 'luck'");
    struct {
        struct opscope_table_options known;
        uint64_t newer;
    } options = {.newer = 1};
    struct opscope_table *table;
    assert_int_equal(opscope_profile_table_sized(profile, "spans", &options.known, sizeof options,
                                                 &table, NULL, 0),
                     OPSCOPE_ERROR_USAGE);
    opscope_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers_are_signed_where_they_fit),
        cmocka_unit_test(test_numbers_become_reals),
        cmocka_unit_test(test_everything_becomes_text),
        cmocka_unit_test(test_flags_and_empty_texts),
        cmocka_unit_test(test_spans_are_the_events),
        cmocka_unit_test(test_spans_are_chosen),
        cmocka_unit_test(test_every_table_is_made),
        cmocka_unit_test(test_what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
