// Lists the ways to cut a group, or a chain of groups, into tiles that fit its memory: those that
// may be best with any number of cores. None of what is listed depends on rates.

#ifndef OPSCOPE_COMPILER_CUTS_H
#define OPSCOPE_COMPILER_CUTS_H

#include "least_time.h"
#include "tiler.h"

// One way.
struct cut {
    struct grid grid;
    uint64_t count; // of its tiles
    uint64_t slots;
    uint64_t traffic;
    uint64_t staying; // of that: what is the same for all tiles
    // Tiles of a coarser cut that fits as well: with fewer cores than these are for, this one only
    // moves more.
    uint64_t coarser;
    uint64_t beyond; // it is for more cores than these alone
    bool filled, failed;
    uint32_t tried; // cores that it was evaluated with last
    // What was made for it, to be evaluated with several numbers of cores:
    struct arena arena;
    struct plan_tile *tiles[TARGET_DEPTH_MOST + 1]; // of the whole and of its members
    const bool *stays;
    struct least_time least;
};

struct cuts {
    struct cut *items;
    size_t count, capacity;
    uint32_t finer; // cuts of the last dimension
    uint64_t many;  // tiles from which on finer cuts are not looked at
    uint32_t split; // tiles that each core has at most, of those that are asked for
    uint32_t cores; // where values lie in tiles, each gets one if there are so many
};

// In which dimensions convolutions may be cut: between rows alone, then between channels that are
// apart as well, which is empty where there are none.
enum { CUTS_WAYS = 2 };

// All cuts that fit, with as many places for tiles as there can be. For cuts_free.
struct cuts cuts_list(struct tiler *tiler, uint32_t split, uint32_t way);
void cuts_free(struct cuts *cuts);

// Whether the cut would be listed if there were no more cores: what there is besides does not
// decide how so many are used.
bool cuts_has(const struct cuts *cuts, const struct cut *cut, uint32_t units);

// Makes the tiles of a cut once. False when it cannot be.
bool cuts_fill(struct tiler *tiler, struct cut *cut);

// The most tiles of a cut that was made.
uint64_t cuts_most_tiles(const struct cuts *cuts);

#endif
