// Tasks, steps and buffers of a program in the making.

#ifndef OPSCOPE_COMPILER_EMIT_TASK_H
#define OPSCOPE_COMPILER_EMIT_TASK_H

#include "emit.h"

// A job while its steps are put down.
struct emit_job {
    struct emitter *emitter;
    uint32_t id;
    uint32_t *last; // by lane of the target: the task that was started there last
};

// The next one of the dispatch, without steps. Its queue says what it is called.
uint32_t emit_job_add(struct emitter *emitter, const struct target_queue *queue);

// For a group, on its engine's queue.
void emit_job_start(struct emitter *emitter, struct emit_job *job, uint32_t group);

// Waits for all tasks that nothing has waited for.
void emit_job_end(struct emit_job *job);

// Where a task runs.
struct emit_at {
    uint32_t engine;
    uint32_t unit;
    uint32_t lane;
};

uint32_t emit_task(struct emitter *emitter, uint32_t group, uint32_t tile, struct emit_at at,
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

// Lets the stream that started a task wait for it, unless that has been done.
void emit_wait(struct emit_job *job, uint32_t task);

// Starts a task, after its lane and all that it depends on have been waited for.
void emit_start(struct emit_job *job, uint32_t task);

// Where a buffer lies.
struct emit_place {
    uint32_t memory;
    uint32_t unit;
    uint64_t address;
};

// `value` NETWORK_NONE: bytes that hold no value, under this name.
uint32_t emit_buffer(struct emitter *emitter, const char *name, uint32_t value,
                     enum program_buffer_kind kind, struct emit_place place,
                     const struct plan_box *box);

// A transfer between boxes of two buffers.
uint32_t emit_transfer(struct emitter *emitter, uint32_t group, uint32_t tile, struct emit_at at,
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
