// What the two ways to choose tiles share.

#ifndef OPSCOPE_COMPILER_TILE_H
#define OPSCOPE_COMPILER_TILE_H

#include "tiler.h"

// Bytes for values in the memories that the data of a group passes.
uint64_t tile_room(const struct plan *plan, const struct plan_group *group);

// Whether a group may be cut at all.
bool tile_is_cuttable(const struct plan *plan, const struct plan_group *group);

// As one tile; on the host where that does not fit.
void tile_whole(struct plan *plan, struct plan_group *group);

// Whether a group picks rows of a constant, all of which are moved to an engine with a memory of
// its own, where the host reads those that it needs.
bool tile_may_leave(const struct plan *plan, const struct plan_group *group);

// Sends such a group to the host where that takes less than `time`.
void tile_on_host(struct plan *plan, struct plan_group *group, uint64_t time);

// What a group finds in the memory, and what it may take of it.
struct tile_space {
    uint64_t room;
    const bool *placed;         // by input: it lies there as a whole
    bool output_placed;         // so does all that it gives
    bool output_carried;        // which goes to the far memory as well
    uint64_t loaded;            // bytes of placed inputs that its own job has to load
    uint64_t ahead;             // of those, bytes that no tile can be computed without
    struct plan_group *members; // of a chain, whose whole is cut; NULL
    uint32_t member_count;
};

// How a group is cut, and about how many cycles its parts take.
struct tile_choice {
    bool whole;
    struct grid grid;
    uint64_t slots;
    uint64_t bytes; // of the room that it takes
    uint64_t time;
    uint64_t compute;
    uint64_t transfers;
};

// The cut that takes the least time; false when none fits.
bool tile_choose(struct plan *plan, struct plan_group *group, const struct tile_space *space,
                 struct tile_choice *out_choice);

// Makes the tiles of a choice; false when that cannot be.
bool tile_apply(struct plan *plan, struct plan_group *group, const struct tile_space *space,
                const struct tile_choice *choice);

// Cuts a group by itself, with the whole memory for it.
void tile_alone(struct plan *plan, struct plan_group *group);

// For targets that ask for it: whole values stay in the local memory from job to job
// (tile_resident.c). What is tried takes time near-linear in the number of groups.
status tile_resident(struct plan *plan);

// The same in several ways, of which the evaluator finds the best.
status tile_ways(struct plan *plan);

// For targets that ask for it: cuts, numbers of cores and chains of groups, tried on the
// evaluator. None of what is tried depends on rates, and what is tried on more cores includes
// what is tried on fewer: so neither a faster port nor another core makes a job slower.
status tile_evaluated(struct plan *plan);

#endif
