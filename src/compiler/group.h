// Questions about a group, for the passes.

#ifndef OPSCOPE_COMPILER_GROUP_H
#define OPSCOPE_COMPILER_GROUP_H

#include "plan.h"

static inline const struct network_node *group_node(const struct plan *plan,
                                                    const struct plan_group *group, uint32_t index)
{
    return network_node(plan->network, group->nodes[index]);
}

static inline const struct network_value *group_value(const struct plan *plan, uint32_t value)
{
    return network_value(plan->network, value);
}

// Whether a value is a tensor of numbers whose shape is sure before it runs.
bool group_is_fixed(const struct network_value *value);

// Whether all values that come in, go out or pass between nodes are tensors of
// known shape and numbers.
bool group_is_static(const struct plan *plan, const struct plan_group *group);

// Whether a group runs where tiles are brought to: a local memory.
bool group_is_local(const struct plan *plan, const struct plan_group *group);

// Whether a group only looks at the same bytes under another shape, and so needs no work.
bool group_is_alias(const struct plan *plan, const struct plan_group *group);

// By value: how many nodes of the main graph read it, and outputs of the graph; two
// for each place inside another graph. For the caller to free.
uint32_t *group_count_readers(const struct network *network);

// Finds a group's inputs and outputs from its nodes. `readers` is
// what group_count_readers gave.
void group_connect(struct plan *plan, struct plan_group *group, const uint32_t *readers);

// Which node of the group matters most.
uint32_t group_main(const struct plan *plan, const struct plan_group *group);

// The work of the kernel that matters most, on all of the group's data.
struct cost_request group_kernel(const struct plan *plan, const struct plan_group *group);

// What the tile costs: the work of the node that matters most, in numbers.
struct cost_request group_cost(const struct plan *plan, const struct plan_group *group,
                               const struct plan_tile *tile);

// What its engine calls the kernels that compute a group, one after the other: "conv2d",
// "matmul_add". NULL: the engine has no names for them, or nothing is computed.
const char *group_kernels(struct plan *plan, const struct plan_group *group);

#endif
