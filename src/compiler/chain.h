// Chains: groups one after the other of which each hands its tiles to the next on chip.

#ifndef OPSCOPE_COMPILER_CHAIN_H
#define OPSCOPE_COMPILER_CHAIN_H

#include "plan.h"

// Cores that can take part in a group.
uint32_t chain_units(const struct plan *plan, const struct plan_group *group);

// Whether a group can be part of a chain at all.
bool chain_takes(const struct plan *plan, const struct plan_group *group);

// Whether the chain that begins with `first` may go on with the group after its `count`
// groups: it reads what the last one gives, in the same memory. Whether it alone does is seen
// when the chain is made, by how much that gives.
bool chain_may_follow(const struct plan *plan, uint32_t first, uint32_t count);

// The first `count` groups from `first` on as one; `readers`: how many read each value.
struct plan_chain *chain_make(struct plan *plan, const uint32_t *readers, uint32_t first,
                              uint32_t count);

#endif
