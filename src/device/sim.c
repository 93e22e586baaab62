#include "sim.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
    // Transfers on the way at the same time share the far memory: each of n does
    // 1/n of its work in a cycle. Work is counted in parts that n divides.
    PARTS = 60,
    SHARING_MOST = 5,
    LANES_MOST = 256,
};

struct flight {
    uint32_t task;
    uint64_t parts; // of its work that are left
};

struct sim {
    const struct program *program;
    const struct target *target;
    enum cost_rules rules;
    struct sim_result *result;
    uint64_t host;  // when the host does its next action
    uint64_t clock; // up to when the transfers in flight have been followed
    struct flight flights[SHARING_MOST];
    uint32_t flight_count;
    uint32_t last[TARGET_ENGINES_MOST][LANES_MOST]; // the task that was started last on it
    uint64_t *job_ends;
};

static bool is_transfer(const struct sim *sim, uint8_t engine)
{
    const enum target_engine_kind kind = sim->target->engines[engine].kind;
    return kind == TARGET_DMA_IN || kind == TARGET_DMA_OUT;
}

static uint64_t cycles_of(const struct sim *sim, uint32_t task)
{
    const struct program_task *item = &sim->program->tasks[task];
    return cost_cycles(sim->target, sim->rules, item->engine, &item->cost);
}

static void land(struct sim *sim, uint32_t index, uint64_t at)
{
    const uint32_t task = sim->flights[index].task;
    sim->result->tasks[task].end = at;
    sim->flights[index] = sim->flights[--sim->flight_count];
}

// The flight that lands first; the flights are not empty.
static uint32_t first_to_land(const struct sim *sim)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < sim->flight_count; i++) {
        if (sim->flights[i].parts < sim->flights[first].parts ||
            (sim->flights[i].parts == sim->flights[first].parts &&
             sim->flights[i].task < sim->flights[first].task))
            first = i;
    }
    return first;
}

// Follows the transfers in flight up to `time`, or until `task` lands.
static void follow(struct sim *sim, uint64_t time, uint32_t task)
{
    while (sim->flight_count > 0 && sim->clock < time) {
        const uint64_t share = PARTS / sim->flight_count;
        const uint32_t next = first_to_land(sim);
        const uint64_t needed = (sim->flights[next].parts + share - 1) / share;
        const uint64_t step = needed < time - sim->clock ? needed : time - sim->clock;
        for (uint32_t i = 0; i < sim->flight_count; i++) {
            const uint64_t done = step * share;
            sim->flights[i].parts -= done < sim->flights[i].parts ? done : sim->flights[i].parts;
        }
        sim->clock += step;
        const bool landed = sim->flights[next].parts == 0;
        const uint32_t which = sim->flights[next].task;
        if (landed)
            land(sim, next, sim->clock);
        if (landed && which == task)
            return;
    }
    if (sim->flight_count == 0 && time != UINT64_MAX && sim->clock < time)
        sim->clock = time;
}

static bool in_flight(const struct sim *sim, uint32_t task)
{
    for (uint32_t i = 0; i < sim->flight_count; i++) {
        if (sim->flights[i].task == task)
            return true;
    }
    return false;
}

// When a task that was started has ended.
static uint64_t wait_for(struct sim *sim, uint32_t task)
{
    if (in_flight(sim, task))
        follow(sim, UINT64_MAX, task);
    return sim->result->tasks[task].end;
}

// A lane does one task at a time: the controller waits for the one before. The
// published rules do not know this.
static uint64_t when_free(struct sim *sim, const struct program_task *item, uint64_t time)
{
    if (sim->rules == COST_RULES_PUBLIC)
        return time;
    const uint32_t before = sim->last[item->engine][item->lane];
    if (before == PROGRAM_NONE)
        return time;
    const uint64_t end = wait_for(sim, before);
    return end > time ? end : time;
}

static void take_off(struct sim *sim, uint32_t task, uint64_t cycles)
{
    if (sim->flight_count == SHARING_MOST) // more than any target has: the first goes ahead
        wait_for(sim, sim->flights[first_to_land(sim)].task);
    sim->flights[sim->flight_count++] = (struct flight){task, cycles * PARTS};
}

// Starts a task at `time` or as soon as its lane is free; returns when it was
// started.
static uint64_t start_task(struct sim *sim, uint32_t task, uint64_t time)
{
    const struct program_task *item = &sim->program->tasks[task];
    const uint64_t start = when_free(sim, item, time);
    const uint64_t cycles = cycles_of(sim, task);
    sim->result->tasks[task] = (struct sim_times){start, start + cycles};
    sim->last[item->engine][item->lane] = task;
    if (sim->rules != COST_RULES_PUBLIC && is_transfer(sim, item->engine) && cycles > 0) {
        follow(sim, start, PROGRAM_NONE);
        if (sim->clock < start)
            sim->clock = start;
        take_off(sim, task, cycles);
    }
    return start;
}

// A start of a slice or of the CSS takes the controller a cycle.
static uint64_t start_cost(const struct sim *sim, uint32_t task)
{
    const enum target_engine_kind kind =
        sim->target->engines[sim->program->tasks[task].engine].kind;
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
            time = start_task(sim, step->task, time) + start_cost(sim, step->task);
        } else {
            const uint64_t end = wait_for(sim, step->task);
            time = end > time ? end : time;
        }
        sim->result->steps[index] = (struct sim_times){before, time};
    }
    return time;
}

// The host copies with its own hands.
static uint64_t copy_cycles(const struct sim *sim, uint64_t bytes)
{
    const uint8_t host = target_engine_of(sim->target, TARGET_HOST);
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
        sim->job_ends[action->subject] = run_job(sim, action->subject, sim->host);
        break;
    case PROGRAM_ACTION_JOB_WAIT:
        if (sim->job_ends[action->subject] > sim->host)
            sim->host = sim->job_ends[action->subject];
        break;
    case PROGRAM_ACTION_HOST_START:
        start_task(sim, action->subject, sim->host);
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        sim->host = wait_for(sim, action->subject);
        break;
    case PROGRAM_ACTION_HOST_COPY:
        sim->host += copy_cycles(sim, action->bytes);
        break;
    case PROGRAM_ACTION_ALLOC:
    case PROGRAM_ACTION_DEALLOC:
        break;
    }
    if (sim->host < before)
        sim->host = before;
    sim->result->actions[index] = (struct sim_times){before, sim->host};
}

static void finish(struct sim *sim)
{
    follow(sim, UINT64_MAX, PROGRAM_NONE);
    uint64_t end = sim->host;
    for (uint32_t i = 0; i < sim->program->task_count; i++) {
        if (sim->result->tasks[i].end > end)
            end = sim->result->tasks[i].end;
    }
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
    memset(sim->last, 0xff, sizeof sim->last);
    for (uint32_t i = 0; i < program->action_count; i++)
        run_action(sim, i);
    finish(sim);
    free(sim->job_ends);
    free(sim);
    *out_result = result;
    return STATUS_OK;
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
