// What the parts of the dump's reader share.

#ifndef OPSCOPE_FORMATS_TORQ_DUMP_READING_H
#define OPSCOPE_FORMATS_TORQ_DUMP_READING_H

#include "base/memory.h"
#include "dump_reader.h"
#include "dump_values.h"
#include "kind.h"

// This project's own attribute, where Torq's form has no place for what a task of
// the CSS or of the host takes.
#define TORQ_DUMP_CYCLES "opscope-cycles"

// The same for the elements of a CDMA, where its memref is not the original one.
#define TORQ_DUMP_ELEMENTS "opscope-elements"

struct dump_program {
    const struct mlir_operation *operation;
    struct view name;
    bool priced;
    uint64_t cycles; // of a slice's program
};

struct dump_invocation {
    uint32_t program;
    uint32_t number; // "torq-job-id"
    uint32_t job;    // that was started last; PROGRAM_NONE
    uint32_t task;   // the same of host programs
};

// A transfer that is set up, not started.
struct dump_transfer {
    const struct mlir_operation *operation; // NULL: none
    uint64_t bytes;
    uint64_t elements;
    struct dump_value from;
    struct dump_value to;
};

enum dump_lane {
    DUMP_LANE_IN,
    DUMP_LANE_OUT,
    DUMP_LANE_CSS,
    DUMP_LANE_CDMA,
    DUMP_LANES = DUMP_LANE_CDMA + 3
};

struct dump_reading {
    const struct mlir_document *document;
    const struct target *target;
    struct program_builder *builder;
    struct arena arena; // of texts
    struct dump_scope globals;
    struct dump_scope values; // of the function
    struct dump_scope locals; // of the program that is walked
    struct dump_program *programs;
    size_t program_count, program_capacity;
    struct dump_invocation *invocations;
    size_t invocation_count, invocation_capacity;
    struct dump_transfer transfers[2]; // in, out
    uint32_t last[DUMP_LANES];         // the task started last on it; PROGRAM_NONE
    uint32_t last_slice[256];
    bool *waited; // by task
    size_t waited_count;
    uint32_t *names; // by task: of its program; may end early
    size_t name_count;
    struct hash_index buffers; // by memory, address and size
    struct hash_index groups;  // by type and location
    uint32_t dispatch;
    uint32_t job;
    uint32_t block;
    uint32_t jobs;    // numbers given out in the dispatch
    uint32_t numbers; // of nss_tasks
    uint32_t actions;
    uint32_t moment;
};

#define DUMP_ADD(reading, table, out_id) PROGRAM_ADD((reading)->builder, table, out_id)
#define DUMP_GET(reading, table, id)                                                               \
    program_builder_get((reading)->builder, offsetof(struct program, table), id)
#define DUMP_COUNT(reading, table)                                                                 \
    program_builder_count((reading)->builder, offsetof(struct program, table))

status dump_failure(const struct dump_reading *reading, const struct mlir_operation *operation,
                    const char *what);

// An attribute that counts something; `fallback` when there is none.
status dump_number(const struct dump_reading *reading, const struct mlir_operation *operation,
                   const char *key, uint64_t fallback, uint64_t *out_number);

uint32_t dump_text(struct dump_reading *reading, struct view text);
uint32_t dump_location(struct dump_reading *reading, const struct mlir_operation *operation);

// The value of an operand; one of no kind where the dump does not define it.
struct dump_value dump_operand(const struct dump_scope *scope, const struct mlir_operand *operand);

// A task without operands on an engine; fails when the target has none.
status dump_task(struct dump_reading *reading, const struct mlir_operation *operation,
                 enum torq_kind kind, struct cost_request cost, uint32_t *out_task);

// The buffer at that place and of that size, in use from the moment at hand.
uint32_t dump_buffer(struct dump_reading *reading, const struct dump_value *value, uint32_t memory,
                     uint64_t bytes, bool writes);

// A piece of memory that a task touches, at the moment at hand.
status dump_touch(struct dump_reading *reading, const struct mlir_operation *operation,
                  uint32_t task, const struct dump_value *value, uint64_t bytes, bool writes);

// The group of work of one type at one place.
uint32_t dump_group(struct dump_reading *reading, struct view type, uint32_t location,
                    uint32_t engine);

// Makes a task the work of a program, at the program's place or else the operation's.
void dump_attribute(struct dump_reading *reading, const struct dump_program *program,
                    const struct mlir_operation *operation, uint32_t task);

// One operation of an nss_task (dump_task.c).
status dump_execute(struct dump_reading *reading, const struct mlir_operation *operation,
                    uint32_t number);

// What a slice's program takes, from its loops or its profile.
status dump_price(struct dump_reading *reading, struct dump_program *program);

#endif
