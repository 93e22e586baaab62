#include "run_blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "program/location.h"
#include "program/print.h"
#include "reports/torq/run_blocks.h"

enum { BLOCKS_SHOWN = 60 };

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
    const uint32_t groups = job ? run_blocks_count_groups(program, item) : 1;
    if (groups > 1)
        printf(" and %" PRIu32 " more", groups - 1);
}

static void print_block(const struct program *program, const struct run_block *block,
                        const struct run_block *before)
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
    size_t count, executions;
    struct run_block *blocks = run_blocks(actions, &count, &executions);
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
