// Values that lie in a local memory as a whole, from job to job (plan_place), in a program in
// the making: the buffer of each, who writes which part of it, and how much has been loaded.

#ifndef OPSCOPE_COMPILER_EMIT_NEAR_H
#define OPSCOPE_COMPILER_EMIT_NEAR_H

#include "emit_task.h"

void emit_near_create(struct emitter *emitter);
void emit_near_free(struct emitter *emitter);

// The buffer of a place.
uint32_t emit_near_buffer(struct emitter *emitter, uint32_t place);

// Loads all of a place, for a job that comes later.
void emit_near_fetch(struct emit_job *job, uint32_t place, struct emit_at at);

// Loads what a tile needs of a place that its own job loads, and no tile before it has.
void emit_near_load(struct emit_job *job, uint32_t group, uint32_t tile, uint32_t input,
                    struct emit_at at);

// Makes a part of a place an operand of a task: its kernels see it through a window, or the
// buffer itself where it is all of it.
void emit_near_operand(struct emitter *emitter, uint32_t task, uint32_t place,
                       const struct plan_box *box, bool writes, struct emit_places *places);

// Stores a part of a place, which `compute` has written. The task is not started.
uint32_t emit_near_store(struct emitter *emitter, uint32_t group, uint32_t tile, uint32_t place,
                         const struct plan_box *box, uint32_t compute, struct emit_at at);

// Writes all of a place back: to where its value lies in the far memory, or, where it is
// there already, beside it.
void emit_near_swap(struct emit_job *job, uint32_t group, uint32_t place, struct emit_at at);

#endif
