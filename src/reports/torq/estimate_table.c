#include "estimate_table.h"

#include "estimate.h"

static const struct estimate *estimate_of(const struct table_query *query)
{
    return query->report;
}

static const struct estimate_row *estimate_table_row_of(const struct table_query *query)
{
    return &estimate_of(query)->rows[query->row];
}

static struct table_cell task_cell(const struct table_query *query)
{
    return table_whole(estimate_table_row_of(query)->number);
}

static struct table_cell unit_cell(const struct table_query *query)
{
    return table_text(view_of(estimate_table_row_of(query)->event));
}

static struct table_cell estimate_table_start_cell(const struct table_query *query)
{
    return table_whole(estimate_table_row_of(query)->start);
}

static struct table_cell estimate_table_end_cell(const struct table_query *query)
{
    return table_whole(estimate_table_row_of(query)->end);
}

static struct table_cell cycles_cell(const struct table_query *query)
{
    return table_whole(estimate_table_row_of(query)->end - estimate_table_row_of(query)->start);
}

static struct table_cell bytes_cell(const struct table_query *query)
{
    return table_whole_if(estimate_table_row_of(query)->has_bytes,
                          estimate_table_row_of(query)->bytes);
}

static struct table_cell estimate_table_type_cell(const struct table_query *query)
{
    const struct program *program = estimate_of(query)->program;
    const uint32_t group = program->tasks[estimate_table_row_of(query)->task].group;
    if (estimate_table_row_of(query)->has_bytes || group == PROGRAM_NONE)
        return table_absent();
    return table_text(view_of(program_text(program, program->groups[group].type)));
}

static struct table_cell estimate_table_location_cell(const struct table_query *query)
{
    estimate_row_location(estimate_of(query)->program, estimate_table_row_of(query),
                          query->scratch);
    return table_text(bytes_view(query->scratch));
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "task", .meaning = "its number in the program", .type = TABLE_COUNT, .width = 6,
     .place = 1, .cell = task_cell},
    {.key = "unit", .meaning = "the engine and its lane", .width = 18, .gap = 2, .place = 5,
     .cell = unit_cell},
    {.key = "start_cycles", .title = "start", .meaning = "when it starts",
     .unit = "cycles of the target's clock", .type = TABLE_COUNT, .width = 10, .place = 2,
     .cell = estimate_table_start_cell},
    {.key = "end_cycles", .title = "end", .meaning = "when it ends",
     .unit = "cycles of the target's clock", .type = TABLE_COUNT, .width = 10, .place = 3,
     .cell = estimate_table_end_cell},
    {.key = "cycles", .meaning = "from start to end", .unit = "cycles of the target's clock",
     .type = TABLE_COUNT, .flags = TABLE_NOT_JSON, .width = 10, .place = 4, .cell = cycles_cell},
    {.key = "bytes", .meaning = "that a transfer moves, as the rules count them",
     .type = TABLE_COUNT, .unit = "bytes", .flags = TABLE_EMPTY_ABSENT, .width = 10, .place = 6,
     .cell = bytes_cell},
    {.key = "type", .meaning = "of the operators that are computed",
     .flags = TABLE_NOT_JSON | TABLE_EMPTY_ABSENT, .gap = 2, .place = 7, .cell = estimate_table_type_cell},
    {.key = "location", .meaning = "in the network's source", .cell = estimate_table_location_cell},
};
// clang-format on

const struct table_form ESTIMATE_FORM = {
    .name = "rows",
    .about = "a row for each task; text has them in the order of time, CSV and JSON as Torq's "
             "compiler does",
    .indent = 2,
    .gap = 1,
    TABLE_COLUMNS(COLUMNS),
};
