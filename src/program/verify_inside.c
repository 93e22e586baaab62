#include "verify_inside.h"

#include <stdlib.h>

#include "base/memory.h"
#include "verify_task.h"

// Whether nothing else runs beside the task.
static bool runs_alone(const struct verify_state *state, const struct program_task *task)
{
    if (task->job == PROGRAM_NONE)
        return true;
    return target_is_processor(state->target) && task->unit == 0 && task->lane == 0 &&
           task->engine == target_engine_with(state->target, TARGET_ROLE_COMPUTE);
}

static bool has_graphs(const struct program *program, const struct program_node *node)
{
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (program->attributes[node->first_attribute + i].kind == ATTRIBUTE_GRAPH)
            return true;
    }
    return false;
}

// `owners` has by buffer the task + 1 that it is inside of.
static status verify_inside_check_buffer(const struct verify_state *state, uint32_t task,
                                         uint32_t buffer, uint32_t *owners)
{
    const struct program *program = state->program;
    const struct program_buffer *item = &program->buffers[buffer];
    if (verify_takes_memory(item))
        return STATUS_OK;
    if (item->kind == PROGRAM_BUFFER_DYNAMIC && !runs_alone(state, &program->tasks[task]))
        return verify_wrong("task", task, "only the host makes buffers when it runs");
    const bool operand =
        verify_find_operand(program, &program->tasks[task], buffer, false) != NULL ||
        verify_find_operand(program, &program->tasks[task], buffer, true) != NULL;
    if (operand)
        return STATUS_OK;
    if (owners[buffer] != 0 && owners[buffer] != task + 1)
        return verify_wrong("task", task, "it uses a buffer that is inside another task");
    owners[buffer] = task + 1;
    return STATUS_OK;
}

static status verify_inside_check_calls(const struct verify_state *state, uint32_t index,
                                        uint32_t *owners)
{
    const struct program *program = state->program;
    const struct program_task *task = &program->tasks[index];
    for (uint32_t i = 0; i < task->call_count; i++) {
        const struct program_call *call = &program->calls[task->first_call + i];
        const struct program_node *node = &program->nodes[call->node];
        if (has_graphs(program, node) && !runs_alone(state, task))
            return verify_wrong("task", index, "only the host runs graphs");
        for (uint32_t j = 0; j < node->input_count + node->output_count; j++) {
            const uint32_t buffer = program->call_buffers[call->first_buffer + j];
            if (buffer != PROGRAM_NONE)
                STATUS_TRY(verify_inside_check_buffer(state, index, buffer, owners));
        }
    }
    return STATUS_OK;
}

static status verify_inside_check_operands(const struct verify_state *state, uint32_t index,
                                           const uint32_t *owners)
{
    const struct program *program = state->program;
    const struct program_task *task = &program->tasks[index];
    for (uint32_t i = 0; i < task->operand_count; i++) {
        const uint32_t buffer = program->operands[task->first_operand + i].buffer;
        if (owners[buffer] != 0)
            return verify_wrong("task", index, "it uses a buffer that is inside a task");
        if (program->buffers[buffer].kind == PROGRAM_BUFFER_DYNAMIC && !runs_alone(state, task))
            return verify_wrong("task", index, "only the host makes buffers when it runs");
    }
    return STATUS_OK;
}

status verify_inside(const struct verify_state *state)
{
    const struct program *program = state->program;
    uint32_t *owners = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *owners);
    status failure = STATUS_OK;
    for (uint32_t i = 0; i < program->task_count && failure == STATUS_OK; i++)
        failure = verify_inside_check_calls(state, i, owners);
    for (uint32_t i = 0; i < program->task_count && failure == STATUS_OK; i++)
        failure = verify_inside_check_operands(state, i, owners);
    free(owners);
    return failure;
}
