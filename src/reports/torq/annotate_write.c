// Annotated rows as CSV (separated by ';', as Torq writes them), JSON and a workbook.

#include <inttypes.h>

#include "annotate.h"
#include "wire/csv.h"
#include "wire/json.h"
#include "wire/xlsx.h"

// Times of actions always have a decimal, those of jobs where it is not 0, those of a run
// three, or four where a median lies between two nanoseconds.
static void append_time(const struct annotation *annotation, uint64_t doubled, struct bytes *to)
{
    if (annotate_is_run(annotation))
        bytes_append_format(to, "%" PRIu64 ".%03" PRIu64 "%s", doubled / 2000, doubled / 2 % 1000,
                            doubled % 2 != 0 ? "5" : "");
    else
        bytes_append_format(to, "%" PRIu64 "%s", doubled / 2,
                            doubled % 2 != 0              ? ".5"
                            : annotation->form != TORQ_R1 ? ".0"
                                                          : "");
}

static void append_number(const struct annotation *annotation, const struct annotate_cell *cell,
                          struct bytes *to)
{
    if (cell->kind == ANNOTATE_NUMBER)
        bytes_append_format(to, "%" PRIu64, cell->number);
    else if (cell->kind == ANNOTATE_RATE) // MB a second
        bytes_append_format(to, "%" PRIu64 ".%02" PRIu64, cell->number / 1000000,
                            cell->number % 1000000 / 10000);
    else
        append_time(annotation, cell->number, to);
}

// CSV --------------------------------------------------------------------------------

static void append_cell(const struct annotation *annotation, const struct annotate_cell *cell,
                        struct bytes *to)
{
    switch (cell->kind) {
    case ANNOTATE_EMPTY:
        break;
    case ANNOTATE_TEXT:
        csv_field_append(to, cell->text, ';');
        break;
    case ANNOTATE_NUMBER:
    case ANNOTATE_TIME:
    case ANNOTATE_RATE:
        append_number(annotation, cell, to);
        break;
    case ANNOTATE_FLAG:
        bytes_append_format(to, cell->number != 0 ? "True" : "False");
        break;
    }
}

status annotate_write_csv(const struct annotation *annotation, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    const size_t columns = annotate_column_count(annotation);
    for (size_t i = 0; i < columns; i++)
        output_format(output, "%s%s", i > 0 ? ";" : "", annotate_column_name(annotation, i));
    output_text(output, "\n");
    struct bytes line = {0};
    for (size_t i = 0; i < annotation->count; i++) {
        line.size = 0;
        for (size_t k = 0; k < columns; k++) {
            const struct annotate_cell cell = annotate_cell(annotation, &annotation->rows[i], k);
            bytes_append(&line, ";", k > 0 ? 1 : 0);
            append_cell(annotation, &cell, &line);
        }
        bytes_append(&line, "\n", 1);
        output_write(output, line.data, line.size);
    }
    bytes_free(&line);
    return output_close(output);
}

// JSON -------------------------------------------------------------------------------

static void write_json_cell(struct json_writer *json, const char *key,
                            const struct annotation *annotation, const struct annotate_cell *cell,
                            struct bytes *scratch)
{
    switch (cell->kind) {
    case ANNOTATE_EMPTY:
        json_null(json, key);
        break;
    case ANNOTATE_TEXT:
        json_text(json, key, cell->text);
        break;
    case ANNOTATE_NUMBER:
    case ANNOTATE_TIME:
    case ANNOTATE_RATE:
        scratch->size = 0;
        append_number(annotation, cell, scratch);
        json_raw(json, key, bytes_view(scratch));
        break;
    case ANNOTATE_FLAG:
        json_bool(json, key, cell->number != 0);
        break;
    }
}

static void write_json_row(struct json_writer *json, const struct annotation *annotation,
                           const struct annotate_row *row, struct bytes *scratch)
{
    json_open_object(json, NULL);
    json_text(json, "dispatch", profile_text(annotation->profile, row->dispatch_name));
    if (!annotation->folded)
        json_uint(json, "invocation", row->invocation);
    json_bool(json, "matched",
              row->action != PROGRAM_NONE || row->job != PROGRAM_NONE || row->task != PROGRAM_NONE);
    for (size_t i = 0; i < annotate_column_count(annotation); i++) {
        const struct annotate_cell cell = annotate_cell(annotation, row, i);
        write_json_cell(json, annotate_column_name(annotation, i), annotation, &cell, scratch);
    }
    json_close(json);
}

status annotate_write_json(const struct annotation *annotation, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    struct json_writer json = json_write(output);
    struct bytes scratch = {0};
    json_open_object(&json, NULL);
    json_text(&json, "form",
              annotate_is_run(annotation) ? VIEW_LITERAL("opscope-run")
                                          : view_of(torq_form_name(annotation->form)));
    json_uint(&json, "unmatched", annotation->unmatched);
    json_uint(&json, "missing", annotation->missing);
    json_open_array(&json, "rows");
    for (size_t i = 0; i < annotation->count; i++)
        write_json_row(&json, annotation, &annotation->rows[i], &scratch);
    json_close(&json);
    json_close(&json);
    bytes_free(&scratch);
    return output_close(output);
}

// Workbook ---------------------------------------------------------------------------

static void write_sheet_cell(struct xlsx_writer *xlsx, const struct annotation *annotation,
                             const struct annotate_cell *cell, struct bytes *scratch)
{
    switch (cell->kind) {
    case ANNOTATE_EMPTY:
        xlsx_empty(xlsx);
        break;
    case ANNOTATE_TEXT:
        xlsx_text(xlsx, cell->text);
        break;
    case ANNOTATE_NUMBER:
    case ANNOTATE_TIME:
    case ANNOTATE_RATE:
        scratch->size = 0;
        append_number(annotation, cell, scratch);
        xlsx_number(xlsx, bytes_view(scratch));
        break;
    case ANNOTATE_FLAG:
        xlsx_bool(xlsx, cell->number != 0);
        break;
    }
}

status annotate_write_xlsx(const struct annotation *annotation, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    const size_t columns = annotate_column_count(annotation);
    struct xlsx_writer xlsx = xlsx_start(output, "Detailed Performance Data");
    struct bytes scratch = {0};
    xlsx_row(&xlsx);
    for (size_t i = 0; i < columns; i++)
        xlsx_text(&xlsx, view_of(annotate_column_title(annotation, i)));
    for (size_t i = 0; i < annotation->count; i++) {
        xlsx_row(&xlsx);
        for (size_t k = 0; k < columns; k++) {
            const struct annotate_cell cell = annotate_cell(annotation, &annotation->rows[i], k);
            write_sheet_cell(&xlsx, annotation, &cell, &scratch);
        }
    }
    bytes_free(&scratch);
    const status result = status_within(xlsx_finish(&xlsx), "%s", path);
    return status_first(result, output_close(output));
}
