// What was found out about one chain of groups holds for all that look like it: of a block that
// a network repeats, only the first is searched.

#ifndef OPSCOPE_COMPILER_ALIKE_H
#define OPSCOPE_COMPILER_ALIKE_H

#include "tiler.h"

struct alike;

// What is asked about the `count` groups from `first` on.
struct alike_question {
    uint32_t first;
    uint32_t count;
    // What the answer depends on besides the groups.
    uint64_t limit; // what takes longer is of no use
    uint32_t split;
    double room;
    uint64_t depth_room;
};

struct alike_answer {
    bool found;
    // How it is cut, if that was asked.
    struct grid grid;
    uint64_t slots;
    uint32_t units;
    uint64_t time;
    uint64_t tiles; // the most that a cut had that was looked at
};

// `readers`: how many read each value (group_count_readers). Both must outlive it.
struct alike *alike_create(const struct plan *plan, const uint32_t *readers);
void alike_free(struct alike *alike);

// The answer for groups that look the same; NULL: nobody asked. Two groups look the same when
// they have the same operators with the same attributes on values of the same types, connected
// in the same way, on the same engine, and others read the same of what they give; what lies in
// constants no cut depends on. The answer is valid until the next one is kept.
const struct alike_answer *alike_find(struct alike *alike, const struct alike_question *question);

// Keeps the answer to the question that alike_find was asked last.
void alike_keep(struct alike *alike, const struct alike_answer *answer);

#endif
