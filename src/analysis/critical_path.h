// The critical path of a profile: the chain of pieces (dependence.h) and gaps, each of which the
// next one waited for, that ends with what ended last. It covers the time from the first start to
// the last end without a hole: what is on it, made shorter, makes all of it shorter, until another
// chain is as long; what is not has slack.
//
// Memory: 8 bytes a piece in a temporary file while slack is found; 56 for each distinct operator,
// name and role, and for each track.

#ifndef OPSCOPE_ANALYSIS_CRITICAL_PATH_H
#define OPSCOPE_ANALYSIS_CRITICAL_PATH_H

#include "dependence.h"

// Of an operator (or of spans of one name that belong to none), a role, or a track.
struct path_share {
    uint32_t id; // operator id, or string id of a name; role; track id
    bool is_operator;
    uint64_t on_path; // ns
    uint64_t gaps;    // ns: on the path before its pieces, where nothing was done
    uint64_t total;   // ns: of all its pieces
    uint64_t pieces;
    uint64_t slack; // ns: by which the one with the least may end later, and nothing else
    uint32_t type;  // string id; 0: none
    bool repeats;   // other operators have its name
};

struct path_shares {
    struct path_share *rows; // most time on the path first, gaps included
    size_t count;
};

struct critical_path {
    const struct dependence *dependence;
    uint32_t last;   // the node that it ends with; DEPENDENCE_NONE: there is nothing
    uint64_t length; // ns: from the first start to the last end
    uint64_t work;   // ns: of pieces on it; the rest are gaps
    uint64_t nodes;  // on it
    uint64_t gaps[DEPENDENCE_KINDS + 1];  // ns, by why the piece after it waited; last: for nothing
    uint64_t waits[DEPENDENCE_KINDS + 1]; // how many pieces of it
    struct path_shares operators, roles, tracks;
};

status critical_path_find(const struct dependence *dependence, struct critical_path *out_path);
void critical_path_free(struct critical_path *path);

// The node before this one on the path; DEPENDENCE_NONE: it is the first.
uint32_t critical_path_before(const struct dependence *dependence, uint32_t node);

// What a node adds to the path that it is on: less than it lasted where the one after it waited
// for its start alone. `after` is that one; DEPENDENCE_NONE: there is none.
uint64_t critical_path_time(const struct dependence *dependence, uint32_t node, uint32_t after);

// By how much each node could end later, all others being as long and the gaps as they were,
// without the last end being later: node_count numbers, ns.
status critical_path_slack(const struct dependence *dependence, struct spool *spool,
                           uint64_t **out_slack);

#endif
