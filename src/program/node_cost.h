// What a node of a network is to do, as the numbers that prices are made from.

#ifndef OPSCOPE_PROGRAM_NODE_COST_H
#define OPSCOPE_PROGRAM_NODE_COST_H

#include "network/operators.h"
#include "target/cost.h"

// Whether a rule is known; PRICED_NOT has none, and no operator is PRICED_NOT.
bool node_cost_has_rule(enum operator_price price);

enum cost_kind node_cost_kind(const struct network *network, const struct network_node *node);

// The first output of a node that is not left out.
uint32_t node_cost_output(const struct network_node *node);

// Of a product: the dimension of its output, which has this rank, that weights go along.
uint32_t node_cost_channel_axis(const struct network_node *node, uint32_t rank);

// Of a node that computes `output`, all or part of its first output. Shapes of all
// inputs and outputs are known. `bytes` counts the whole node.
struct cost_request node_cost(const struct network *network, const struct network_node *node,
                              const struct shape *output);

#endif
