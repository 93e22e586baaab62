#include "sim.h"

#include <stdlib.h>

#include "base/memory.h"

enum { LANES_MOST = 256 };

// Every time is the sum of a task's cycles and the latest of times that came
// before it, in an order that the program fixes: nothing can end later because
// something else takes fewer cycles.
struct sim {
    const struct program *program;
    const struct target *target;
    enum cost_rules rules;
    struct sim_result *result;
    uint64_t host;                                   // when the host does its next action
    uint64_t controller;                             // when it has done all jobs so far
    uint64_t far_memory;                             // when it has done all transfers so far
    uint64_t lanes[TARGET_ENGINES_MOST][LANES_MOST]; // when each has done what it was given
    uint64_t *job_ends;
};

static enum target_engine_kind kind_of(const struct sim *sim, uint32_t task)
{
    return sim->target->engines[sim->program->tasks[task].engine].kind;
}

// Whether a task needs the far memory for itself: two transfers at the same time
// would have half of its bandwidth each, and end no sooner.
static bool takes_far_memory(const struct sim *sim, uint32_t task)
{
    const enum target_engine_kind kind = kind_of(sim, task);
    return sim->rules != COST_RULES_PUBLIC && (kind == TARGET_DMA_IN || kind == TARGET_DMA_OUT);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t sum(uint64_t time, uint64_t cycles)
{
    uint64_t end;
    return __builtin_add_overflow(time, cycles, &end) ? UINT64_MAX : end;
}

// Gives a task to its lane at `time`, or as soon as that has done the one before:
// the controller waits that long. (The published rules do not know this.) Returns
// when the lane took it; a transfer may then still wait for the far memory.
static uint64_t start_task(struct sim *sim, uint32_t task, uint64_t time)
{
    const struct program_task *item = &sim->program->tasks[task];
    uint64_t *lane = &sim->lanes[item->engine][item->lane];
    const bool shared = takes_far_memory(sim, task);
    const uint64_t taken = sim->rules == COST_RULES_PUBLIC ? time : later(time, *lane);
    const uint64_t start = shared ? later(taken, sim->far_memory) : taken;
    const uint64_t end =
        sum(start, cost_cycles(sim->target, sim->rules, item->engine, &item->cost));
    sim->result->tasks[task] = (struct sim_times){start, end};
    *lane = end;
    if (shared)
        sim->far_memory = end;
    return taken;
}

// A start of a slice or of the CSS takes the controller a cycle.
static uint64_t start_cost(const struct sim *sim, uint32_t task)
{
    const enum target_engine_kind kind = kind_of(sim, task);
    return kind == TARGET_SLICE || kind == TARGET_CSS ? 1 : 0;
}

static uint64_t run_job(struct sim *sim, uint32_t job, uint64_t time)
{
    const struct program_job *item = &sim->program->jobs[job];
    for (uint32_t i = 0; i < item->step_count; i++) {
        const uint32_t index = item->first_step + i;
        const struct program_step *step = &sim->program->steps[index];
        const uint64_t before = time;
        if (step->kind == PROGRAM_STEP_START) {
            time = sum(start_task(sim, step->task, time), start_cost(sim, step->task));
        } else {
            time = later(time, sim->result->tasks[step->task].end);
        }
        sim->result->steps[index] = (struct sim_times){before, time};
    }
    return time;
}

// The host copies with its own hands.
static uint64_t copy_cycles(const struct sim *sim, uint64_t bytes)
{
    const uint32_t host = target_engine_of(sim->target, TARGET_HOST);
    if (host == TARGET_NONE || sim->rules == COST_RULES_PUBLIC)
        return 0;
    const struct cost_request request = {.kind = COST_MOVEMENT, .bytes = bytes};
    return cost_cycles(sim->target, sim->rules, host, &request);
}

static void run_action(struct sim *sim, uint32_t index)
{
    const struct program_action *action = &sim->program->actions[index];
    const uint64_t before = sim->host;
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
        // There is one controller: a job starts when the one before has ended.
        sim->controller = run_job(sim, action->subject, later(sim->host, sim->controller));
        sim->job_ends[action->subject] = sim->controller;
        break;
    case PROGRAM_ACTION_JOB_WAIT:
        sim->host = later(sim->host, sim->job_ends[action->subject]);
        break;
    case PROGRAM_ACTION_HOST_START:
        start_task(sim, action->subject, sim->host);
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        sim->host = later(sim->host, sim->result->tasks[action->subject].end);
        break;
    case PROGRAM_ACTION_HOST_COPY:
        sim->host = sum(sim->host, copy_cycles(sim, action->bytes));
        break;
    case PROGRAM_ACTION_ALLOC:
    case PROGRAM_ACTION_DEALLOC:
        break;
    }
    sim->result->actions[index] = (struct sim_times){before, sim->host};
}

static void finish(struct sim *sim)
{
    uint64_t end = sim->host;
    for (uint32_t i = 0; i < sim->program->task_count; i++)
        end = later(end, sim->result->tasks[i].end);
    sim->result->end = end;
}

static status check_engines(const struct program *program, const struct target *target)
{
    for (uint32_t i = 0; i < program->task_count; i++) {
        if (program->tasks[i].engine >= target->engine_count)
            return status_make(STATUS_DATA, "task %u uses an engine that %s does not have", i,
                               target->name);
    }
    return STATUS_OK;
}

status sim_run(const struct program *program, const struct target *target, enum cost_rules rules,
               struct sim_result **out_result)
{
    STATUS_TRY(check_engines(program, target));
    struct sim_result *result = memory_allocate_zeroed(1, sizeof *result);
    result->tasks = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *result->tasks);
    result->steps = memory_allocate_zeroed((size_t)program->step_count + 1, sizeof *result->steps);
    result->actions =
        memory_allocate_zeroed((size_t)program->action_count + 1, sizeof *result->actions);
    struct sim *sim = memory_allocate_zeroed(1, sizeof *sim);
    sim->program = program;
    sim->target = target;
    sim->rules = rules;
    sim->result = result;
    sim->job_ends = memory_allocate_zeroed((size_t)program->job_count + 1, sizeof *sim->job_ends);
    for (uint32_t i = 0; i < program->action_count; i++)
        run_action(sim, i);
    finish(sim);
    free(sim->job_ends);
    free(sim);
    *out_result = result;
    return STATUS_OK;
}

static void add_times(struct digest *digest, const struct sim_times *times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        digest_add_number(digest, times[i].start);
        digest_add_number(digest, times[i].end);
    }
}

void sim_digest(const struct program *program, const struct sim_result *result,
                struct digest *digest)
{
    add_times(digest, result->tasks, program->task_count);
    add_times(digest, result->steps, program->step_count);
    add_times(digest, result->actions, program->action_count);
    digest_add_number(digest, result->end);
}

void sim_result_free(struct sim_result *result)
{
    if (result == NULL)
        return;
    free(result->tasks);
    free(result->steps);
    free(result->actions);
    free(result);
}
