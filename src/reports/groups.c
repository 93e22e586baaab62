#include "groups.h"

enum { NAME_MOST = 40 };

static const struct groups_report *groups_report_of(const struct table_query *query)
{
    return query->report;
}

static const struct modelled_group *groups_group_of(const struct table_query *query)
{
    return &groups_report_of(query)->modelled->groups[query->row];
}

static const struct program_group *item_of(const struct table_query *query)
{
    return &groups_report_of(query)->program->groups[groups_group_of(query)->group];
}

static struct view program_view(const struct groups_report *report, uint32_t text)
{
    return view_of(program_text(report->program, text));
}

static struct table_cell groups_label_cell(const struct table_query *query)
{
    return query->row == 0 ? table_text(VIEW_LITERAL("slowest")) : table_absent();
}

static struct table_cell groups_index_cell(const struct table_query *query)
{
    return table_whole(groups_group_of(query)->group);
}

// What the group is called, also where it has no name of its own.
static struct table_cell group_cell(const struct table_query *query)
{
    char text[512];
    modelled_group_text(groups_report_of(query)->program, groups_group_of(query)->group, text,
                        sizeof text);
    bytes_append(query->scratch, text, strlen(text));
    return table_text(bytes_view(query->scratch));
}

// `argument` is where the group has the text.
static struct table_cell groups_text_cell(const struct table_query *query)
{
    uint32_t text;
    memcpy(&text, (const char *)item_of(query) + query->column->argument, sizeof text);
    return table_text(program_view(groups_report_of(query), text));
}

static struct table_cell groups_engine_cell(const struct table_query *query)
{
    return table_text(
        view_of(groups_report_of(query)->target->engines[item_of(query)->engine].name));
}

static struct table_cell groups_tasks_cell(const struct table_query *query)
{
    return table_whole(groups_group_of(query)->tasks);
}

static struct table_cell tiles_cell(const struct table_query *query)
{
    return table_whole(groups_group_of(query)->tiles);
}

static struct table_cell groups_start_cell(const struct table_query *query)
{
    return table_whole(groups_group_of(query)->start);
}

static struct table_cell groups_end_cell(const struct table_query *query)
{
    return table_whole(groups_group_of(query)->end);
}

static struct table_cell ms_cell(const struct table_query *query)
{
    const struct modelled_group *group = groups_group_of(query);
    return table_real((double)(group->end - group->start) * 1e3 /
                      (double)groups_report_of(query)->target->clock);
}

// `argument` is the kind.
static struct table_cell busy_cell(const struct table_query *query)
{
    return table_whole(groups_group_of(query)->busy[query->column->argument]);
}

static struct table_cell least_cell(const struct table_query *query)
{
    return table_whole(groups_group_of(query)->least);
}

static struct table_cell groups_bound_cell(const struct table_query *query)
{
    const struct modelled_group *group = groups_group_of(query);
    return group->busy[group->bound] > 0 ? table_text(view_of(modelled_kind_name(group->bound)))
                                         : table_absent();
}

static struct table_cell bound_text_cell(const struct table_query *query)
{
    const struct table_cell bound = groups_bound_cell(query);
    if (bound.kind == TABLE_CELL_ABSENT)
        return bound;
    bytes_append_format(query->scratch, "%.*s-bound", VIEW_ARGUMENTS(bound.text));
    return table_text(bytes_view(query->scratch));
}

static struct table_cell groups_operators_cell(const struct table_query *query)
{
    return table_whole(item_of(query)->node_count);
}

static void operators_json(const struct table_query *query, struct json_writer *json)
{
    const struct groups_report *report = groups_report_of(query);
    const struct program_group *group = item_of(query);
    json_open_array(json, query->column->key);
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct program_node *node = &report->program->nodes[group->first_node + i];
        const struct program_operator *item = &report->program->operators[node->operator_id];
        json_open_object(json, NULL);
        json_uint(json, "index", node->operator_id);
        json_text(json, "name", program_view(report, item->name));
        json_text(json, "type", program_view(report, item->type));
        json_text(json, "location", program_view(report, item->location));
        json_close(json);
    }
    json_close(json);
}

#define CYCLES .type = TABLE_COUNT, .unit = "cycles of the target's clock"

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "label", .meaning = "of the first row", .width = 9,
     .flags = TABLE_NOT_CSV | TABLE_NOT_JSON | TABLE_EMPTY_ABSENT, .place = 1, .cell = groups_label_cell},
    {.key = "index", .meaning = "of the group in the program", .type = TABLE_COUNT,
     .cell = groups_index_cell},
    {.key = "group", .meaning = "its name, or its type and where it stands",
     .flags = TABLE_NOT_CSV | TABLE_NOT_JSON, .width = NAME_MOST, .most = NAME_MOST, .gap = 1,
     .place = 2, .cell = group_cell},
    {.key = "name", .meaning = "of its operators",
     .argument = offsetof(struct program_group, name), .cell = groups_text_cell},
    {.key = "type", .meaning = "of its operators",
     .argument = offsetof(struct program_group, type), .cell = groups_text_cell},
    {.key = "engine", .meaning = "that computes it", .cell = groups_engine_cell},
    {.key = "reason", .meaning = "why it is computed there",
     .argument = offsetof(struct program_group, reason), .cell = groups_text_cell},
    {.key = "tasks", .meaning = "0: it only shows bytes under another shape", .type = TABLE_COUNT,
     .cell = groups_tasks_cell},
    {.key = "tiles", .meaning = "into which its output is cut", .type = TABLE_COUNT,
     .cell = tiles_cell},
    {.key = "start_cycles", .meaning = "of its first task", CYCLES, .cell = groups_start_cell},
    {.key = "end_cycles", .meaning = "of its last task", CYCLES, .cell = groups_end_cell},
    {.key = "ms", .title = "time", .meaning = "from its first task to its last, modelled",
     .type = TABLE_MS, .look = TABLE_SCALED, .width = 10, .gap = 1, .place = 3, .cell = ms_cell},
    {.key = "compute_cycles", .meaning = "in which something computes for it", CYCLES,
     .argument = MODELLED_COMPUTE, .cell = busy_cell},
    {.key = "dma_cycles", .meaning = "in which something is moved for it", CYCLES,
     .argument = MODELLED_DMA, .cell = busy_cell},
    {.key = "host_cycles", .meaning = "in which the accelerator's host works for it", CYCLES,
     .argument = MODELLED_HOST, .cell = busy_cell},
    {.key = "least_cycles", .meaning = "that it needs at the peak rates", CYCLES,
     .cell = least_cell},
    {.key = "bound", .meaning = "what is busy for most of its time", .cell = groups_bound_cell},
    {.key = "limit", .meaning = "the same, as text has it",
     .flags = TABLE_NOT_CSV | TABLE_NOT_JSON | TABLE_EMPTY_ABSENT, .place = 4,
     .cell = bound_text_cell},
    {.key = "operators", .meaning = "that it is made of; as JSON, each of them",
     .type = TABLE_COUNT, .cell = groups_operators_cell, .json = operators_json},
};
// clang-format on

const struct table_form GROUPS_FORM = {
    .name = "slowest",
    .about = "a row for each group of operators, the slowest first",
    .indent = 2,
    .headless = true,
    TABLE_COLUMNS(COLUMNS),
};
