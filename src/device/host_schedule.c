#include "host_schedule.h"

#include <opscope/record.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device.h"
#include "host_pause.h"
#include "host_streams.h"

struct host_schedule {
    struct host_machine *machine;
    struct host_profile *profile;
    struct host_streams *streams; // NULL: there is one
    struct host_worker *workers;  // of tasks that run side by side; NULL: one at a time
    unsigned worker_count;

    // The job at hand. A lane has at most one task that has not ended: one row holds the
    // queues of all lanes, in the order of their starts.
    const struct program_job *job;
    atomic_uint entered;    // threads; the first one is the controller
    atomic_bool *ended;     // by task
    atomic_uint queued;     // steps in `queue`
    atomic_bool over;       // all steps are done
    pthread_mutex_t lock;   // of what follows
    pthread_cond_t given;   // to workers: a task, or the end
    pthread_cond_t changed; // for the controller: a task has ended
    uint32_t *queue;        // steps that start a task; room for one of each lane
    uint32_t running;       // tasks
    unsigned sleeping;      // workers
    bool controller_sleeps;
    uint32_t failed; // step of the first task that failed; PROGRAM_NONE
    status failure;
};

// Ticks that are read next come after all that this thread has seen others do.
static void order_ticks(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#endif
}

static status host_schedule_run_task(const struct host_schedule *schedule,
                                     struct host_worker *worker, uint32_t index)
{
    struct host_machine *machine = schedule->machine;
    const struct program_task *task = &machine->program->tasks[index];
    if (schedule->profile == NULL)
        return host_task_compute(machine, worker, task);
    order_ticks();
    const uint64_t begun = opscope_begin();
    const status result = host_task_compute(machine, worker, task);
    host_profile_task(schedule->profile, index, begun);
    return result;
}

static const struct program_step *step_at(const struct host_schedule *schedule, uint32_t index)
{
    return &schedule->machine->program->steps[schedule->job->first_step + index];
}

// Side by side ---------------------------------------------------------------------------

// Takes a task out of the queue: the one that `wanted` names where it is there, else the
// first. False when there is none.
static bool host_schedule_pop_step(struct host_schedule *schedule, uint32_t wanted,
                                   uint32_t *out_step)
{
    pthread_mutex_lock(&schedule->lock);
    const uint32_t count = atomic_load(&schedule->queued);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (step_at(schedule, schedule->queue[i])->task == wanted)
            at = i;
    }
    if (count > 0) {
        *out_step = schedule->queue[at];
        memmove(&schedule->queue[at], &schedule->queue[at + 1],
                (count - at - 1) * sizeof *schedule->queue);
        atomic_store(&schedule->queued, count - 1);
        schedule->running++;
    }
    pthread_mutex_unlock(&schedule->lock);
    return count > 0;
}

// Nothing that starts later runs any more. What starts earlier may fail too, and counts then.
static void host_schedule_keep_failure(struct host_schedule *schedule, uint32_t step,
                                       status failure)
{
    if (step > schedule->failed) {
        status_free(failure);
        return;
    }
    status_free(schedule->failure);
    schedule->failed = step;
    schedule->failure = failure;
    uint32_t kept = 0;
    while (kept < atomic_load(&schedule->queued) && schedule->queue[kept] < step)
        kept++;
    atomic_store(&schedule->queued, kept);
}

static void end_task(struct host_schedule *schedule, uint32_t step, status result)
{
    pthread_mutex_lock(&schedule->lock);
    schedule->running--;
    atomic_store(&schedule->ended[step_at(schedule, step)->task], true);
    if (result != STATUS_OK)
        host_schedule_keep_failure(schedule, step, result);
    if (schedule->controller_sleeps)
        pthread_cond_signal(&schedule->changed);
    pthread_mutex_unlock(&schedule->lock);
}

static bool host_schedule_run_next(struct host_schedule *schedule, struct host_worker *worker,
                                   uint32_t wanted)
{
    uint32_t step;
    if (!host_schedule_pop_step(schedule, wanted, &step))
        return false;
    end_task(schedule, step,
             host_schedule_run_task(schedule, worker, step_at(schedule, step)->task));
    return true;
}

static void host_schedule_rest(struct host_schedule *schedule)
{
    for (unsigned i = 0; i < HOST_LOOKS_MOST; i++) {
        if (atomic_load(&schedule->queued) > 0 || atomic_load(&schedule->over))
            return;
        host_pause();
    }
    pthread_mutex_lock(&schedule->lock);
    schedule->sleeping++;
    while (atomic_load(&schedule->queued) == 0 && !atomic_load(&schedule->over))
        pthread_cond_wait(&schedule->given, &schedule->lock);
    schedule->sleeping--;
    pthread_mutex_unlock(&schedule->lock);
}

static void host_schedule_serve(struct host_schedule *schedule, struct host_worker *worker)
{
    while (!atomic_load(&schedule->over)) {
        if (!host_schedule_run_next(schedule, worker, PROGRAM_NONE))
            host_schedule_rest(schedule);
    }
}

// The controller -------------------------------------------------------------------------

static void host_schedule_give(struct host_schedule *schedule, uint32_t step)
{
    pthread_mutex_lock(&schedule->lock);
    const uint32_t queued = atomic_load(&schedule->queued);
    atomic_store(&schedule->ended[step_at(schedule, step)->task], false);
    if (schedule->failed == PROGRAM_NONE) {
        schedule->queue[queued] = step;
        atomic_store(&schedule->queued, queued + 1);
    }
    if (schedule->sleeping > 0)
        pthread_cond_signal(&schedule->given);
    pthread_mutex_unlock(&schedule->lock);
}

// A task that is waited for as soon as it starts is the controller's own: to hand it to a
// worker would take longer.
static bool is_waited_for_next(const struct host_schedule *schedule, uint32_t step)
{
    if (step + 1 >= schedule->job->step_count)
        return false;
    const struct program_step *next = step_at(schedule, step + 1);
    return next->kind == PROGRAM_STEP_WAIT && next->task == step_at(schedule, step)->task;
}

static void run_own(struct host_schedule *schedule, struct host_worker *worker, uint32_t step)
{
    pthread_mutex_lock(&schedule->lock);
    const bool sound = schedule->failed == PROGRAM_NONE;
    schedule->running += sound;
    pthread_mutex_unlock(&schedule->lock);
    if (sound)
        end_task(schedule, step,
                 host_schedule_run_task(schedule, worker, step_at(schedule, step)->task));
}

static bool has_failed(struct host_schedule *schedule)
{
    pthread_mutex_lock(&schedule->lock);
    const bool failed = schedule->failed != PROGRAM_NONE;
    pthread_mutex_unlock(&schedule->lock);
    return failed;
}

static void rest_until_ended(struct host_schedule *schedule, uint32_t task)
{
    for (unsigned i = 0; i < HOST_LOOKS_MOST; i++) {
        if (atomic_load(&schedule->ended[task]))
            return;
        host_pause();
    }
    pthread_mutex_lock(&schedule->lock);
    schedule->controller_sleeps = true;
    while (!atomic_load(&schedule->ended[task]))
        pthread_cond_wait(&schedule->changed, &schedule->lock);
    schedule->controller_sleeps = false;
    pthread_mutex_unlock(&schedule->lock);
}

// False when a task has failed, so that this one may never end.
static bool host_schedule_wait_for(struct host_schedule *schedule, struct host_worker *worker,
                                   uint32_t task)
{
    while (!atomic_load(&schedule->ended[task])) {
        if (host_schedule_run_next(schedule, worker, task))
            continue;
        if (has_failed(schedule))
            return false;
        rest_until_ended(schedule, task);
    }
    return true;
}

// What the steps did not wait for has ended too when the job has.
static void host_schedule_finish(struct host_schedule *schedule, struct host_worker *worker)
{
    while (host_schedule_run_next(schedule, worker, PROGRAM_NONE))
        ;
    pthread_mutex_lock(&schedule->lock);
    schedule->controller_sleeps = true;
    while (schedule->running > 0)
        pthread_cond_wait(&schedule->changed, &schedule->lock);
    schedule->controller_sleeps = false;
    atomic_store(&schedule->over, true);
    pthread_cond_broadcast(&schedule->given);
    pthread_mutex_unlock(&schedule->lock);
}

static void control(struct host_schedule *schedule, struct host_worker *worker)
{
    bool sound = true;
    for (uint32_t i = 0; i < schedule->job->step_count && sound; i++) {
        const struct program_step *step = step_at(schedule, i);
        if (step->kind == PROGRAM_STEP_START && is_waited_for_next(schedule, i))
            run_own(schedule, worker, i);
        else if (step->kind == PROGRAM_STEP_START)
            host_schedule_give(schedule, i);
        else
            sound = host_schedule_wait_for(schedule, worker, step->task);
    }
    host_schedule_finish(schedule, worker);
}

// What each thread of the pool does while the job runs.
static void host_schedule_enter(void *context, uint64_t from, uint64_t to)
{
    struct host_schedule *schedule = context;
    for (; from < to; from++) {
        const unsigned number = atomic_fetch_add(&schedule->entered, 1);
        if (number == 0)
            control(schedule, &schedule->workers[0]);
        else
            host_schedule_serve(schedule, &schedule->workers[number]);
    }
}

static status run_side_by_side(struct host_schedule *schedule)
{
    atomic_store(&schedule->entered, 0);
    atomic_store(&schedule->queued, 0);
    atomic_store(&schedule->over, false);
    schedule->failed = PROGRAM_NONE;
    schedule->failure = STATUS_OK;
    parallel_for(schedule->machine->worker.parallel, schedule->worker_count, 1, host_schedule_enter,
                 schedule);
    return schedule->failure;
}

// One at a time --------------------------------------------------------------------------

static status run_in_order(struct host_schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->job->step_count; i++) {
        const struct program_step *step = step_at(schedule, i);
        if (step->kind == PROGRAM_STEP_START)
            STATUS_TRY(host_schedule_run_task(schedule, &schedule->machine->worker, step->task));
    }
    return STATUS_OK;
}

static status run_task_of_stream(void *context, struct host_worker *worker, uint32_t task)
{
    return host_schedule_run_task(context, worker, task);
}

static status run_streams(struct host_schedule *schedule)
{
    struct host_machine *machine = schedule->machine;
    return schedule->workers != NULL
               ? host_streams_run(schedule->streams, schedule->job, schedule->workers,
                                  schedule->worker_count, machine->worker.parallel)
               : host_streams_run(schedule->streams, schedule->job, &machine->worker, 1, NULL);
}

static status host_schedule_run_job(struct host_schedule *schedule, uint32_t job)
{
    schedule->job = &schedule->machine->program->jobs[job];
    if (schedule->streams != NULL)
        return run_streams(schedule);
    return schedule->workers != NULL ? run_side_by_side(schedule) : run_in_order(schedule);
}

static status host_schedule_run_action(struct host_schedule *schedule,
                                       const struct program_action *action)
{
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_HOST_START:
        return host_schedule_run_task(schedule, &schedule->machine->worker, action->subject);
    case PROGRAM_ACTION_JOB_WAIT:
        return host_schedule_run_job(schedule, action->subject);
    default:
        return STATUS_OK;
    }
}

// What one watches ---------------------------------------------------------------------

static status watch_task(const struct host_machine *machine, uint32_t action, uint32_t id)
{
    const struct program *program = machine->program;
    const struct program_task *task = &program->tasks[id];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        const struct program_buffer *buffer = &program->buffers[operand->buffer];
        if (!operand->writes || buffer->value == PROGRAM_NONE ||
            machine->target->memories[buffer->memory].local)
            continue;
        struct datum *datum;
        STATUS_TRY(host_buffer_read((struct host_machine *)machine, buffer->value, operand->buffer,
                                    &datum));
        const status result =
            datum != NULL
                ? machine->watch->written(machine->watch->context, action, operand->buffer, datum)
                : STATUS_OK;
        datum_release(datum);
        STATUS_TRY(result);
    }
    return STATUS_OK;
}

static status watch_action(const struct host_machine *machine, uint32_t id)
{
    const struct program *program = machine->program;
    const struct program_action *action = &program->actions[id];
    if (action->kind == PROGRAM_ACTION_HOST_START)
        return watch_task(machine, id, action->subject);
    if (action->kind != PROGRAM_ACTION_JOB_WAIT)
        return STATUS_OK;
    const struct program_job *job = &program->jobs[action->subject];
    for (uint32_t i = 0; i < job->step_count; i++) {
        const struct program_step *step = &program->steps[job->first_step + i];
        if (step->kind == PROGRAM_STEP_START)
            STATUS_TRY(watch_task(machine, id, step->task));
    }
    return STATUS_OK;
}

status host_schedule_run(struct host_schedule *schedule, struct host_profile *profile)
{
    const struct program *program = schedule->machine->program;
    schedule->profile = profile;
    if (profile != NULL)
        host_profile_iteration(profile);
    if (schedule->streams != NULL)
        host_streams_reset(schedule->streams);
    for (uint32_t i = 0; i < program->action_count; i++) {
        const uint64_t begun = profile != NULL ? opscope_begin() : 0;
        STATUS_TRY(host_schedule_run_action(schedule, &program->actions[i]));
        if (profile != NULL)
            host_profile_action(profile, i, begun);
        if (schedule->machine->watch != NULL)
            STATUS_TRY(watch_action(schedule->machine, i));
    }
    return STATUS_OK;
}

// How many at a time ---------------------------------------------------------------------

static uint32_t host_schedule_count_lanes(const struct host_machine *machine)
{
    const struct program *program = machine->program;
    bool *used = memory_allocate_zeroed((size_t)machine->target->lane_count + 1, sizeof *used);
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const uint32_t lane = target_lane(machine->target, task->engine, task->unit, task->lane);
        if (task->job == PROGRAM_NONE || used[lane])
            continue;
        used[lane] = true;
        count++;
    }
    free(used);
    return count;
}

static bool has_control_flow(const struct host_machine *machine, const struct program_call *call)
{
    return network_node(machine->network, call->node)->definition->class == OPERATOR_CONTROL;
}

// Whether another task than `task` uses one of the data that do not lie in a memory.
// `owners` has the tasks + 1 that were seen with each buffer.
static bool shares_data(const struct program *program, const struct program_call *call,
                        uint32_t task, uint32_t *owners)
{
    const struct program_node *node = &program->nodes[call->node];
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        const uint32_t buffer = program->call_buffers[call->first_buffer + i];
        if (buffer == PROGRAM_NONE || host_buffer_in_memory(&program->buffers[buffer]))
            continue;
        if (owners[buffer] != 0 && owners[buffer] != task + 1)
            return true;
        owners[buffer] = task + 1;
    }
    return false;
}

// Our compiler leaves to the host what needs this.
static bool jobs_share_more_than_memory(const struct host_machine *machine)
{
    const struct program *program = machine->program;
    uint32_t *owners = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *owners);
    bool shared = false;
    for (uint32_t i = 0; i < program->task_count && !shared; i++) {
        const struct program_task *task = &program->tasks[i];
        for (uint32_t k = 0; k < task->call_count && task->job != PROGRAM_NONE && !shared; k++) {
            const struct program_call *call = &program->calls[task->first_call + k];
            shared = has_control_flow(machine, call) || shares_data(program, call, i, owners);
        }
    }
    free(owners);
    return shared;
}

static void make_workers(struct host_schedule *schedule, unsigned count, uint32_t lanes)
{
    const struct host_machine *machine = schedule->machine;
    schedule->worker_count = count;
    schedule->workers = memory_allocate_zeroed(count, sizeof *schedule->workers);
    for (unsigned i = 0; i < count; i++)
        host_worker_make(&schedule->workers[i], machine->network, parallel_create(1));
    schedule->queue = memory_allocate_zeroed(lanes, sizeof *schedule->queue);
    schedule->ended =
        memory_allocate_zeroed((size_t)machine->program->task_count + 1, sizeof *schedule->ended);
}

struct host_schedule *host_schedule_create(struct host_machine *machine)
{
    struct host_schedule *schedule = memory_allocate_zeroed(1, sizeof *schedule);
    schedule->machine = machine;
    pthread_mutex_init(&schedule->lock, NULL);
    pthread_cond_init(&schedule->given, NULL);
    pthread_cond_init(&schedule->changed, NULL);
    const unsigned threads = parallel_threads(machine->worker.parallel);
    const uint32_t lanes = host_schedule_count_lanes(machine);
    if (threads > 1 && lanes > 1 && !jobs_share_more_than_memory(machine))
        make_workers(schedule, threads < lanes ? threads : lanes, lanes);
    schedule->streams = host_streams_create(machine->program, run_task_of_stream, schedule);
    return schedule;
}

void host_schedule_free(struct host_schedule *schedule)
{
    if (schedule == NULL)
        return;
    for (unsigned i = 0; i < schedule->worker_count; i++)
        host_worker_drop(&schedule->workers[i], schedule->machine->network);
    pthread_mutex_destroy(&schedule->lock);
    pthread_cond_destroy(&schedule->given);
    pthread_cond_destroy(&schedule->changed);
    host_streams_free(schedule->streams);
    free(schedule->workers);
    free(schedule->queue);
    free(schedule->ended);
    free(schedule);
}
