// Operators of a profile that are known by the paths of a network's nodes, as compilers write them
// into the names of what they make of a node: "/encoder/layer.0/MatMul/__312". What a node's time
// went to is added up while the events are read, and becomes the operator's values at the end:
// `block`, the path above the node, and `bound`, what takes most of its time.
//
// Memory: 72 bytes a node.

#ifndef OPSCOPE_FORMATS_TRACE_NODES_H
#define OPSCOPE_FORMATS_TRACE_NODES_H

#include "base/hash.h"
#include "profile/profile.h"

enum node_time {
    NODE_COMPUTE,
    NODE_DDR,       // to and from the far memory
    NODE_MULTICAST, // between cores
    NODE_LAYOUT,    // rearranged for an engine that wants another layout
    NODE_SYNC,      // waited for others
    NODE_TIMES,
};

struct node {
    uint32_t name; // string id
    uint32_t operator_id;
    uint32_t call; // for the reader: the latest one; 0: none
    uint32_t kind; // string id: of its longest work, if any of that computes
    bool kind_computes;
    uint64_t kind_ns;
    uint64_t ns[NODE_TIMES];
};

// Start with the profile and all else zero.
struct nodes {
    struct profile *profile;
    struct segments items; // struct node
    struct hash_index index;
};

void nodes_start(struct nodes *nodes, struct profile *profile);

// "/block/MatMul_3" of "/block/MatMul_3/__312": the node alone, whatever was made of it.
struct view node_path(struct view name);

// The path above a node; "" where there is none.
struct view node_block(struct view path);

// The node that a piece of work was made of, added where it is new; NULL: it has no name. Valid
// as long as `nodes`.
struct node *nodes_find(struct nodes *nodes, struct view name);

// What a kind of work of a vendor's compiler takes its time for, with the memory that it writes.
enum node_time node_time_of(struct view kind, struct view memory);

// What lanes that do such work are for.
enum role node_role_of(struct view kind, struct view memory);

// What a lane of such work is called after its engine: " in", " out", " copy", " multicast",
// " sync", " control"; "" for what computes.
const char *node_role_suffix(enum role role);

// "compute", "ddr", "multicast", "layout", "sync": what has at least half of the time; else
// "mixed". NULL: there is none.
const char *node_bound(const uint64_t ns[NODE_TIMES]);

// A piece of its work took so long.
void nodes_spend(struct nodes *nodes, struct node *node, struct view kind, struct view memory,
                 uint64_t ns);

// Writes `block` and `bound` into the operators, and the kind of work as the type of those whose
// names end in none.
void nodes_finish(struct nodes *nodes);
void nodes_free(struct nodes *nodes);

#endif
