#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "verify_task.h"
#include "verify_writes.h"

struct verifier {
    const struct program *program;
    const struct target *target;
    uint32_t moment;
    bool *started;
    bool *waited;
    uint32_t *flying; // started and not waited for
    size_t flying_count;
    size_t flying_capacity;
    uint32_t busy[TARGET_ENGINES_MOST][256]; // the task that a lane has not been waited for
    uint32_t *roots;                         // by buffer: the one whose bytes it shows, or itself
    struct verify_writes *writes;            // of tasks that have ended
    uint32_t *depends;                       // by task: the last one + 1 that needs its data
    uint32_t job;                            // that was started and not waited for
    struct verify_counts counts;
};

static const struct program_buffer *buffer_of(const struct verifier *verifier,
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

static status check_buffer(const struct verifier *verifier, uint32_t index)
{
    const struct program_buffer *buffer = &verifier->program->buffers[index];
    if (buffer->memory >= verifier->target->memory_count)
        return verify_wrong("buffer", index, "the target has no such memory");
    const struct target_memory *memory = &verifier->target->memories[buffer->memory];
    if (!verify_takes_memory(buffer))
        return STATUS_OK;
    if (buffer->size > memory->size || buffer->address > memory->size - buffer->size)
        return status_make(
            STATUS_DATA,
            "buffer %" PRIu32 ": bytes %" PRIu64 " to %" PRIu64 " lie beyond the %" PRIu64 " of %s",
            index, buffer->address, buffer->address + buffer->size, memory->size, memory->name);
    struct shape shape = {.rank = buffer->rank};
    memcpy(shape.dims, buffer->dims, sizeof shape.dims);
    uint64_t count;
    if (!shape_known(&shape) || buffer->element == ELEMENT_NONE)
        return verify_wrong("buffer", index, "its shape is not known");
    STATUS_TRY(shape_elements(&shape, &count));
    if (buffer->size / element_size((enum element)buffer->element) < count)
        return verify_wrong("buffer", index, "it is smaller than what it holds");
    if (buffer->alias != PROGRAM_NONE) {
        const struct program_buffer *shown = &verifier->program->buffers[buffer->alias];
        if (shown->address != buffer->address || shown->memory != buffer->memory ||
            shown->size != buffer->size || shown->alias != PROGRAM_NONE)
            return verify_wrong("buffer", index, "it does not lie where what it shows lies");
    }
    return STATUS_OK;
}

static int compare_from(const void *a, const void *b, void *context)
{
    const struct program *program = context;
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    const uint32_t from_left = program->buffers[left].from;
    const uint32_t from_right = program->buffers[right].from;
    return from_left != from_right ? (from_left > from_right) - (from_left < from_right)
                                   : (left > right) - (left < right);
}

static bool collide(const struct program_buffer *a, const struct program_buffer *b)
{
    return a->memory == b->memory && a->size > 0 && b->size > 0 &&
           a->address < b->address + b->size && b->address < a->address + a->size;
}

// Goes over the buffers in the order in which they come into use, beside those that
// still are.
static status check_overlaps(struct verifier *verifier)
{
    const struct program *program = verifier->program;
    uint32_t *order = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *order);
    uint32_t *active = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *active);
    uint32_t count = 0;
    uint32_t active_count = 0;
    status failure = STATUS_OK;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (verify_takes_memory(&program->buffers[i]) && program->buffers[i].alias == PROGRAM_NONE)
            order[count++] = i;
    }
    qsort_r(order, count, sizeof *order, compare_from, (void *)program);
    for (uint32_t i = 0; i < count && failure == STATUS_OK; i++) {
        const struct program_buffer *buffer = &program->buffers[order[i]];
        uint32_t kept = 0;
        for (uint32_t j = 0; j < active_count; j++) {
            const struct program_buffer *other = &program->buffers[active[j]];
            if (other->to < buffer->from)
                continue;
            active[kept++] = active[j];
            if (collide(buffer, other))
                failure =
                    status_first(failure, status_make(STATUS_DATA,
                                                      "buffers %" PRIu32 " and %" PRIu32
                                                      " are in use together at the same address",
                                                      active[j], order[i]));
        }
        active_count = kept;
        active[active_count++] = order[i];
    }
    free(order);
    free(active);
    return failure;
}

// The walk -----------------------------------------------------------------------------

// Whether two operands touch the same bytes and one of them writes.
static bool race(const struct verifier *verifier, const struct program_operand *a,
                 const struct program_operand *b)
{
    if (a->writes == 0 && b->writes == 0)
        return false;
    const struct program_buffer *x = buffer_of(verifier, a);
    const struct program_buffer *y = buffer_of(verifier, b);
    if (!verify_takes_memory(x) || !verify_takes_memory(y))
        return a->buffer == b->buffer;
    if (a->buffer == b->buffer)
        return verify_shared_volume(verify_box_of(a), verify_box_of(b)) > 0;
    return collide(x, y);
}

static status check_races(const struct verifier *verifier, uint32_t index)
{
    const struct program *program = verifier->program;
    const struct program_task *task = &program->tasks[index];
    for (size_t i = 0; i < verifier->flying_count; i++) {
        const struct program_task *other = &program->tasks[verifier->flying[i]];
        for (uint32_t j = 0; j < task->operand_count; j++) {
            for (uint32_t k = 0; k < other->operand_count; k++) {
                if (race(verifier, &program->operands[task->first_operand + j],
                         &program->operands[other->first_operand + k]))
                    return status_make(STATUS_DATA,
                                       "task %" PRIu32 ": it starts while task %" PRIu32
                                       " uses the same bytes",
                                       index, verifier->flying[i]);
            }
        }
    }
    return STATUS_OK;
}

// Whether it is there before any task runs.
static bool is_given(const struct program *program, const struct program_buffer *buffer)
{
    if (buffer->kind == PROGRAM_BUFFER_DYNAMIC && buffer->value != PROGRAM_NONE) {
        const uint16_t kind = program->values[buffer->value].kind;
        return kind == PROGRAM_VALUE_INPUT || kind == PROGRAM_VALUE_CONSTANT;
    }
    return buffer->kind == PROGRAM_BUFFER_INPUT || buffer->kind == PROGRAM_BUFFER_CONSTANT ||
           buffer->kind == PROGRAM_BUFFER_CODE;
}

// Writes do not overlap, so what a box shares with each adds up. Whoever wrote it is
// a dependency.
static status check_written(const struct verifier *verifier, uint32_t index,
                            const struct program_operand *operand)
{
    const struct program *program = verifier->program;
    const uint32_t root = root_of(verifier, operand->buffer);
    const struct program_buffer *buffer = &program->buffers[root];
    const struct verify_box box = verify_box_of(operand);
    // What shows bytes under another shape needs all of them.
    const bool shown = root != operand->buffer;
    const uint64_t needed =
        shown ? buffer_volume(buffer) : verify_volume(operand->size, operand->rank);
    size_t count;
    const struct verify_write *writes =
        verify_writes_find(verifier->writes, root, shown ? NULL : &box, &count);
    uint64_t written = 0;
    for (size_t i = 0; i < count; i++) {
        written += writes[i].shared;
        if (verifier->depends[writes[i].task] != index + 1)
            return status_make(STATUS_DATA,
                               "task %" PRIu32 ": it reads what task %" PRIu32
                               " writes without depending on it",
                               index, writes[i].task);
    }
    return written == needed || is_given(program, buffer)
               ? STATUS_OK
               : verify_wrong("task", index, "it reads what has not been written");
}

static status check_in_use(const struct verifier *verifier, uint32_t index)
{
    const struct program_task *task = &verifier->program->tasks[index];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const uint32_t buffer = verifier->program->operands[task->first_operand + i].buffer;
        const struct program_buffer *item = &verifier->program->buffers[root_of(verifier, buffer)];
        if (verifier->moment < item->from || verifier->moment > item->to)
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

static status check_dependencies(struct verifier *verifier, uint32_t index)
{
    const struct program *program = verifier->program;
    const struct program_task *task = &program->tasks[index];
    for (uint32_t i = 0; i < task->dependency_count; i++) {
        const struct program_dependency *on = &program->dependencies[task->first_dependency + i];
        verifier->counts.dependencies++;
        if (on->is_true != 0)
            verifier->depends[on->task] = index + 1;
        if (!verifier->waited[on->task])
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

static status start_task(struct verifier *verifier, uint32_t index, uint32_t job)
{
    const struct program *program = verifier->program;
    const struct program_task *task = &program->tasks[index];
    if (verifier->started[index])
        return verify_wrong("task", index, "it starts twice");
    verifier->started[index] = true;
    if (task->job != job)
        return verify_wrong("task", index, "it belongs to another job");
    uint32_t *lane = &verifier->busy[task->engine][task->lane];
    if (*lane != PROGRAM_NONE)
        return status_make(STATUS_DATA,
                           "task %" PRIu32 ": its lane has not been waited for: task %" PRIu32,
                           index, *lane);
    *lane = index;
    STATUS_TRY(check_dependencies(verifier, index));
    STATUS_TRY(check_races(verifier, index));
    STATUS_TRY(check_in_use(verifier, index));
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        if (operand->writes == 0)
            STATUS_TRY(check_written(verifier, index, operand));
    }
    verifier->flying = memory_grow(verifier->flying, verifier->flying_count,
                                   &verifier->flying_capacity, sizeof *verifier->flying);
    verifier->flying[verifier->flying_count++] = index;
    return STATUS_OK;
}

static status wait_task(struct verifier *verifier, uint32_t index)
{
    const struct program_task *task = &verifier->program->tasks[index];
    if (!verifier->started[index])
        return verify_wrong("task", index, "it is waited for before it starts");
    if (verifier->waited[index])
        return STATUS_OK;
    verifier->waited[index] = true;
    STATUS_TRY(check_in_use(verifier, index));
    verifier->busy[task->engine][task->lane] = PROGRAM_NONE;
    size_t at = 0;
    while (verifier->flying[at] != index)
        at++;
    verifier->flying[at] = verifier->flying[--verifier->flying_count];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const uint32_t operand = task->first_operand + i;
        if (verifier->program->operands[operand].writes != 0 &&
            !verify_writes_add(verifier->writes, operand, index))
            return verify_wrong("task", index, "it writes what has been written");
    }
    return STATUS_OK;
}

static status walk_job(struct verifier *verifier, uint32_t job)
{
    const struct program_job *item = &verifier->program->jobs[job];
    for (uint32_t i = 0; i < item->step_count; i++) {
        const struct program_step *step = &verifier->program->steps[item->first_step + i];
        STATUS_TRY(step->kind == PROGRAM_STEP_START ? start_task(verifier, step->task, job)
                                                    : wait_task(verifier, step->task));
        verifier->moment++;
        verifier->counts.steps++;
    }
    return STATUS_OK;
}

// The host waits for a job before it starts anything else.
static status check_job(struct verifier *verifier, const struct program_action *action)
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
    switch ((enum program_action_kind)action->kind) {
    case PROGRAM_ACTION_JOB_START:
        STATUS_TRY(check_job(verifier, action));
        verifier->job = action->subject;
        verifier->moment++;
        return walk_job(verifier, action->subject);
    case PROGRAM_ACTION_JOB_WAIT:
        STATUS_TRY(check_job(verifier, action));
        verifier->job = PROGRAM_NONE;
        break;
    case PROGRAM_ACTION_HOST_START:
        STATUS_TRY(check_job(verifier, action));
        STATUS_TRY(start_task(verifier, action->subject, PROGRAM_NONE));
        break;
    case PROGRAM_ACTION_HOST_WAIT:
        STATUS_TRY(wait_task(verifier, action->subject));
        break;
    default:
        break;
    }
    verifier->moment++;
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

// A value that nothing made is no output.
static bool has_place(const struct program *program, uint32_t value)
{
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].value == value)
            return true;
    }
    return program->values[value].kind == PROGRAM_VALUE_CONSTANT;
}

static status check_end(struct verifier *verifier)
{
    const struct program *program = verifier->program;
    for (uint32_t i = 0; i < program->output_count; i++) {
        if (!has_place(program, program->outputs[i]))
            return verify_wrong("output", i, "nothing holds its value");
    }
    if (verifier->job != PROGRAM_NONE)
        return verify_wrong("job", verifier->job, "it has not been waited for");
    for (uint32_t i = 0; i < program->task_count; i++) {
        if (!verifier->waited[i])
            return verify_wrong("task", i, "nothing starts it, or nothing waits for it");
    }
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        const bool wanted =
            (buffer->kind == PROGRAM_BUFFER_OUTPUT || buffer->kind == PROGRAM_BUFFER_INNER) &&
            buffer->alias == PROGRAM_NONE;
        if (!wanted)
            continue;
        if (verify_writes_volume(verifier->writes, i) != buffer_volume(buffer))
            return verify_wrong("buffer", i, "some of its elements are never written");
        verifier->counts.values++;
    }
    return STATUS_OK;
}

static status check_all(struct verifier *verifier)
{
    const struct program *program = verifier->program;
    for (uint32_t i = 0; i < program->buffer_count; i++)
        STATUS_TRY(check_buffer(verifier, i));
    STATUS_TRY(check_overlaps(verifier));
    for (uint32_t i = 0; i < program->task_count; i++)
        STATUS_TRY(verify_task(program, verifier->target, i));
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

status program_verify(const struct program *program, const struct target *target,
                      struct verify_counts *out_counts)
{
    struct verifier *verifier = memory_allocate_zeroed(1, sizeof *verifier);
    verifier->program = program;
    verifier->target = target;
    verifier->job = PROGRAM_NONE;
    verifier->started = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof(bool));
    verifier->waited = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof(bool));
    verifier->depends = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof(uint32_t));
    verifier->roots = find_roots(program);
    verifier->writes = verify_writes_create(program, verifier->roots);
    memset(verifier->busy, 0xff, sizeof verifier->busy);
    const status failure = check_all(verifier);
    verifier->counts.tasks = program->task_count;
    verifier->counts.buffers = program->buffer_count;
    *out_counts = verifier->counts;
    verify_writes_free(verifier->writes);
    free(verifier->roots);
    free(verifier->depends);
    free(verifier->started);
    free(verifier->waited);
    free(verifier->flying);
    free(verifier);
    return failure;
}
