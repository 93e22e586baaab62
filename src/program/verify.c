#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fits.h"
#include "verify_graphs.h"
#include "verify_inside.h"
#include "verify_layouts.h"
#include "verify_ports.h"
#include "verify_space.h"
#include "verify_task.h"
#include "verify_writes.h"

struct verifier {
    struct verify_state state;
    const struct program *program;
    const struct target *target;
    struct verify_space *space;
    struct verify_writes *writes; // of tasks that have started
    uint32_t *lanes;              // of all engines: the task that each was given last
    uint32_t *roots;              // by buffer: the one whose bytes it shows, or itself
    uint32_t *depends;            // by task: the last one + 1 that needs its data
    uint32_t job;                 // that was started and not waited for
    struct verify_counts counts;
};

static const struct program_buffer *program_verify_buffer_of(const struct verifier *verifier,
                                                             const struct program_operand *operand)
{
    return &verifier->program->buffers[operand->buffer];
}

static uint32_t root_of(const struct verifier *verifier, uint32_t buffer)
{
    return verifier->roots[buffer];
}

static uint64_t buffer_volume(const struct program_buffer *buffer)
{
    return verify_volume(buffer->dims, buffer->rank);
}

// Buffers ----------------------------------------------------------------------------

static status program_verify_check_alias(const struct verifier *verifier, uint32_t index)
{
    const struct program_buffer *buffer = &verifier->program->buffers[index];
    const struct program_buffer *shown = &verifier->program->buffers[buffer->alias];
    return shown->address == buffer->address && shown->memory == buffer->memory &&
                   shown->unit == buffer->unit && shown->size == buffer->size &&
                   shown->alias == PROGRAM_NONE && shown->element == buffer->element
               ? STATUS_OK
               : verify_wrong("buffer", index, "it does not lie where what it shows lies");
}

// A buffer holds a part of its value, or all of it.
static status check_part(const struct verifier *verifier, uint32_t index)
{
    const struct program_buffer *buffer = &verifier->program->buffers[index];
    if (buffer->value == PROGRAM_NONE)
        return STATUS_OK;
    const struct program_value *value = &verifier->program->values[buffer->value];
    bool part = buffer->element == value->element && buffer->rank == value->rank;
    for (uint32_t i = 0; part && i < buffer->rank; i++) {
        const bool known = value->dims[i] >= 0;
        part = buffer->origin[i] >= 0 &&
               (!known || (buffer->origin[i] <= value->dims[i] &&
                           buffer->dims[i] <= value->dims[i] - buffer->origin[i]));
    }
    return part ? STATUS_OK : verify_wrong("buffer", index, "it is no part of its value");
}

// What is known of a value would fit the target: nobody makes it only to be told that it does
// not.
static status program_verify_check_value(const struct verifier *verifier, uint32_t index)
{
    const struct program_value *value = &verifier->program->values[index];
    struct shape shape = {.rank = value->rank};
    if (value->rank == PROGRAM_NONE || value->element == ELEMENT_NONE)
        return STATUS_OK;
    uint64_t room = 0;
    for (uint32_t i = 0; i < verifier->target->memory_count; i++) {
        const uint64_t size = verifier->target->memories[i].size;
        room = size > room ? size : room;
    }
    memcpy(shape.dims, value->dims, sizeof shape.dims);
    uint64_t count = 0;
    if (!shape_known(&shape))
        return STATUS_OK;
    STATUS_TRY(shape_elements(&shape, &count));
    return count <= room / element_size((enum element)value->element)
               ? STATUS_OK
               : verify_wrong("value", index, "it is larger than any memory of the target");
}

static status program_verify_check_buffer(const struct verifier *verifier, uint32_t index)
{
    const struct program_buffer *buffer = &verifier->program->buffers[index];
    const struct target_memory *memory = &verifier->target->memories[buffer->memory];
    if (!verify_takes_memory(buffer))
        return STATUS_OK;
    if (buffer->size > memory->size || buffer->address > memory->size - buffer->size)
        return status_make(
            STATUS_DATA,
            "buffer %" PRIu32 ": bytes %" PRIu64 " to %" PRIu64 " lie beyond the %" PRIu64 " of %s",
            index, buffer->address, buffer->address + buffer->size, memory->size, memory->name);
    if (buffer->address % TENSOR_ALIGNMENT != 0)
        return verify_wrong("buffer", index, "its address is no multiple of 64");
    STATUS_TRY(check_part(verifier, index));
    struct shape shape = {.rank = buffer->rank};
    memcpy(shape.dims, buffer->dims, sizeof shape.dims);
    uint64_t count;
    if (!shape_known(&shape) || buffer->element == ELEMENT_NONE)
        return verify_wrong("buffer", index, "its shape is not known");
    STATUS_TRY(shape_elements(&shape, &count));
    // The pieces of a ring run through it in turn: it has room for some of them.
    const bool enough = buffer->kind == PROGRAM_BUFFER_RING
                            ? buffer->size > 0 || count == 0
                            : buffer->size / element_size((enum element)buffer->element) >= count;
    if (!enough)
        return verify_wrong("buffer", index, "it is smaller than what it holds");
    return buffer->alias != PROGRAM_NONE ? program_verify_check_alias(verifier, index) : STATUS_OK;
}

// Streams ----------------------------------------------------------------------------

// A queue does one stream's steps, of each unit that has one.
static status check_streams(const struct verifier *verifier)
{
    const struct program *program = verifier->program;
    const struct target *target = verifier->target;
    size_t *first = memory_allocate_zeroed((size_t)target->queue_count + 1, sizeof *first);
    for (uint32_t i = 0; i < target->queue_count; i++)
        first[i + 1] = first[i] + target_units(target, target->queues[i].per);
    uint32_t *taken = memory_allocate_zeroed(first[target->queue_count] + 1, sizeof *taken);
    status failure = STATUS_OK;
    for (uint32_t i = 0; i < program->stream_count && failure == STATUS_OK; i++) {
        uint32_t *before = &taken[first[program->streams[i].queue] + program->streams[i].unit];
        if (*before != 0)
            failure = status_make(STATUS_DATA,
                                  "streams %" PRIu32 " and %" PRIu32
                                  " are of the same unit of the same queue",
                                  *before - 1, i);
        *before = i + 1;
    }
    free(taken);
    free(first);
    return failure;
}

// Whether the stream, or the host, starts tasks of that engine.
static status check_driver(const struct verifier *verifier, uint32_t index, uint32_t stream)
{
    const struct program_task *task = &verifier->program->tasks[index];
    const struct target_engine *engine = &verifier->target->engines[task->engine];
    if (stream == PROGRAM_NONE)
        return engine->queue == TARGET_NONE
                   ? STATUS_OK
                   : verify_wrong("task", index, "its engine is not started by the host");
    const struct program_stream *item = &verifier->program->streams[stream];
    if (engine->queue != item->queue)
        return status_make(
            STATUS_DATA, "task %" PRIu32 ": its engine is not one of the queue of stream %" PRIu32,
            index, stream);
    if (engine->per == verifier->target->queues[item->queue].per && task->unit != item->unit)
        return status_make(STATUS_DATA,
                           "task %" PRIu32 ": its engine is of unit %" PRIu32
                           ", but stream %" PRIu32 " is of unit %" PRIu32,
                           index, task->unit, stream, item->unit);
    return STATUS_OK;
}

// The walk -----------------------------------------------------------------------------

static bool collide(const struct program_buffer *a, const struct program_buffer *b)
{
    return a->memory == b->memory && a->unit == b->unit && a->size > 0 && b->size > 0 &&
           a->address < b->address + b->size && b->address < a->address + a->size;
}

// Whether two operands touch the same bytes and one of them writes.
static bool race(const struct verifier *verifier, const struct program_operand *a,
                 const struct program_operand *b)
{
    if (a->writes == 0 && b->writes == 0)
        return false;
    const struct program_buffer *x = program_verify_buffer_of(verifier, a);
    const struct program_buffer *y = program_verify_buffer_of(verifier, b);
    if (!verify_takes_memory(x) || !verify_takes_memory(y))
        return a->buffer == b->buffer;
    if (a->buffer == b->buffer)
        return verify_shared_volume(verify_box_of(a), verify_box_of(b)) > 0;
    return collide(x, y);
}

static status check_apart(const struct verifier *verifier, uint32_t index, uint32_t writer,
                          struct verify_point now)
{
    return verify_is_over(&verifier->state, writer, now)
               ? STATUS_OK
               : status_make(STATUS_DATA,
                             "task %" PRIu32 ": it starts while task %" PRIu32
                             " uses the same bytes",
                             index, writer);
}

static bool is_there(const struct verifier *verifier, uint32_t root)
{
    const struct program_buffer *buffer = &verifier->program->buffers[root];
    return verify_is_given(verifier->program, buffer) && !verify_writes_any(verifier->writes, root);
}

// Writes do not overlap, so what a box shares with each adds up. Whoever wrote it is
// a dependency.
static status check_written(const struct verifier *verifier, uint32_t index,
                            const struct program_operand *operand, struct verify_point now)
{
    const struct program *program = verifier->program;
    const uint32_t root = root_of(verifier, operand->buffer);
    const struct program_buffer *buffer = &program->buffers[root];
    const struct verify_box box = verify_box_in(program, operand);
    // What shows bytes under another shape needs all of them.
    const bool shown = root != operand->buffer;
    const uint64_t needed = shown ? buffer_volume(buffer) : verify_volume(box.size, box.rank);
    size_t count;
    const struct verify_write *writes =
        verify_writes_find(verifier->writes, root, shown ? NULL : &box, &count);
    uint64_t written = 0;
    for (size_t i = 0; i < count; i++) {
        written += writes[i].shared;
        STATUS_TRY(check_apart(verifier, index, writes[i].task, now));
        if (verifier->depends[writes[i].task] != index + 1)
            return status_make(STATUS_DATA,
                               "task %" PRIu32 ": it reads what task %" PRIu32
                               " writes without depending on it",
                               index, writes[i].task);
    }
    return written == needed || is_there(verifier, root)
               ? STATUS_OK
               : status_make(STATUS_DATA,
                             "task %" PRIu32
                             ": it reads what has not been written, of buffer %" PRIu32,
                             index, root);
}

// No element is written twice, so nobody can have read before what is written now.
static status note_write(const struct verifier *verifier, uint32_t index, uint32_t operand,
                         struct verify_point now)
{
    const struct program_operand *item = &verifier->program->operands[operand];
    const uint32_t root = root_of(verifier, item->buffer);
    if (verify_writes_add(verifier->writes, operand, index))
        return STATUS_OK;
    const struct verify_box box = verify_box_in(verifier->program, item);
    size_t count;
    const struct verify_write *writes = verify_writes_find(verifier->writes, root, &box, &count);
    if (writes[0].task != index)
        STATUS_TRY(check_apart(verifier, index, writes[0].task, now));
    return status_make(STATUS_DATA,
                       "task %" PRIu32 ": it writes what has been written, by task %" PRIu32
                       " to buffer %" PRIu32,
                       index, writes[0].task, root);
}

static status check_in_use(const struct verifier *verifier, uint32_t index)
{
    const struct program_task *task = &verifier->program->tasks[index];
    const uint32_t moment = verifier->state.moment;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const uint32_t buffer = verifier->program->operands[task->first_operand + i].buffer;
        const struct program_buffer *item = &verifier->program->buffers[root_of(verifier, buffer)];
        if (moment < item->from || moment > item->to)
            return verify_wrong("task", index, "it uses a buffer that is not in use");
    }
    return STATUS_OK;
}

// Whether task `on` used bytes before that the task uses now, one of them writing.
static bool touches(const struct verifier *verifier, const struct program_task *task,
                    const struct program_task *on, bool data)
{
    const struct program_operand *operands = verifier->program->operands;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *now = &operands[task->first_operand + i];
        for (uint32_t j = 0; j < on->operand_count; j++) {
            const struct program_operand *before = &operands[on->first_operand + j];
            const bool flows = before->writes != 0 && now->writes == 0 &&
                               root_of(verifier, before->buffer) == root_of(verifier, now->buffer);
            if (flows || (!data && race(verifier, now, before)))
                return true;
        }
    }
    return false;
}

static status check_dependencies(struct verifier *verifier, uint32_t index, struct verify_point now)
{
    const struct program *program = verifier->program;
    const struct program_task *task = &program->tasks[index];
    for (uint32_t i = 0; i < task->dependency_count; i++) {
        const struct program_dependency *on = &program->dependencies[task->first_dependency + i];
        verifier->counts.dependencies++;
        if (on->is_true != 0)
            verifier->depends[on->task] = index + 1;
        if (!verify_is_over(&verifier->state, on->task, now))
            return status_make(STATUS_DATA,
                               "task %" PRIu32 ": it starts before task %" PRIu32
                               ", which it depends on, has been waited for",
                               index, on->task);
        if (!touches(verifier, task, &program->tasks[on->task], on->is_true != 0))
            return status_make(STATUS_DATA,
                               "task %" PRIu32 ": it uses nothing of task %" PRIu32
                               ", which it is said to depend on",
                               index, on->task);
    }
    return STATUS_OK;
}

static status take_lane(struct verifier *verifier, uint32_t index, struct verify_point now)
{
    const struct program_task *task = &verifier->program->tasks[index];
    uint32_t *lane =
        &verifier->lanes[target_lane(verifier->target, task->engine, task->unit, task->lane)];
    if (*lane != PROGRAM_NONE && !verify_is_over(&verifier->state, *lane, now))
        return status_make(STATUS_DATA,
                           "task %" PRIu32 ": its lane has not been waited for: task %" PRIu32,
                           index, *lane);
    *lane = index;
    return STATUS_OK;
}

static status use_operands(struct verifier *verifier, uint32_t index, struct verify_point now)
{
    const struct program *program = verifier->program;
    const struct program_task *task = &program->tasks[index];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        if (operand->writes == 0)
            STATUS_TRY(check_written(verifier, index, operand, now));
    }
    for (uint32_t i = 0; i < task->operand_count; i++) {
        if (program->operands[task->first_operand + i].writes != 0)
            STATUS_TRY(note_write(verifier, index, task->first_operand + i, now));
    }
    return STATUS_OK;
}

// Of a job and a stream, or, for PROGRAM_NONE twice, of the host.
static status program_verify_start_task(struct verifier *verifier, uint32_t index, uint32_t job,
                                        uint32_t stream, struct verify_point now)
{
    struct verify_tasks *tasks = &verifier->state.tasks;
    if (tasks->stand[index] != VERIFY_NOT_STARTED)
        return verify_wrong("task", index, "it starts twice");
    tasks->stand[index] = VERIFY_STARTED;
    tasks->stream[index] = stream;
    if (verifier->program->tasks[index].job != job)
        return verify_wrong("task", index, "it belongs to another job");
    STATUS_TRY(check_driver(verifier, index, stream));
    STATUS_TRY(take_lane(verifier, index, now));
    STATUS_TRY(check_dependencies(verifier, index, now));
    STATUS_TRY(verify_space_start(verifier->space, index, now));
    STATUS_TRY(check_in_use(verifier, index));
    return use_operands(verifier, index, now);
}

static status wait_task(struct verifier *verifier, uint32_t index, uint32_t stream,
                        struct verify_point now)
{
    struct verify_tasks *tasks = &verifier->state.tasks;
    if (tasks->stand[index] == VERIFY_NOT_STARTED)
        return verify_wrong("task", index, "it is waited for before it starts");
    if (tasks->stream[index] != stream)
        return verify_wrong("task", index, "it is waited for by another stream than started it");
    if (tasks->stand[index] == VERIFY_WAITED)
        return STATUS_OK;
    tasks->stand[index] = VERIFY_WAITED;
    tasks->over[index] = now;
    verify_space_wait(verifier->space, index, now);
    return check_in_use(verifier, index);
}

static status walk_step(struct verifier *verifier, const struct program_step *step, uint32_t job)
{
    struct verify_point now;
    STATUS_TRY(verify_order_step(verifier->state.order, step, &now));
    STATUS_TRY(verify_space_open(verifier->space, now.job));
    verifier->counts.steps++;
    switch ((enum program_step_kind)step->kind) {
    case PROGRAM_STEP_START:
        return program_verify_start_task(verifier, step->task, job, step->stream, now);
    case PROGRAM_STEP_WAIT:
        return wait_task(verifier, step->task, step->stream, now);
    default:
        verifier->counts.semaphore_steps++;
        return STATUS_OK;
    }
}

static status walk_job(struct verifier *verifier, uint32_t job)
{
    const struct program *program = verifier->program;
    const struct program_job *item = &program->jobs[job];
    verify_order_begin(verifier->state.order, job);
    for (uint32_t i = 0; i < item->step_count; i++) {
        const struct program_step *step = &program->steps[item->first_step + i];
        const status failure = walk_step(verifier, step, job);
        if (failure != STATUS_OK && program->stream_count > 1)
            return status_within(failure, "step %" PRIu32 ", stream %" PRIu32 " '%s'",
                                 item->first_step + i, step->stream,
                                 program_text(program, program->streams[step->stream].name));
        STATUS_TRY(failure);
        verifier->state.moment++;
    }
    return STATUS_OK;
}

// The host waits for a job before it starts anything else.
static status program_verify_check_job(struct verifier *verifier,
                                       const struct program_action *action)
{
    const bool waits = action->kind == PROGRAM_ACTION_JOB_WAIT;
    if (waits && verifier->job != action->subject)
        return verify_wrong("job", action->subject, "it is waited for before it starts");
    if (!waits && verifier->job != PROGRAM_NONE)
        return verify_wrong("job", verifier->job, "it has not been waited for");
    return STATUS_OK;
}

static status walk_action(struct verifier *verifier, const struct program_action *action)
{
    struct verify_point now;
    STATUS_TRY(verify_order_step(verifier->state.order, NULL, &now));
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
        STATUS_TRY(program_verify_check_job(verifier, action));
        verifier->job = action->subject;
        verifier->state.moment++;
        return walk_job(verifier, action->subject);
    case PROGRAM_ACTION_JOB_WAIT:
        STATUS_TRY(program_verify_check_job(verifier, action));
        verifier->job = PROGRAM_NONE;
        break;
    case PROGRAM_ACTION_HOST_START:
        STATUS_TRY(program_verify_check_job(verifier, action));
        STATUS_TRY(verify_space_open(verifier->space, now.job));
        STATUS_TRY(
            program_verify_start_task(verifier, action->subject, PROGRAM_NONE, PROGRAM_NONE, now));
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        STATUS_TRY(verify_space_open(verifier->space, now.job));
        STATUS_TRY(wait_task(verifier, action->subject, PROGRAM_NONE, now));
        break;
    default:
        break;
    }
    verifier->state.moment++;
    return STATUS_OK;
}

// Every action belongs to one dispatch, in order.
static status walk_dispatches(struct verifier *verifier)
{
    const struct program *program = verifier->program;
    uint32_t next = 0;
    for (uint32_t i = 0; i < program->dispatch_count; i++) {
        const struct program_dispatch *dispatch = &program->dispatches[i];
        if (dispatch->first_action != next)
            return verify_wrong("dispatch", i, "its actions do not follow those before it");
        next += dispatch->action_count;
        for (uint32_t j = 0; j < dispatch->action_count; j++)
            STATUS_TRY(walk_action(verifier, &program->actions[dispatch->first_action + j]));
    }
    return next == program->action_count ? STATUS_OK
                                         : verify_wrong("action", next, "it is of no dispatch");
}

// A value between groups that stays near the engines has a place outside that nobody uses.
static bool program_verify_is_wanted(const struct verifier *verifier, uint32_t buffer)
{
    const struct program_buffer *item = &verifier->program->buffers[buffer];
    if (item->alias != PROGRAM_NONE)
        return false;
    return item->kind == PROGRAM_BUFFER_OUTPUT ||
           (item->kind == PROGRAM_BUFFER_INNER && verify_writes_any(verifier->writes, buffer));
}

static status check_end(struct verifier *verifier)
{
    const struct program *program = verifier->program;
    if (verifier->job != PROGRAM_NONE)
        return verify_wrong("job", verifier->job, "it has not been waited for");
    for (uint32_t i = 0; i < program->task_count; i++) {
        if (verifier->state.tasks.stand[i] != VERIFY_WAITED)
            return verify_wrong("task", i, "nothing starts it, or nothing waits for it");
    }
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (!program_verify_is_wanted(verifier, i))
            continue;
        if (verify_writes_volume(verifier->writes, i) != buffer_volume(&program->buffers[i]))
            return verify_wrong("buffer", i, "some of its elements are never written");
        verifier->counts.values++;
    }
    return STATUS_OK;
}

static status program_verify_check_all(struct verifier *verifier)
{
    const struct program *program = verifier->program;
    STATUS_TRY(program_fits(program, verifier->target));
    for (uint32_t i = 0; i < program->buffer_count; i++)
        STATUS_TRY(program_verify_check_buffer(verifier, i));
    for (uint32_t i = 0; i < program->value_count; i++)
        STATUS_TRY(program_verify_check_value(verifier, i));
    STATUS_TRY(verify_ports(program));
    STATUS_TRY(verify_graphs(program));
    STATUS_TRY(verify_inside(&verifier->state));
    STATUS_TRY(verify_layouts(program, verifier->target));
    STATUS_TRY(verify_space_create(&verifier->state, &verifier->space));
    for (uint32_t i = 0; i < program->task_count; i++)
        STATUS_TRY(verify_task(&verifier->state, i));
    STATUS_TRY(check_streams(verifier));
    STATUS_TRY(walk_dispatches(verifier));
    return check_end(verifier);
}

static uint32_t *find_roots(const struct program *program)
{
    uint32_t *roots = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *roots);
    for (uint32_t i = 0; i < program->buffer_count; i++)
        roots[i] = program->buffers[i].alias != PROGRAM_NONE ? program->buffers[i].alias : i;
    return roots;
}

static struct verifier *verifier_create(const struct program *program, const struct target *target)
{
    struct verifier *verifier = memory_allocate_zeroed(1, sizeof *verifier);
    const size_t tasks = (size_t)program->task_count + 1;
    verifier->program = program;
    verifier->target = target;
    verifier->job = PROGRAM_NONE;
    verifier->depends = memory_allocate_zeroed(tasks, sizeof *verifier->depends);
    verifier->roots = find_roots(program);
    verifier->writes = verify_writes_create(program, verifier->roots);
    verifier->lanes = memory_allocate_zeroed((size_t)target->lane_count + 1, sizeof(uint32_t));
    memset(verifier->lanes, 0xff, (size_t)target->lane_count * sizeof(uint32_t));
    struct verify_state *state = &verifier->state;
    state->program = program;
    state->target = target;
    state->roots = verifier->roots;
    state->order = verify_order_create(program);
    state->stamps = memory_allocate_zeroed((size_t)target->memory_unit_count + 1, sizeof(uint32_t));
    state->tasks.stand = memory_allocate_zeroed(tasks, sizeof *state->tasks.stand);
    state->tasks.stream = memory_allocate_zeroed(tasks, sizeof *state->tasks.stream);
    state->tasks.over = memory_allocate_zeroed(tasks, sizeof *state->tasks.over);
    return verifier;
}

static void verifier_free(struct verifier *verifier)
{
    verify_space_free(verifier->space);
    verify_writes_free(verifier->writes);
    verify_order_free(verifier->state.order);
    free(verifier->state.stamps);
    free(verifier->state.tasks.stand);
    free(verifier->state.tasks.stream);
    free(verifier->state.tasks.over);
    free(verifier->lanes);
    free(verifier->roots);
    free(verifier->depends);
    free(verifier);
}

status program_verify(const struct program *program, const struct target *target,
                      struct verify_counts *out_counts)
{
    struct verifier *verifier = verifier_create(program, target);
    const status failure = program_verify_check_all(verifier);
    verifier->counts.tasks = program->task_count;
    verifier->counts.buffers = program->buffer_count;
    verifier->counts.streams = program->stream_count;
    *out_counts = verifier->counts;
    verifier_free(verifier);
    return failure;
}
