#include "windows.h"

bool program_shows(const struct program *program, uint32_t buffer,
                   const struct program_operand *operand)
{
    const struct program_buffer *inside = &program->buffers[buffer];
    const struct program_buffer *outside = &program->buffers[operand->buffer];
    if (inside->value != outside->value || inside->value == PROGRAM_NONE ||
        inside->element != outside->element || inside->rank != operand->rank)
        return false;
    for (uint32_t i = 0; i < operand->rank; i++) {
        int64_t place;
        if (__builtin_add_overflow(operand->from[i], outside->origin[i], &place) ||
            place != inside->origin[i] || operand->size[i] != inside->dims[i])
            return false;
    }
    return true;
}

bool program_gives(const struct program *program, const struct program_task *task, uint32_t count,
                   uint32_t buffer)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct program_call *call = &program->calls[task->first_call + i];
        const struct program_node *node = &program->nodes[call->node];
        const uint32_t *outputs = &program->call_buffers[call->first_buffer] + node->input_count;
        for (uint32_t j = 0; j < node->output_count; j++) {
            if (outputs[j] == buffer)
                return true;
        }
    }
    return false;
}

uint32_t program_window(const struct program *program, const struct program_task *task,
                        const struct program_operand *operand, uint32_t *out_count)
{
    uint32_t found = PROGRAM_NONE;
    *out_count = 0;
    for (uint32_t i = 0; i < task->call_count; i++) {
        const struct program_call *call = &program->calls[task->first_call + i];
        const struct program_node *node = &program->nodes[call->node];
        for (uint32_t j = 0; j < node->input_count + node->output_count; j++) {
            const uint32_t buffer = program->call_buffers[call->first_buffer + j];
            if (buffer == PROGRAM_NONE || buffer == found ||
                program->buffers[buffer].kind != PROGRAM_BUFFER_PIPELINE ||
                !program_shows(program, buffer, operand) ||
                program_gives(program, task, task->call_count, buffer) != (operand->writes != 0))
                continue;
            found = found == PROGRAM_NONE ? buffer : found;
            ++*out_count;
        }
    }
    return found;
}

uint32_t program_loops(uint32_t rank, const int64_t *size, const int64_t *from, const int64_t *to)
{
    uint32_t loops = 0;
    bool joined = true; // nothing is left out of what lies inside
    for (uint32_t i = rank; i-- > 0;) {
        if (size[i] != 1) {
            loops += !joined;
            joined = true;
        }
        joined &= size[i] == from[i] && size[i] == to[i];
    }
    return loops;
}
