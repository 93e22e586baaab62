// The first half of reading a profile's dependences (dependence.h): its pieces lane by lane, and
// the ends of its flows. All of it lies in spools; an index counts over all lanes.

#ifndef OPSCOPE_ANALYSIS_DEPENDENCE_PIECES_H
#define OPSCOPE_ANALYSIS_DEPENDENCE_PIECES_H

#include "dependence.h"

struct piece {
    uint64_t start, end; // ns
    uint64_t bytes;      // that it moves to or from the device's memory; 0: none, or not said
    uint32_t task;       // of a program, + 1; 0: not said
    uint32_t part;
};

// Its pieces lie side by side, in the order in which they start but for spans that overlap.
struct piece_lane {
    uint32_t track;
    uint32_t first, end; // pieces
    bool nests;          // a call stack: its pieces do not overlap
};

// Where a flow leaves or enters a span, which begins with `piece`.
struct flow_end {
    uint64_t flow;
    uint64_t start, end; // ns
    uint32_t piece;
    uint32_t lane : 31;
    uint32_t enters : 1;
};

struct pieces {
    struct spool pieces; // struct piece
    struct spool flows;  // struct flow_end
    struct spool stages; // struct dependence_stage
    struct piece_lane *lanes;
    size_t lane_count;
    uint32_t count;
    uint64_t start;                 // ns: of the first span; UINT64_MAX without any
    struct dependence_moves *moves; // by track
    struct dependence_part *parts;
    size_t part_count;
};

status pieces_read(struct profile *profile, struct pieces *out_pieces);
void pieces_free(struct pieces *pieces);

#endif
