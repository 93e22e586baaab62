// Reading an operations report: the header says what the columns are, every
// other record is a row.

#include "base/memory.h"
#include "report.h"
#include "wire/csv.h"

// Lines that are longer are no header of a report.
enum { HEADER_MOST = 1 << 20 };

bool report_recognise(struct view bytes)
{
    struct csv_lines lines = csv_lines_of(bytes);
    struct csv_line line;
    if (!csv_line_next(&lines, &line) || line.text.size > HEADER_MOST)
        return false;
    bool has_code = false;
    bool has_duration = false;
    struct view rest = line.text;
    struct view field;
    while (csv_field_take(&rest, ',', &field)) {
        const enum column_kind kind = column_from_name(field).kind;
        has_code |= kind == COLUMN_OP_CODE;
        has_duration |= kind == COLUMN_KERNEL_DURATION || kind == COLUMN_FW_DURATION;
    }
    return has_code && has_duration;
}

struct reader {
    const struct input *input;
    struct report *report;
    struct csv_records records;
    const char *end_of_last; // where the bytes of the last row or the header stop
};

// The field as long as the report lives: most are views into the input.
static struct view report_reader_keep_text(struct reader *reader, struct view field)
{
    const struct view bytes = reader->input->bytes;
    if (field.size == 0)
        return (struct view){"", 0};
    if (field.data >= bytes.data && field.data < bytes.data + bytes.size)
        return field;
    return arena_copy(&reader->report->arena, field);
}

static void report_reader_note_damage(struct reader *reader, bool loses, const char *what)
{
    struct report *report = reader->report;
    report->damage = memory_grow(report->damage, report->damage_count, &report->damage_capacity,
                                 sizeof *report->damage);
    report->damage[report->damage_count++] =
        (struct report_damage){reader->records.number, loses, what};
}

static enum report_version report_reader_version_of(const struct report *report)
{
    if (report_column(report, COLUMN_DEVICE_ARCH) != REPORT_NO_COLUMN ||
        report_column(report, COLUMN_WORKER_CORES) != REPORT_NO_COLUMN)
        return REPORT_V21;
    for (uint32_t i = 0; i < report->column_count; i++) {
        if (view_ends_with(report->columns[i].name, "_PAD[LOGICAL]"))
            return REPORT_V2;
    }
    return report_column(report, COLUMN_DISPATCH_TOTAL) == REPORT_NO_COLUMN ? REPORT_V0 : REPORT_V1;
}

static status report_reader_read_header(struct reader *reader)
{
    struct report *report = reader->report;
    const struct view bytes = reader->input->bytes;
    if (bytes.size == 0)
        return status_make(STATUS_DATA, "%s: is empty", reader->input->path);
    if (!report_recognise(bytes) || csv_record_next(&reader->records) != CSV_RECORD)
        return status_at(STATUS_DATA, reader->input->path, 1,
                         "expected the header of an operations report ('OP CODE', ..., 'DEVICE "
                         "KERNEL DURATION [ns]', ...)");
    for (size_t i = 0; i < reader->records.count; i++) {
        const struct column column =
            column_from_name(report_reader_keep_text(reader, reader->records.fields[i]));
        report_column_add(report, &column);
    }
    const char *end = reader->records.lines.at;
    report->header = (struct view){bytes.data, (size_t)(end - bytes.data)};
    report->header_count = report->column_count;
    report->bare_line_feeds = !view_ends_with(report->header, "\r\n");
    report->version = report_reader_version_of(report);
    reader->end_of_last = end;
    return STATUS_OK;
}

// What is passed over belongs to the row before it, so that it is written again.
static void extend_last(struct reader *reader)
{
    struct report *report = reader->report;
    struct view *source =
        report->row_count > 0 ? &report->rows[report->row_count - 1].source : &report->header;
    source->size += (size_t)(reader->records.lines.at - reader->end_of_last);
}

static void check_row(struct reader *reader, struct report_row *row)
{
    const size_t count = reader->records.count;
    row->is_cut = count < reader->report->column_count;
    if (row->is_cut)
        report_reader_note_damage(reader, true,
                                  reader->records.terminated ? "has fewer fields than the header"
                                                             : "the last line is cut off");
    else if (count > reader->report->column_count)
        report_reader_note_damage(reader, false, "has more fields than the header");
}

static void report_reader_add_row(struct reader *reader)
{
    struct report *report = reader->report;
    const struct csv_records *records = &reader->records;
    const size_t index = report_row_add(report);
    struct report_row *row = &report->rows[index];
    row->cells = arena_allocate(&report->arena, records->count * sizeof *row->cells);
    row->count = (uint32_t)records->count;
    for (size_t i = 0; i < records->count; i++)
        row->cells[i] = report_reader_keep_text(reader, records->fields[i]);
    row->line = records->number;
    row->source =
        (struct view){reader->end_of_last, (size_t)(records->lines.at - reader->end_of_last)};
    check_row(reader, row);
}

static bool report_reader_is_blank(const struct csv_records *records)
{
    return records->count == 1 && view_trim(records->fields[0]).size == 0;
}

static void report_reader_read_rows(struct reader *reader)
{
    enum csv_result result;
    while ((result = csv_record_next(&reader->records)) != CSV_END) {
        if (result == CSV_UNCLOSED)
            report_reader_note_damage(reader, true, "a quote is opened and never closed");
        if (result == CSV_UNCLOSED || report_reader_is_blank(&reader->records))
            extend_last(reader);
        else
            report_reader_add_row(reader);
        reader->end_of_last = reader->records.lines.at;
    }
    if (reader->input->damage != NULL)
        report_reader_note_damage(reader, true, reader->input->damage);
}

status report_read(const struct input *input, struct report **out_report)
{
    struct reader reader = {.input = input,
                            .report = report_create(),
                            .records = csv_records_of(input->bytes, ',', '"')};
    const status result = report_reader_read_header(&reader);
    if (result == STATUS_OK) {
        report_reader_read_rows(&reader);
        *out_report = reader.report;
    } else {
        report_free(reader.report);
    }
    csv_records_free(&reader.records);
    return result;
}
