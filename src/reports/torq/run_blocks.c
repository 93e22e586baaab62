#include "run_blocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/statistics.h"
#include "base/sort.h"
#include "base/memory.h"
#include "program/location.h"
#include "program/print.h"

static int by_action(const void *left, const void *right)
{
    const struct run_block *a = left, *b = right;
    if (a->action != b->action)
        return a->action < b->action ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

// A wait belongs to the block that its start begins.
static bool begins_block(const struct program_action *action)
{
    return action->kind != PROGRAM_ACTION_JOB_WAIT && action->kind != PROGRAM_ACTION_HOST_WAIT;
}

// One for each execution, those of the same block together, the shortest first.
static struct run_block *list_executions(const struct run_actions *actions, size_t *out_count)
{
    struct run_block *blocks = memory_allocate_zeroed(actions->count + 1, sizeof *blocks);
    size_t count = 0;
    for (size_t i = 0; i < actions->count; i++) {
        const struct run_action *item = &actions->items[i];
        if (begins_block(&actions->program->actions[item->action]))
            blocks[count++] =
                (struct run_block){item->action, item->dispatch,
                                   clock_duration(&actions->clock, item->finish - item->start)};
    }
    sort_items(blocks, count, sizeof *blocks, by_action);
    *out_count = count;
    return blocks;
}

// Leaves one for each block, with its median time. Returns how many.
static size_t run_blocks_fold(struct run_block *blocks, size_t count)
{
    size_t kept = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && blocks[to].action == blocks[from].action;)
            to++;
        const struct statistics_middle middle = statistics_middle(to - from);
        struct run_block block = blocks[from + middle.high];
        block.ns = statistics_halfway(blocks[from + middle.low].ns, block.ns);
        blocks[kept++] = block;
    }
    return kept;
}

struct run_block *run_blocks(const struct run_actions *actions, size_t *out_count,
                             size_t *out_executions)
{
    struct run_block *blocks = list_executions(actions, out_executions);
    *out_count = run_blocks_fold(blocks, *out_executions);
    return blocks;
}

// As a table ----------------------------------------------------------------------------

// How many groups a job works for.
static uint32_t count_groups(const struct program *program, const struct program_job *job)
{
    bool *seen = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *seen);
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->step_count; i++) {
        const uint32_t group = program->tasks[program->steps[job->first_step + i].task].group;
        if (group == PROGRAM_NONE || seen[group])
            continue;
        seen[group] = true;
        count++;
    }
    free(seen);
    return count;
}

static const struct run_block *block_of(const struct table_query *query)
{
    const struct run_blocks_report *report = query->report;
    return &report->blocks[query->row];
}

static const struct program *program_of(const struct table_query *query)
{
    const struct run_blocks_report *report = query->report;
    return report->program;
}

static const struct program_action *torq_run_blocks_action_of(const struct table_query *query)
{
    return &program_of(query)->actions[block_of(query)->action];
}

static struct table_cell torq_run_blocks_dispatch_cell(const struct table_query *query)
{
    const struct program *program = program_of(query);
    return table_text(
        view_of(program_text(program, program->dispatches[block_of(query)->dispatch].name)));
}

static struct table_cell action_cell(const struct table_query *query)
{
    return table_whole(torq_run_blocks_action_of(query)->number);
}

static struct table_cell torq_run_blocks_time_cell(const struct table_query *query)
{
    return table_whole(block_of(query)->ns);
}

// "job_0  conv2d and 2 more", or the kind of the action.
static struct table_cell subject_cell(const struct table_query *query)
{
    const struct program *program = program_of(query);
    const struct program_action *action = torq_run_blocks_action_of(query);
    if (action->kind != PROGRAM_ACTION_JOB_START && action->kind != PROGRAM_ACTION_HOST_START)
        return table_text(view_of(program_action_kind_name(action->kind)));
    const bool job = action->kind == PROGRAM_ACTION_JOB_START;
    const struct program_job *item = job ? &program->jobs[action->subject] : NULL;
    const uint32_t group = program_action_group(program, action);
    const uint32_t groups = job ? count_groups(program, item) : 1;
    struct bytes *text = query->scratch;
    bytes_append_format(text, "%s", job ? program_text(program, item->name) : "host program");
    if (group != PROGRAM_NONE)
        bytes_append_format(text, "  %s", program_text(program, program->groups[group].type));
    if (groups > 1)
        bytes_append_format(text, " and %" PRIu32 " more", groups - 1);
    return table_text(bytes_view(text));
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "dispatch", .meaning = "that it belongs to", .cell = torq_run_blocks_dispatch_cell},
    {.key = "action", .meaning = "the number of the action that begins it", .type = TABLE_COUNT,
     .width = 7, .place = 1, .cell = action_cell},
    {.key = "time_ns", .title = "time", .meaning = "the median of its executions", .type = TABLE_NS,
     .look = TABLE_SCALED, .width = 9, .place = 2, .cell = torq_run_blocks_time_cell},
    {.key = "block", .meaning = "what was started, waited for or copied", .place = 3,
     .cell = subject_cell},
};
// clang-format on

const struct table_form RUN_BLOCKS_FORM = {
    .name = "blocks",
    .about = "a row for each block of the program, in its order",
    .headless = true,
    TABLE_COLUMNS(COLUMNS),
};
