// How long a job takes at least, whatever the evaluator finds: cuts that cannot be better than one
// that is known need not be evaluated. It never says more than that, so it decides nothing else.

#ifndef OPSCOPE_COMPILER_LEAST_TIME_H
#define OPSCOPE_COMPILER_LEAST_TIME_H

#include "plan.h"

// What the tiles of a job need, by tile.
struct least_time {
    uint32_t count;          // of tiles
    uint64_t *cycles;        // [member * count + tile]: to compute it
    uint64_t *shortest;      // by member: of those
    uint64_t *in;            // cycles to load it, but for what stays
    uint64_t *out;           // and to store it
    uint64_t staying;        // cycles to load what is loaded once for all cores
    uint64_t own;            // and once for each
    uint64_t before;         // cycles to load what the first member needs of any tile
    uint64_t staying_before; // and of what stays, as above
    uint64_t own_before;
    uint64_t after;          // and to store any tile
    uint64_t bytes;          // through the port of what loads
    uint64_t own_bytes;      // of them once for each core
    struct plan_way way;     // between the far memory and that of the engines
    bool carried;            // of which something is known
    const uint32_t *engines; // by member; TARGET_NONE: it works in stages
    uint32_t member_count;
};

// `tiles`: those of the whole, then of each member where there are several. Memory of `arena`.
void least_time_prepare(struct least_time *least, const struct plan *plan, struct arena *arena,
                        const struct plan_group *whole, const struct plan_group *members,
                        uint32_t member_count, struct plan_tile *const *tiles, const bool *stays,
                        uint32_t count);

// Cycles: what the lanes of each engine of the busiest core have to compute, what the engines of
// the busiest core have to move, each with the shortest way there and from there, and what goes
// through the port that they share.
uint64_t least_time(const struct least_time *least, const struct target *target, uint32_t units);

#endif
