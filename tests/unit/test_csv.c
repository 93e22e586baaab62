// Lines, fields and records; numbers against view_to_u64, records against what
// was written.

#include "wire/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_view(struct view v, const char *text)
{
    assert_int_equal(v.size, strlen(text));
    assert_memory_equal(v.data, text, v.size);
}

static void assert_next_line(struct csv_lines *lines, uint64_t number, const char *text,
                             bool terminated)
{
    struct csv_line line;
    assert_true(csv_line_next(lines, &line));
    assert_int_equal(line.number, number);
    assert_view(line.text, text);
    assert_int_equal(line.terminated, terminated);
}

static void assert_no_line(struct csv_lines *lines)
{
    struct csv_line line;
    assert_false(csv_line_next(lines, &line));
    assert_false(csv_line_next(lines, &line));
}

static void lines_end_in_lf_or_crlf(void **state)
{
    (void)state;
    struct csv_lines lines = csv_lines_of(view_of("\xef\xbb\xbf"
                                                  "a\r\nb\n\n\r\nc\rd\ne"));
    assert_next_line(&lines, 1, "a", true);
    assert_next_line(&lines, 2, "b", true);
    assert_next_line(&lines, 3, "", true);
    assert_next_line(&lines, 4, "", true);
    assert_next_line(&lines, 5, "c\rd", true);
    assert_next_line(&lines, 6, "e", false);
    assert_no_line(&lines);
}

static void empty_inputs_have_no_lines(void **state)
{
    (void)state;
    struct csv_lines nothing = csv_lines_of((struct view){NULL, 0});
    assert_no_line(&nothing);
    struct csv_lines mark = csv_lines_of(view_of("\xef\xbb\xbf"));
    assert_no_line(&mark);
    struct csv_lines newline = csv_lines_of(view_of("\n"));
    assert_next_line(&newline, 1, "", true);
    assert_no_line(&newline);
    struct csv_lines cut = csv_lines_of(view_of("a\r"));
    assert_next_line(&cut, 1, "a", false);
}

static void fields_are_taken_from_the_left(void **state)
{
    (void)state;
    struct view rest = view_of("a, b\t,,\"c, d\", ");
    struct view field;
    const char *const want[] = {"a", "b", "", "\"c", "d\"", ""};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_true(csv_field_take(&rest, ',', &field));
        assert_view(field, want[i]);
    }
    assert_null(rest.data);
    assert_false(csv_field_take(&rest, ',', &field));
}

static void quoted_fields_are_taken_from_the_left(void **state)
{
    (void)state;
    struct view rest = view_of(" \"a, \"\"b\"\"\" ;x");
    struct view field;
    assert_true(csv_quoted_take(&rest, ';', &field));
    assert_view(field, "\"a, \"\"b\"\"\"");
    assert_view(rest, "x");
    assert_false(csv_quoted_take(&rest, ';', &field));

    rest = view_of("\"a\"");
    assert_true(csv_quoted_take(&rest, ';', &field));
    assert_null(rest.data);
    rest = view_of("\"a\"b;c");
    assert_false(csv_quoted_take(&rest, ';', &field));
    rest = view_of("\"a;b");
    assert_false(csv_quoted_take(&rest, ';', &field));
    assert_view(rest, "\"a;b");
}

static void assert_last(const char *text, const char *front, const char *last)
{
    struct view rest = view_of(text);
    struct view field;
    assert_true(csv_field_take_last(&rest, ',', &field));
    assert_view(rest, front);
    assert_view(field, last);
}

static void fields_are_taken_from_the_right(void **state)
{
    (void)state;
    assert_last("a,b,c", "a,b", "c");
    assert_last("a, b ,", "a, b ", "");
    assert_last("loc(\"x\", \"y\"), add ", "loc(\"x\", \"y\")", "add");
    assert_last("a,\"b, c\"", "a", "\"b, c\"");
    assert_last("a, \"b, c\" ", "a", "\"b, c\"");
    assert_last("a,\"b\"\",c\"", "a", "\"b\"\",c\"");
    assert_last("a,\"\"\"b\"", "a", "\"\"\"b\"");
    assert_last("a,\"\"", "a", "\"\"");
    assert_last("a,\"\"\"\"", "a", "\"\"\"\"");
    // Not quoted fields: raw text with quotes in it.
    assert_last("a,x\"b\"", "a", "x\"b\"");
    assert_last("a,\"b\",c\"", "a,\"b\"", "c\"");
    assert_last("a,\"", "a", "\"");
    assert_last("a,b\"\"", "a", "b\"\"");

    struct view field;
    struct view alone = view_of("abc");
    assert_false(csv_field_take_last(&alone, ',', &field));
    struct view quoted = view_of("\"a,b\"");
    assert_false(csv_field_take_last(&quoted, ',', &field));
    struct view nothing = {NULL, 0};
    assert_false(csv_field_take_last(&nothing, ',', &field));
}

static void quotes_are_undone_only_around_a_whole_field(void **state)
{
    (void)state;
    struct bytes scratch = {0};
    struct view text;
    assert_true(csv_field_unquote(view_of("\"a,b\""), '"', &scratch, &text));
    assert_view(text, "a,b");
    assert_true(csv_field_unquote(view_of("\"\"\"a\"\",\"\"b\"\"\""), '"', &scratch, &text));
    assert_view(text, "\"a\",\"b\"");
    assert_true(csv_field_unquote(view_of("\"\""), '"', &scratch, &text));
    assert_view(text, "");
    assert_true(csv_field_unquote(view_of("'it''s'"), '\'', &scratch, &text));
    assert_view(text, "it's");
    const char *const raw[] = {"", "a", "\"", "\"a", "a\"", "\"a\"b\"", "\"a\"\"", "\"\"\""};
    for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++)
        assert_false(csv_field_unquote(view_of(raw[i]), '"', &scratch, &text));
    bytes_free(&scratch);
}

// A random field that is a number about half of the time.
static size_t random_number(char *text, unsigned *seed)
{
    const size_t size = (size_t)rand_r(seed) % 24;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('0' + rand_r(seed) % 10);
    if (size > 0 && rand_r(seed) % 2 == 0)
        text[(size_t)rand_r(seed) % size] = (char)rand_r(seed);
    return size;
}

static void numbers_agree_with_a_slow_reader(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200000; round++) {
        unsigned seed = round;
        char text[64];
        size_t size = random_number(text, &seed);
        const size_t tail = (size_t)rand_r(&seed) % 12;
        if (tail > 0) {
            text[size++] = ',';
            memset(text + size, '7', tail);
            size += tail;
        }
        char *exact = malloc(size > 0 ? size : 1); // so that ASan sees the end
        memcpy(exact, text, size);
        struct view fast_rest = {exact, size};
        struct view slow_rest = {exact, size};
        struct view field;
        uint64_t fast = 0;
        uint64_t slow = 0;
        assert_true(csv_field_take(&slow_rest, ',', &field));
        const bool is_number = view_to_u64(field, &slow);
        assert_int_equal(csv_number_take(&fast_rest, ',', &fast), is_number);
        if (is_number) {
            assert_int_equal(fast, slow);
            assert_ptr_equal(fast_rest.data, slow_rest.data);
            assert_int_equal(fast_rest.size, slow_rest.size);
        } else {
            assert_ptr_equal(fast_rest.data, exact);
        }
        free(exact);
    }
}

static void numbers_reach_up_to_64_bits(void **state)
{
    (void)state;
    uint64_t number;
    struct view rest = view_of(" 18446744073709551615 ,x");
    assert_true(csv_number_take(&rest, ',', &number));
    assert_true(number == UINT64_MAX);
    assert_view(rest, "x");
    rest = view_of("18446744073709551616");
    assert_false(csv_number_take(&rest, ',', &number));
    rest = view_of("-1");
    assert_false(csv_number_take(&rest, ',', &number));
    rest = view_of("1 2");
    assert_false(csv_number_take(&rest, ',', &number));
    rest = view_of("0000000000000000000000000000007");
    assert_true(csv_number_take(&rest, ',', &number));
    assert_int_equal(number, 7);
    assert_null(rest.data);
    assert_false(csv_number_take(&rest, ',', &number));
}

static void near_bytes_are_found(void **state)
{
    (void)state;
    for (size_t size = 0; size < 40; size++) {
        for (size_t at = 0; at <= size; at++) {
            char *text = malloc(size > 0 ? size : 1);
            memset(text, ',' + 1, size);
            if (at < size)
                text[at] = ',';
            if (at + 1 < size)
                text[size - 1] = ',';
            assert_int_equal(csv_find_near((struct view){text, size}, ','), at);
            free(text);
        }
    }
}

static void assert_record(struct csv_records *records, uint64_t number, size_t count,
                          const char *const *fields)
{
    assert_int_equal(csv_record_next(records), CSV_RECORD);
    assert_int_equal(records->number, number);
    assert_int_equal(records->count, count);
    for (size_t i = 0; i < count; i++)
        assert_view(records->fields[i], fields[i]);
}

static void records_follow_rfc_4180(void **state)
{
    (void)state;
    struct csv_records records = csv_records_of(view_of("a,\"b,\r\n\"\"c\"\"\",d\r\n"
                                                        "e\"f\", \"g\" ,\"h\"i\n"
                                                        "\n"
                                                        ",\n"
                                                        "\"\",\"last\""),
                                                ',', '"');
    assert_record(&records, 1, 3, (const char *[]){"a", "b,\r\n\"c\"", "d"});
    assert_record(&records, 3, 3, (const char *[]){"e\"f\"", " \"g\" ", "hi"});
    assert_record(&records, 4, 1, (const char *[]){""});
    assert_record(&records, 5, 2, (const char *[]){"", ""});
    assert_true(records.terminated);
    assert_record(&records, 6, 2, (const char *[]){"", "last"});
    assert_false(records.terminated);
    assert_int_equal(csv_record_next(&records), CSV_END);
    csv_records_free(&records);
}

static void separator_and_quote_can_be_chosen(void **state)
{
    (void)state;
    struct csv_records records = csv_records_of(view_of("'a;b';\"c\"\n"), ';', '\'');
    assert_record(&records, 1, 2, (const char *[]){"a;b", "\"c\""});
    csv_records_free(&records);
    records = csv_records_of(view_of("\"a;b\n"), ';', '\0');
    assert_record(&records, 1, 2, (const char *[]){"\"a", "b"});
    csv_records_free(&records);
}

static void a_quote_that_never_closes_costs_one_line(void **state)
{
    (void)state;
    struct csv_records records = csv_records_of(view_of("a,b\nc,\"d\ne,f\n"), ',', '"');
    assert_record(&records, 1, 2, (const char *[]){"a", "b"});
    assert_int_equal(csv_record_next(&records), CSV_UNCLOSED);
    assert_int_equal(records.number, 2);
    assert_record(&records, 3, 2, (const char *[]){"e", "f"});
    assert_int_equal(csv_record_next(&records), CSV_END);
    csv_records_free(&records);

    // Longer than the limit is as bad as never.
    const size_t size = CSV_RECORD_MOST + 10;
    char *text = malloc(size);
    memset(text, 'x', size);
    memcpy(text, "\"a\nb,", 5);
    memcpy(text + size - 2, "\"\n", 2);
    records = csv_records_of((struct view){text, size}, ',', '"');
    assert_int_equal(csv_record_next(&records), CSV_UNCLOSED);
    assert_int_equal(csv_record_next(&records), CSV_RECORD);
    assert_int_equal(records.count, 2);
    csv_records_free(&records);
    free(text);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    static const char letters[] = "ab,;\"\n\r \t";
    for (unsigned round = 0; round < 20000; round++) {
        unsigned seed = round;
        char texts[5][8];
        struct view fields[5];
        struct bytes row = {0};
        const size_t count = 1 + (size_t)rand_r(&seed) % 5;
        for (size_t i = 0; i < count; i++) {
            fields[i] = (struct view){texts[i], (size_t)rand_r(&seed) % 8};
            for (size_t k = 0; k < fields[i].size; k++)
                texts[i][k] = letters[(size_t)rand_r(&seed) % (sizeof letters - 1)];
            if (i > 0)
                bytes_append(&row, ";", 1);
            csv_field_append(&row, fields[i], ';');
        }
        bytes_append(&row, "\n", 1);
        struct csv_records records = csv_records_of(bytes_view(&row), ';', '"');
        assert_int_equal(csv_record_next(&records), CSV_RECORD);
        assert_int_equal(records.count, count);
        for (size_t i = 0; i < count; i++)
            assert_true(view_equal(records.fields[i], fields[i]));
        assert_int_equal(csv_record_next(&records), CSV_END);
        csv_records_free(&records);
        bytes_free(&row);
    }
}

static void only_what_needs_quotes_gets_them(void **state)
{
    (void)state;
    struct bytes row = {0};
    const char *const plain[] = {"", "a", "a b", "loc(unknown)", "a;b", "'a'"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        row.size = 0;
        csv_field_append(&row, view_of(plain[i]), ',');
        assert_view(bytes_view(&row), plain[i]);
    }
    row.size = 0;
    csv_field_append(&row, view_of("loc(\"x\":1:2)"), ',');
    assert_view(bytes_view(&row), "\"loc(\"\"x\"\":1:2)\"");
    bytes_free(&row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_lf_or_crlf),
        cmocka_unit_test(empty_inputs_have_no_lines),
        cmocka_unit_test(fields_are_taken_from_the_left),
        cmocka_unit_test(quoted_fields_are_taken_from_the_left),
        cmocka_unit_test(fields_are_taken_from_the_right),
        cmocka_unit_test(quotes_are_undone_only_around_a_whole_field),
        cmocka_unit_test(numbers_agree_with_a_slow_reader),
        cmocka_unit_test(numbers_reach_up_to_64_bits),
        cmocka_unit_test(near_bytes_are_found),
        cmocka_unit_test(records_follow_rfc_4180),
        cmocka_unit_test(separator_and_quote_can_be_chosen),
        cmocka_unit_test(a_quote_that_never_closes_costs_one_line),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(only_what_needs_quotes_gets_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
