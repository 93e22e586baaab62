// How long a recorded run would take if some of it were faster: the recorded dependences are
// scheduled again (reschedule.h) with pieces that take another time.
//
//   faster     pieces of an operator (or spans of a name) take less time; copies of it do not, and
//              of what was done on the device nothing on the host
//   bandwidth  pieces that move data take less time, but for what a transfer takes that moves
//              nothing: found from those of the same engine that move other numbers of bytes
//   no_gaps    nothing rests while it could go on
//   overlap    copies are beside everything else: they wait for one another on their lane and for
//              what flows lead from, and only what needs them waits for them
//
// Where several engines work on a task piece by piece (stages), the slowest of them, as it is now,
// decides how long that takes.

#ifndef OPSCOPE_ANALYSIS_WHATIF_H
#define OPSCOPE_ANALYSIS_WHATIF_H

#include "dependence.h"

// Whose work: of faster alone.
enum whatif_side { WHATIF_ANY, WHATIF_HOST, WHATIF_NOT_HOST };

struct whatif_change {
    struct view name; // of faster: a pattern with *, or the whole of a name or type
    double factor;    // how many times as fast, more than 0
    enum whatif_side side;
};

struct whatif_options {
    const struct whatif_change *faster;
    size_t faster_count;
    const struct whatif_change *bandwidth; // of an engine's name, `dram`, `link` or one of:
    size_t bandwidth_count;
    const struct view
        *far_names; // what else the far memory of the machine, or the way to it, is called
    size_t far_count;
    bool no_gaps, overlap_copies;
};

struct whatif_answer {
    uint64_t recorded; // ns
    uint64_t expected; // ns: gaps stay as they are, unless none are wanted
    // ns: no order that keeps the lanes and what flows say takes less: without any gap, and without
    // what is only assumed.
    uint64_t at_least;
    uint64_t unlimited; // ns: expected, if all that gets faster took no time at all
    uint64_t changed;   // ns of pieces, as they were recorded
    uint64_t changed_pieces;
};

// Pieces with a length that a name of `faster`, and pieces that one of `bandwidth` means.
uint64_t whatif_faster_pieces(const struct dependence *dependence, struct view pattern);
uint64_t whatif_bandwidth_pieces(const struct dependence *dependence,
                                 const struct whatif_options *options, struct view name);

// Later changes of the same piece count besides the earlier ones: factors are multiplied.
status whatif_answer(const struct dependence *dependence, const struct whatif_options *options,
                     struct whatif_answer *out_answer);

// `expected` alone, in a third of the time.
status whatif_expected(const struct dependence *dependence, const struct whatif_options *options,
                       uint64_t *out_expected);

#endif
