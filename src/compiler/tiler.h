// Cuts the output of a group into a grid of tiles, and finds the parts of all values that
// each tile needs. Of a chain, the group is the whole of it and its members follow.

#ifndef OPSCOPE_COMPILER_TILER_H
#define OPSCOPE_COMPILER_TILER_H

#include "plan.h"
#include "region.h"

// Of an input of which each tile brings what those before have not brought.
struct tiler_slide {
    int64_t rows;   // that a tile brings at most; 0: it comes as a whole for each
    uint64_t bytes; // of them
    uint64_t moved; // bytes that a tile in the middle brings
    uint32_t axis;  // that tiles move along
};

// Of what a member of a chain hands to the next.
struct tiler_handed {
    struct tiler_slide slide;
    struct plan_box needed; // of the tile at hand; what is made for it may be less
    int64_t made;           // up to where, for the tile before
};

struct tiler {
    struct plan *plan;
    struct plan_group *group;   // the whole
    struct plan_group *members; // that the tiles are for as well: `group` itself, or a chain's
    uint32_t member_count;
    uint32_t *values; // that have a box: inputs of the group and what its nodes give
    struct plan_box *boxes;
    bool *known;
    // By value, of the grid at hand: bytes of the first or last tile, the larger. The first one of
    // a chain makes what later ones find made.
    uint64_t *ends;
    uint32_t count;
    bool *stays;  // by input of the group: the same for all tiles, so it is loaded once
    bool slide;   // what neighbours have in common is loaded once where it can be
    bool hand;    // so is what members hand on, which is then computed once
    bool hands;   // of the grid at hand: some of it slides
    bool again;   // and some would be computed again
    bool ragged;  // or would, but for a last tile that is too small
    bool later;   // the tile at hand is not the first
    uint32_t cut; // the dimension that the grid is cut along
    int64_t step; // and by how much
    struct tiler_handed *handed; // by member
    struct tiler_slide *slides;  // by input of the group
    // What lies in the memory as a whole, beside the room: by input, and of what is given.
    const bool *placed; // NULL: nothing
    bool output_placed;
    struct plan_override *overrides; // of the tile at hand
    uint32_t override_count;
    struct plan_box *needed;    // inputs of the node at hand
    struct region_known *nodes; // by node of the group
    uint64_t slots;             // tiles that lie in the memory at a time
    uint64_t room;              // of the memory
    uint64_t loops[2];          // that transfers in and out can make; 0: any number
    struct arena *arena;        // where tiles are made
};

// `members`: NULL for a group of its own.
void tiler_start(struct tiler *tiler, struct plan *plan, struct plan_group *group,
                 struct plan_group *members, uint32_t member_count);
void tiler_free(struct tiler *tiler);

// The number of a value among `values`, and the bytes of its box.
uint32_t tiler_find_value(const struct tiler *tiler, uint32_t value);
uint64_t tiler_value_bytes(const struct tiler *tiler, uint32_t value);

// The shape of what is cut.
const struct shape *tiler_shape(const struct tiler *tiler);

// The parts of all values for a part of the group's output: false when a node can
// only be computed as a whole, or two need different parts of the same value.
bool tiler_propagate(struct tiler *tiler, const struct plan_box *output);

// All of every value.
void tiler_take_whole(struct tiler *tiler);

// Whether transfers can carry the boxes at hand. Pieces of what lies near as a whole are cut
// along one dimension: they take one loop.
bool tiler_are_carried(const struct tiler *tiler);

// Local memory that the group takes with the boxes at hand and room for `slots`
// tiles at a time.
uint64_t tiler_local_bytes(const struct tiler *tiler, uint64_t slots);

// Bytes that a tile loads and stores, with the boxes at hand: without what stays, what is
// handed on and what the tile before has brought.
uint64_t tiler_moved_bytes(const struct tiler *tiler);

// Bytes of what the group gives, with the boxes at hand.
uint64_t tiler_output_bytes(const struct tiler *tiler);

// How many parts each dimension of the output is cut into.
struct grid {
    uint32_t rank;
    int64_t parts[SHAPE_RANK_MOST];
    int64_t size[SHAPE_RANK_MOST]; // of a part, but for the last one
    int64_t loop;                  // places of a part that the engine counts; 0: any number
    int64_t step[SHAPE_RANK_MOST]; // places that lie together: parts have a multiple, or all
};

struct grid tiler_whole_grid(const struct tiler *tiler);
void grid_set_parts(struct grid *grid, const struct shape *shape, uint32_t axis, int64_t parts);
uint64_t grid_tiles(const struct grid *grid);

uint32_t grid_cuts(const struct grid *grid); // dimensions that are cut

// Tile `index` of the grid, row by row.
struct plan_box grid_box(const struct grid *grid, const struct shape *shape, uint64_t index);

// A tile that has no border, if there is one: it needs the most.
struct plan_box grid_middle(const struct grid *grid, const struct shape *shape);

// Which inputs are the same for every tile: those that the first and the last one
// need all of. False when there can be no such tiles.
bool tiler_find_staying(struct tiler *tiler, const struct grid *grid);

// Whether `slots` tiles of the grid fit the room.
bool tiler_fits(struct tiler *tiler, const struct grid *grid);

// The dimensions that may be cut, best first: their number.
uint32_t tiler_axes(const struct tiler *tiler, uint32_t axes[SHAPE_RANK_MOST]);

// Cuts one dimension after the other, from axes[first] on, until a tile fits.
bool tiler_cut(struct tiler *tiler, const uint32_t *axes, uint32_t count, uint32_t first,
               struct grid *out_grid);

// Bytes that all tiles of the grid that was looked at last (tiler_fits) load and store, as if
// each was one in the middle.
uint64_t tiler_traffic(const struct tiler *tiler, const struct grid *grid);

// Whether neighbours of the grid have nothing in common of what members hand on: else it
// would be computed more than once.
bool tiler_cuts_once(struct tiler *tiler, const struct grid *grid);

// The cost of the tile at hand, of the group.
struct cost_request tiler_cost(struct tiler *tiler);

// Cycles of the tile at hand: of the group, or of all members one after the other.
uint64_t tiler_cycles(struct tiler *tiler);

// Whether a plan may have so many tiles more.
bool tiler_has_room(const struct plan *plan, uint64_t tiles);

// Makes the tiles of the group and of its members. False when there would be too many.
bool tiler_fill_grid(struct tiler *tiler, const struct grid *grid);

// Whether the group's engine can count the places of all dimensions that it gives.
bool tiler_counts(const struct tiler *tiler);

// Whether it fits as one tile, and that tile.
bool tiler_fits_whole(struct tiler *tiler);
void tiler_fill_whole(struct tiler *tiler);

// What slides (tiler_slide.c): in the grid at hand; false when there can be no such tiles.
bool tiler_slide_find(struct tiler *tiler, const struct grid *grid);
// Notes where what is handed on ends, for the tile before the one at hand; and of the member that
// ends with a node, leaves what has not been made for that.
void tiler_slide_note(struct tiler *tiler);
void tiler_slide_cut(struct tiler *tiler, uint32_t node);
// When tiles have been made: whether all of them do as was found.
bool tiler_slide_keep(struct tiler *tiler);

#endif
