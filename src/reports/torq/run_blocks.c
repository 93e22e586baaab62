#include "run_blocks.h"

#include <stdlib.h>

#include "analysis/statistics.h"
#include "base/memory.h"

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
    qsort(blocks, count, sizeof *blocks, by_action);
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

uint32_t run_blocks_count_groups(const struct program *program, const struct program_job *job)
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
