#include "whatif.h"

#include <string.h>

static const struct whatif_row *whatif_row(const struct table_query *query)
{
    return &((const struct whatif_rows *)query->report)->rows[query->row];
}

static struct table_cell change_cell(const struct table_query *query)
{
    return table_text(whatif_row(query)->change);
}

// A field of the answer.
static struct table_cell answer_cell(const struct table_query *query)
{
    uint64_t number;
    memcpy(&number, (const char *)&whatif_row(query)->answer + query->column->argument,
           sizeof number);
    return table_whole(number);
}

static struct table_cell speedup_cell(const struct table_query *query)
{
    const struct whatif_answer *answer = &whatif_row(query)->answer;
    return table_real_if(
        answer->expected > 0,
        answer->expected == 0 ? 0 : (double)answer->recorded / (double)answer->expected);
}

static struct table_cell saved_cell(const struct table_query *query)
{
    const struct whatif_answer *answer = &whatif_row(query)->answer;
    return table_real((double)answer->recorded - (double)answer->expected);
}

static struct table_cell unlimited_cell(const struct table_query *query)
{
    const struct whatif_answer *answer = &whatif_row(query)->answer;
    return table_whole_if(answer->changed_pieces > 0, answer->unlimited);
}

#define ANSWER(name) .argument = offsetof(struct whatif_answer, name), .cell = answer_cell
#define TIME .type = TABLE_NS, .look = TABLE_SCALED, .width = 8

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "change", .title = "what if", .meaning = "a change by itself, or all together",
     .place = 1, .cell = change_cell},
    {.key = "recorded_ns", .title = "recorded", TIME, .place = 2, .loss = 2,
     .meaning = "from the first start to the last end", ANSWER(recorded)},
    {.key = "expected_ns", .title = "expected", TIME, .place = 3,
     .meaning = "the same, rescheduled", ANSWER(expected)},
    {.key = "speedup", .title = "times", .type = TABLE_REAL, .digits = 3, .width = 6, .place = 4,
     .meaning = "recorded over expected", .cell = speedup_cell},
    {.key = "saved_ns", .title = "saved", TIME, .place = 5, .loss = 3,
     .meaning = "recorded less expected", .cell = saved_cell},
    {.key = "at_least_ns", .title = "at least", TIME, .place = 6,
     .meaning = "no order that keeps lanes and flows takes less: no gaps, nothing assumed",
     ANSWER(at_least)},
    {.key = "unlimited_ns", .title = "if at once", TIME, .place = 7, .loss = 1,
     .meaning = "expected, if what gets faster took no time at all", .cell = unlimited_cell},
    {.key = "changed_ns", .title = "of", TIME, .place = 8, .loss = 4,
     .meaning = "recorded time of the pieces that change, added up over all lanes",
     ANSWER(changed)},
    {.key = "changed_pieces", .title = "pieces", .type = TABLE_COUNT, .width = 7, .place = 9,
     .loss = 5, .meaning = "of work that change", ANSWER(changed_pieces)},
};
// clang-format on

const struct table_form WHATIF_FORM = {
    .name = "changes",
    .about = "a row for each change by itself, and one for all of them together",
    .indent = 2,
    TABLE_COLUMNS(COLUMNS),
};
