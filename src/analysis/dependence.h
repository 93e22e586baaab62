// What had to wait for what: the spans of a profile as pieces of work in an order in which all of
// them can be done, and for each the pieces that had to come before it.
//
// A piece is a span, or of a call stack a stretch in which one span is the innermost. It waits for
//   - the piece before it on its lane (a queue, a stream or a thread does one after the other),
//   - what a flow leads from: a launch, a semaphore, a task whose result it reads. Where it starts
//     before that has ended (a launch that has not returned), it waits for its start,
//   - where neither explains when it started, what ended last before that on the same side (device
//     or host; in the run of a program on either): that it waited for it is assumed, since the
//     profile does not say so, unless the gap is hardly shorter for it,
//   - of transfers that begin in proportion to what the one before moves, that: dependence_ways.h.
// A span in which somebody waits is no work: it is a piece of no length where the waiting ends, and
// what ended last on the device before that is what was waited for. Nor is it known to be work
// where a span of no operator only holds operators together (a step, a function around calls): such
// a stretch is a piece of no length at its end, and what ended last on the host may explain it. So
// are the turns of a queue that has a lane of its own: the work in them is that of engines.
//
// What is left over between a piece and the last one that it waited for is a gap. Flows that lead
// back in time, or round in a circle, are counted and left out: pieces are in order of their start.
//
// Lanes of waits, of derived data, of cores as a whole, and those of which nothing is said where
// others say what they do, are left out. Where only the host recorded what the device did, the lane
// that is derived from that counts.
//
// Memory: a piece 40 bytes and 8 for each that it waits for, in a temporary file; while it is made
// another 44 a piece, 76 a flow and 16 a transfer there; 16 bytes for each distinct operator, name
// and role, 48 for each track.

#ifndef OPSCOPE_ANALYSIS_DEPENDENCE_H
#define OPSCOPE_ANALYSIS_DEPENDENCE_H

#include "base/spool.h"
#include "operator_times.h"
#include "profile/profile.h"

#define DEPENDENCE_NONE UINT32_MAX

enum dependence_kind {
    DEPENDENCE_LANE,
    DEPENDENCE_FLOW,
    DEPENDENCE_ASSUMED,
    DEPENDENCE_WAY, // of transfers that share a way: the one before has been carried
    DEPENDENCE_KINDS,
    DEPENDENCE_DROPPED = DEPENDENCE_KINDS, // it holds for nothing
};

// "lane", "flow", "assumed", "way".
const char *dependence_kind_name(enum dependence_kind kind);

// What pieces have in common.
struct dependence_part {
    uint32_t operator_id; // its own or that of the span around it; 0: none
    uint32_t name;        // of the span
    enum role role;       // of the span, else of its lane
    enum operator_side side;
};

struct dependence_node {
    uint64_t start, end; // ns
    uint32_t part;
    uint32_t track;
    uint32_t first_edge; // what it waits for: up to that of the next node
    uint32_t bound;      // the edge to what it waited for last; DEPENDENCE_NONE: for nothing
    uint32_t task;       // of a program, + 1; 0: not said
    uint32_t carries;    // ns: how long a shared way is held by what it moves; 0: it shares none
};

struct dependence_edge {
    uint32_t from;
    uint16_t kind;   // enum dependence_kind
    bool from_start; // it waits for the start of `from`, not for its end
    bool launches;   // from the host to the device
};

// What one engine did of a task on which several work side by side, piece by piece.
struct dependence_stage {
    uint64_t task;    // + 1, as of the nodes
    uint64_t busy;    // ns
    uint64_t awaited; // ns: from the start of its span to its first piece
    uint64_t pieces;  // at least 1
    uint32_t part;
    uint32_t track;
};

// Of the transfers of a track that say how many bytes they move: what a line through their times
// is found from. Bytes in KiB, times in us.
struct dependence_moves {
    double count, bytes, time, bytes_squared, bytes_times_time;
    double least; // us: of the shortest
};

struct dependence {
    const struct profile *profile;
    struct dependence_part *parts;
    size_t part_count;
    struct dependence_node *nodes; // in order of start; one more than there are, for its first_edge
    uint32_t node_count;
    struct dependence_edge *edges;
    uint32_t edge_count;
    struct dependence_stage *stages; // in order of task
    size_t stage_count;
    struct dependence_moves *moves; // by track
    uint64_t first, last;           // ns: of all pieces
    uint64_t launch; // ns: the least that was seen from a launch to a start that waited for it
    bool totals;     // the profile has sums alone, which wait for nothing: there are no nodes
    // How it came about:
    uint64_t flows; // that reach a piece
    uint64_t flows_used;
    uint64_t flows_back;              // lead back in time
    uint64_t flows_nowhere;           // nothing in the profile that they come from
    uint64_t bound[DEPENDENCE_KINDS]; // pieces by what they waited for last
    struct spool node_spool, edge_spool, stage_spool;
};

// Fails for a profile with more than 2^32 pieces or dependences; one without spans, or with sums in
// the place of times (the fact `placement`), has no nodes.
status dependence_read(struct profile *profile, struct dependence *out_dependence);
void dependence_free(struct dependence *dependence);

static inline uint32_t dependence_edges_end(const struct dependence *dependence, uint32_t node)
{
    return dependence->nodes[node + 1].first_edge;
}

// When what an edge leads from let its node go.
static inline uint64_t dependence_released(const struct dependence *dependence,
                                           const struct dependence_edge *edge)
{
    const struct dependence_node *from = &dependence->nodes[edge->from];
    return edge->from_start ? from->start : from->end;
}

// How long an edge held its node back at least after it was let go: a gap, or while a shared way
// was held. Of the edge that a node waited for last that is all that passed until its start.
uint64_t dependence_lag(const struct dependence *dependence, uint32_t node, uint32_t edge);

// How long nothing was done between what a node waited for last, or the first start of all, and
// its own start. A way that was held is no gap.
uint64_t dependence_gap(const struct dependence *dependence, uint32_t node);

// Whether a track is the way between the host and the device.
bool dependence_on_link(const struct profile *profile, const struct track *track);

// Whether a part moves data.
bool dependence_is_copy(const struct dependence_part *part);

#endif
