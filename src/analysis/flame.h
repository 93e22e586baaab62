// Where the time of all lanes went, as a tree: the host, the device or neither; the engine or the
// thread; then the names that spans lie in. A lane without nesting has the type of the operator
// above the names of its spans, where its calls say one that is another word.
//
// A nanosecond of a lane is in the `self` of one node, the innermost; `total` is what a node and
// all below it have. Lanes are added up, so that a total may be longer than the profile.
//
// Memory: 48 bytes a node. Beyond FLAME_NODES_MOST a span counts for what it lies in.

#ifndef OPSCOPE_ANALYSIS_FLAME_H
#define OPSCOPE_ANALYSIS_FLAME_H

#include "operator_times.h"
#include "profile/profile.h"

enum { FLAME_NODES_MOST = 1 << 20 };

struct flame_node {
    uint32_t parent;      // before its children; the root is node 0
    uint32_t name;        // string id; of the first below the root it is an enum operator_side
    uint64_t total, self; // ns
    uint64_t count;       // of spans
    uint32_t kept;        // after flame_keep: its place among those that are kept + 1; 0: it is not
};

struct flame {
    struct segments nodes; // struct flame_node
    uint64_t folded;       // spans that found no node
};

// Derived tracks are left out.
status flame_measure(struct profile *profile, struct flame *out_flame);
void flame_free(struct flame *flame);

static inline struct flame_node *flame_node(const struct flame *flame, uint32_t id)
{
    return segments_get(&flame->nodes, id);
}

// Chooses the nodes with the largest totals, at most so many, each with all above it.
void flame_keep(struct flame *flame, size_t most);

#endif
