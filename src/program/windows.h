// Windows: what kernels see of a buffer of which their task reads or writes only a part. A
// window is a buffer inside the engine that is just that part, so that kernels need not know
// how the buffer around it lies.

#ifndef OPSCOPE_PROGRAM_WINDOWS_H
#define OPSCOPE_PROGRAM_WINDOWS_H

#include "program.h"

// Whether a buffer is the same part of the same value as an operand.
bool program_shows(const struct program *program, uint32_t buffer,
                   const struct program_operand *operand);

// Whether an operand is a part of a buffer, or all of it: of the same value.
bool program_lies_within(const struct program *program, uint32_t buffer,
                         const struct program_operand *operand);

// Whether a buffer is joined of what a task reads: two parts of it or more, up to
// PROGRAM_JOINED_MOST, none of which has anything in common with another, and which are all of it
// together.
enum { PROGRAM_JOINED_MOST = 8 };
bool program_joins(const struct program *program, const struct program_task *task, uint32_t buffer);

// Whether one of the first `count` calls of the task gives this buffer.
bool program_gives(const struct program *program, const struct program_task *task, uint32_t count,
                   uint32_t buffer);

// The first window of an operand among the buffers of its task's kernels: where it is
// written, one that a kernel gives, else one that none gives, and which may be joined of several.
// PROGRAM_NONE where there is none; `out_count` says how many there are.
uint32_t program_window(const struct program *program, const struct program_task *task,
                        const struct program_operand *operand, uint32_t *out_count);

// Loops of a transfer, around what lies together at both ends: dimensions that lie one after
// the other without a gap are one, and those of a single place none. `from` and `to`: the
// dimensions of the buffers that a part of so many places is carried between.
uint32_t program_loops(uint32_t rank, const int64_t *size, const int64_t *from, const int64_t *to);

#endif
