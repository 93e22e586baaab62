#include "sim.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "describe.h"
#include "sim_link.h"
#include "sim_peers.h"

// When each signal of a semaphore was given, in order.
struct signals {
    uint64_t *times;
    size_t count;
    size_t capacity;
};

// Every time is the sum of a task's cycles and the latest of times that came
// before it, in an order that the program fixes: nothing can end later because
// something else takes fewer cycles.
struct sim {
    const struct program *program;
    const struct target *target;
    enum cost_rules rules;
    struct sim_result *result;
    uint64_t host;      // when the host does its next action
    uint64_t *streams;  // when each has done all its steps so far
    uint64_t *lanes;    // when each has done what it was given
    uint64_t *ports;    // by port and device: when each has carried all so far
    uint64_t *crossing; // by task: bytes that it reads from other devices; NULL: there are none
    uint64_t *peers;    // by device: when all has come from the others
    uint64_t *job_ends;
    size_t *turns; // by stream: of the last job that it began, in the result; from 1
    struct signals *semaphores;
    uint64_t *arrivals; // by buffer: when its input is there; NULL: the target has no link
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t sum(uint64_t time, uint64_t cycles)
{
    uint64_t end;
    return __builtin_add_overflow(time, cycles, &end) ? UINT64_MAX : end;
}

// Ports -----------------------------------------------------------------------------

// How long bytes take at a rate of bytes a second; 0 when there is no rate.
static uint64_t cycles_at(const struct sim *sim, uint64_t bytes, double rate)
{
    if (rate <= 0)
        return 0;
    const double cycles = ceil((double)bytes * (double)sim->target->clock / rate);
    return cycles < (double)UINT64_MAX ? (uint64_t)cycles : UINT64_MAX;
}

// TARGET_NONE for an engine that shares none, and under the published rules, which give
// each transfer all of it.
static uint32_t sim_port_of(const struct sim *sim, uint32_t engine)
{
    return sim->rules == COST_RULES_PUBLIC ? TARGET_NONE : sim->target->engines[engine].port;
}

// Of work on one engine: what it is priced at, and not less than its share of the port.
static uint64_t cycles_on(const struct sim *sim, uint32_t engine, uint32_t port,
                          const struct cost_request *cost)
{
    const uint64_t cycles = cost_cycles(sim->target, sim->rules, engine, cost);
    return port == TARGET_NONE
               ? cycles
               : later(cycles, cycles_at(sim, cost->bytes, sim->target->ports[port].per_user));
}

// What a stage moves goes through the port of its engine, or of the engine that it is part of.
static uint32_t stage_port(const struct sim *sim, const struct program_task *task,
                           const struct program_stage *stage)
{
    const uint32_t own = sim_port_of(sim, stage->engine);
    const bool moves = sim->target->engines[stage->engine].role == TARGET_ROLE_TRANSFER;
    return own == TARGET_NONE && moves ? sim_port_of(sim, task->engine) : own;
}

// Bytes that a task moves through a port; false when it does not use it.
static bool uses_port(const struct sim *sim, const struct program_task *task, uint32_t port,
                      uint64_t *out_bytes)
{
    *out_bytes = task->cost.bytes;
    if (task->stage_count == 0)
        return sim_port_of(sim, task->engine) == port;
    bool uses = false;
    *out_bytes = 0;
    for (uint32_t i = 0; i < task->stage_count; i++) {
        const struct program_stage *stage = &sim->program->stages[task->first_stage + i];
        if (stage_port(sim, task, stage) != port)
            continue;
        *out_bytes = sum(*out_bytes, stage->cost.bytes);
        uses = true;
    }
    return uses;
}

static uint64_t *port_at(const struct sim *sim, const struct program_task *task, uint32_t port)
{
    const uint32_t device =
        sim->target->ports[port].per_device ? sim_peers_device(sim->program, sim->target, task) : 0;
    return &sim->ports[(size_t)port * sim->target->device_count + device];
}

static uint64_t when_ports_are_free(const struct sim *sim, const struct program_task *task,
                                    uint64_t time)
{
    uint64_t bytes;
    for (uint32_t i = 0; i < sim->target->port_count; i++) {
        if (uses_port(sim, task, i, &bytes))
            time = later(time, *port_at(sim, task, i));
    }
    return time;
}

// Takes the ports from `start` on, for a task of so many cycles. Returns how long they need
// for what it moves. Without a rate a port is for one at a time: two transfers at once would
// have half of it each, and end no sooner.
static uint64_t take_ports(struct sim *sim, const struct program_task *task, uint64_t start,
                           uint64_t cycles)
{
    uint64_t longest = 0;
    uint64_t bytes;
    for (uint32_t i = 0; i < sim->target->port_count; i++) {
        if (!uses_port(sim, task, i, &bytes))
            continue;
        const double rate = sim->target->ports[i].rate;
        const uint64_t carried = cycles_at(sim, bytes, rate);
        *port_at(sim, task, i) = sum(start, rate > 0 ? carried : cycles);
        longest = later(longest, carried);
    }
    return longest;
}

// Devices ---------------------------------------------------------------------------

// Bytes that a task brings to a device from others.
static uint64_t crossing_to(const struct sim *sim, uint32_t id, uint32_t device)
{
    const struct program_task *task = &sim->program->tasks[id];
    if (sim_peers_casts_to(sim->program, sim->target, task, device))
        return task->cost.bytes;
    return sim->crossing[id] > 0 && sim_peers_device(sim->program, sim->target, task) == device
               ? sim->crossing[id]
               : 0;
}

static uint64_t when_peers_are_free(const struct sim *sim, uint32_t id, uint64_t time)
{
    for (uint32_t i = 0; sim->crossing != NULL && i < sim->target->device_count; i++) {
        if (crossing_to(sim, id, i) > 0)
            time = later(time, sim->peers[i]);
    }
    return time;
}

// As take_ports, of the ways between devices.
static uint64_t take_peers(struct sim *sim, uint32_t id, uint64_t start)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; sim->crossing != NULL && i < sim->target->device_count; i++) {
        const uint64_t carried = cycles_at(sim, crossing_to(sim, id, i), sim->target->link.peer);
        if (carried > 0)
            sim->peers[i] = sum(start, carried);
        longest = later(longest, carried);
    }
    return longest;
}

// Stages ----------------------------------------------------------------------------

// What a stage is busy with one piece for.
static uint64_t piece_cycles(const struct sim *sim, const struct program_task *task, uint32_t index)
{
    const uint64_t busy = sim->result->stages[task->first_stage + index].busy;
    const uint32_t pieces = sim->program->stages[task->first_stage + index].pieces;
    return pieces > 1 ? busy / pieces + (busy % pieces != 0) : busy;
}

// A stage gives its first piece on when it has done that. The one with the most left then
// decides how long all of them take.
static uint64_t stages_cycles(const struct sim *sim, const struct program_task *task)
{
    uint64_t first = 0;
    uint64_t rest = 0;
    for (uint32_t i = 0; i < task->stage_count; i++) {
        const struct program_stage *stage = &sim->program->stages[task->first_stage + i];
        const uint64_t busy =
            cycles_on(sim, stage->engine, stage_port(sim, task, stage), &stage->cost);
        sim->result->stages[task->first_stage + i].busy = busy;
        first = sum(first, piece_cycles(sim, task, i));
        rest = later(rest, busy - piece_cycles(sim, task, i));
    }
    return sum(first, rest);
}

// All begin when their task is taken and wait for their first piece, which each has when the port
// is free and the one before has done it. Each gives its last piece on when the slowest one lets
// it; while a port is held up by what they move, none has done.
static void place_stages(struct sim *sim, const struct program_task *task, uint64_t taken,
                         uint64_t start, uint64_t carried)
{
    uint64_t rest = 0;
    uint64_t first = 0;
    for (uint32_t i = 0; i < task->stage_count; i++) {
        const uint64_t busy = sim->result->stages[task->first_stage + i].busy;
        rest = later(rest, busy - piece_cycles(sim, task, i));
    }
    for (uint32_t i = 0; i < task->stage_count; i++) {
        struct sim_stage *stage = &sim->result->stages[task->first_stage + i];
        stage->awaited = start - taken + first;
        first = sum(first, piece_cycles(sim, task, i));
        stage->times = (struct sim_times){taken, sum(start, later(sum(first, rest), carried))};
    }
}

// Tasks -----------------------------------------------------------------------------

// The lane of a stage: that of its task where the engine has as many.
static uint64_t *stage_lane(const struct sim *sim, const struct program_task *task, uint32_t index)
{
    const uint32_t engine = sim->program->stages[task->first_stage + index].engine;
    return &sim->lanes[describing_stage_lane(sim->target, task, engine)];
}

static uint64_t when_lanes_are_free(const struct sim *sim, const struct program_task *task,
                                    uint64_t time)
{
    time = later(time, sim->lanes[target_lane(sim->target, task->engine, task->unit, task->lane)]);
    for (uint32_t i = 0; i < task->stage_count; i++)
        time = later(time, *stage_lane(sim, task, i));
    return time;
}

static void take_lanes(struct sim *sim, const struct program_task *task, uint64_t end)
{
    sim->lanes[target_lane(sim->target, task->engine, task->unit, task->lane)] = end;
    for (uint32_t i = 0; i < task->stage_count; i++)
        *stage_lane(sim, task, i) = end;
}

// Inputs that have not come yet are waited for. What the host reads it has.
static uint64_t when_inputs_are_there(struct sim *sim, uint32_t id, uint64_t time)
{
    const struct program_task *task = &sim->program->tasks[id];
    const uint64_t before = time;
    if (sim->arrivals == NULL || sim->target->engines[task->engine].role == TARGET_ROLE_HOST)
        return time;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &sim->program->operands[task->first_operand + i];
        if (operand->writes == 0)
            time = later(time, sim->arrivals[operand->buffer]);
    }
    sim->result->waits[id] = time - before;
    return time;
}

// Gives a task to its lane at `time`, or as soon as that has done the one before:
// the stream waits that long. (The published rules do not know this.) Returns
// when the lane took it; a transfer may then still wait for its port, and so may the stages of a
// task, which have begun then.
static uint64_t sim_start_task(struct sim *sim, uint32_t id, uint64_t time)
{
    const struct program_task *task = &sim->program->tasks[id];
    const uint64_t taken =
        sim->rules == COST_RULES_PUBLIC ? time : when_lanes_are_free(sim, task, time);
    const uint64_t free_at = when_peers_are_free(sim, id, when_ports_are_free(sim, task, taken));
    const uint64_t start = when_inputs_are_there(sim, id, free_at);
    const uint64_t cycles =
        task->stage_count > 0
            ? stages_cycles(sim, task)
            : cycles_on(sim, task->engine, sim_port_of(sim, task->engine), &task->cost);
    const uint64_t carried =
        later(take_ports(sim, task, start, cycles), take_peers(sim, id, start));
    const uint64_t end = sum(start, later(cycles, carried));
    sim->result->tasks[id] = (struct sim_times){task->stage_count > 0 ? taken : start, end};
    place_stages(sim, task, taken, start, carried);
    take_lanes(sim, task, end);
    return taken;
}

// Steps -----------------------------------------------------------------------------

static uint64_t start_step(struct sim *sim, uint32_t task, uint64_t time)
{
    const uint32_t engine = sim->program->tasks[task].engine;
    return sum(sim_start_task(sim, task, time), sim->target->engines[engine].start_cycles);
}

static void signal_semaphore(struct sim *sim, uint32_t semaphore, uint64_t time)
{
    struct signals *signals = &sim->semaphores[semaphore];
    signals->times =
        memory_grow(signals->times, signals->count, &signals->capacity, sizeof *signals->times);
    signals->times[signals->count++] = time;
}

static status await_signal(const struct sim *sim, uint32_t index, uint64_t *time)
{
    const struct program_step *step = &sim->program->steps[index];
    const struct signals *signals = &sim->semaphores[step->semaphore];
    if (step->count > signals->count)
        return status_make(STATUS_DATA,
                           "step %u awaits %u signals of semaphore %u, of which %zu stand before "
                           "it",
                           index, step->count, step->semaphore, signals->count);
    if (step->count > 0)
        *time = later(*time, signals->times[step->count - 1]);
    return STATUS_OK;
}

// Turns -----------------------------------------------------------------------------

// That takes something besides its steps; NULL.
static const struct target_queue *turning_queue(const struct sim *sim, uint32_t stream)
{
    const uint32_t queue =
        stream < sim->program->stream_count ? sim->program->streams[stream].queue : TARGET_NONE;
    return sim->rules != COST_RULES_PUBLIC && queue < sim->target->queue_count &&
                   target_queue_takes_turns(&sim->target->queues[queue])
               ? &sim->target->queues[queue]
               : NULL;
}

// When a stream comes to a step of a job. At the first one its queue may have to be told, and to
// get ready.
static uint64_t begin_step(struct sim *sim, uint32_t job, const struct program_step *step)
{
    const struct target_queue *queue = turning_queue(sim, step->stream);
    const uint64_t before = later(sim->streams[step->stream], sim->host);
    struct sim_result *result = sim->result;
    size_t *turn = &sim->turns[step->stream];
    if (queue == NULL || (*turn > 0 && result->turns[*turn - 1].job == job))
        return before;
    const uint32_t unit = sim->program->streams[step->stream].unit;
    const uint64_t signalled = sum(sim->host, sum(queue->signal, queue->signal_next * unit));
    const uint64_t start = later(before, signalled);
    result->turns = memory_grow(result->turns, result->turn_count, &result->turn_capacity,
                                sizeof *result->turns);
    result->turns[result->turn_count++] = (struct sim_turn){
        .job = job, .stream = step->stream, .task = step->task, .times = {start, start}};
    *turn = result->turn_count;
    return sum(start, queue->begin);
}

// Ends all turns of a job from `first` on. Returns when the last one is over.
static uint64_t end_turns(struct sim *sim, size_t first)
{
    uint64_t end = 0;
    for (size_t i = first; i < sim->result->turn_count; i++) {
        struct sim_turn *turn = &sim->result->turns[i];
        const uint32_t queue = sim->program->streams[turn->stream].queue;
        turn->times.end = sum(sim->streams[turn->stream], sim->target->queues[queue].end);
        sim->streams[turn->stream] = turn->times.end;
        end = later(end, turn->times.end);
    }
    return end;
}

static status sim_run_step(struct sim *sim, uint32_t job, uint32_t index)
{
    const struct program_step *step = &sim->program->steps[index];
    uint64_t *stream = &sim->streams[step->stream];
    const uint64_t before = begin_step(sim, job, step);
    uint64_t time = before;
    switch ((enum program_step_kind)step->kind) {
    case PROGRAM_STEP_START:
        time = start_step(sim, step->task, time);
        break;
    case PROGRAM_STEP_WAIT:
        time = later(time, sim->result->tasks[step->task].end);
        break;
    case PROGRAM_STEP_SIGNAL:
        signal_semaphore(sim, step->semaphore, time);
        break;
    case PROGRAM_STEP_AWAIT:
        STATUS_TRY(await_signal(sim, index, &time));
        break;
    }
    *stream = time;
    sim->result->steps[index] = (struct sim_times){before, time};
    return STATUS_OK;
}

// A stream goes on with a job when it has done its steps of the jobs before.
static status sim_run_job(struct sim *sim, uint32_t job)
{
    const struct program_job *item = &sim->program->jobs[job];
    const size_t first_turn = sim->result->turn_count;
    sim->job_ends[job] = sim->host;
    for (uint32_t i = 0; i < item->step_count; i++) {
        STATUS_TRY(sim_run_step(sim, job, item->first_step + i));
        sim->job_ends[job] =
            later(sim->job_ends[job], sim->result->steps[item->first_step + i].end);
    }
    sim->job_ends[job] = later(sim->job_ends[job], end_turns(sim, first_turn));
    return STATUS_OK;
}

// Actions ---------------------------------------------------------------------------

// The host copies with its own hands. Code is there before the device is asked for anything.
static uint64_t copy_cycles(const struct sim *sim, const struct program_action *action)
{
    const uint32_t host = target_engine_with(sim->target, TARGET_ROLE_HOST);
    if (host == TARGET_NONE || sim->rules == COST_RULES_PUBLIC ||
        program_copies_code(sim->program, action))
        return 0;
    const struct cost_request request = {.kind = COST_MOVEMENT, .bytes = action->bytes};
    return cost_cycles(sim->target, sim->rules, host, &request);
}

static status sim_run_action(struct sim *sim, uint32_t index)
{
    const struct program_action *action = &sim->program->actions[index];
    const uint64_t before = sim->host;
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
        STATUS_TRY(sim_run_job(sim, action->subject));
        break;
    case PROGRAM_ACTION_JOB_WAIT:
        sim->host = later(sim->host, sim->job_ends[action->subject]);
        break;
    case PROGRAM_ACTION_HOST_START:
        sim_start_task(sim, action->subject, sim->host);
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        sim->host = later(sim->host, sim->result->tasks[action->subject].end);
        break;
    case PROGRAM_ACTION_HOST_COPY:
        sim->host = sum(sim->host, copy_cycles(sim, action));
        break;
    case PROGRAM_ACTION_ALLOC:
    case PROGRAM_ACTION_DEALLOC:
        break;
    }
    sim->result->actions[index] = (struct sim_times){before, sim->host};
    return STATUS_OK;
}

static status run_actions(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->program->action_count; i++)
        STATUS_TRY(sim_run_action(sim, i));
    uint64_t end = sim->host;
    for (uint32_t i = 0; i < sim->program->task_count; i++)
        end = later(end, sim->result->tasks[i].end);
    sim->result->end = end;
    return STATUS_OK;
}

// Runs ------------------------------------------------------------------------------

static void *zeros(uint32_t count, size_t size)
{
    return memory_allocate_zeroed((size_t)count + 1, size);
}

static struct sim_result *result_create(const struct program *program)
{
    struct sim_result *result = memory_allocate_zeroed(1, sizeof *result);
    result->tasks = zeros(program->task_count, sizeof *result->tasks);
    result->stages = zeros(program->stage_count, sizeof *result->stages);
    result->steps = zeros(program->step_count, sizeof *result->steps);
    result->actions = zeros(program->action_count, sizeof *result->actions);
    result->inputs = zeros(program->input_count, sizeof *result->inputs);
    result->outputs = zeros(program->output_count, sizeof *result->outputs);
    result->waits = zeros(program->task_count, sizeof *result->waits);
    return result;
}

static void sim_free(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->program->semaphore_count; i++)
        free(sim->semaphores[i].times);
    free(sim->semaphores);
    free(sim->streams);
    free(sim->turns);
    free(sim->lanes);
    free(sim->ports);
    free(sim->job_ends);
    free(sim->arrivals);
    free(sim->crossing);
    free(sim->peers);
}

status sim_run(const struct program *program, const struct target *target, enum cost_rules rules,
               struct sim_result **out_result)
{
    return sim_run_with(program, target, &(struct sim_options){.rules = rules}, out_result);
}

status sim_run_with(const struct program *program, const struct target *target,
                    const struct sim_options *options, struct sim_result **out_result)
{
    const enum cost_rules rules = options->rules;
    STATUS_TRY(describing_check(program, target));
    struct sim sim = {
        .program = program,
        .target = target,
        .rules = rules,
        .result = result_create(program),
        .streams = zeros(program->stream_count, sizeof(uint64_t)),
        .turns = zeros(program->stream_count, sizeof(size_t)),
        .lanes = zeros(target->lane_count, sizeof(uint64_t)),
        .ports = memory_allocate_zeroed((size_t)target->port_count * target->device_count + 1,
                                        sizeof(uint64_t)),
        .peers = zeros(target->device_count, sizeof(uint64_t)),
        .crossing = rules == COST_RULES_PUBLIC ? NULL : sim_peers_read(program, target),
        .job_ends = zeros(program->job_count, sizeof(uint64_t)),
        .semaphores = zeros(program->semaphore_count, sizeof(struct signals))};
    sim.result->linked = target->link.rate > 0 && rules != COST_RULES_PUBLIC && !options->unlinked;
    if (sim.result->linked)
        sim.arrivals = sim_link_arrivals(program, target, options, sim.result);
    const status failure = run_actions(&sim);
    if (sim.result->linked && failure == STATUS_OK)
        sim_link_departures(program, target, options, sim.arrivals, sim.result);
    sim_free(&sim);
    if (failure != STATUS_OK) {
        sim_result_free(sim.result);
        return failure;
    }
    *out_result = sim.result;
    return STATUS_OK;
}

static void sim_add_times(struct digest *digest, const struct sim_times *times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        digest_add_number(digest, times[i].start);
        digest_add_number(digest, times[i].end);
    }
}

void sim_digest(const struct program *program, const struct sim_result *result,
                struct digest *digest)
{
    sim_add_times(digest, result->tasks, program->task_count);
    for (uint32_t i = 0; i < program->stage_count; i++) {
        sim_add_times(digest, &result->stages[i].times, 1);
        digest_add_number(digest, result->stages[i].busy);
    }
    sim_add_times(digest, result->steps, program->step_count);
    sim_add_times(digest, result->actions, program->action_count);
    for (size_t i = 0; i < result->turn_count; i++)
        sim_add_times(digest, &result->turns[i].times, 1);
    if (result->linked) {
        sim_add_times(digest, result->inputs, program->input_count);
        sim_add_times(digest, result->outputs, program->output_count);
    }
    digest_add_number(digest, result->end);
}

void sim_result_free(struct sim_result *result)
{
    if (result == NULL)
        return;
    free(result->tasks);
    free(result->stages);
    free(result->steps);
    free(result->actions);
    free(result->turns);
    free(result->inputs);
    free(result->outputs);
    free(result->waits);
    free(result);
}
