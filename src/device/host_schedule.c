#include "host_schedule.h"

#include <opscope/record.h>

static status run_task(struct host_machine *machine, const struct host_profile *profile,
                       uint32_t index)
{
    const struct program_task *task = &machine->program->tasks[index];
    if (profile == NULL)
        return host_task_compute(machine, &machine->worker, task);
    const uint64_t begun = opscope_begin();
    const status result = host_task_compute(machine, &machine->worker, task);
    host_profile_task(profile, index, begun);
    return result;
}

static status run_action(struct host_machine *machine, const struct host_profile *profile,
                         const struct program_action *action)
{
    const struct program *program = machine->program;
    if (action->kind == PROGRAM_ACTION_HOST_START)
        return run_task(machine, profile, action->subject);
    if (action->kind != PROGRAM_ACTION_JOB_START)
        return STATUS_OK;
    const struct program_job *job = &program->jobs[action->subject];
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &program->steps[job->first_step + i];
        if (step->kind == PROGRAM_STEP_START)
            STATUS_TRY(run_task(machine, profile, step->task));
    }
    return STATUS_OK;
}

status host_schedule_run(struct host_machine *machine, struct host_profile *profile)
{
    if (profile != NULL)
        host_profile_iteration(profile);
    for (uint32_t i = 0; i < machine->program->action_count; i++) {
        const uint64_t begun = profile != NULL ? opscope_begin() : 0;
        STATUS_TRY(run_action(machine, profile, &machine->program->actions[i]));
        if (profile != NULL)
            host_profile_action(profile, i, begun);
    }
    return STATUS_OK;
}
