// The rows that a query gives, printed: as a table, CSV or JSON.

#ifndef OPSCOPE_CLI_SQL_ROWS_H
#define OPSCOPE_CLI_SQL_ROWS_H

#include "sql/query.h"
#include "wire/json.h"

// Rows that are laid out together: of more, each so many have widths of their own.
enum { SQL_ROWS_TOGETHER = 1000 };

enum sql_rows_form { SQL_ROWS_TEXT, SQL_ROWS_CSV, SQL_ROWS_JSON };

struct sql_rows_printer {
    enum sql_rows_form form;
    bool keeps_formulas;      // of CSV
    struct output *output;    // of CSV and JSON
    struct json_writer *json; // of JSON: an object with `columns` and `rows` for each statement
    size_t results;           // statements so far that gave rows
    size_t skip;              // of each statement, so many of the first rows are not given
    size_t most;              // and then so many at most; 0: all
    size_t taken;             // rows of the statement at hand, skipped ones included
};

// Runs all statements of a text. CSV has room for the rows of one.
status sql_rows_print(struct sql_rows_printer *printer, struct sql_connection *connection,
                      const char *text);

#endif
