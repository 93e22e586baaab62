#include "verify_task.h"

#include <inttypes.h>

#include "fits.h"
#include "layouts.h"
#include "network/weights.h"
#include "verify_stages.h"
#include "windows.h"

struct checker {
    const struct verify_state *state;
    const struct program *program;
    const struct target *target;
    const struct program_task *task;
    uint32_t index;
};

status verify_wrong(const char *what, uint32_t index, const char *why)
{
    return status_make(STATUS_DATA, "%s %" PRIu32 ": %s", what, index, why);
}

static status verify_task_fail(const struct checker *checker, const char *why)
{
    return verify_wrong("task", checker->index, why);
}

static const struct program_operand *verify_task_operand_at(const struct checker *checker,
                                                            uint32_t index)
{
    return &checker->program->operands[checker->task->first_operand + index];
}

static const struct program_buffer *verify_task_buffer_of(const struct checker *checker,
                                                          const struct program_operand *operand)
{
    return &checker->program->buffers[operand->buffer];
}

// Operands ---------------------------------------------------------------------------

bool verify_is_given(const struct program *program, const struct program_buffer *buffer)
{
    if (buffer->kind == PROGRAM_BUFFER_DYNAMIC && buffer->value != PROGRAM_NONE) {
        const uint16_t kind = program->values[buffer->value].kind;
        return kind == PROGRAM_VALUE_INPUT || kind == PROGRAM_VALUE_CONSTANT;
    }
    return buffer->kind == PROGRAM_BUFFER_INPUT || buffer->kind == PROGRAM_BUFFER_CONSTANT ||
           buffer->kind == PROGRAM_BUFFER_CODE;
}

static status check_written_kind(const struct checker *checker,
                                 const struct program_operand *operand)
{
    const struct program_buffer *buffer = verify_task_buffer_of(checker, operand);
    if (operand->writes == 0)
        return STATUS_OK;
    if (buffer->kind != PROGRAM_BUFFER_CODE && verify_is_given(checker->program, buffer))
        return verify_task_fail(checker, "it writes an input or a constant");
    if (buffer->alias != PROGRAM_NONE)
        return verify_task_fail(checker, "it writes what only shows another buffer");
    return STATUS_OK;
}

static status verify_task_check_operand(const struct checker *checker,
                                        const struct program_operand *operand)
{
    const struct program_buffer *buffer = verify_task_buffer_of(checker, operand);
    STATUS_TRY(check_written_kind(checker, operand));
    if (buffer->kind == PROGRAM_BUFFER_DYNAMIC)
        return STATUS_OK;
    if (buffer->kind == PROGRAM_BUFFER_PIPELINE)
        return verify_task_fail(checker, "an operand inside the engine");
    if (buffer->kind == PROGRAM_BUFFER_RING && checker->task->stage_count == 0)
        return verify_task_fail(checker, "a ring of a task without stages");
    if (operand->rank != buffer->rank)
        return verify_task_fail(checker, "an operand of another rank than its buffer");
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->from[i] + operand->size[i] > buffer->dims[i])
            return verify_task_fail(checker, "an operand beyond its buffer");
    }
    return STATUS_OK;
}

bool verify_is_whole(const struct program *program, const struct program_operand *operand)
{
    const struct program_buffer *buffer = &program->buffers[operand->buffer];
    for (uint32_t i = 0; verify_takes_memory(buffer) && i < operand->rank; i++) {
        if (operand->from[i] != 0 || operand->size[i] != buffer->dims[i])
            return false;
    }
    return true;
}

// Transfers --------------------------------------------------------------------------

static bool reaches(const struct checker *checker, const struct program_buffer *buffer)
{
    return program_reaches(checker->target, checker->task->engine, checker->task->unit,
                           buffer->memory, buffer->unit);
}

// A transfer's engine reaches both ends; one from core to core starts at its own.
static bool engine_joins(const struct checker *checker, const struct program_buffer *from,
                         const struct program_buffer *to)
{
    if (!reaches(checker, from))
        return false;
    return checker->target->engines[checker->task->engine].role == TARGET_ROLE_COMMUNICATION
               ? from->memory != to->memory || from->unit != to->unit
               : reaches(checker, to);
}

// Both boxes are the same part of the same value.
static bool same_place(const struct checker *checker, const struct program_operand *from,
                       const struct program_operand *to)
{
    const struct program_buffer *source = verify_task_buffer_of(checker, from);
    const struct program_buffer *target = verify_task_buffer_of(checker, to);
    for (uint32_t i = 0; i < from->rank; i++) {
        int64_t left;
        int64_t right;
        if (__builtin_add_overflow(from->from[i], source->origin[i], &left) ||
            __builtin_add_overflow(to->from[i], target->origin[i], &right) || left != right)
            return false;
    }
    return source->value == target->value;
}

static uint64_t moved_bytes(const struct checker *checker, const struct program_operand *from)
{
    const struct program_buffer *source = verify_task_buffer_of(checker, from);
    uint64_t count = 1;
    for (uint32_t i = 0; i < from->rank; i++)
        count *= (uint64_t)from->size[i];
    return layouts_is_packed(checker->program, source)
               ? weights_bytes(count)
               : count * element_size((enum element)source->element);
}

static status check_destination(const struct checker *checker, const struct program_operand *from,
                                const struct program_operand *to)
{
    const struct program_buffer *source = verify_task_buffer_of(checker, from);
    const struct program_buffer *target = verify_task_buffer_of(checker, to);
    if (!verify_takes_memory(source) || !verify_takes_memory(target) ||
        source->element != target->element || from->rank != to->rank ||
        memcmp(from->size, to->size, from->rank * sizeof *from->size) != 0)
        return verify_task_fail(checker, "a transfer between different shapes or types");
    if (checker->task->cost.kind != COST_TRANSFER ||
        checker->task->cost.bytes != moved_bytes(checker, from))
        return verify_task_fail(checker, "a transfer of another size than its operands");
    if (!same_place(checker, from, to))
        return verify_task_fail(checker, "a transfer to another place of the value");
    if (!target_engine_carries(checker->target, checker->task->engine, source->memory,
                               target->memory))
        return verify_task_fail(checker, "its engine does not carry between these memories");
    if (!engine_joins(checker, source, target))
        return verify_task_fail(checker, "its engine does not carry between these units");
    return STATUS_OK;
}

// The engine goes over what it carries in so many loops at most.
static status check_loops(const struct checker *checker, const struct program_operand *from,
                          const struct program_operand *to)
{
    const uint64_t most = checker->target->engines[checker->task->engine].loops;
    const uint32_t loops =
        program_loops(from->rank, from->size, verify_task_buffer_of(checker, from)->dims,
                      verify_task_buffer_of(checker, to)->dims);
    if (most == 0 || loops <= most)
        return STATUS_OK;
    return verify_task_fail(checker, "a transfer of more loops than its engine has");
}

// The units of the destinations are said, each once; of a single one between memories they
// may be left out.
static status verify_task_check_units(const struct checker *checker)
{
    const struct program_task *task = checker->task;
    const uint32_t count = task->operand_count - 1;
    const bool communicates =
        checker->target->engines[task->engine].role == TARGET_ROLE_COMMUNICATION;
    if (task->unit_count == 0 && count == 1 && !communicates)
        return STATUS_OK;
    if (task->unit_count != count)
        return verify_task_fail(checker, "a transfer to other units than it says");
    for (uint32_t i = 0; i < count; i++) {
        const struct program_buffer *buffer =
            verify_task_buffer_of(checker, verify_task_operand_at(checker, i + 1));
        uint32_t *stamp =
            &checker->state
                 ->stamps[target_memory_unit(checker->target, buffer->memory, buffer->unit)];
        if (checker->program->task_units[task->first_unit + i] != buffer->unit)
            return verify_task_fail(checker, "a transfer to other units than it says");
        if (*stamp == checker->index + 1)
            return verify_task_fail(checker, "a transfer to the same unit twice");
        *stamp = checker->index + 1;
    }
    return STATUS_OK;
}

static status check_transfer(const struct checker *checker)
{
    const struct program_task *task = checker->task;
    const struct program_operand *from = verify_task_operand_at(checker, 0);
    if (task->operand_count < 2 || from->writes != 0 || task->call_count != 0 ||
        task->stage_count != 0)
        return verify_task_fail(checker, "a transfer that does not go from one place to one other");
    if (task->operand_count > 2 && !checker->target->engines[task->engine].cast)
        return verify_task_fail(checker,
                                "it is cast to several places, which its engine cannot do");
    for (uint32_t i = 1; i < task->operand_count; i++) {
        if (verify_task_operand_at(checker, i)->writes != 1)
            return verify_task_fail(checker,
                                    "a transfer that does not go from one place to one other");
        STATUS_TRY(check_destination(checker, from, verify_task_operand_at(checker, i)));
        STATUS_TRY(check_loops(checker, from, verify_task_operand_at(checker, i)));
    }
    return verify_task_check_units(checker);
}

// Kernels ----------------------------------------------------------------------------

const struct program_operand *verify_find_operand(const struct program *program,
                                                  const struct program_task *task, uint32_t buffer,
                                                  bool writes)
{
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const struct program_operand *operand = &program->operands[task->first_operand + i];
        if (operand->buffer == buffer && (operand->writes != 0) == writes)
            return operand;
    }
    return NULL;
}

static bool has_operand(const struct checker *checker, uint32_t buffer, bool writes)
{
    return verify_find_operand(checker->program, checker->task, buffer, writes) != NULL;
}

// Whether a buffer inside the engine is just what one operand reads of a larger one, or joined
// of several.
static bool is_window(const struct checker *checker, uint32_t buffer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < checker->task->operand_count; i++) {
        const struct program_operand *operand = verify_task_operand_at(checker, i);
        count += operand->writes == 0 && program_shows(checker->program, buffer, operand) &&
                 !verify_is_whole(checker->program, operand);
    }
    return count == 1 || program_joins(checker->program, checker->task, buffer);
}

// A kernel reads what the task reads or what an earlier kernel gave; it writes what
// the task writes or what stays inside.
static status check_call_buffer(const struct checker *checker, uint32_t call, uint32_t buffer,
                                uint32_t value, bool output)
{
    if (buffer == PROGRAM_NONE)
        return value == PROGRAM_NONE || output
                   ? STATUS_OK
                   : verify_task_fail(checker, "a kernel lacks an input");
    const struct program_buffer *item = &checker->program->buffers[buffer];
    if (item->value != value)
        return verify_task_fail(checker, "a kernel is called with another value");
    if (checker->task->stage_count > 0)
        return verify_stage_buffer(checker->state, checker->index, call, buffer, output);
    const bool inside = item->kind == PROGRAM_BUFFER_PIPELINE;
    const bool dynamic = item->kind == PROGRAM_BUFFER_DYNAMIC;
    if (output)
        return inside || dynamic || has_operand(checker, buffer, true)
                   ? STATUS_OK
                   : verify_task_fail(checker,
                                      "a kernel writes a buffer that is no operand of the task");
    if ((inside ? is_window(checker, buffer) : has_operand(checker, buffer, false)) ||
        program_gives(checker->program, checker->task, call, buffer))
        return STATUS_OK;
    return verify_task_fail(checker, "a kernel reads a buffer that is no operand of the task");
}

static status verify_task_check_call(const struct checker *checker, uint32_t index)
{
    const struct program *program = checker->program;
    const struct program_call *call = &program->calls[checker->task->first_call + index];
    const struct program_node *node = &program->nodes[call->node];
    for (uint32_t i = 0; i < call->attribute_count; i++) {
        if (program->attributes[call->first_attribute + i].kind != ATTRIBUTE_INTEGERS)
            return verify_task_fail(checker, "an attribute of a tile that is no list of integers");
    }
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++)
        STATUS_TRY(check_call_buffer(checker, index, program->call_buffers[call->first_buffer + i],
                                     program->node_values[node->first_value + i],
                                     i >= node->input_count));
    return STATUS_OK;
}

// The kernels of its group, all of them and in order.
static status verify_task_check_calls(const struct checker *checker)
{
    const struct program *program = checker->program;
    const struct program_task *task = checker->task;
    if (task->group == PROGRAM_NONE)
        return verify_task_fail(checker, "it computes nothing of the network");
    const struct program_group *group = &program->groups[task->group];
    if (task->call_count != group->node_count || task->engine != group->engine)
        return verify_task_fail(checker, "it is not what its group is");
    for (uint32_t i = 0; i < task->call_count; i++) {
        if (program->calls[task->first_call + i].node != group->first_node + i)
            return verify_task_fail(checker, "it calls kernels of another group");
        STATUS_TRY(verify_task_check_call(checker, i));
    }
    return STATUS_OK;
}

// Kernels are called with the buffer of an operand, or with a window where it is a part.
static status check_tile(const struct checker *checker, const struct program_operand *operand)
{
    const struct program_buffer *buffer = verify_task_buffer_of(checker, operand);
    const bool whole = verify_is_whole(checker->program, operand);
    uint32_t windows = 0;
    if (!whole)
        program_window(checker->program, checker->task, operand, &windows);
    if (!whole && windows != 1)
        return verify_task_fail(checker, "part of a tile that kernels see through no window");
    if (whole && operand->writes != 0 &&
        !program_gives(checker->program, checker->task, checker->task->call_count, operand->buffer))
        return verify_task_fail(checker, "no kernel gives what it writes");
    if (!verify_takes_memory(buffer))
        return STATUS_OK;
    return buffer->memory == checker->target->engines[checker->task->engine].memory &&
                   reaches(checker, buffer)
               ? STATUS_OK
               : verify_task_fail(checker, "its engine does not reach an operand");
}

static status check_compute(const struct checker *checker)
{
    const uint32_t engine = checker->task->engine;
    STATUS_TRY(verify_task_check_calls(checker));
    if (!target_computes(checker->target, engine) &&
        checker->target->engines[engine].role != TARGET_ROLE_HOST)
        return verify_task_fail(checker, "its engine does not compute");
    if (checker->task->unit_count != 0)
        return verify_task_fail(checker, "it computes for other units");
    if (checker->task->stage_count > 0)
        return verify_stages(checker->state, checker->index);
    for (uint32_t i = 0; i < checker->task->operand_count; i++)
        STATUS_TRY(check_tile(checker, verify_task_operand_at(checker, i)));
    return STATUS_OK;
}

status verify_task(const struct verify_state *state, uint32_t index)
{
    const struct program_task *task = &state->program->tasks[index];
    const struct checker checker = {state, state->program, state->target, task, index};
    for (uint32_t i = 0; i < task->operand_count; i++)
        STATUS_TRY(verify_task_check_operand(&checker, verify_task_operand_at(&checker, i)));
    return task->kind == PROGRAM_TASK_TRANSFER ? check_transfer(&checker) : check_compute(&checker);
}
