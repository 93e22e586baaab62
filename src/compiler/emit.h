// What the parts of the last pass share: a program in the making.

#ifndef OPSCOPE_COMPILER_EMIT_H
#define OPSCOPE_COMPILER_EMIT_H

#include "compiler.h"
#include "group.h"

// Tasks that write a value to the far memory, with the part each writes.
struct emit_writer {
    uint32_t task;
    struct plan_box box;
};

struct emit_writers {
    struct emit_writer *items;
    size_t count;
    size_t capacity;
};

// Who started a task, and how far that stream was when it had waited for it.
struct emit_started {
    uint32_t stream;
    uint32_t waited; // steps that it had then; 0: it has not waited yet
};

struct emit_streams; // emit_stream.h
struct emit_near;    // emit_near.h

// A block of a queue's code: where it lies, and the task that brings it. The host copies the
// first one: then there is neither that task nor a place in the far memory.
struct emit_code_block {
    uint32_t near;
    uint32_t far;
    uint32_t fetch;
};

// Of a queue that fetches its code (emit_code.h).
struct emit_code_state {
    struct emit_code_block running;
    uint32_t slot;  // of the block that was fetched last
    uint32_t tasks; // of the queue in the block that runs
    uint32_t job;   // the last one that has ended
    uint32_t end;   // the moment after its last step
    bool closing;   // the next block is being fetched: what that needs has room
};

struct emitter {
    struct plan *plan;
    struct program_builder *builder;
    bool times_only; // to be evaluated and thrown away: tasks without kernels
    uint32_t far_memory;
    uint32_t *values;             // by network value: id in the program, PROGRAM_NONE
    uint32_t *far;                // by network value: its buffer in the far memory
    uint32_t *graphs;             // by network graph: id in the program
    struct emit_writers *writers; // by network value; an alias has those of what it views
    struct emit_near *near;       // by place of the plan
    // The dispatch at hand:
    uint32_t dispatch;
    uint32_t actions; // numbers given out within it
    uint32_t jobs;
    uint32_t numbers; // of the controller's tasks
    uint64_t code;    // where code lies in the far memory
    uint32_t moment;  // of the next action or step
    struct emit_streams *streams;
    struct emit_code_state blocks;
    struct emit_started *started; // by task
    size_t started_count;
    uint32_t *depended; // by task: the dependency on it that was added last
    size_t depended_count;
};

// Tables of what is computed (emit_tables.c) -----------------------------------

// Values, operators, groups and nodes of the whole network.
void emit_tables(struct emitter *emitter);

// An attribute of a tile, or of a node; its index in the table.
uint32_t emit_override(struct emitter *emitter, const struct plan_override *override);

// Where it is kept in the far memory (emit_far.c) --------------------------------

// A buffer for each value that lies in the far memory.
void emit_far_buffers(struct emitter *emitter);

// When all is emitted: ports and constants are in use throughout, and what shows
// another buffer's bytes keeps that in use.
void emit_far_lifetimes(struct emitter *emitter);

// What is done (emit_local_job.c, emit_far_job.c)
// -----------------------------------------------------

// One job for a group that is computed in a local memory, or for the chain that it begins.
void emit_local_job(struct emitter *emitter, uint32_t group);

// The same on an engine whose tasks run through stages.
void emit_staged_job(struct emitter *emitter, uint32_t group);

// One job for groups [from, to) that a processor computes where they lie.
void emit_far_job(struct emitter *emitter, uint32_t from, uint32_t to);

// A group that only shows what is there already.
void emit_alias(struct emitter *emitter, uint32_t group);

// A group that the host of an accelerator computes.
void emit_host_task(struct emitter *emitter, uint32_t group);

void emit_action(struct emitter *emitter, enum program_action_kind kind, uint32_t subject,
                 uint32_t location, uint64_t bytes);

// The location of a group: that of its main node.
uint32_t emit_location(struct emitter *emitter, uint32_t group);

#define EMIT_ADD(emitter, table, out_id) PROGRAM_ADD((emitter)->builder, table, out_id)
#define EMIT_GET(emitter, table, id)                                                               \
    program_builder_get((emitter)->builder, offsetof(struct program, table), id)
#define EMIT_COUNT(emitter, table)                                                                 \
    program_builder_count((emitter)->builder, offsetof(struct program, table))

#endif
