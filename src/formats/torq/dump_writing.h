// What the parts of the dump's writer share.

#ifndef OPSCOPE_FORMATS_TORQ_DUMP_WRITING_H
#define OPSCOPE_FORMATS_TORQ_DUMP_WRITING_H

#include "base/bytes.h"
#include "dump_writer.h"
#include "kind.h"

// A program of a slice, the CSS or the host, as it stands in the function.
struct dump_written_program {
    struct bytes body; // all but its name
    uint32_t number;   // in its name
    uint32_t invocation;
    enum torq_kind kind;
    uint32_t group;
    uint32_t job;      // the last one that starts it
    uint32_t argument; // of that job's NSS program: its invocation
};

struct dump_writing {
    const struct program *program;
    const struct target *target;
    const struct sim_result *times; // NULL: without profiling
    bool locations;
    bool has_css;
    struct output *output;
    struct bytes text;
    // Of the dispatch at hand:
    uint32_t dispatch;
    uint32_t *used; // its buffers, in order of their first use
    uint32_t used_count;
    uint32_t *order;    // by buffer: place in `used`, PROGRAM_NONE
    uint32_t *outside;  // by buffer: number of its value in the function, PROGRAM_NONE
    uint32_t *inside;   // by buffer: the same in the NSS program at hand
    uint32_t *argument; // by buffer: number of the program's argument, PROGRAM_NONE
    struct dump_written_program *programs;
    size_t program_count, program_capacity;
    struct hash_index program_index; // by body
    uint32_t *program_of;            // by task
    uint32_t values;                 // numbers given out in the function
    uint32_t invocations;
    char slots[2][24];    // values of the function that hold the controller's code slots
    uint64_t code;        // where the next program's code lies in the far memory
    uint32_t *invocation; // by job: its number
};

// Pieces (dump_print.c) ----------------------------------------------------------------

// "memref<1x8xi8, #torq_hl<enc mem_space = lram>>"
void dump_append_type(const struct dump_writing *writing, uint32_t buffer, struct bytes *to);

// "@__intermediate_4", "@__const_global_0" ...
void dump_append_global(const struct dump_writing *writing, uint32_t buffer, struct bytes *to);

// "%4 = memref.get_global @__intermediate_4 : memref<...>" and the line's end.
void dump_append_get_global(const struct dump_writing *writing, uint32_t value, uint32_t buffer,
                            struct bytes *to);

bool dump_is_port(const struct dump_writing *writing, uint32_t buffer);

// Where a box of a buffer lies, and its loops: "#torq_hw<dma_ndl{dims = [[8, 1]]}>".
uint64_t dump_box_address(const struct dump_writing *writing, const struct program_operand *box);
void dump_append_ndl(const struct dump_writing *writing, const struct program_operand *box,
                     uint64_t bytes, struct bytes *to);

// "@name"; what cannot stand there becomes '_'.
void dump_append_symbol(struct view name, struct bytes *to);

// A text between quotes, escaped as MLIR does.
void dump_append_quoted(struct view text, struct bytes *to);

// " loc(...)" of a group, if locations are asked for and it has one; of an action.
void dump_append_group_location(const struct dump_writing *writing, uint32_t group,
                                struct bytes *to);
void dump_append_action_location(const struct dump_writing *writing,
                                 const struct program_action *action, struct bytes *to);

// "torq-action-id" and times of an action.
void dump_append_action_attributes(const struct dump_writing *writing, uint32_t action,
                                   struct bytes *to);

// Writes the text and empties it.
void dump_flush(struct dump_writing *writing, struct bytes *text);

// Programs -------------------------------------------------------------------------------

// The program that a task of a slice, the CSS or the host runs: writes it unless an
// equal one stands in the function (dump_writer_slice.c).
void dump_write_engine_program(struct dump_writing *writing, uint32_t task);

// "slice_program_torq_hl.add_0"
void dump_append_program_name(const struct dump_writing *writing,
                              const struct dump_written_program *program, struct bytes *to);

// The NSS program of a job, its descriptor and its start (dump_writer_job.c).
void dump_write_job(struct dump_writing *writing, uint32_t job, uint32_t action);

// Bytes of a job's code.
uint64_t dump_job_code(struct dump_writing *writing, uint32_t job);

#endif
