// The streams of a program in the making: where its steps go, and the semaphores that
// let one stream know what another has done.
//
// A step is put down when it is known what it needs. What another stream has to have done
// before is waited for and signalled there first, at the end of what that stream has so
// far: so the table of steps is an order in which all of them can be done.

#ifndef OPSCOPE_COMPILER_EMIT_STREAM_H
#define OPSCOPE_COMPILER_EMIT_STREAM_H

#include "emit.h"

void emit_streams_create(struct emitter *emitter);
void emit_streams_free(struct emitter *emitter);

// Before the steps of a job: its code begins anew.
void emit_streams_start_job(struct emitter *emitter);

// Which stream starts the tasks of an engine's unit.
uint32_t emit_stream_of(struct emitter *emitter, uint32_t engine, uint32_t unit);

// A start or a wait, at the end of a stream.
void emit_stream_task(struct emitter *emitter, uint32_t job, uint32_t stream,
                      enum program_step_kind kind, uint32_t task);

// Lets `stream` go on only when `other` has done its first `position` steps.
void emit_stream_await(struct emitter *emitter, uint32_t job, uint32_t stream, uint32_t other,
                       uint32_t position);

// The next block of a stream's code; bytes that the one at hand has; bytes of a start or wait.
void emit_stream_open_block(struct emitter *emitter, uint32_t stream);
uint64_t emit_stream_code(const struct emitter *emitter, uint32_t stream);
uint64_t emit_stream_step_code(const struct emitter *emitter, enum program_step_kind kind,
                               uint32_t task);

// Whether a step is the wait right after the start of the same task, in one block: both are
// one task of the stream. Where tasks are counted (`code_tasks` of the target), only those of
// transfers are.
bool emit_stream_goes_on(const struct emitter *emitter, uint32_t stream,
                         enum program_step_kind kind, uint32_t task);

// How many steps a stream has.
uint32_t emit_stream_position(const struct emitter *emitter, uint32_t stream);

#endif
