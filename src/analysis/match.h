// Which parts of one run are which of another: operators keep their identity when they are renamed,
// fused, split or put in another order.
//
// Parts of the same name, type and shape are the same; so are those whose name each side has once.
// Others belong together where a compiler says that they came from the same node of the network:
// the names in loc(fused["a"(...), "b"(...)]). What has a counterpart is joined by what is of the
// same node and another type: a change of layout before an operator. What is left is found by a row
// that nothing else has: how it and up to 15 parts after it, or before it, look, the longest rows
// first, at last by its own type, shape and multiply-adds; and by what comes before or after
// counterparts. So branches that were renamed and put in another order are found again. Then by an
// alignment of types, shapes and multiply-adds between neighbours that are the same on both sides,
// and by type and shape in order; what still is left joins the neighbour whose counterpart has its
// type as well (MatMul and Add beside MatMul_Add).
//
// Time n log n, but for at most 4 million steps between two neighbours that are the same.

#ifndef OPSCOPE_ANALYSIS_MATCH_H
#define OPSCOPE_ANALYSIS_MATCH_H

#include "base/view.h"

// In the order in which they first worked.
struct match_part {
    struct view name, type, shape, location;
    double macs; // multiply-adds of a call; 0: none, or not known
};

struct match_side {
    const struct match_part *parts;
    size_t count;
};

enum match_relation {
    MATCH_SAME,
    MATCH_RENAMED,
    MATCH_FUSED,     // fewer parts in b
    MATCH_SPLIT,     // more parts in b
    MATCH_REGROUPED, // as many, but several
    MATCH_NEW,       // only in b
    MATCH_GONE,      // only in a
};

const char *match_relation_name(enum match_relation relation);

struct match {
    uint32_t *groups[2]; // of each part of a and of b
    size_t count;        // of groups
    enum match_relation *relations;
};

void match_sides(struct match_side a, struct match_side b, struct match *out_match);
void match_free(struct match *match);

#endif
