// Chains (core/chain.h) of the nodes of a network.

#ifndef OPSCOPE_KERNELS_CHAIN_NODES_H
#define OPSCOPE_KERNELS_CHAIN_NODES_H

#include "kernels/core/chain.h"
#include "network/operators.h"

enum { CHAIN_NODES_VALUES_MOST = CHAIN_STEPS_MOST };

// How the places of a chain lie in memory.
enum chain_layout {
    CHAIN_PLAIN,         // row-major
    CHAIN_CHANNELS_LAST, // dimension 1 runs fastest
};

struct chain_nodes {
    struct chain chain;
    const struct network *network;
    struct shape places; // of the result, as the network has it
    enum chain_layout layout;
    uint32_t inputs[CHAIN_INPUTS_MOST];       // by input of the chain: value
    uint32_t values[CHAIN_NODES_VALUES_MOST]; // by step: the value that it is, NETWORK_NONE
};

// Whether what computes this may be a step of a chain.
bool chain_nodes_has_step(enum operator_function function);

// Whether a node is one that a chain can have, judged by its type, its parameters and
// the elements of its values.
bool chain_nodes_knows(const struct network *network, const struct network_node *node);

void chain_nodes_start(struct chain_nodes *nodes, const struct network *network,
                       const struct shape *places, enum chain_layout layout);

// An input, in this order, before any node: a value with an element for each place.
bool chain_nodes_input(struct chain_nodes *nodes, uint32_t value, enum element element);

// The next node: what it reads is an input, was made by a node before, or becomes an input.
// False, and the chain is spoilt, when it cannot be had.
bool chain_nodes_add(struct chain_nodes *nodes, const struct network_node *node);

// The value that was made last stands for `value` from here on, which has these places.
void chain_nodes_rename(struct chain_nodes *nodes, uint32_t value, const struct shape *places);

// The value that was made last is multiplied with the elements of an input and added to those of
// another, which repeat themselves after `period` places and are the caller's, not a value's.
bool chain_nodes_scale(struct chain_nodes *nodes, uint64_t period);

// A value that nodes could read as well is added to the one that was made last, whose sum stands
// for it from here on.
bool chain_nodes_add_value(struct chain_nodes *nodes, uint32_t value);

// The value of the last node is the result.
bool chain_nodes_finish(struct chain_nodes *nodes);

#endif
