#include "overview_table.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct overview_report *overview_table_report_of(const struct table_query *query)
{
    return query->report;
}

// NULL: the end-to-end time, which stands after the figures.
static const struct overview_row *overview_table_row_of(const struct table_query *query)
{
    const struct overview_rows *rows = overview_table_report_of(query)->rows;
    return query->row < rows->count ? &rows->rows[query->row] : NULL;
}

static struct table_cell overview_table_file_cell(const struct table_query *query)
{
    return table_text(view_of(overview_table_report_of(query)->path));
}

static struct table_cell overview_table_model_cell(const struct table_query *query)
{
    return table_text(view_of(overview_table_report_of(query)->rows->model));
}

static struct table_cell overview_table_name_cell(const struct table_query *query)
{
    const struct overview_row *row = overview_table_row_of(query);
    return table_text(view_of(row != NULL ? row->name : "WALL_TIME"));
}

static struct table_cell overview_table_time_cell(const struct table_query *query)
{
    const struct overview_row *row = overview_table_row_of(query);
    return row != NULL ? table_whole_if(row->present, row->ns)
                       : table_whole(overview_table_report_of(query)->wall_time);
}

static struct table_cell percent_cell(const struct table_query *query)
{
    const struct overview_row *row = overview_table_row_of(query);
    return table_real_if(row != NULL && row->has_percent, row != NULL ? row->percent : 0);
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "file", .meaning = "as it was given", .flags = TABLE_NOT_JSON, .cell = overview_table_file_cell},
    {.key = "model", .meaning = "the process, or what the file is called after",
     .flags = TABLE_NOT_JSON, .cell = overview_table_model_cell},
    {.key = "name", .heading = "metric", .meaning = "of the figure", .place = 1, .cell = overview_table_name_cell},
    {.key = "ns", .meaning = "the figure", .type = TABLE_NS, .look = TABLE_SCALED, .place = 2,
     .cell = overview_table_time_cell},
    {.key = "percent", .meaning = "of OVERALL", .type = TABLE_PERCENT, .digits = 2,
     .flags = TABLE_WITH_UNIT | TABLE_ROUNDED, .place = 3, .cell = percent_cell},
};
// clang-format on

const struct table_form OVERVIEW_FORM = {
    .name = "metrics",
    .about = "a row for each figure of the overview of a process",
    .indent = 2,
    TABLE_COLUMNS(COLUMNS),
};

struct table *overview_table_create(const struct overview_report *report, bool wall_time)
{
    const size_t count = report->rows->count;
    struct table *table = table_create(&OVERVIEW_FORM, report, count);
    if (!wall_time || !report->has_wall_time)
        return table;
    uint32_t *order = memory_allocate_zeroed(count + 1, sizeof *order);
    order[0] = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        order[i + 1] = (uint32_t)i;
    table_order(table, order, count + 1);
    free(order);
    return table;
}
