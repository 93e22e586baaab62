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

// How many steps a stream has.
uint32_t emit_stream_position(const struct emitter *emitter, uint32_t stream);

#endif
