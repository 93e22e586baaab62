// A machine that networks are compiled for: its memories, engines, clocks and
// rates, read from a text file (docs/formats/target.md).
//
//     [target]
//     name = torq-sl2610
//     rules = torq
//     clock = 800 MHz
//     [memory lram]
//     size = 512 KiB
//     [engine slice]
//     kind = slice
//     count = 2
//     macs_per_cycle = 256
//
// Keys that the rules do not know are errors that name the line.

#ifndef OPSCOPE_TARGET_TARGET_H
#define OPSCOPE_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

enum { TARGET_MEMORIES_MOST = 8, TARGET_ENGINES_MOST = 16, TARGET_NONE = 255 };

// How tasks are priced (cost.h).
enum target_rules {
    TARGET_RULES_TORQ,
    TARGET_RULES_HOST,
};

struct target_memory {
    const char *name;   // "lram", "xram", "dram"
    uint64_t size;      // bytes
    uint64_t alignment; // of buffers in it
    bool local;         // close to the engines: what they work on is brought there
};

enum target_engine_kind {
    TARGET_DMA_IN, // from the far memory to the local one
    TARGET_DMA_OUT,
    TARGET_CDMA, // between local memories
    TARGET_SLICE,
    TARGET_CSS,
    TARGET_CPU,  // of the `host` target
    TARGET_HOST, // the host of an accelerator: what nothing else can do
    TARGET_ENGINE_KINDS,
};

struct target_engine {
    const char *name;
    enum target_engine_kind kind;
    uint32_t count; // of equal ones: slices, cores
    uint8_t memory; // index of the memory that it works on
};

// A further setting: "slice.macs_per_cycle", a number in its base unit.
struct target_setting {
    const char *name;
    double number;
    const char *text; // as the file has it
};

struct target {
    const char *name;
    const char *title;
    enum target_rules rules;
    uint64_t clock; // Hz; estimates are in its cycles
    struct target_memory memories[TARGET_MEMORIES_MOST];
    uint32_t memory_count;
    struct target_engine engines[TARGET_ENGINES_MOST];
    uint32_t engine_count;
    const struct target_setting *settings;
    uint32_t setting_count;
    struct cost_host_model *model; // of TARGET_RULES_HOST: its measured times
    struct view text;              // of its file
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

// As target files write it: "dma_in".
const char *target_engine_kind_name(enum target_engine_kind kind);

// TARGET_NONE when there is none.
uint8_t target_memory_named(const struct target *target, const char *name);
uint8_t target_far_memory(const struct target *target); // the first that is not local: for values
uint8_t target_engine_of(const struct target *target, enum target_engine_kind kind);

// "engine.key"; `fallback` when the file does not say.
double target_number(const struct target *target, const char *name, double fallback);

// Changes one setting, for --torq-hw and for experiments: "slice.count", "lram.size",
// "target.clock". Its text changes with it: a program carries the target it was
// compiled for. Fails for a name that the rules do not know.
status target_set(struct target *target, const char *name, const char *value);

#endif
