#include "host_work.h"

#include <stdlib.h>

#include "base/memory.h"
#include "target/cost.h"

size_t qaic_host_work_find(const struct program *program, const struct target *target,
                           struct qaic_host_work **out_items)
{
    *out_items = NULL;
    if (program == NULL || target == NULL)
        return 0;
    uint64_t *cycles = memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *cycles);
    struct qaic_host_work *items =
        memory_allocate_zeroed((size_t)program->group_count + 1, sizeof *items);
    size_t count = 0;
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (task->group < program->group_count &&
            target->engines[task->engine].role == TARGET_ROLE_HOST)
            cycles[task->group] += cost_cycles(target, COST_RULES_BEST, task->engine, &task->cost);
    }
    for (uint32_t i = 0; i < program->group_count; i++) {
        if (cycles[i] == 0)
            continue;
        items[count++] = (struct qaic_host_work){
            .name = view_of(program_text(program, program->groups[i].name)),
            .us = (double)cycles[i] * 1e6 / (double)target->clock,
        };
    }
    free(cycles);
    *out_items = items;
    return count;
}
