// What the two ways to choose tiles share.

#ifndef OPSCOPE_COMPILER_TILE_H
#define OPSCOPE_COMPILER_TILE_H

#include "plan.h"

// Bytes for values in the memories that the data of a group passes.
uint64_t tile_room(const struct plan *plan, const struct plan_group *group);

// Whether a group may be cut at all.
bool tile_is_cuttable(const struct plan *plan, const struct plan_group *group);

// As one tile; on the host where that does not fit.
void tile_whole(struct plan *plan, struct plan_group *group);

// For targets that ask for it: cuts, numbers of cores and chains of groups, tried on the
// evaluator. None of what is tried depends on rates, and what is tried on more cores includes
// what is tried on fewer: so neither a faster port nor another core makes a job slower.
status tile_evaluated(struct plan *plan);

#endif
