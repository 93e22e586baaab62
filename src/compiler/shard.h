// Shards: a value between groups whose parts stay in the memories of the cores that make them.
// Each of the groups that read it needs, on each core, just the part that lies there, so nothing
// of it goes through the far memory. For engines with stages, whose tiles do not lie near.

#ifndef OPSCOPE_COMPILER_SHARD_H
#define OPSCOPE_COMPILER_SHARD_H

#include "evaluate.h"

// The parts of a value; NULL where it lies in the far memory as a whole. Valid until another value
// is sharded.
const struct plan_shard *shard_of(const struct plan *plan, uint32_t value);

// Bytes at the top of the memory of an engine that parts may lie in; what a job lays out for
// itself lies below.
uint64_t shard_room(const struct plan *plan, const struct target_engine *engine);

// Finds values that may lie so, once all groups are cut. A group is cut anew where that lets it
// agree with its neighbours; the evaluator says whether all that is concerned takes less time, so
// no network gets slower by it.
void shard_values(struct plan *plan, struct evaluation *evaluation);

#endif
