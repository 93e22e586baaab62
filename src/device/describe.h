// What the profiles of a program have in common, whoever ran it: operators, calls, lanes and
// the names of tasks.

#ifndef OPSCOPE_DEVICE_DESCRIBE_H
#define OPSCOPE_DEVICE_DESCRIBE_H

#include "base/bytes.h"
#include "profile/profile.h"
#include "program/program.h"
#include "target/target.h"

// Order of what lies below a process besides the lanes of engines, which have ranks of their
// own (target_engine.rank), and among them.
enum {
    RANK_HOST_COPY = (1 << 20) + 3,
    RANK_ACTIONS = (1 << 21) + 256,
    RANK_STREAM = 5 << 19, // after the engines of a core
    RANK_CORE = 3 << 20,   // also of devices
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
    struct describe_parts *parts; // by value of the program (describe_parts.h)
    bool *images;                 // by group (describe_images.h)
    struct bytes values;
    struct bytes text;
};

// Adds the operators. Not of targets that the program's tasks do not fit
// (describing_check).
void describing_start(struct describing *describing);
void describing_free(struct describing *describing);

// What it has is the caller's, though it was taken in a scope of a recording (base/recovery.h).
void describing_keep(const struct describing *describing);

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

// Where the parts of a target lie below a process: groups for devices and for cores where
// there are several, in them the lanes of their engines. What all share lies directly below.
struct describing_tracks {
    uint32_t process;  // given
    uint32_t *devices; // by device: its group, or the process
    uint32_t *cores;   // by core: its group, or that of its device
    uint32_t *lanes;   // by target_lane
};

// Adds a track and gives its id. Parent, name, kind, rank, and what does which
// work where are set.
typedef uint32_t describing_add(void *context, const struct track *track);

// Adds groups and lanes.
void describing_tracks_add(const struct describing *describing, struct describing_tracks *tracks,
                           describing_add *add, void *context);
void describing_tracks_free(struct describing_tracks *tracks);

// One of them, to be added: its parent is not set.
struct track describing_lane(const struct describing *describing, uint32_t engine, uint32_t unit,
                             uint32_t lane);

// Where a unit is, as tracks and buffers of a profile say it: numbers + 1, 0 where the target
// has one device, or one core.
void describing_place(const struct target *target, enum target_per per, uint32_t unit,
                      uint32_t *out_device, uint32_t *out_core);

// What the tracks of one unit lie below.
uint32_t describing_parent(const struct describing_tracks *tracks, enum target_per per,
                           uint32_t unit);

// The number, as target_lane gives it, of the lane that does a stage of a task: the task's
// own where the stage's engine has as many.
uint32_t describing_stage_lane(const struct target *target, const struct program_task *task,
                               uint32_t engine);

// Of what an engine does for a task, or for a stage of it: "DMA_IN", or what its group
// computes. `group` is the task's.
uint32_t describing_name(const struct describing *describing, uint32_t task, uint32_t engine,
                         uint32_t group);

// What the identities of an engine's spans begin with, as the target says: letters, and those of
// two memories.
void describing_row(const struct describing *describing, uint32_t task, uint32_t engine,
                    struct bytes *out_text);

// Text ids of the profile.
uint32_t describing_text(const struct describing *describing, uint32_t program_text_id);
uint32_t describing_key(const struct describing *describing, const char *name);

#endif
