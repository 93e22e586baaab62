// What the profiles of a program have in common, whoever ran it: operators, calls, lanes and
// the names of tasks.

#ifndef OPSCOPE_DEVICE_DESCRIBE_H
#define OPSCOPE_DEVICE_DESCRIBE_H

#include "base/bytes.h"
#include "profile/profile.h"
#include "program/program.h"
#include "target/target.h"

enum { DESCRIBING_LANES_MOST = 256 };

// Order of the lanes of a process, as the readers of Torq's files have it.
enum {
    RANK_DMA_IN,
    RANK_DMA_OUT,
    RANK_SLICE,
    RANK_CDMA = 1 << 20,
    RANK_CSS,
    RANK_HOST,
    RANK_HOST_COPY, // of a lane that no engine of a target has
    RANK_CPU = 1 << 21,
};

// The operators of each group: those of its nodes, or, in a program without
// nodes, those that name it. `first` has one item more than there are groups.
struct describing_members {
    uint32_t *first;
    uint32_t *operators;
};

// Set `program`, `target` and `profile`; the rest begins as zeros.
struct describing {
    const struct program *program;
    const struct target *target;
    struct profile *profile;
    uint32_t *operators; // by operator of the program: id in the profile
    uint32_t *owners;    // by group: the operator that stands for it
    uint32_t *calls;     // by group: of the iteration that was added last
    struct describing_members members;
    struct bytes values;
    struct bytes text;
};

// Adds the operators. Not of targets that the program's tasks do not fit
// (describing_check).
void describing_start(struct describing *describing);
void describing_free(struct describing *describing);

// Whether every task is on a lane that the target has.
status describing_check(const struct program *program, const struct target *target);

// Adds a call for every group, and for each of the operators that were fused in it.
void describing_calls(struct describing *describing, uint32_t iteration);

// Flows along the true dependencies: a flow's number is its dependency's + 1. Those that
// go out from task t are `outs[first[t]]` up to `outs[first[t + 1]]`. For the caller to free.
struct describing_flows {
    uint32_t *first;
    uint32_t *outs;
};

struct describing_flows describing_flows(const struct program *program);

// A lane of an engine, to be added: name, kind, engine, index and rank.
struct track describing_lane(const struct describing *describing, uint32_t engine, uint32_t index);

// Of a task: "DMA_IN", or what its group computes. `group` is the task's.
uint32_t describing_name(const struct describing *describing, uint32_t task, uint32_t group);

// Text ids of the profile.
uint32_t describing_text(const struct describing *describing, uint32_t program_text_id);
uint32_t describing_key(const struct describing *describing, const char *name);

#endif
