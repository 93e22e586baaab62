#include "run_blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "analysis/statistics.h"
#include "base/memory.h"
#include "program/location.h"
#include "program/print.h"

enum { BLOCKS_SHOWN = 60 };

struct block {
    uint32_t action; // that begins it
    uint32_t dispatch;
    uint64_t ns;
};

static int by_action(const void *left, const void *right)
{
    const struct block *a = left, *b = right;
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
static struct block *list(const struct run_actions *actions, size_t *out_count)
{
    struct block *blocks = memory_allocate_zeroed(actions->count + 1, sizeof *blocks);
    size_t count = 0;
    for (size_t i = 0; i < actions->count; i++) {
        const struct run_action *item = &actions->items[i];
        if (begins_block(&actions->program->actions[item->action]))
            blocks[count++] =
                (struct block){item->action, item->dispatch,
                               clock_duration(&actions->clock, item->finish - item->start)};
    }
    qsort(blocks, count, sizeof *blocks, by_action);
    *out_count = count;
    return blocks;
}

// Leaves one for each block, with its median time. Returns how many.
static size_t fold(struct block *blocks, size_t count)
{
    size_t kept = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && blocks[to].action == blocks[from].action;)
            to++;
        const struct statistics_middle middle = statistics_middle(to - from);
        struct block block = blocks[from + middle.high];
        block.ns = statistics_halfway(blocks[from + middle.low].ns, block.ns);
        blocks[kept++] = block;
    }
    return kept;
}

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

static void print_subject(const struct program *program, const struct program_action *action)
{
    if (action->kind != PROGRAM_ACTION_JOB_START && action->kind != PROGRAM_ACTION_HOST_START) {
        printf("%s", program_action_kind_name(action->kind));
        return;
    }
    const bool job = action->kind == PROGRAM_ACTION_JOB_START;
    const struct program_job *item = job ? &program->jobs[action->subject] : NULL;
    const uint32_t group = program_action_group(program, action);
    printf("%s", job ? program_text(program, item->name) : "host program");
    if (group != PROGRAM_NONE)
        printf("  %s", program_text(program, program->groups[group].type));
    const uint32_t groups = job ? count_groups(program, item) : 1;
    if (groups > 1)
        printf(" and %" PRIu32 " more", groups - 1);
}

static void print_block(const struct program *program, const struct block *block,
                        const struct block *before)
{
    char time[FIGURES_ROOM];
    const struct program_action *action = &program->actions[block->action];
    if (before == NULL || before->dispatch != block->dispatch)
        printf("  %s\n", program_text(program, program->dispatches[block->dispatch].name));
    printf("%7" PRIu32 "  %9s  ", action->number, figures_time(block->ns, 1000000000, time));
    print_subject(program, action);
    printf("\n");
}

void run_blocks_print(const struct run_actions *actions)
{
    char time[FIGURES_ROOM];
    size_t executions;
    struct block *blocks = list(actions, &executions);
    const size_t count = fold(blocks, executions);
    const bool several = executions > count;
    if (count > 0)
        printf("time of each block, by its first action, on this machine%s:\n",
               several ? " (median)" : "");
    for (size_t i = 0; i < count && i < BLOCKS_SHOWN; i++)
        print_block(actions->program, &blocks[i], i > 0 ? &blocks[i - 1] : NULL);
    uint64_t rest = 0;
    for (size_t i = BLOCKS_SHOWN; i < count; i++)
        rest += blocks[i].ns;
    if (count > BLOCKS_SHOWN)
        printf("  and %zu more blocks, %s together\n", count - BLOCKS_SHOWN,
               figures_time(rest, 1000000000, time));
    free(blocks);
}
