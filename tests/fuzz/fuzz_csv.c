// Any bytes as lines and as records: nothing is read twice or left out, and
// what is written is read back.

#include "wire/csv.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_fields(struct view line, struct bytes *scratch)
{
    struct view rest = line;
    struct view field;
    struct view text;
    uint64_t number;
    while (csv_number_take(&rest, ',', &number) || csv_quoted_take(&rest, ',', &field) ||
           csv_field_take(&rest, ',', &field))
        check(rest.data == NULL || rest.size < line.size);
    rest = line;
    for (size_t left = rest.size; csv_field_take_last(&rest, ',', &field); left = rest.size) {
        check(rest.size < left);
        csv_field_unquote(field, '"', scratch, &text);
    }
    check(csv_find_near(line, ',') == view_find(line, ','));
}

static uint64_t check_lines(struct view bytes)
{
    struct csv_lines lines = csv_lines_of(bytes);
    struct csv_line line;
    struct bytes scratch = {0};
    uint64_t count = 0;
    while (csv_line_next(&lines, &line)) {
        check(line.number == ++count);
        check(view_find(line.text, '\n') == line.text.size);
        check_fields(line.text, &scratch);
    }
    bytes_free(&scratch);
    return count;
}

// Writes the fields of a record and reads them again.
static void check_record(const struct csv_records *records, struct bytes *row)
{
    row->size = 0;
    for (size_t i = 0; i < records->count; i++) {
        if (i > 0)
            bytes_append(row, ",", 1);
        csv_field_append(row, records->fields[i], ',');
    }
    bytes_append(row, "\n", 1);
    struct csv_records again = csv_records_of(bytes_view(row), ',', '"');
    // A field that starts the file with a byte order mark loses it.
    if (!view_starts_with(bytes_view(row), "\xef\xbb\xbf")) {
        check(csv_record_next(&again) == CSV_RECORD);
        check(again.count == records->count);
        for (size_t i = 0; i < again.count; i++)
            check(view_equal(again.fields[i], records->fields[i]));
        check(csv_record_next(&again) == CSV_END);
    }
    csv_records_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct view bytes = {(const char *)data, size};
    const uint64_t lines = check_lines(bytes);

    struct csv_records records = csv_records_of(bytes, ',', '"');
    struct bytes row = {0};
    enum csv_result result;
    while ((result = csv_record_next(&records)) != CSV_END) {
        if (result == CSV_RECORD)
            check_record(&records, &row);
    }
    check(records.lines.number == lines);
    csv_records_free(&records);
    bytes_free(&row);
    return 0;
}
