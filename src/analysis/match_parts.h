// Parts of two runs while their counterparts are looked for (match.h): what each way to find them
// works on, and the way by rows of parts that follow one another.

#ifndef OPSCOPE_ANALYSIS_MATCH_PARTS_H
#define OPSCOPE_ANALYSIS_MATCH_PARTS_H

#include "match.h"

#define MATCH_NONE UINT32_MAX

// Parts of both sides in one numbering, b after a, joined into groups.
struct matcher {
    struct match_side sides[2];
    uint32_t *parent; // of each part: another one of its group, or itself
    uint32_t *next;   // the parts of a group in a ring
    uint32_t *mate;   // of a part that has a counterpart: the last that was found
    bool *matched;    // it has a counterpart
};

const struct match_part *match_part_at(const struct matcher *matcher, uint32_t id);
uint32_t match_group_of(struct matcher *matcher, uint32_t id); // its first part
void match_join(struct matcher *matcher, uint32_t one, uint32_t other);

// What begins or ends a row that each side has once, and what is beside counterparts.
void match_rows(struct matcher *matcher);

#endif
