// A machine that networks are compiled for: its cores, memories, ports, engines, queues and
// clocks, read from a text file (docs/formats/target.md).
//
//     [target]
//     name = example-npu
//     clock = 900 MHz
//     [core]
//     count = 8
//     [memory dram]
//     size = 8 GiB
//     [memory tile]
//     size = 1 MiB
//     local = yes
//     per = core
//     [engine matrix]
//     role = compute
//     per = core
//     takes = convolution matmul : i8 f16
//     price = array
//     macs = i8:4096 f16:2048
//
// Code asks for roles and abilities, never for names. What the file does not say, or says
// wrongly, is an error that names the line and what would be right.

#ifndef OPSCOPE_TARGET_TARGET_H
#define OPSCOPE_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

#define TARGET_NONE UINT32_MAX

// How many there are of a memory, an engine or a queue. Each of them is a unit: unit
// n belongs to core n (counted over all devices) or to device n.
enum target_per {
    TARGET_PER_MACHINE,
    TARGET_PER_DEVICE,
    TARGET_PER_CORE,
};

struct target_memory {
    const char *name;   // "tile", "dram"
    uint64_t size;      // bytes, of each unit
    uint64_t alignment; // of buffers in it
    uint64_t reserved;  // bytes at its bottom that hold no values: code
    bool local;         // close to the engines: what they work on is brought there
    enum target_per per;
    uint32_t first_unit; // of all units of all memories
};

// A way that several engines share: a total rate, and what one user gets at most.
struct target_port {
    const char *name;
    double rate;     // bytes a second
    double per_user; // bytes a second; `rate` when the file does not say
    bool per_device; // each device has one
};

// The way between the host and the device, for inputs and outputs of networks.
struct target_link {
    double rate;         // bytes a second, each way; 0: they take no time
    uint64_t setup;      // cycles from the host's doorbell to the first byte
    uint64_t signal;     // cycles of raising a semaphore that the host waits for; 0: not known
    uint64_t activation; // cycles that a thread is set up for, before all inferences; 0: not known
    double peer;         // bytes a second into a device from all others; 0: they take no time
    uint32_t input_port; // the numbers that tools know its two ends by; 0: none
    uint32_t output_port;
};

// What an engine is for. In and out follow from the memories at a transfer's ends.
enum target_role {
    TARGET_ROLE_COMPUTE,
    TARGET_ROLE_TRANSFER,      // between memories
    TARGET_ROLE_COMMUNICATION, // between units of a memory: from core to core
    TARGET_ROLE_CONTROL,       // a processor of the device; it may take what is left over
    TARGET_ROLE_HOST,          // the host of an accelerator: what nothing else can do
    TARGET_ROLES,
};

// Classes of operators, and the elements that they may have: "convolution matmul : i8".
struct target_takes {
    const char *const *classes;  // ends with NULL; "*": all
    const char *const *elements; // the same
};

struct target_engine {
    const char *name;
    enum target_role role;
    enum target_per per;
    uint32_t count;  // of equal lanes of each unit: each does one task at a time
    uint32_t memory; // that it computes in
    uint32_t from;   // memories of a transfer or communication; TARGET_NONE: of no far memory.
    uint32_t to;     // Of a transfer that goes to and from its own memory: `memory` both
    uint32_t port;   // TARGET_NONE: it shares none
    uint32_t queue;  // that starts its tasks; TARGET_NONE: the host does
    bool cast;       // of communication: to several units at once
    uint64_t clock;  // Hz, that its price is in
    const struct target_takes *takes;
    uint32_t take_count;
    // Sorts of elementwise operators that it applies to what it takes, as results leave it.
    const struct target_takes *fuses;
    uint32_t fuse_count;
    const struct price_kind *price; // how work is priced (cost.h)
    void *rates;                    // the numbers that it works with
    // Of a staged engine: the engines of the same unit that its tasks run through, in order.
    const uint32_t *stages;
    uint32_t stage_count;
    uint32_t ring; // pieces that fit between two stages
    // How people know it:
    const char *called;  // in sentences: "the arrays"
    const char *label;   // of a lane, {lane} and {core} being numbers: "ARRAY {lane}"
    const char *work;    // of a span; NULL: what it computes. {FROM}, {TO}: memories
    const char *row;     // of the identity of a span: "DI"; {f}, {t}: first letters of memories
    uint32_t row_engine; // whose counter its rows share; itself
    int32_t rank;        // of its first lane among the lanes of a profile
    uint32_t first_lane; // of all lanes of all units of all engines
    uint64_t loop;       // places of a dimension that it can count; 0: any number
    // Rows and columns, the last two dimensions, of what values lie in: they are cut between such
    // tiles, and moved in whole ones. 1 x 1: they lie as they are.
    uint32_t tile[2];
    uint32_t depth; // channels of an image that lie together at each place; 0: images lie in rows
    // Operators, or classes of them, that it computes on tiles of others as well as on rows, up
    // to a NULL; NULL: none.
    const char *const *either;
    uint64_t loops; // of a transfer, around what lies together; 0: any number
    // What the queue needs for it:
    uint64_t start_cycles; // of the queue, for each start
    uint64_t start_code;   // bytes of code
    uint64_t wait_code;
    uint64_t program_bytes;         // that are brought to its memory before it works on a group
    uint64_t program_room;          // of them there
    const uint64_t *program_tables; // bytes of what is brought besides, each by itself, for a
    uint32_t program_table_count;   // group that has no constants
};

// Where work is ordered. What it starts runs on engines.
struct target_queue {
    const char *name;
    enum target_per per;
    const char *program; // what its jobs are called: "load_program"
    uint64_t code_block; // bytes of code that it holds at a time; 0: it needs none
    uint64_t code_slots; // such blocks
    uint64_t code_next;  // bytes of the jump to the next block
    uint64_t code_tasks; // of the queue in a block; 0: as many as fit
    uint32_t code_fetch; // engine that brings the next block; TARGET_NONE: all are there
    bool code_whole;     // it brings all of a block, however little of it is used
    // What jobs take besides their steps, in cycles:
    uint64_t signal;      // from the start of a job until its first unit has begun with it
    uint64_t signal_next; // how much later each further unit begins
    uint64_t begin;       // of a unit, before its first step of a job
    uint64_t end;         // and after its last one
};

static inline bool target_queue_takes_turns(const struct target_queue *queue)
{
    return queue->signal > 0 || queue->signal_next > 0 || queue->begin > 0 || queue->end > 0;
}

// What the compiler's passes are told to do.
struct target_plan {
    bool evaluated; // tiles: try cuts on the evaluator, instead of estimating the best
    bool keep;      // what one group hands to the next stays on chip where it fits, tile by tile
    bool values;    // whole values and constants stay on chip from job to job where they fit
    bool first_in;  // of those, what came first gives way; else what is needed last
    bool prefetch;  // what a later job needs is loaded while an earlier one computes
    bool devices;   // networks are spread over the cores of all devices; else of the first
    bool cast;      // what all cores need is loaded once and cast to the others
    bool own;       // of that, constants are not cast: each core loads its own
    uint32_t split; // tiles that each core which takes part has at least, where it can be cut so
    uint32_t depth; // groups of a chain at most
    double room;    // the part of a local memory that a job's tiles take, where they can
    uint64_t depth_room; // bytes that the tiles of a chain take on all cores together; 0: any
};

enum { TARGET_DEPTH_MOST = 32, TARGET_SPLIT_MOST = 1024 };

// What the price of an engine is given: "matrix.setup", a number in its base unit; 0
// of what is none.
struct target_setting {
    const char *name;
    double number;
    const char *text; // as the file has it
};

struct target {
    const char *name;
    const char *title;
    uint64_t clock; // Hz; estimates are in its cycles
    uint32_t device_count;
    uint32_t core_count; // of each device
    uint32_t grid[2];    // columns and rows of cores; 0: not said
    struct target_memory *memories;
    uint32_t memory_count;
    uint32_t memory_unit_count; // of all memories
    struct target_port *ports;
    uint32_t port_count;
    struct target_engine *engines;
    uint32_t engine_count;
    uint32_t lane_count; // of all units of all engines
    struct target_queue *queues;
    uint32_t queue_count;
    struct target_plan plan;
    struct target_link link;
    const struct target_setting *settings;
    uint32_t setting_count;
    struct view text; // of its file
    size_t memory_capacity, port_capacity, engine_capacity, queue_capacity;
    struct arena arena;
};

// By name (built in, or NAME.target in a folder of OPSCOPE_TARGETS or the user's
// configuration) or by the path of a file.
status target_open(const char *name, struct target **out_target);
// The one that the program carries, whatever lies in folders.
status target_open_shipped(const char *name, struct target **out_target);
status target_parse(const char *path, struct view text, struct target **out_target);
void target_free(struct target *target);

// The names of all targets that `target_open` finds, in order, each once, for the
// caller to free with `target_names_free`.
char **target_names(size_t *out_count);
void target_names_free(char **names, size_t count);

// Where a user's own targets lie, for the caller to free; NULL: nowhere.
char *target_user_folder(void);

// TARGET_NONE when there is none.
uint32_t target_memory_named(const struct target *target, const char *name);
uint32_t target_far_memory(const struct target *target); // the first that is not local: for values

// How many units there are of what is there so often.
uint32_t target_units(const struct target *target, enum target_per per);

// Whether values of it lie in tiles of several rows or columns.
static inline bool target_engine_is_tiled(const struct target_engine *engine)
{
    return engine->tile[0] > 0 && engine->tile[1] > 0 &&
           (engine->tile[0] > 1 || engine->tile[1] > 1);
}

// The number of a lane among all lanes, and of a unit of a memory among all of them. The
// parts must be the target's.
static inline uint32_t target_lane(const struct target *target, uint32_t engine, uint32_t unit,
                                   uint32_t lane)
{
    return target->engines[engine].first_lane + unit * target->engines[engine].count + lane;
}

static inline uint32_t target_memory_unit(const struct target *target, uint32_t memory,
                                          uint32_t unit)
{
    return target->memories[memory].first_unit + unit;
}

// Whether an engine moves data from one memory to another. A transfer whose ends are one and
// the same moves between that memory and any other local one, both ways.
bool target_engine_carries(const struct target *target, uint32_t engine, uint32_t from,
                           uint32_t to);
// The first transfer engine that does; TARGET_NONE.
uint32_t target_engine_between(const struct target *target, uint32_t from, uint32_t to);
// The first one of a role.
uint32_t target_engine_with(const struct target *target, enum target_role role);
uint32_t target_engine_named(const struct target *target, const char *name);

// Bytes at the end of a block of a queue's code: to fetch the next one, when what its engine
// does at that time has been waited for, and to jump there. And of the smallest block that
// has room for any step before that.
uint64_t target_code_closing(const struct target *target, uint32_t queue);
uint64_t target_code_least(const struct target *target, uint32_t queue);

// Whether work is done where values lie: by a processor that takes everything there.
bool target_is_processor(const struct target *target);
// Whether it is a processor that is priced by measured times, but that nobody has measured.
bool target_is_guess(const struct target *target);

// Whether an engine takes operators of a class with an element; NULL: any of them.
bool target_takes(const struct target *target, uint32_t engine, const char *class,
                  const char *element);
// Whether it applies operators of a sort to results of what it takes; NULL: any of them.
// Whether some engine lays values out anew, between the rows and the tiles that others need. Else
// all values lie in the same way.
bool target_has_layouts(const struct target *target);

bool target_fuses(const struct target *target, uint32_t engine, const char *sort,
                  const char *element);
bool target_is_stage(const struct target *target, uint32_t engine); // of another engine
// Whether groups of operators may be placed on it: it computes, and is not merely a stage.
bool target_computes(const struct target *target, uint32_t engine);
// Every operator, whatever its elements are.
bool target_takes_all(const struct target *target, uint32_t engine);

// Whether what an engine is called takes a verb of the plural: "the arrays".
bool target_is_plural(const char *called);

// As target files write it: "transfer".
const char *target_role_name(enum target_role role);

// "engine.key" of its price; `fallback` when the file does not say.
double target_number(const struct target *target, const char *name, double fallback);

// Changes one setting, as command lines give it: "matrix.lanes", "tile.size",
// "target.clock", "core.count", "dram.rate"; "port dram.rate" where names are not enough. Its
// text changes with it: a program carries the target it was compiled for. What was read from
// the target before is gone. Fails, and changes nothing, for what no file could say.
status target_set(struct target *target, const char *name, const char *value);

#endif
