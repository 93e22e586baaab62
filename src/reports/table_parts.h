// What the files of a table share.

#ifndef OPSCOPE_REPORTS_TABLE_PARTS_H
#define OPSCOPE_REPORTS_TABLE_PARTS_H

#include "table.h"

struct table {
    const struct table_form *form;
    const void *report;
    const struct table_column **columns; // all, as CSV and JSON have them
    size_t column_count;
    const struct table_column **chosen; // in this order; NULL: none was asked for
    size_t chosen_count;
    size_t *rows; // what is shown, in this order
    size_t count;
    // The layout of text; NULL: none yet.
    const struct table_column **shown;
    size_t *widths;
    size_t shown_count;
    bool fitted; // cells are cut to the widths
    bool keeps_formulas;
    struct bytes scratch;
    struct bytes text;
};

// Of a row of the report.
struct table_cell table_cell(struct table *table, const struct table_column *column, size_t row);

// A number as CSV and JSON have it.
void table_number_append(struct bytes *to, const struct table_cell *cell);

// Whether a rendering has this column: `left_out` is TABLE_NOT_CSV or TABLE_NOT_JSON.
size_t table_columns_for(const struct table *table, unsigned left_out,
                         const struct table_column ***out_columns);

#endif
