// What every command that prints rows takes: the form, and which rows and columns of it.

#ifndef OPSCOPE_CLI_TABLE_OPTIONS_H
#define OPSCOPE_CLI_TABLE_OPTIONS_H

#include <stdio.h>

#include "options.h"
#include "reports/table.h"

// For a command's table of options; `json`, `csv` and `top` are what its help says of them.
#define TABLE_OPTIONS(json, csv, top)                                                              \
    {"json", 0, OPTION_FLAG, NULL, json}, {"csv", 0, OPTION_FLAG, NULL, csv},                      \
        TABLE_OPTIONS_OF_ROWS(top)

// Without the form, where the command has options of its own for that.
#define TABLE_OPTIONS_OF_ROWS(top)                                                                 \
    {"columns", 0, OPTION_ONE, "KEYS", "only these columns, in this order: a,b,c"},                \
        {"sort", 0, OPTION_ONE, "KEY[:desc]", "by this column, the largest first with :desc"},     \
        {"top", 0, OPTION_ONE, "N", top},                                                          \
        {"skip", 0, OPTION_ONE, "N", "without so many of the first rows"},                         \
        {"spreadsheet-safe", 0, OPTION_FLAG, NULL, "CSV: a ' before texts like =1+1 (the usual)"}, \
        {"no-spreadsheet-safe", 0, OPTION_FLAG, NULL, "CSV: texts as they are"},                   \
    {                                                                                              \
        "help-columns", 0, OPTION_FLAG, NULL, "what the columns are"                               \
    }

struct table_options {
    const char *command;
    bool json, csv;
    const char *columns; // NULL: the usual ones
    const char *sort;    // NULL: in the report's own order
    bool has_top;
    size_t top;  // 0: all rows
    size_t skip; // so many of the first rows are not shown
    bool keeps_formulas;
};

// `top` is what counts for text where --top is not given.
status table_options_read(const struct arguments *arguments, size_t top,
                          struct table_options *out_options);

// The same without the form.
status table_options_read_rows(const struct arguments *arguments, size_t top,
                               struct table_options *out_options);

// Which rows of a table were shown, for whoever asks for the others.
struct table_page {
    const char *rows; // the form's name
    size_t offset, shown;
    size_t total; // SIZE_MAX: not known, there are more
};

// Those of the tables that were shown last, at most TABLE_PAGES_MOST.
enum { TABLE_PAGES_MOST = 16 };
const struct table_page *table_options_pages(size_t *out_count);
void table_options_add_page(struct table_page page);

// `--skip` and `--top` alone, as they are given; what is not stays.
status table_options_read_page(const struct arguments *arguments, size_t *out_skip,
                               size_t *out_top);

// Columns, order and number of rows, of all tables that a command prints. A column that none of
// them has is wrong use.
status table_options_apply(const struct table_options *options, struct table *const *tables,
                           size_t count);

// Only looks for wrong use, for rows that take long to come by.
status table_options_check(const struct table_options *options, struct table *const *tables,
                           size_t count);

// As text that fits the terminal, if it goes to one.
void table_options_print(struct table *table, FILE *file);

// A row that the report has besides, below it.
void table_options_print_extra(struct table *table, size_t row, FILE *file);

// As CSV on the standard output.
status table_options_write_csv(struct table *table);

// --help-columns.
void table_options_describe(const struct command *command);

#endif
