#include "score.h"

static const struct score_report *reports_score_report_of(const struct table_query *query)
{
    return query->report;
}

static const struct score_pair *pair_of(const struct table_query *query)
{
    return &reports_score_report_of(query)->score->pairs[query->row];
}

static struct table_cell network_cell(const struct table_query *query)
{
    return table_text(view_of(reports_score_report_of(query)->path));
}

// `argument` is where the group has the text.
static struct table_cell reports_score_text_cell(const struct table_query *query)
{
    const struct score *score = reports_score_report_of(query)->score;
    const struct program_group *group = &score->program->groups[pair_of(query)->group];
    uint32_t text;
    memcpy(&text, (const char *)group + query->column->argument, sizeof text);
    return table_text(view_of(program_text(score->program, text)));
}

static struct table_cell measured_cell(const struct table_query *query)
{
    return table_real(pair_of(query)->measured * 1e-3);
}

static struct table_cell modelled_cell(const struct table_query *query)
{
    return table_real(pair_of(query)->modelled * 1e-3);
}

static struct table_cell reports_score_error_cell(const struct table_query *query)
{
    return table_real(score_error(pair_of(query)->modelled, pair_of(query)->measured));
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "network", .meaning = "the file", .flags = TABLE_NOT_JSON, .cell = network_cell},
    {.key = "name", .meaning = "of the operators", .gap = 1, .place = 5,
     .argument = offsetof(struct program_group, name), .cell = reports_score_text_cell},
    {.key = "type", .meaning = "of the operators", .width = 20, .place = 4,
     .argument = offsetof(struct program_group, type), .cell = reports_score_text_cell},
    {.key = "measured_us", .title = "measured", .meaning = "the fastest run on this machine",
     .type = TABLE_US, .digits = 1, .flags = TABLE_WITH_UNIT, .width = 13, .place = 1,
     .cell = measured_cell},
    {.key = "modelled_us", .title = "modelled", .meaning = "by the target's cost rules",
     .type = TABLE_US, .digits = 1, .flags = TABLE_WITH_UNIT, .width = 13, .gap = 1, .place = 2,
     .cell = modelled_cell},
    {.key = "error", .meaning = "modelled over measured, less 1", .type = TABLE_RATIO, .digits = 1,
     .flags = TABLE_WITH_UNIT | TABLE_WITH_SIGN | TABLE_NOT_JSON, .width = 9, .gap = 1, .place = 3,
     .cell = reports_score_error_cell},
};
// clang-format on

const struct table_form SCORE_FORM = {
    .name = "operators",
    .about = "a row for each group of operators, the slowest first",
    .indent = 2,
    .headless = true,
    TABLE_COLUMNS(COLUMNS),
};
