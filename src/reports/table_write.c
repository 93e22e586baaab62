// Tables for programs: CSV, JSON and workbooks.

#include <inttypes.h>
#include <stdlib.h>

#include "table_parts.h"
#include "wire/csv.h"
#include "wire/xlsx.h"

// The digits that JSON has.
void table_number_append(struct bytes *to, const struct table_cell *cell)
{
    switch (cell->kind) {
    case TABLE_CELL_EXACT:
        bytes_append(to, cell->text.data, cell->text.size);
        break;
    case TABLE_CELL_WHOLE:
        bytes_append_format(to, "%" PRIu64, cell->whole);
        break;
    case TABLE_CELL_SIGNED:
        bytes_append_format(to, "%" PRId64, cell->integer);
        break;
    case TABLE_CELL_REAL:
        bytes_append_format(to, "%.15g", cell->real);
        break;
    default:
        break;
    }
}

// CSV -------------------------------------------------------------------------

static char separator_of(const struct table *table)
{
    return table->form->separator != 0 ? table->form->separator : ',';
}

// Whether a spreadsheet would calculate what it should show. Numbers are what they are.
static bool looks_like_formula(struct view text)
{
    double number;
    if (text.size < 2 || memchr("=+-@\t\r", text.data[0], 6) == NULL)
        return false;
    return !view_to_double(text, &number);
}

void table_keep_formulas(struct table *table)
{
    table->keeps_formulas = true;
}

static void table_write_append_text(const struct table *table, struct view text, struct bytes *line)
{
    if (table->form->as_it_is || table->keeps_formulas || !looks_like_formula(text)) {
        csv_field_append(line, text, separator_of(table));
        return;
    }
    struct bytes shown = {0};
    bytes_append(&shown, "'", 1);
    bytes_append(&shown, text.data, text.size);
    csv_field_append(line, bytes_view(&shown), separator_of(table));
    bytes_free(&shown);
}

static void append_field(const struct table *table, const struct table_column *column,
                         const struct table_cell *cell, struct bytes *line)
{
    static const char *const WORDS[2] = {"false", "true"};
    const struct table_form *form = table->form;
    if (cell->kind == TABLE_CELL_ABSENT) {
        if (form->absent_csv != NULL)
            bytes_append(line, form->absent_csv, strlen(form->absent_csv));
    } else if (cell->kind == TABLE_CELL_TEXT) {
        table_write_append_text(table, cell->text, line);
    } else if (cell->kind == TABLE_CELL_FLAG) {
        bytes_append_format(line, "%s",
                            form->flags[0] != NULL ? form->flags[cell->flag] : WORDS[cell->flag]);
    } else if (cell->kind == TABLE_CELL_REAL && (column->flags & TABLE_ROUNDED) != 0) {
        bytes_append_format(line, "%.*f", column->digits, cell->real);
    } else if (cell->kind == TABLE_CELL_REAL && form->append_real != NULL) {
        form->append_real(line, cell->real);
    } else {
        table_number_append(line, cell);
    }
}

static void table_write_end_line(const struct table *table, struct bytes *line,
                                 struct output *output)
{
    const char *end = table->form->line_end != NULL ? table->form->line_end : "\n";
    bytes_append(line, end, strlen(end));
    output_write(output, line->data, line->size);
    line->size = 0;
}

void table_csv_head(const struct table *table, struct output *output)
{
    const struct table_column **columns;
    const size_t count = table_columns_for(table, TABLE_NOT_CSV, &columns);
    const char separator = separator_of(table);
    struct bytes line = {0};
    for (size_t i = 0; i < count; i++) {
        bytes_append(&line, &separator, i > 0 ? 1 : 0);
        csv_field_append(&line, view_of(table_column_heading(columns[i])), separator);
    }
    table_write_end_line(table, &line, output);
    bytes_free(&line);
    free(columns);
}

void table_csv_rows(struct table *table, struct output *output)
{
    const struct table_column **columns;
    const size_t count = table_columns_for(table, TABLE_NOT_CSV, &columns);
    const char separator = separator_of(table);
    struct bytes line = {0};
    for (size_t row = 0; row < table->count; row++) {
        for (size_t i = 0; i < count; i++) {
            const struct table_cell cell = table_cell(table, columns[i], table->rows[row]);
            bytes_append(&line, &separator, i > 0 ? 1 : 0);
            append_field(table, columns[i], &cell, &line);
        }
        table_write_end_line(table, &line, output);
    }
    bytes_free(&line);
    free(columns);
}

// JSON ------------------------------------------------------------------------

static void table_write_value(struct table *table, struct json_writer *json,
                              const struct table_column *column, const struct table_cell *cell)
{
    table->text.size = 0;
    if (cell->kind == TABLE_CELL_ABSENT) {
        json_null(json, column->key);
    } else if (cell->kind == TABLE_CELL_TEXT) {
        json_text(json, column->key, cell->text);
    } else if (cell->kind == TABLE_CELL_FLAG) {
        json_bool(json, column->key, cell->flag);
    } else {
        table_number_append(&table->text, cell);
        json_raw(json, column->key, bytes_view(&table->text));
    }
}

static void write_members(struct table *table, struct json_writer *json,
                          const struct table_column *const *columns, size_t count, size_t row)
{
    for (size_t i = 0; i < count; i++) {
        const struct table_column *column = columns[i];
        if (column->json != NULL) {
            table->scratch.size = 0;
            column->json(&(struct table_query){column, table->report, row, &table->scratch}, json);
            continue;
        }
        const struct table_cell cell = table_cell(table, column, row);
        if (cell.kind != TABLE_CELL_ABSENT || (column->flags & TABLE_OPTIONAL) == 0)
            table_write_value(table, json, column, &cell);
    }
}

void table_json_members(struct table *table, struct json_writer *json, size_t index)
{
    const struct table_column **columns;
    const size_t count = table_columns_for(table, TABLE_NOT_JSON, &columns);
    write_members(table, json, columns, count, table->rows[index]);
    free(columns);
}

void table_json_rows(struct table *table, struct json_writer *json, const char *key)
{
    const struct table_column **columns;
    const size_t count = table_columns_for(table, TABLE_NOT_JSON, &columns);
    json_open_array(json, key);
    for (size_t i = 0; i < table->count; i++) {
        json_open_object(json, NULL);
        write_members(table, json, columns, count, table->rows[i]);
        json_close(json);
    }
    json_close(json);
    free(columns);
}

// Workbook --------------------------------------------------------------------

static void write_sheet_cell(struct table *table, struct xlsx_writer *xlsx,
                             const struct table_cell *cell)
{
    table->text.size = 0;
    if (cell->kind == TABLE_CELL_ABSENT) {
        xlsx_empty(xlsx);
    } else if (cell->kind == TABLE_CELL_TEXT) {
        xlsx_text(xlsx, cell->text);
    } else if (cell->kind == TABLE_CELL_FLAG) {
        xlsx_bool(xlsx, cell->flag);
    } else {
        table_number_append(&table->text, cell);
        xlsx_number(xlsx, bytes_view(&table->text));
    }
}

status table_xlsx(struct table *table, const char *sheet, const char *path)
{
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    const struct table_column **columns;
    const size_t count = table_columns_for(table, TABLE_NOT_CSV, &columns);
    struct xlsx_writer xlsx = xlsx_start(output, sheet);
    xlsx_row(&xlsx);
    for (size_t i = 0; i < count; i++)
        xlsx_text(&xlsx, view_of(columns[i]->title != NULL ? columns[i]->title
                                                           : table_column_heading(columns[i])));
    for (size_t row = 0; row < table->count; row++) {
        xlsx_row(&xlsx);
        for (size_t i = 0; i < count; i++) {
            const struct table_cell cell = table_cell(table, columns[i], table->rows[row]);
            write_sheet_cell(table, &xlsx, &cell);
        }
    }
    free(columns);
    const status result = status_within(xlsx_finish(&xlsx), "%s", path);
    return output_finish(output, result);
}
