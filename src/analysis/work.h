// What one run did and how long each part of it took, iteration by iteration: what a comparison
// of runs needs of a profile, which can be given back afterwards.
//
// Parts are operators; spans that belong to none are parts by their name. The time of a part is its
// share of the time that passed: a moment in which several parts are at work, on several engines,
// cores or threads, is divided among them. So the parts of an iteration and the time in which
// nothing worked add up to the time from its first start to its last end, however much lies side by
// side. Where a device did something, its lanes count, and in a run of a program what it left to
// the host; otherwise those of the host, where a part is at work while it is the innermost one.
// Where only the host recorded what the device did, the lane that is derived from that counts.
//
// What an iteration took as a whole is how long its own span lasts (ProfilerStep#N, model_run), or
// its work where that lasts longer; without such spans the time until the next one begins.
//
// Memory: 48 bytes a span in a temporary file and 4 a call while it is measured; afterwards a part
// 200 bytes and its texts, a part in an iteration 16, and what call_blocks.h says.

#ifndef OPSCOPE_ANALYSIS_WORK_H
#define OPSCOPE_ANALYSIS_WORK_H

#include "base/arena.h"
#include "call_blocks.h"
#include "profile/profile.h"

enum work_side { WORK_AUTO, WORK_DEVICE, WORK_HOST };

struct work_part {
    struct view name;     // of the operator, or of the spans; "(idle)" never
    struct view type;     // "": it has none
    struct view shape;    // of its inputs; "": not said
    struct view location; // "": not said
    struct view kernel;   // of an operator: the name that took most of its time where one computes
    bool is_operator;
    uint32_t operator_id; // of the profile; 0: it is none
    uint64_t first;       // ns: when it first worked
    uint64_t calls;       // of operators; spans otherwise
    double bytes;         // that its spans say they moved; 0 where none does
    double moved;         // the same of lanes that move data to and from the device's memory alone
    double macs;          // of a call, that its operator says
    double waited;        // ns, on lanes where somebody waits for it
    double kernel_time;
};

// A part in an iteration.
struct work_sample {
    uint32_t part;
    uint32_t iteration; // of `iterations`
    double ns;
};

struct work_iteration {
    uint32_t number;
    uint64_t first, last; // ns
    double busy;          // ns: the shares of its parts
    uint64_t whole;       // ns: what it took as a whole; 0: not known, as of the last one
};

struct work_run {
    bool accounted; // its profile was read here: what follows is of that
    struct ledger ledger;
    uint64_t not_carried;
    struct arena arena; // texts
    struct view source;
    struct view machine; // that it was measured on, in words; "": not said
    enum work_side side; // that counted: device or host
    bool modelled;       // no time in it was measured
    struct view clock;   // that `began` is of, as the profile names it; "": not said
    uint64_t began;      // ns
    struct work_part *parts;
    size_t part_count;
    struct work_iteration *iterations; // in order of their numbers
    size_t iteration_count;
    struct work_sample *samples; // by part, then iteration
    size_t sample_count;
    struct call_blocks calls; // of all iterations; of no part where the run was kept in a file
};

// With `whole_only`, where the profile says when its steps were, what lies in none of them is left
// out: of a run that was cut, what is there of its last iteration.
status work_measure(struct profile *profile, enum work_side side, bool whole_only,
                    struct work_run *out_run);
void work_free(struct work_run *run);

#endif
