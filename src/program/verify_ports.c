#include "verify_ports.h"

#include <stdlib.h>

#include "base/memory.h"
#include "verify_task.h"

// Which values the caller gives, and which it gets.
struct ports {
    bool *inputs;
    bool *outputs;
    uint32_t *held; // the buffer + 1 in which the caller's side of it lies
};

static bool has_type_of(const struct program_buffer *buffer, const struct program_value *value)
{
    if (buffer->element != value->element || buffer->rank != value->rank)
        return false;
    for (uint32_t i = 0; i < buffer->rank; i++) {
        if (buffer->dims[i] != value->dims[i] || buffer->origin[i] != 0)
            return false;
    }
    return true;
}

// The bytes that it shows are where tasks write, or the caller does.
static status verify_ports_check_alias(const struct program *program, uint32_t index)
{
    const uint16_t shown = program->buffers[program->buffers[index].alias].kind;
    return program->buffers[index].kind == PROGRAM_BUFFER_INNER &&
                   (shown == PROGRAM_BUFFER_INPUT || shown == PROGRAM_BUFFER_OUTPUT ||
                    shown == PROGRAM_BUFFER_INNER)
               ? STATUS_OK
               : verify_wrong("buffer", index, "it shows what cannot be shown");
}

// Whether a value that the caller gives or gets lies there, on the caller's side.
static bool is_port(const struct program *program, const struct program_buffer *buffer)
{
    if (buffer->alias != PROGRAM_NONE || buffer->value == PROGRAM_NONE)
        return false;
    switch (program->values[buffer->value].kind) {
    case PROGRAM_VALUE_INPUT:
        return buffer->kind == PROGRAM_BUFFER_INPUT || buffer->kind == PROGRAM_BUFFER_DYNAMIC;
    case PROGRAM_VALUE_CONSTANT:
        return buffer->kind == PROGRAM_BUFFER_CONSTANT || buffer->kind == PROGRAM_BUFFER_DYNAMIC;
    default:
        return buffer->kind == PROGRAM_BUFFER_OUTPUT || buffer->kind == PROGRAM_BUFFER_DYNAMIC;
    }
}

uint32_t program_port(const struct program *program, uint32_t value)
{
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].value == value && is_port(program, &program->buffers[i]))
            return i;
    }
    return PROGRAM_NONE;
}

// What the caller and the file fill is what they have, as a whole: nothing else would be
// there before a task reads it.
static status check_port(const struct program *program, uint32_t index, const struct ports *ports)
{
    const struct program_buffer *buffer = &program->buffers[index];
    if (buffer->alias != PROGRAM_NONE)
        return verify_ports_check_alias(program, index);
    const bool named = buffer->value != PROGRAM_NONE;
    const struct program_value *value = &program->values[named ? buffer->value : 0];
    const bool input = named && value->kind == PROGRAM_VALUE_INPUT;
    if (buffer->kind == PROGRAM_BUFFER_INPUT || (buffer->kind == PROGRAM_BUFFER_DYNAMIC && input))
        if (!input || !ports->inputs[buffer->value])
            return verify_wrong("buffer", index, "it holds no input of the network");
    if (buffer->kind == PROGRAM_BUFFER_CONSTANT &&
        (!named || value->kind != PROGRAM_VALUE_CONSTANT))
        return verify_wrong("buffer", index, "it holds no constant of the network");
    if (buffer->kind == PROGRAM_BUFFER_CODE && named)
        return verify_wrong("buffer", index, "it holds code, and is called a value");
    if (buffer->kind == PROGRAM_BUFFER_OUTPUT && (!named || !ports->outputs[buffer->value]))
        return verify_wrong("buffer", index, "it holds no output of the network");
    const bool whole = buffer->kind == PROGRAM_BUFFER_INPUT ||
                       buffer->kind == PROGRAM_BUFFER_CONSTANT ||
                       buffer->kind == PROGRAM_BUFFER_OUTPUT;
    return !whole || has_type_of(buffer, value)
               ? STATUS_OK
               : verify_wrong("buffer", index, "it has another type than its value");
}

static status verify_ports_check_inputs(const struct program *program)
{
    for (uint32_t i = 0; i < program->input_count; i++) {
        const uint16_t kind = program->values[program->inputs[i]].kind;
        if (kind != PROGRAM_VALUE_INPUT && kind != PROGRAM_VALUE_CONSTANT)
            return verify_wrong("input", i, "its value is none that the caller gives");
    }
    return STATUS_OK;
}

// A value that nothing made is no output.
static status verify_ports_check_outputs(const struct program *program, const struct ports *ports)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        const uint32_t value = program->outputs[i];
        if (ports->held[value] == 0 && program->values[value].kind != PROGRAM_VALUE_CONSTANT)
            return verify_wrong("output", i, "nothing holds its value");
    }
    return STATUS_OK;
}

static status verify_ports_check_all(const struct program *program, const struct ports *ports)
{
    STATUS_TRY(verify_ports_check_inputs(program));
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        STATUS_TRY(check_port(program, i, ports));
        if (!is_port(program, &program->buffers[i]))
            continue;
        // The other one would never be filled.
        if (ports->held[program->buffers[i].value] != 0)
            return verify_wrong("buffer", i, "another one holds the same value");
        ports->held[program->buffers[i].value] = i + 1;
    }
    return verify_ports_check_outputs(program, ports);
}

status verify_ports(const struct program *program)
{
    const size_t values = (size_t)program->value_count + 1;
    const struct ports ports = {memory_allocate_zeroed(values, sizeof *ports.inputs),
                                memory_allocate_zeroed(values, sizeof *ports.outputs),
                                memory_allocate_zeroed(values, sizeof *ports.held)};
    for (uint32_t i = 0; i < program->input_count; i++)
        ports.inputs[program->inputs[i]] = true;
    for (uint32_t i = 0; i < program->output_count; i++)
        ports.outputs[program->outputs[i]] = true;
    const status failure = verify_ports_check_all(program, &ports);
    free(ports.inputs);
    free(ports.outputs);
    free(ports.held);
    return failure;
}
