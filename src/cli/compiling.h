// What the commands that compile share: from a network's file to a program that
// is proved, priced and written.

#ifndef OPSCOPE_CLI_COMPILING_H
#define OPSCOPE_CLI_COMPILING_H

#include "analysis/modelled.h"
#include "base/recovery.h"
#include "compiler/compiler.h"
#include "options.h"
#include "program/verify.h"

struct compiling {
    const char *command;
    const char *path;       // of the network
    const char *conversion; // that a vendor's option stands for; NULL: none
    enum cost_rules rules;  // that the times are by
    struct target *target;  // opened by the caller, freed here
    struct network *network;
    uint32_t operators; // of the network's main graph, before anything changes it
    struct plan *plan;
    struct program_builder *builder;
    struct program program; // over the builder's memory
    struct verify_counts proved;
    struct recovery_thread prover; // while `proving`
    bool proving;
    status proof;                               // what the prover found
    const struct compile_partition *partitions; // none: as the target's plan says
    size_t partition_count;
    struct sim_result *times;
    struct modelled *modelled;
};

// Opens the one network among the words of the command line. `compiling_free` is for
// the caller, also on failure, here and below.
// Under public rules values stay near as the published compiler keeps them: the first that came
// gives way, whole, and nothing is loaded before its job. Once the target is open.
status compiling_follow_rules(const struct compiling *compiling);

status compiling_open(struct compiling *compiling, const struct arguments *arguments);

// Compiles and proves it. `observer` may be NULL.
status compiling_run(struct compiling *compiling, const struct compile_observer *observer);

// Compiles it, and has it proved on a thread of its own: until `compiling_proved` has waited for
// that, the program may be read, and nothing that was made of it may be kept.
status compiling_start(struct compiling *compiling, const struct compile_observer *observer);
status compiling_proved(struct compiling *compiling);

// Prices it: `times` and `modelled`, and the plan's warnings. Once it is proved.
status compiling_price(struct compiling *compiling);
void compiling_free(struct compiling *compiling);

// Refuses an output that is the network or a file of its constants, or that no
// file can be: a folder that does not exist.
status compiling_check_output(const struct compiling *compiling, const char *path);

#endif
