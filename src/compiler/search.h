// How a chain of groups is cut best, by the evaluator's word: cuts, numbers of cores and rounds
// are tried. Several searchers may be at work on a plan at a time, each on a thread of its own.

#ifndef OPSCOPE_COMPILER_SEARCH_H
#define OPSCOPE_COMPILER_SEARCH_H

#include "tiler.h"

// What is asked about the `count` groups from `first` on.
struct search_question {
    uint32_t first;
    uint32_t count;
    // What the answer depends on besides the groups: what the target's plan asks for where it can
    // be had, finer cuts and less memory.
    uint32_t split;
    double room;
    uint64_t depth_room;
    uint64_t limit; // what takes longer is of no use
};

struct search_answer {
    bool found;
    // How it is cut, and how long it takes then.
    struct grid grid;
    uint64_t slots;
    uint32_t units;
    uint64_t time;
    uint64_t tiles; // the most that a cut had that was looked at
};

struct searcher;

// It leaves the plan as it is, which must not change meanwhile and outlive it. `readers`: how many
// read each value (group_count_readers).
struct searcher *searcher_create(const struct plan *plan, const uint32_t *readers);
void searcher_free(struct searcher *searcher);

// The cut that takes the least time, and no more than the limit.
struct search_answer searcher_find(struct searcher *searcher,
                                   const struct search_question *question);

// Cuts the groups of the plan as was found. False when that cannot be.
bool search_apply(struct plan *plan, const uint32_t *readers,
                  const struct search_question *question, const struct search_answer *answer);

#endif
