// A network compiled for a target: static, and complete enough to be run,
// priced, printed and proved without the network's file.
//
// The tables are arrays of plain records that name one another by index; they
// lie in a mapped file as they do in memory (docs/formats/program.md). Texts are
// offsets into one table of texts.
//
// Moments number what happens: the actions, dispatch by dispatch, each followed by
// the steps of the job that it starts.
//
// The host walks the actions of each dispatch in order. A job is what the device does
// in one go: each of its streams does its own steps in order, which start tasks on
// engines, wait for them, and raise and await semaphores. A task is one piece of work
// on one engine. A group is what was fused into one piece of work: at least one
// operator of the network.

#ifndef OPSCOPE_PROGRAM_PROGRAM_H
#define OPSCOPE_PROGRAM_PROGRAM_H

#include "base/arena.h"
#include "base/input.h"
#include "base/status.h"
#include "network/network.h"
#include "target/cost.h"

#define PROGRAM_NONE UINT32_MAX

// An operator of the network as the user knows it.
struct program_operator {
    uint32_t name; // text
    uint32_t type;
    uint32_t location;
    uint32_t document;
    uint32_t group;       // PROGRAM_NONE: it was calculated while compiling
    uint32_t first_input; // in `operator_values`: value ids; inputs, then outputs
    uint32_t input_count;
    uint32_t output_count;
    struct program_work {
        uint64_t macs, flops, elements, bytes_read, bytes_written, weight_bytes;
        uint64_t known;
    } work;
};

// A value of the network: what flows between operators.
struct program_value {
    uint32_t name;
    uint16_t element;
    uint16_t kind;   // enum program_value_kind
    uint32_t rank;   // PROGRAM_NONE: not known before it runs, or no tensor
    uint32_t layout; // enum program_layout
    int64_t dims[SHAPE_RANK_MOST];
    uint64_t data;  // of constants: offset in the constants' section; texts are u32 ids there
    uint64_t bytes; // of constants: how many there
};

// How the elements of a value lie, wherever it is. Values of which fewer than two dimensions are
// longer than 1 lie in rows: in tiles they would lie in the same way.
enum program_layout {
    PROGRAM_ROWS,
    PROGRAM_TILES, // of the engines that have `tile`
    // A constant in blocks of MXFP6 (network/weights.h), which the machine makes reals of. They
    // move packed; here they lie as these reals, in rows.
    PROGRAM_PACKED,
    PROGRAM_LAYOUTS,
};

enum program_value_kind {
    PROGRAM_VALUE_INPUT,
    PROGRAM_VALUE_OUTPUT, // also read inside, where a buffer of it is an operand
    PROGRAM_VALUE_CONSTANT,
    PROGRAM_VALUE_INNER,
};

// Operators that run as one piece of work, placed on an engine.
struct program_group {
    uint32_t name;   // of its first operator, or what the fusion is called
    uint32_t type;   // "conv2d", "conv2d_rescale_clamp", "add"
    uint32_t reason; // text: why it is placed there
    uint32_t engine;
    uint32_t first_node; // its nodes, in order, in `nodes`
    uint32_t node_count;
};

// An operator to be computed: what a kernel is called with. Values are those of
// the program; a task names tiles of them.
struct program_node {
    uint32_t operator_id;
    uint32_t type; // text: "Conv", "tosa.conv2d"
    uint32_t domain;
    uint32_t version;
    uint32_t first_value; // in `node_values`: inputs (PROGRAM_NONE: left out), then outputs
    uint32_t input_count;
    uint32_t output_count;
    uint32_t first_attribute; // in `attributes`
    uint32_t attribute_count;
};

struct program_attribute {
    uint32_t name;
    uint32_t kind; // enum attribute_kind; plural tensors and graphs do not occur
    // A scalar itself (a real as its bits), a text or graph id, or the offset in the
    // constants' section of i64, f64, text ids (u32) or a tensor's elements.
    uint64_t data;
    uint32_t count;   // of the plural kinds
    uint32_t element; // of tensors and types
    uint32_t rank;
    uint32_t reserved;
    int64_t dims[SHAPE_RANK_MOST];
};

// A graph inside an operator (a branch, the body of a loop): it runs on the host,
// node by node, as the network has it.
struct program_graph {
    uint32_t first_node; // in `nodes`
    uint32_t node_count;
    uint32_t first_value; // in `node_values`: inputs, then outputs
    uint32_t input_count;
    uint32_t output_count;
    uint32_t reserved;
};

// A piece of memory in use from one moment of the program to another.
struct program_buffer {
    uint32_t name;
    uint32_t value; // what it holds all or a part of; PROGRAM_NONE: code, tables
    uint32_t memory;
    uint32_t unit; // which of the memories of that name: a core's own, or 0
    uint16_t kind; // enum program_buffer_kind
    uint16_t element;
    uint32_t rank;
    uint64_t address;
    uint64_t size;  // bytes
    uint32_t alias; // the buffer whose bytes it shows under another shape; PROGRAM_NONE
    uint32_t from;  // first and last moment at which it is in use, in the order of the tables
    uint32_t to;
    uint32_t reserved;
    int64_t dims[SHAPE_RANK_MOST];   // of the tile
    int64_t origin[SHAPE_RANK_MOST]; // where the tile begins in its value
};

enum program_buffer_kind {
    PROGRAM_BUFFER_INPUT, // bound by the caller, in the far memory
    PROGRAM_BUFFER_OUTPUT,
    PROGRAM_BUFFER_CONSTANT, // loaded with the program
    PROGRAM_BUFFER_INNER,    // a value between groups, in the far memory
    PROGRAM_BUFFER_TILE,     // in a local memory
    PROGRAM_BUFFER_PIPELINE, // between fused operators, inside the engine: takes no memory
    PROGRAM_BUFFER_CODE,     // what the controller runs
    PROGRAM_BUFFER_DYNAMIC,  // made when it runs: size or shape is not known before
    PROGRAM_BUFFER_RING,     // of a staged task: `size` bytes that its pieces run through in turn
};

// One piece of work on one engine. A task with stages is computed by several engines of
// one core that hand pieces on to one another through rings: its first operands are read
// from where values lie, its rings are filled and emptied while it runs.
struct program_task {
    uint32_t group;  // PROGRAM_NONE: loads code
    uint32_t tile;   // which one of its group, from 0
    uint32_t engine; // of the target
    uint32_t unit;   // which of the engines of that name: a core's own, or 0
    uint32_t lane;   // which of its equals there
    uint32_t kind;   // enum program_task_kind
    uint32_t job;
    uint32_t first_unit; // in `task_units`: the cores that take part besides its own
    uint32_t unit_count;
    uint32_t first_stage; // in `stages`
    uint32_t stage_count;
    uint32_t first_operand; // in `operands`
    uint32_t operand_count;
    uint32_t first_call; // of COMPUTE, in `calls`
    uint32_t call_count;
    uint32_t first_dependency; // in `dependencies`: tasks that must have ended
    uint32_t dependency_count;
    uint32_t reserved;
    struct cost_request cost;
};

enum program_task_kind {
    PROGRAM_TASK_TRANSFER, // operand 0 to operand 1, and to each further one where it is cast
    PROGRAM_TASK_COMPUTE,
};

// What one engine does of a staged task, piece by piece.
struct program_stage {
    uint32_t engine; // of the task's unit
    uint32_t ring;   // buffer that it fills; PROGRAM_NONE for the last stage
    uint32_t depth;  // pieces that the ring has room for
    uint32_t pieces;
    struct cost_request cost; // of all pieces together
};

// What a task reads or writes: a box of a buffer. Of a transfer's far side the
// buffer holds the whole value, and the box is where the tile lies in it.
struct program_operand {
    uint32_t buffer;
    uint32_t writes; // 0: reads
    uint32_t rank;
    uint32_t reserved;
    int64_t from[SHAPE_RANK_MOST];
    int64_t size[SHAPE_RANK_MOST];
};

// One kernel called by a task, on buffers that are dense tiles.
struct program_call {
    uint32_t node;
    uint32_t first_buffer;    // in `call_buffers`: inputs (PROGRAM_NONE: left out), then outputs
    uint32_t first_attribute; // those of the tile (pads at a border), before the node's own
    uint32_t attribute_count;
};

struct program_dependency {
    uint32_t task;
    uint32_t is_true; // data flows; 0: a buffer is used again
};

// Where steps are done one after the other: a queue of the target, of one core where
// each has its own.
struct program_stream {
    uint32_t name;
    uint32_t queue; // of the target
    uint32_t unit;
    uint32_t reserved;
};

// A counter that one stream raises and others await. It begins at 0 and never falls.
struct program_semaphore {
    uint32_t name;
    uint32_t stream; // that signals it
};

enum program_step_kind {
    PROGRAM_STEP_START,
    PROGRAM_STEP_WAIT,
    PROGRAM_STEP_SIGNAL,
    PROGRAM_STEP_AWAIT,
};

// What a stream does: it starts a task (an engine's lane does one at a time), waits until
// one that it started has ended, raises a semaphore by one, or awaits that it has reached
// `count`. The steps of a job stand in one order in which all of them can be done; streams
// only relax it. Steps with the same number form one task of the stream.
struct program_step {
    uint32_t kind;
    uint32_t stream;
    uint32_t task;      // of start and wait; PROGRAM_NONE of signal and await
    uint32_t number;    // of the stream's task, counted over the dispatch
    uint32_t block;     // of the job's code
    uint32_t semaphore; // of signal and await; PROGRAM_NONE of start and wait
    uint32_t count;     // of await, at least 1; else 0
    uint32_t reserved;
};

static inline bool program_step_has_task(const struct program_step *step)
{
    return step->kind == PROGRAM_STEP_START || step->kind == PROGRAM_STEP_WAIT;
}

struct program_job {
    uint32_t name; // text: what its queue calls programs, and a number
    uint32_t dispatch;
    uint32_t number; // within its dispatch
    uint32_t first_step;
    uint32_t step_count;
    uint32_t reserved;
};

enum program_action_kind {
    PROGRAM_ACTION_ALLOC,
    PROGRAM_ACTION_DEALLOC,
    PROGRAM_ACTION_HOST_COPY, // `buffer`: code or constants, by the host
    PROGRAM_ACTION_JOB_START,
    PROGRAM_ACTION_JOB_WAIT,
    PROGRAM_ACTION_HOST_START, // `task` on the host
    PROGRAM_ACTION_HOST_WAIT,
};

struct program_action {
    uint32_t kind;
    uint32_t number;   // within its dispatch
    uint32_t subject;  // job, task or buffer
    uint32_t location; // text
    uint64_t bytes;    // of copies and allocations
};

struct program_dispatch {
    uint32_t name; // text: "main_dispatch_0_conv2d"
    uint32_t first_action;
    uint32_t action_count;
    uint32_t reserved;
};

// Bytes of the constants' section that are written from where they are.
struct program_piece {
    uint64_t at; // in the section
    struct view bytes;
};

struct program {
    struct view target_text; // the target's file, as it was compiled for
    struct view source;      // base name of the network's file
    struct view texts;       // one after the other, each with a NUL; id = offset
    struct view constants;   // bytes of constants and attributes, aligned to 64
    struct view conversion;  // of its elements, as conversion_parse takes it; "": none
    const uint32_t *inputs;  // of the network, in order: value ids
    const uint32_t *outputs;
    const struct program_operator *operators;
    const struct program_value *values;
    const uint32_t *operator_values;
    const struct program_group *groups;
    const struct program_node *nodes;
    const uint32_t *node_values;
    const struct program_attribute *attributes;
    const struct program_graph *graphs;
    const struct program_buffer *buffers;
    const struct program_task *tasks;
    const struct program_operand *operands;
    const struct program_call *calls;
    const uint32_t *call_buffers;
    const struct program_dependency *dependencies;
    const uint32_t *task_units;
    const struct program_stage *stages;
    const struct program_stream *streams;
    const struct program_semaphore *semaphores;
    const struct program_step *steps;
    const struct program_job *jobs;
    const struct program_action *actions;
    const struct program_dispatch *dispatches;
    uint32_t input_count, output_count, operator_count, value_count, operator_value_count,
        group_count, node_count, node_value_count, attribute_count, graph_count, buffer_count,
        task_count, operand_count, call_count, call_buffer_count, dependency_count, task_unit_count,
        stage_count, stream_count, semaphore_count, step_count, job_count, action_count,
        dispatch_count;
    struct input *source_file; // of a mapped program
    struct arena kept;         // copies of a mapped file's tables, and those of an older version
    // Of a program that was made in this process: by value, constants that stay where they
    // are, at any address, and whose place in the constants' section holds nothing; NULL for
    // those of the section. NULL: all are there.
    const void *const *outside;
    const struct program_piece *pieces; // of them, in the order in which they lie there
    size_t piece_count;
};

static inline const void *program_constant(const struct program *program, uint32_t value)
{
    return program->outside != NULL && program->outside[value] != NULL
               ? program->outside[value]
               : program->constants.data + program->values[value].data;
}

// Whether the host copies code, which is that of the job that it starts next.
static inline bool program_copies_code(const struct program *program,
                                       const struct program_action *action)
{
    return action->kind == PROGRAM_ACTION_HOST_COPY && action->subject < program->buffer_count &&
           program->buffers[action->subject].kind == PROGRAM_BUFFER_CODE;
}

// NUL-terminated.
static inline const char *program_text(const struct program *program, uint32_t id)
{
    return program->texts.data + id;
}

// Whether bytes start like a program's.
bool program_recognise(struct view bytes);

// Maps a program and checks its checksum, its version and that every index and
// range stays within its table: the rest of the code trusts them. What names a part of
// the target is checked by program_fits (fits.h). An older version is turned into this one.
status program_open(const char *path, struct program **out_program);
status program_read(struct input *input, struct program **out_program);
void program_free(struct program *program);

// Leaves no half-written file.
status program_write(const struct program *program, const char *path);

// The same as part of another file, at a multiple of 64 bytes there; and how many bytes it is.
struct output;
void program_write_into(const struct program *program, struct output *output);
uint64_t program_file_size(const struct program *program);

#endif
