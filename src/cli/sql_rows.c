#include "sql_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "table_options.h"

// Some rows of a query, for a table. Numbers are texts already.
struct sql_piece {
    unsigned columns;
    size_t count;
    struct bytes texts;
    struct piece_cell {
        enum table_kind kind;
        size_t at, size; // of the texts
    } * cells;
};

static struct table_cell piece_cell(const struct table_query *query)
{
    const struct sql_piece *piece = query->report;
    const struct piece_cell *cell =
        &piece->cells[query->row * piece->columns + query->column->argument];
    const struct view text = {(const char *)piece->texts.data + cell->at, cell->size};
    if (cell->kind == TABLE_CELL_ABSENT)
        return table_absent();
    return cell->kind == TABLE_CELL_EXACT ? table_exact(text) : table_text(text);
}

static void append_hexadecimal(struct bytes *to, struct view data)
{
    bytes_append(to, "x'", 2);
    for (size_t i = 0; i < data.size; i++)
        bytes_append_format(to, "%02x", (unsigned char)data.data[i]);
    bytes_append(to, "'", 1);
}

// As many digits as it takes to read the same number again.
static void append_real_digits(struct bytes *to, double number)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    bytes_append(to, text, strlen(text));
    if (strpbrk(text, ".en") == NULL)
        bytes_append(to, ".0", 2);
}

static enum table_kind append_value(struct bytes *to, const struct sql_value *value)
{
    switch (value->kind) {
    case SQL_VALUE_NULL:
        return TABLE_CELL_ABSENT;
    case SQL_VALUE_INTEGER:
        bytes_append_format(to, "%" PRId64, value->integer);
        return TABLE_CELL_EXACT;
    case SQL_VALUE_REAL:
        append_real_digits(to, value->real);
        return TABLE_CELL_EXACT;
    case SQL_VALUE_BLOB:
        append_hexadecimal(to, value->text);
        return TABLE_CELL_TEXT;
    default:
        bytes_append(to, value->text.data, value->text.size);
        return TABLE_CELL_TEXT;
    }
}

static void take_row(struct sql_piece *piece, struct sql_statement *statement)
{
    for (unsigned i = 0; i < piece->columns; i++) {
        struct piece_cell *cell = &piece->cells[piece->count * piece->columns + i];
        const struct sql_value value = sql_statement_value(statement, i);
        cell->at = piece->texts.size;
        cell->kind = append_value(&piece->texts, &value);
        cell->size = piece->texts.size - cell->at;
    }
    piece->count++;
}

static bool is_text_column(const struct sql_piece *piece, unsigned column)
{
    for (size_t row = 0; row < piece->count; row++) {
        if (piece->cells[row * piece->columns + column].kind == TABLE_CELL_TEXT)
            return true;
    }
    return false;
}

static struct table_column *describe_columns(const struct sql_piece *piece,
                                             const struct sql_statement *statement)
{
    enum { PLACES = 255, TEXT_MOST = 100 };
    struct table_column *columns = memory_allocate_zeroed(piece->columns, sizeof *columns);
    for (unsigned i = 0; i < piece->columns; i++)
        columns[i] =
            (struct table_column){.key = sql_statement_column_name(statement, i),
                                  .meaning = "",
                                  .type = is_text_column(piece, i) ? TABLE_TEXT : TABLE_REAL,
                                  .place = i < PLACES ? (uint8_t)(i + 1) : PLACES,
                                  .argument = i,
                                  .cell = piece_cell};
    return columns;
}

static void print_piece(const struct sql_rows_printer *printer, struct sql_piece *piece,
                        const struct sql_statement *statement, bool first)
{
    struct table_column *columns = describe_columns(piece, statement);
    const struct table_form form = {.name = "rows",
                                    .about = "",
                                    .columns = columns,
                                    .column_count = piece->columns,
                                    .absent = "NULL"};
    struct table *table = table_create(&form, piece, piece->count);
    if (printer->form == SQL_ROWS_TEXT) {
        table_options_print(table, stdout);
    } else {
        if (printer->keeps_formulas)
            table_keep_formulas(table);
        if (first)
            table_csv_head(table, printer->output);
        table_csv_rows(table, printer->output);
    }
    table_free(table);
    free(columns);
}

// Which rows --------------------------------------------------------------------------------------

// The next row that is asked for. At the end it is noted which were.
static status next_row(struct sql_rows_printer *printer, struct sql_statement *statement,
                       bool *out_found)
{
    do {
        STATUS_TRY(sql_statement_next(statement, out_found));
        printer->taken += *out_found;
    } while (*out_found && printer->taken <= printer->skip);
    const bool more =
        *out_found && printer->most > 0 && printer->taken > printer->skip + printer->most;
    if (*out_found && !more)
        return STATUS_OK;
    *out_found = false;
    const size_t given = printer->taken > printer->skip ? printer->taken - printer->skip : 0;
    table_options_add_page((struct table_page){"rows", printer->skip, more ? printer->most : given,
                                               more ? SIZE_MAX : printer->taken});
    return STATUS_OK;
}

// Tables ------------------------------------------------------------------------------------------

static status print_pieces(struct sql_rows_printer *printer, struct sql_statement *statement,
                           struct sql_piece *piece)
{
    bool found = true;
    for (bool first = true; found; first = false) {
        piece->count = 0;
        piece->texts.size = 0;
        while (piece->count < SQL_ROWS_TOGETHER) {
            STATUS_TRY(next_row(printer, statement, &found));
            if (!found)
                break;
            take_row(piece, statement);
        }
        if (first || piece->count > 0)
            print_piece(printer, piece, statement, first);
    }
    return STATUS_OK;
}

static status print_table(struct sql_rows_printer *printer, struct sql_statement *statement)
{
    struct sql_piece piece = {.columns = sql_statement_column_count(statement)};
    piece.cells =
        memory_allocate_zeroed((size_t)piece.columns * SQL_ROWS_TOGETHER + 1, sizeof *piece.cells);
    const status result = print_pieces(printer, statement, &piece);
    bytes_free(&piece.texts);
    free(piece.cells);
    return result;
}

// JSON ------------------------------------------------------------------------------------------

static void json_value(struct json_writer *json, struct bytes *scratch,
                       const struct sql_value *value)
{
    scratch->size = 0;
    const enum table_kind kind = append_value(scratch, value);
    if (kind == TABLE_CELL_ABSENT || (value->kind == SQL_VALUE_REAL && !isfinite(value->real)))
        json_null(json, NULL);
    else if (kind == TABLE_CELL_EXACT)
        json_raw(json, NULL, bytes_view(scratch));
    else
        json_text(json, NULL, bytes_view(scratch));
}

static status sql_rows_json_rows(struct sql_rows_printer *printer, struct sql_statement *statement,
                                 struct bytes *scratch)
{
    struct json_writer *json = printer->json;
    const unsigned columns = sql_statement_column_count(statement);
    for (bool found = true; found;) {
        STATUS_TRY(next_row(printer, statement, &found));
        if (!found)
            break;
        json_open_array(json, NULL);
        for (unsigned i = 0; i < columns; i++) {
            const struct sql_value value = sql_statement_value(statement, i);
            json_value(json, scratch, &value);
        }
        json_close(json);
    }
    return STATUS_OK;
}

static status print_json(struct sql_rows_printer *printer, struct sql_statement *statement)
{
    struct json_writer *json = printer->json;
    struct bytes scratch = {0};
    json_open_object(json, NULL);
    json_open_array(json, "columns");
    for (unsigned i = 0; i < sql_statement_column_count(statement); i++)
        json_text(json, NULL, view_of(sql_statement_column_name(statement, i)));
    json_close(json);
    json_open_array(json, "rows");
    const status result = sql_rows_json_rows(printer, statement, &scratch);
    json_close(json);
    json_close(json);
    bytes_free(&scratch);
    return result;
}

static status print_statement(struct sql_rows_printer *printer, struct sql_statement *statement)
{
    bool found;
    if (sql_statement_column_count(statement) == 0)
        return sql_statement_next(statement, &found);
    if (printer->results++ > 0 && printer->form == SQL_ROWS_CSV)
        return status_make(STATUS_USAGE, "sql: --csv has room for the rows of one SELECT: give one "
                                         "at a time, or --json");
    printer->taken = 0;
    if (printer->results > 1 && printer->form == SQL_ROWS_TEXT)
        putchar('\n');
    return printer->form == SQL_ROWS_JSON ? print_json(printer, statement)
                                          : print_table(printer, statement);
}

status sql_rows_print(struct sql_rows_printer *printer, struct sql_connection *connection,
                      const char *text)
{
    while (*text != '\0') {
        struct sql_statement *statement;
        STATUS_TRY(sql_statement_open(connection, &text, &statement));
        if (statement == NULL)
            continue; // a comment, or nothing
        const status result = print_statement(printer, statement);
        sql_statement_free(statement);
        STATUS_TRY(result);
    }
    return STATUS_OK;
}
