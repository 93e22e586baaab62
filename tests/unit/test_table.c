// Tables: layout, cutting, order and the renderings.

#include "reports/table.h"

#include <math.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

struct row {
    const char *name;
    bool known;
    uint64_t calls;
    double share;
};

static const struct row ROWS[] = {
    {"short", true, 7, 0.25},
    {"a/rather/long/name/of/an/operator", true, 1200, 0.5},
    {"gr\xc3\xbc\xc3\x9f"
     "e, \"quoted\"",
     false, 0, NAN},
    {"bell\a\xff", true, 7, 0.125},
};
enum { COUNT = sizeof ROWS / sizeof *ROWS, SUM = 99 };

static struct table_cell name_cell(const struct table_query *query)
{
    return table_text(view_of(query->row == SUM ? "sum" : ROWS[query->row].name));
}

static struct table_cell calls_cell(const struct table_query *query)
{
    const struct row *rows = query->report;
    if (query->row == SUM)
        return table_whole(1214);
    return table_whole_if(rows[query->row].known, rows[query->row].calls);
}

static struct table_cell share_cell(const struct table_query *query)
{
    return query->row == SUM ? table_real(1) : table_real(ROWS[query->row].share);
}

static struct table_cell drift_cell(const struct table_query *query)
{
    return table_signed(-5 * (int64_t)query->row);
}

static struct table_cell flag_cell(const struct table_query *query)
{
    return table_flag(query->row == 1);
}

static struct table_cell never_cell(const struct table_query *query)
{
    (void)query;
    return table_absent();
}

static void write_list(const struct table_query *query, struct json_writer *json)
{
    json_open_array(json, query->column->key);
    json_uint(json, NULL, query->row);
    json_close(json);
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "name", .meaning = "what it is", .place = 3, .cell = name_cell},
    {.key = "calls", .heading = "Calls Made", .meaning = "how often", .type = TABLE_COUNT, .place = 1,
     .cell = calls_cell},
    {.key = "share", .meaning = "of all", .type = TABLE_RATIO, .digits = 1, .place = 2, .loss = 1,
     .flags = TABLE_WITH_UNIT, .cell = share_cell},
    {.key = "drift", .meaning = "may be negative", .type = TABLE_COUNT, .unit = "ppb",
     .flags = TABLE_NOT_CSV, .cell = drift_cell},
    {.key = "used", .meaning = "or not", .type = TABLE_FLAG, .flags = TABLE_NOT_JSON,
     .cell = flag_cell},
    {.key = "never", .meaning = "nobody knows", .place = 4,
     .flags = TABLE_HIDE_EMPTY | TABLE_OPTIONAL | TABLE_NOT_CSV, .cell = never_cell},
    {.key = "list", .meaning = "more than a value", .flags = TABLE_NOT_CSV, .cell = never_cell,
     .json = write_list},
};
// clang-format on

static const struct table_form FORM = {
    .name = "things", .about = "a row each", .indent = 1, TABLE_COLUMNS(COLUMNS)};

static struct table *make(void)
{
    return table_create(&FORM, ROWS, COUNT);
}

static char *text_of(struct table *table, size_t width)
{
    struct bytes text = {0};
    table_layout(table, width);
    table_text_head(table, &text);
    for (size_t i = 0; i < table_count(table); i++)
        table_text_row(table, i, &text);
    char *copy = view_copy(bytes_view(&text));
    bytes_free(&text);
    return copy;
}

static void check_text(struct table *table, size_t width, const char *want)
{
    char *got = text_of(table, width);
    assert_string_equal(got, want);
    free(got);
}

static void numbers_stand_right_and_absent_is_absent(void **state)
{
    (void)state;
    struct table *table = make();
    check_text(table, 0,
               "  calls   share  name\n"
               "      7  25.0 %  short\n"
               "   1200  50.0 %  a/rather/long/name/of/an/operator\n"
               " absent  absent  gr\xc3\xbc\xc3\x9f"
               "e, \"quoted\"\n"
               "      7  12.5 %  bell\xef\xbf\xbd\xef\xbf\xbd\n");
    table_free(table);
}

// No line is wider than the terminal, whatever its width, as long as anything can be left out.
static void it_fits(void **state)
{
    (void)state;
    for (size_t width = 16; width < 60; width++) {
        struct table *table = make();
        char *text = text_of(table, width);
        for (struct view rest = view_of(text); rest.size > 0;) {
            const size_t end = view_find(rest, '\n');
            assert_in_range(letters_count(view_slice(rest, 0, end)), 1, width);
            rest = view_slice(rest, end + 1, rest.size);
        }
        free(text);
        table_free(table);
    }
}

static void names_are_cut_in_the_middle_and_columns_left_out(void **state)
{
    (void)state;
    struct table *table = make();
    table_order(table, (const uint32_t[]){1}, 1);
    check_text(table, 34, " calls   share  name\n  1200  50.0 %  a/rather/l..erator\n");
    check_text(table, 24, " calls  name\n  1200  a/rather/..rator\n");
    table_free(table);
    // What was asked for is cut, and never left out.
    table = make();
    table_order(table, (const uint32_t[]){1}, 1);
    assert_true(table_choose(table, view_of("share,name,calls")));
    check_text(table, 24, "  share  name      calls\n 50.0 %  a/rath..   1200\n");
    table_free(table);
}

static void rows_sort_by_columns(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *want; // first letters of the names
    } cases[] = {{"calls", "sbag"},     {"calls:desc", "asbg"}, {"name", "abgs"},
                 {"name:desc", "sgba"}, {"Calls Made", "sbag"}, {"drift", "bgas"},
                 {"used:desc", "asgb"}, {"nothing", "sagb"},    {"never", "sagb"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table *table = make();
        table_sort(table, view_of(cases[i].key));
        assert_true(table_choose(table, view_of("name")));
        char *text = text_of(table, 0);
        char *line = text;
        for (size_t k = 0; k < COUNT; k++) {
            line = strchr(line, '\n') + 1;
            assert_int_equal(line[1], cases[i].want[k]);
        }
        free(text);
        table_free(table);
    }
}

static void few_rows_and_a_sum(void **state)
{
    (void)state;
    struct table *table = make();
    struct bytes line = {0};
    table_sort(table, view_of("calls:desc"));
    table_limit(table, 1);
    assert_int_equal(table_count(table), 1);
    table_limit(table, 0);
    assert_int_equal(table_count(table), 1);
    table_layout(table, 0);
    table_text_extra(table, SUM, &line);
    bytes_append(&line, "", 1);
    assert_string_equal((const char *)line.data, "  1214  100.0 %  sum\n");
    bytes_free(&line);
    table_free(table);
}

// Renders into a file and gives back what is in it.
static char *written(void (*write)(struct table *, struct output *), struct table *table)
{
    char path[] = "/tmp/opscope_table_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct output *output;
    assert_true(output_open(path, &output) == STATUS_OK);
    write(table, output);
    assert_true(output_close(output) == STATUS_OK);
    // Another file took its place.
    file = open(path, O_RDONLY);
    assert_true(file >= 0);
    char *text = calloc(1, 8192);
    assert_true(read(file, text, 8191) >= 0);
    close(file);
    unlink(path);
    return text;
}

static void write_csv(struct table *table, struct output *output)
{
    table_csv_head(table, output);
    table_csv_rows(table, output);
}

static void write_json(struct table *table, struct output *output)
{
    struct json_writer json = json_write_lines(output);
    table_json_rows(table, &json, NULL);
}

static void csv_quotes_what_needs_it(void **state)
{
    (void)state;
    struct table *table = make();
    char *text = written(write_csv, table);
    assert_string_equal(text, "name,Calls Made,share,used\n"
                              "short,7,0.25,false\n"
                              "a/rather/long/name/of/an/operator,1200,0.5,true\n"
                              "\"gr\xc3\xbc\xc3\x9f"
                              "e, \"\"quoted\"\"\",,,false\n"
                              "bell\a\xff,7,0.125,false\n");
    free(text);
    assert_true(table_choose(table, view_of("drift, Calls Made,unheard of")));
    text = written(write_csv, table);
    assert_string_equal(text, "drift,Calls Made\n0,7\n-5,1200\n-10,\n-15,7\n");
    free(text);
    assert_false(table_choose(table, view_of("unheard of")));
    table_free(table);
}

static void json_has_numbers_and_null(void **state)
{
    (void)state;
    struct table *table = make();
    table_order(table, (const uint32_t[]){1, 2}, 2);
    char *text = written(write_json, table);
    assert_string_equal(text, "[{\"name\": \"a/rather/long/name/of/an/operator\", \"calls\": 1200, "
                              "\"share\": 0.5, \"drift\": -5, \"list\": [1]}, "
                              "{\"name\": \"gr\xc3\xbc\xc3\x9f"
                              "e, \\\"quoted\\\"\", \"calls\": null, "
                              "\"share\": null, \"drift\": -10, \"list\": [2]}]\n");
    free(text);
    table_free(table);
}

static void columns_describe_themselves(void **state)
{
    (void)state;
    struct bytes text = {0};
    table_form_describe(&FORM, &text);
    bytes_append(&text, "", 1);
    assert_non_null(strstr((const char *)text.data, "things: a row each\n"));
    assert_non_null(
        strstr((const char *)text.data, "  calls  count      how often (CSV: Calls Made)\n"));
    assert_non_null(strstr((const char *)text.data, "  drift  ppb        may be negative\n"));
    bytes_free(&text);
    assert_ptr_equal(table_form_find(&FORM, view_of("Calls Made")), &COLUMNS[1]);
    assert_null(table_form_find(&FORM, view_of("calls made")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_right_and_absent_is_absent),
        cmocka_unit_test(it_fits),
        cmocka_unit_test(names_are_cut_in_the_middle_and_columns_left_out),
        cmocka_unit_test(rows_sort_by_columns),
        cmocka_unit_test(few_rows_and_a_sum),
        cmocka_unit_test(csv_quotes_what_needs_it),
        cmocka_unit_test(json_has_numbers_and_null),
        cmocka_unit_test(columns_describe_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
