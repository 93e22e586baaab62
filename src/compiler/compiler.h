// Compiles a network for a target, pass by pass.

#ifndef OPSCOPE_COMPILER_COMPILER_H
#define OPSCOPE_COMPILER_COMPILER_H

#include "plan.h"
#include "program/builder.h"

// The passes, one file each ---------------------------------------------------

// Calculates what depends on constants alone.
status pass_fold(struct plan *plan);

// Gives every reader of a scaled-back integer a copy of the node that scales it.
void pass_copy(struct plan *plan);

// Puts nodes together that run as one piece of work: fills `groups`.
status pass_fuse(struct plan *plan);

// Chooses the engine of each group, and says why.
status pass_place(struct plan *plan);

// Lays values out anew where an engine needs them otherwise than they lie.
status pass_layout(struct plan *plan);

// Cuts each group into tiles that fit the local memory of its engine, with room
// for the next tile to be loaded while one is computed.
status pass_tile(struct plan *plan);

// Writes groups, tiles, buffers with addresses and lifetimes, tasks, steps, jobs
// and actions. Allocation and scheduling are parts of it: an address is given when the
// step that needs it is put down.
status pass_emit(struct plan *plan, struct program_builder *builder);

// Called after each pass, for dumps: the phase's number and name ("global-
// optimization"), and the plan. The last one, executable-targets, comes from the
// finished program.
struct compile_observer {
    void *context;
    status (*phase)(void *context, unsigned number, const char *name, const struct plan *plan);
};

// Nodes that run on some of the devices, by their names.
struct compile_partition {
    uint32_t first_device;
    uint32_t device_count;
    const struct view *nodes;
    size_t node_count;
};

struct compile_options {
    const struct compile_observer *observer; // may be NULL
    // Where groups run, by the first of their nodes that one of these names; a group of none runs
    // where the one before it does. None: as the target's plan says.
    const struct compile_partition *partitions;
    size_t partition_count;
};

// Leaves the plan for whoever explains it. On success `builder` holds the program.
status compile_network(struct plan *plan, const struct compile_options *options,
                       struct program_builder *builder);

#endif
