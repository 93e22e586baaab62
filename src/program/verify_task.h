// What can be said of a task by itself, and what its parts say of buffers.

#ifndef OPSCOPE_PROGRAM_VERIFY_TASK_H
#define OPSCOPE_PROGRAM_VERIFY_TASK_H

#include "verify_state.h"

static inline bool verify_takes_memory(const struct program_buffer *buffer)
{
    return buffer->kind != PROGRAM_BUFFER_PIPELINE && buffer->kind != PROGRAM_BUFFER_DYNAMIC;
}

// Whether it is there before any task runs, unless a task writes it.
bool verify_is_given(const struct program *program, const struct program_buffer *buffer);

// "task 3: why"
status verify_wrong(const char *what, uint32_t index, const char *why);

// That its operands lie within buffers that the engine reaches, that a transfer carries a
// box to the same place of the same value, and that the kernels of its group are called
// with whole tiles, or windows, of the right values. Its engine, lane and unit are the target's.
status verify_task(const struct verify_state *state, uint32_t index);

// The operand that reads or writes a buffer; NULL: none does.
const struct program_operand *verify_find_operand(const struct program *program,
                                                  const struct program_task *task, uint32_t buffer,
                                                  bool writes);

// Whether an operand is all of its buffer.
bool verify_is_whole(const struct program *program, const struct program_operand *operand);

#endif
