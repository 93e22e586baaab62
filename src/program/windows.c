#include "windows.h"

// Whether a buffer and the buffer of an operand hold parts of one value, in as many dimensions.
static bool windows_same_value(const struct program_buffer *inside,
                               const struct program_buffer *outside,
                               const struct program_operand *operand)
{
    return inside->value == outside->value && inside->value != PROGRAM_NONE &&
           inside->element == outside->element && inside->rank == operand->rank;
}

bool program_shows(const struct program *program, uint32_t buffer,
                   const struct program_operand *operand)
{
    const struct program_buffer *inside = &program->buffers[buffer];
    const struct program_buffer *outside = &program->buffers[operand->buffer];
    if (!windows_same_value(inside, outside, operand))
        return false;
    for (uint32_t i = 0; i < operand->rank; i++) {
        int64_t place;
        if (__builtin_add_overflow(operand->from[i], outside->origin[i], &place) ||
            place != inside->origin[i] || operand->size[i] != inside->dims[i])
            return false;
    }
    return true;
}

bool program_lies_within(const struct program *program, uint32_t buffer,
                         const struct program_operand *operand)
{
    const struct program_buffer *inside = &program->buffers[buffer];
    const struct program_buffer *outside = &program->buffers[operand->buffer];
    if (!windows_same_value(inside, outside, operand))
        return false;
    for (uint32_t i = 0; i < operand->rank; i++) {
        int64_t place;
        if (__builtin_add_overflow(operand->from[i], outside->origin[i], &place) ||
            __builtin_sub_overflow(place, inside->origin[i], &place) || place < 0 ||
            place > inside->dims[i] || operand->size[i] > inside->dims[i] - place)
            return false;
    }
    return true;
}

static bool count_places(uint32_t rank, const int64_t *dims, uint64_t *out_count)
{
    *out_count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] <= 0 || __builtin_mul_overflow(*out_count, (uint64_t)dims[i], out_count))
            return false;
    }
    return true;
}

// Of two that lie within the same buffer.
static bool have_common(const struct program *program, uint32_t buffer,
                        const struct program_operand *a, const struct program_operand *b)
{
    const int64_t *origin = program->buffers[buffer].origin;
    const int64_t *one = program->buffers[a->buffer].origin;
    const int64_t *other = program->buffers[b->buffer].origin;
    for (uint32_t i = 0; i < a->rank; i++) {
        const int64_t from = a->from[i] + one[i] - origin[i];
        const int64_t beside = b->from[i] + other[i] - origin[i];
        if (from + a->size[i] <= beside || beside + b->size[i] <= from)
            return false;
    }
    return true;
}

bool program_joins(const struct program *program, const struct program_task *task, uint32_t buffer)
{
    const struct program_operand *operands = &program->operands[task->first_operand];
    const struct program_buffer *item = &program->buffers[buffer];
    uint64_t missing, count;
    uint32_t parts = 0;
    if (item->rank > SHAPE_RANK_MOST || !count_places(item->rank, item->dims, &missing))
        return false;
    for (uint32_t i = 0; i < task->operand_count; i++) {
        if (operands[i].writes != 0 || !program_lies_within(program, buffer, &operands[i]))
            continue;
        if (!count_places(item->rank, operands[i].size, &count) || count > missing)
            return false;
        missing -= count;
        if (++parts > PROGRAM_JOINED_MOST)
            return false;
        for (uint32_t k = 0; k < i; k++) {
            if (operands[k].writes == 0 && program_lies_within(program, buffer, &operands[k]) &&
                have_common(program, buffer, &operands[i], &operands[k]))
                return false;
        }
    }
    return parts > 1 && missing == 0;
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

static bool is_seen_through(const struct program *program, const struct program_task *task,
                            uint32_t buffer, const struct program_operand *operand)
{
    return program_shows(program, buffer, operand) ||
           (operand->writes == 0 && program_lies_within(program, buffer, operand) &&
            program_joins(program, task, buffer));
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
                !is_seen_through(program, task, buffer, operand) ||
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
