// Tasks, steps and buffers of a program in the making.

#ifndef OPSCOPE_COMPILER_EMIT_TASK_H
#define OPSCOPE_COMPILER_EMIT_TASK_H

#include "emit.h"

enum { EMIT_LANES_MOST = 256 }; // as many as a target may have

// A job while its steps are put down.
struct emit_job {
    struct emitter *emitter;
    uint32_t id;
    uint32_t group;
    uint32_t dma_in;
    uint32_t dma_out;
    uint32_t cdma;
    uint32_t code; // bytes of the block at hand
    uint32_t block;
    uint32_t last[TARGET_ENGINES_MOST][EMIT_LANES_MOST]; // task started last on a lane
};

void emit_job_start(struct emitter *emitter, struct emit_job *job, uint32_t group);

uint32_t emit_task(struct emitter *emitter, uint32_t group, uint32_t tile, uint32_t engine,
                   enum program_task_kind kind, struct cost_request cost);
void emit_operand(struct emitter *emitter, uint32_t task, uint32_t buffer,
                  const struct plan_box *box, bool writes);

// Once for each task that it depends on; `on` may be PROGRAM_NONE.
void emit_dependency(struct emitter *emitter, uint32_t task, uint32_t on, bool is_true);

// On whoever writes that part of a value to the far memory.
void emit_depend_on_writers(struct emitter *emitter, uint32_t task, uint32_t value,
                            const struct plan_box *box);
void emit_writer_add(struct emitter *emitter, uint32_t value, uint32_t task,
                     const struct plan_box *box);

// Notes that the buffers of a task are in use at the moment at hand.
void emit_touch(struct emitter *emitter, uint32_t task);

// Waits for a task unless that has been done.
void emit_wait(struct emit_job *job, uint32_t task);

// Starts a task, after its lane and all that it depends on have been waited for.
void emit_start(struct emit_job *job, uint32_t task);

// `value` NETWORK_NONE: bytes that hold no value, under this name.
uint32_t emit_buffer(struct emitter *emitter, const char *name, uint32_t value, uint32_t memory,
                     enum program_buffer_kind kind, uint64_t address, const struct plan_box *box);

// A transfer between boxes of two buffers.
uint32_t emit_transfer(struct emitter *emitter, uint32_t group, uint32_t tile, uint32_t engine,
                       uint32_t from, const struct plan_box *from_box, uint32_t to,
                       const struct plan_box *to_box);

// The buffer of each value that a task's kernels read or write.
struct emit_places {
    uint32_t *values;
    uint32_t *buffers;
    uint32_t count;
};

void emit_places_start(struct emit_places *places, const struct plan *plan,
                       const struct plan_group *group);
void emit_place_add(struct emit_places *places, uint32_t value, uint32_t buffer);
void emit_places_free(struct emit_places *places);

// Buffers for what passes between the nodes of a group, and the calls of its
// kernels. `tile` NULL: nothing is known before it runs.
void emit_calls(struct emitter *emitter, uint32_t task, uint32_t group,
                const struct plan_tile *tile, struct emit_places *places);

#endif
