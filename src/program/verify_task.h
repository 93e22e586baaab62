// What can be said of a task by itself, and what its parts say of buffers.

#ifndef OPSCOPE_PROGRAM_VERIFY_TASK_H
#define OPSCOPE_PROGRAM_VERIFY_TASK_H

#include "program.h"

static inline bool verify_takes_memory(const struct program_buffer *buffer)
{
    return buffer->kind != PROGRAM_BUFFER_PIPELINE && buffer->kind != PROGRAM_BUFFER_DYNAMIC;
}

// "task 3: why"
status verify_wrong(const char *what, uint32_t index, const char *why);

// That it has an engine, that its operands lie within buffers that the engine
// reaches, that a transfer carries a box to the same place of the same value, and
// that the kernels of its group are called with whole tiles of the right values.
status verify_task(const struct program *program, const struct target *target, uint32_t index);

#endif
