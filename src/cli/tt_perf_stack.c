// The stacked report as text.

#include <stdio.h>
#include <stdlib.h>

#include "tt_perf_cells.h"
#include "tt_perf_table.h"

enum { COLUMNS_MOST = 16 };

struct stack_table {
    const struct tt_perf_style *style;
    const struct perf_group *groups;
    const struct table_column *columns[COLUMNS_MOST];
    size_t widths[COLUMNS_MOST];
    size_t count; // of columns
    struct bytes line;
};

static bool tt_perf_stack_is_name(const struct table_column *column)
{
    return strcmp(column->key, "name") == 0;
}

static void tt_perf_stack_fill_cells(const struct stack_table *table, size_t row,
                                     struct cell *cells)
{
    const struct perf_stack_report report = {table->groups};
    for (size_t i = 0; i < table->count; i++) {
        const struct table_column *column = table->columns[i];
        const struct table_cell value =
            column->cell(&(struct table_query){column, &report, row, NULL});
        // What is exact here is a whole 0.
        const bool known = value.kind == TABLE_CELL_REAL || value.kind == TABLE_CELL_WHOLE ||
                           value.kind == TABLE_CELL_EXACT;
        const double number = value.kind == TABLE_CELL_WHOLE  ? (double)value.whole
                              : value.kind == TABLE_CELL_REAL ? value.real
                                                              : 0;
        if (value.kind == TABLE_CELL_TEXT)
            cell_set_text(&cells[i], value.text);
        else
            cell_set_number(&cells[i], (struct perf_value){known, number}, column->digits,
                            column->type == TABLE_PERCENT ? "%" : column->unit);
        cells[i].colour = tt_perf_stack_is_name(column)
                              ? tt_perf_code_colour(table->groups[row].name)
                              : COLOUR_NONE;
    }
}

static void choose_columns(struct stack_table *table, const char *keys)
{
    for (struct view rest = view_of(keys); rest.size > 0 && table->count < COLUMNS_MOST;) {
        const size_t end = view_find(rest, ',');
        table->columns[table->count++] =
            table_form_find(&PERF_STACK_FORM, view_slice(rest, 0, end));
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
}

static void tt_perf_stack_measure(struct stack_table *table, size_t count)
{
    for (size_t i = 0; i < table->count; i++)
        table->widths[i] = strlen(table_column_title(table->columns[i]));
    for (size_t row = 0; row < count; row++) {
        struct cell cells[COLUMNS_MOST];
        tt_perf_stack_fill_cells(table, row, cells);
        for (size_t i = 0; i < table->count; i++) {
            if (cell_width(&cells[i]) > table->widths[i])
                table->widths[i] = cell_width(&cells[i]);
        }
    }
}

static void tt_perf_stack_print_cells(struct stack_table *table, const struct cell *cells)
{
    for (size_t i = 0; i < table->count; i++) {
        if (i > 0)
            bytes_append(&table->line, "  ", 2);
        cell_append(&table->line, &cells[i], table->widths[i],
                    tt_perf_stack_is_name(table->columns[i]), table->style->colours);
    }
    line_print(&table->line);
}

static void tt_perf_stack_print_headers(struct stack_table *table)
{
    struct cell cells[COLUMNS_MOST] = {0};
    for (size_t i = 0; i < table->count; i++)
        cell_set_text(&cells[i], view_of(table_column_title(table->columns[i])));
    tt_perf_stack_print_cells(table, cells);
}

static void tt_perf_stack_print_rule(const struct stack_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        for (size_t k = 0; k < table->widths[i] + (i > 0 ? 2 : 0); k++)
            putchar('-');
    }
    putchar('\n');
}

void tt_perf_print_stack(struct perf *perf, enum perf_grouping grouping, bool by_device,
                         const struct tt_perf_style *style)
{
    struct perf_group *groups;
    size_t count;
    perf_stack(perf, grouping, by_device, &groups, &count);
    if (by_device)
        perf_stack_order_devices(groups, count);
    struct stack_table table = {.style = style, .groups = groups};
    choose_columns(&table, perf_stack_columns(grouping, by_device));
    tt_perf_stack_measure(&table, count);
    printf("\n📊 Stacked report 📊\n====================\n\n");
    tt_perf_stack_print_headers(&table);
    tt_perf_stack_print_rule(&table);
    for (size_t i = 0; i < count; i++) {
        struct cell cells[COLUMNS_MOST];
        tt_perf_stack_fill_cells(&table, i, cells);
        tt_perf_stack_print_cells(&table, cells);
    }
    tt_perf_stack_print_rule(&table);
    free(groups);
    bytes_free(&table.line);
}
