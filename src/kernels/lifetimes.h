// When the values of a network come and go: after which node nothing reads a
// value any more.

#ifndef OPSCOPE_KERNELS_LIFETIMES_H
#define OPSCOPE_KERNELS_LIFETIMES_H

#include "network/network.h"

// The values of one graph that end after each of its nodes.
struct graph_lifetimes {
    uint32_t *starts; // node_count + 1 places in `values`
    uint32_t *values;
    uint32_t *own; // all values that the graph makes: its inputs and what its nodes give
    uint32_t own_count;
};

struct lifetimes {
    struct graph_lifetimes *graphs;
    uint32_t graph_count;
    bool *read;     // by value: something reads it, or it is an output of its graph
    uint32_t *last; // by value: place in its graph of the last node that reads it, also
                    // from inside; NETWORK_NONE: the graph's end, or never
    uint32_t *home; // by value: the graph that makes it; NETWORK_NONE: a constant
};

struct lifetimes *lifetimes_find(const struct network *network);
void lifetimes_free(struct lifetimes *lifetimes);

#endif
