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

enum { PLAN_NONE = 0xffffffff };

// A value that lies in a local memory as a whole, for some jobs.
struct plan_place {
    uint32_t value;
    uint64_t address;
    uint64_t bytes;
    uint32_t from;  // the group in whose job it comes there
    uint32_t first; // that needs it first; of what is made there, `from`
    uint32_t last;  // that needs it last
    bool made;      // by group `from`; else it is loaded
    // Of those that are loaded in the same job for a later one, or written back in the same
    // one: PLAN_NONE, or the next.
    uint32_t next;
    uint32_t next_swapped;
};

// What a group's job finds in the local memory, and where it lays its tiles.
struct plan_near {
    uint32_t *inputs; // as the group's `inputs`: places; PLAN_NONE: it comes tile by tile
    uint32_t *outputs;
    uint64_t address; // of what is laid out for this job alone
    uint64_t room;
    uint32_t fetched; // place that is loaded here for a later job, the first one; PLAN_NONE
    uint32_t swapped; // place that is written back whole at its end, the first one; PLAN_NONE
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
    uint32_t first_unit;            // core that the first of them is dealt to
    uint32_t unit_most;             // cores that it may be spread over; 0: those of the target
    uint32_t unit_count;            // cores that tiles are dealt out to in turn; 0 and 1: one
    const bool *stays;              // by input: the same for all tiles, so it is loaded once
    const bool *slides;             // by input: what tiles have in common is (slide.h); NULL: none
    const struct plan_chain *chain; // that it begins; NULL: it runs alone, or within another's
    struct plan_near *near;         // NULL: no whole values lie near
};

// Groups, one after the other, of which each hands its tiles to the next on chip.
struct plan_chain {
    struct plan_group whole; // as if they were one: inputs, outputs and tiles
    uint32_t count;          // of groups
    bool side_by_side;       // tiles go through it as many at a time as there are lanes
};

// A value between groups that lies in parts: each in the memory of the core whose tile makes it,
// at the same address (shard.h).
struct plan_shard {
    uint32_t value;
    uint32_t maker; // the group that makes it
    uint32_t last;  // the last one that reads it
    uint64_t address;
    uint64_t bytes; // of the largest part
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
    bool chains;         // values that do not fit are handed on tile by tile
    bool deep;           // chains may have more than two groups, and what they hand on slides
    bool slides;         // what neighbouring tiles have in common is loaded once
    bool rows_only;      // convolutions are not cut between channels that are apart
    // Where values lie near from job to job, in the order of the groups that need them.
    struct plan_place *places;
    size_t place_count;
    size_t place_capacity;
    // By value that is made near: it goes to the far memory as well, tile by tile, or later as
    // a whole. NULL: nothing is made near.
    bool *stored;
    bool *swapped;
    struct plan_shard *shards; // in the order of the groups that make them
    size_t shard_count;
    size_t shard_capacity;
    uint32_t *shard_ids; // by value; PLAN_NONE: it lies as a whole. NULL: all do
    bool *tiled;  // by value: it lies in tiles, others in rows; NULL: all lie in the same way
    bool *packed; // by value: a constant that lies in blocks of MXFP6; NULL: none does
    struct plan_unlaid *unlaid; // before that was decided (unlaid.h); NULL: it never is
    bool *images; // by value (images.h), once groups are fused; NULL: nothing lies in tiles
    struct plan_warning *warnings;
    size_t warning_count;
    size_t warning_capacity;
    // Nodes that passes added: copies of others, so that each reader has its own, and what lays
    // values out anew, which stands for the node that it does so for.
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

// Notes what the node that was added to the network last stands for.
void plan_stands_for(struct plan *plan, uint32_t original);

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

// Whether a value that all cores need is loaded once and cast to the others.
bool plan_is_cast(const struct plan *plan, uint32_t value);

// Bytes of a box in memory.
uint64_t plan_box_bytes(const struct plan_box *box, enum element element);

// Whether a value is a constant that is moved packed.
bool plan_is_packed(const struct plan *plan, uint32_t value);

// Bytes that a transfer of a box of the value moves.
uint64_t plan_box_moved(const struct plan *plan, uint32_t value, const struct plan_box *box);

// The same as it lies in the device's memory: in whole tiles of the engine, unless it is an image,
// and in blocks.
uint64_t plan_box_stored(const struct plan *plan, const struct target_engine *engine,
                         uint32_t value, const struct plan_box *box);

// Whether the value is an image (images.h), for a target whose values lie in tiles.
bool plan_is_image(const struct plan *plan, uint32_t value);
void plan_find_images(struct plan *plan); // once no more values are added
struct plan_box plan_box_whole(const struct shape *shape);

// Of a box only its dimensions are used: the rest of it, which is the most, need not be copied.
static inline void plan_box_copy(struct plan_box *to, const struct plan_box *from)
{
    to->rank = from->rank;
    for (uint32_t i = 0; i < from->rank; i++) {
        to->from[i] = from->from[i];
        to->size[i] = from->size[i];
    }
}

static inline void plan_box_take_whole(struct plan_box *box, const struct shape *shape)
{
    box->rank = shape->rank;
    for (uint32_t i = 0; i < shape->rank; i++) {
        box->from[i] = 0;
        box->size[i] = shape->dims[i];
    }
}

bool plan_box_is_whole(const struct plan_box *box, const struct shape *shape);

// The same size, from the beginning: where a tile lies in its own buffer.
struct plan_box plan_box_at_origin(const struct plan_box *box);

// Whether two boxes have an element in common.
bool plan_boxes_meet(const struct plan_box *a, const struct plan_box *b);
bool plan_boxes_same(const struct plan_box *a, const struct plan_box *b);

// Bytes that a buffer takes in a local memory: every buffer is aligned as kernels need it.
uint64_t plan_padded(uint64_t bytes);

#endif
