// What the passes of the compiler hand on to one another: the network's operators
// in groups, each placed on an engine and cut into tiles.
//
//     fold -> fuse -> place -> tile -> allocate -> schedule -> emit
//
// fold and fuse may change the network (constants become known, nodes leave the
// graph); the plan refers to it by ids and lives no longer than it.

#ifndef OPSCOPE_COMPILER_PLAN_H
#define OPSCOPE_COMPILER_PLAN_H

#include "network/operators.h"
#include "target/cost.h"

// Part of a value: from[d] <= index < from[d] + size[d].
struct plan_box {
    uint32_t rank;
    int64_t from[SHAPE_RANK_MOST];
    int64_t size[SHAPE_RANK_MOST];
};

// An attribute that a tile has instead of the node's own: pads at a border.
struct plan_override {
    uint32_t node; // which one of the group
    const char *name;
    uint32_t count;
    int64_t integers[2 * SHAPE_RANK_MOST];
};

struct plan_tile {
    const struct plan_box *inputs;  // as the group's `inputs`
    const struct plan_box *outputs; // as the group's `outputs`
    // What each node of the group gives, inside the engine: all outputs of node 0,
    // of node 1 ... For a value that leaves the group the same as in `outputs`.
    const struct plan_box *inner;
    const struct plan_override *overrides;
    uint32_t override_count;
    struct cost_request cost;
};

struct plan_group {
    uint32_t *nodes; // network node ids, in order
    uint32_t node_count;
    const char *type; // "conv2d", "conv2d_rescale_clamp"
    struct view name; // of the node that matters most
    // Values that come in from outside and go out, each once, in order of first use.
    uint32_t *inputs;
    uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;
    // place:
    uint32_t engine; // of the target
    const char *reason;
    // tile: empty for groups that run as a whole on the host
    struct plan_tile *tiles;
    uint32_t tile_count;
    uint32_t unit_count;            // cores that tiles are dealt out to in turn; 0 and 1: one
    const bool *stays;              // by input: the same for all tiles, so it is loaded once
    const struct plan_chain *chain; // that it begins; NULL: it runs alone, or within another's
};

// Groups, one after the other, of which each hands its tiles to the next on chip.
struct plan_chain {
    struct plan_group whole; // as if they were one: inputs, outputs and tiles
    uint32_t count;          // of groups
};

struct plan_warning {
    const char *kind; // "small-tiles", "spill", "unaligned", "idle", "host"
    const char *text;
    uint32_t group; // UINT32_MAX: the whole
};

struct plan {
    struct network *network;
    const struct target *target;
    struct plan_group *groups; // in an order in which they can run
    uint32_t group_count;
    uint64_t tile_count; // of all groups that have been cut
    struct plan_warning *warnings;
    size_t warning_count;
    size_t warning_capacity;
    // Nodes that fuse added: copies of others, so that each reader has its own.
    uint32_t first_copy; // node ids from here on
    uint32_t *originals; // of each copy
    size_t copy_count;
    size_t copy_capacity;
    struct arena arena;
};

struct plan *plan_create(struct network *network, const struct target *target);
void plan_free(struct plan *plan);

// Keeps a copy of the text.
void plan_warn(struct plan *plan, uint32_t group, const char *kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// A text that lives as long as the plan.
const char *plan_text(struct plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The node of the network's file that a node stands for.
uint32_t plan_original(const struct plan *plan, uint32_t node);

// Of an engine's program and its tables, as they lie in a local memory.
uint64_t plan_program_bytes(const struct target_engine *engine);

// Where programs of engines lie in a local memory, after the code of their queue.
uint64_t plan_program_address(const struct target *target, uint32_t memory, uint32_t queue);

// Bytes at the bottom of a local memory that hold code and no values.
uint64_t plan_code_room(const struct target *target, uint32_t memory);

// How data gets from the far memory to a local one and back: straight, or through another
// local memory.
struct plan_way {
    uint32_t in; // engines between the far memory and `near`
    uint32_t out;
    uint32_t across_in; // between `near` and the memory itself; TARGET_NONE: it is that
    uint32_t across_out;
    uint32_t near;
};

// False when there is none.
bool plan_find_way(const struct target *target, uint32_t memory, struct plan_way *out_way);

// Bytes of a box in memory.
uint64_t plan_box_bytes(const struct plan_box *box, enum element element);
struct plan_box plan_box_whole(const struct shape *shape);

// The same size, from the beginning: where a tile lies in its own buffer.
struct plan_box plan_box_at_origin(const struct plan_box *box);

// Whether two boxes have an element in common.
bool plan_boxes_meet(const struct plan_box *a, const struct plan_box *b);
bool plan_boxes_same(const struct plan_box *a, const struct plan_box *b);

// Bytes that a buffer takes in a local memory: every buffer is aligned as kernels need it.
uint64_t plan_padded(uint64_t bytes);

#endif
