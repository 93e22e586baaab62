// A program as text that people read, table by table.

#ifndef OPSCOPE_PROGRAM_PRINT_H
#define OPSCOPE_PROGRAM_PRINT_H

#include "base/output.h"
#include "program.h"

enum program_print_part {
    PROGRAM_PRINT_OPERATORS = 1 << 0, // of the network, and the group that each is part of
    PROGRAM_PRINT_GROUPS = 1 << 1,    // with their engine and the reason for it
    PROGRAM_PRINT_VALUES = 1 << 2,
    PROGRAM_PRINT_BUFFERS = 1 << 3, // addresses and lifetimes
    PROGRAM_PRINT_TASKS = 1 << 4,   // with operands and dependencies
    PROGRAM_PRINT_STEPS = 1 << 5,   // what the host and the streams do, in order
    PROGRAM_PRINT_ALL = (1 << 6) - 1,
};

// `parts` is a sum of them. The same program gives the same text.
void program_print(const struct program *program, const struct target *target, unsigned parts,
                   struct output *output);

// What enums are called: "transfer", "tile", "job start" ...
const char *program_task_kind_name(uint32_t kind);
const char *program_buffer_kind_name(uint32_t kind);
const char *program_value_kind_name(uint32_t kind);
const char *program_step_kind_name(uint32_t kind);
const char *program_action_kind_name(uint32_t kind);

// Names of engines, memories and queues; "?" for what the target does not have.
const char *program_engine_name(const struct target *target, uint32_t engine);
const char *program_memory_name(const struct target *target, uint32_t memory);
const char *program_queue_name(const struct target *target, uint32_t queue);

// Whether there are several of an engine or a memory, so that a unit says something.
bool program_engine_has_units(const struct target *target, uint32_t engine);
bool program_memory_has_units(const struct target *target, uint32_t memory);

// Whether steps are of more than one controller.
bool program_has_streams(const struct program *program);

// "1x8x8x1xi8"; "?" and the type where the shape is not known.
struct bytes;
void program_append_type(struct bytes *text, uint32_t element, uint32_t rank, const int64_t *dims);

#endif
