// Two sides of one or several runs each, part by part: what took how long on either, by which
// factor that changed, how sure that is, and what else changed with it.
//
// With several runs on both sides a run counts as one measurement: of its iterations the one below
// which a tenth lies (others who use the machine only ever add time), their median or mean. With
// one run on a side every iteration is a measurement, and what differs from run to run is not seen.
// Where there are too few iterations for that, every call of a part is one (call_blocks.h), and the
// change of a call times that of their number is what the row's interval holds.

#ifndef OPSCOPE_ANALYSIS_COMPARISON_H
#define OPSCOPE_ANALYSIS_COMPARISON_H

#include "match.h"
#include "shift.h"
#include "work.h"

enum comparison_statistic { COMPARE_LOW, COMPARE_MEDIAN, COMPARE_MEAN };

enum comparison_verdict {
    VERDICT_SLOWER, // b is, and it is no chance
    VERDICT_FASTER,
    VERDICT_EVEN,   // what differs may be chance
    VERDICT_UNSURE, // too few measurements
    VERDICT_NEW,
    VERDICT_GONE,
};

const char *comparison_verdict_name(enum comparison_verdict verdict);

// What changed besides the time.
enum comparison_change {
    CHANGED_CALLS = 1 << 0,
    CHANGED_SHAPES = 1 << 1,
    CHANGED_WORK = 1 << 2,
    CHANGED_BYTES = 1 << 3,
    CHANGED_KERNELS = 1 << 4,
    CHANGED_WAITING = 1 << 5,
};

struct comparison_half {
    bool there;
    size_t parts;
    const struct work_part *part;      // the first of them
    bool repeats;                      // others of the side have its name
    double ns;                         // an iteration
    double calls, bytes, macs, waited; // an iteration
};

struct comparison_row {
    size_t place; // in the order of work
    enum match_relation relation;
    enum comparison_verdict verdict;
    unsigned changes; // enum comparison_change
    struct comparison_half a, b;
    double difference; // ns, b less a
    struct shift shift;
};

// A part of a side, over all its runs.
struct compared_part {
    const struct work_part *part;
    double calls, bytes, macs, waited; // an iteration
    bool repeats;                      // others of the side have its name
};

struct compared_side {
    struct work_run *runs;
    size_t run_count;
    struct compared_part
        *parts; // in the order in which they first worked, in the first run that has them
    size_t part_count;
    uint32_t **places;  // by run: of its part among `parts`
    size_t **samples;   // by run: where the samples of each of `parts` begin, one more at the end
    uint32_t **ordered; // by run: its samples by part
    size_t **callers;   // by run: where its parts that are one of `parts` begin
    uint32_t **called;  // by run: its parts by one of `parts`
};

struct comparison_options {
    enum comparison_statistic statistic;
    double confidence;
};

struct comparison {
    struct comparison_options options;
    struct compared_side sides[2];
    bool by_runs;  // a run is a measurement; else an iteration
    bool by_calls; // there are too few iterations: parts are judged by their calls
    bool whole;    // all runs say what iterations took as a whole, and that is what counts
    enum shift_order order;
    struct match match;
    struct comparison_row total; // an iteration as a whole, or from first start to last end
    struct comparison_row *rows; // by how much they add or take, the most first; one is of the time
    size_t count;                // in which nothing worked
};

// Takes the runs, which are freed with the comparison; at least one on each side, each with at
// least one iteration.
void comparison_make(struct work_run *a, size_t a_count, struct work_run *b, size_t b_count,
                     const struct comparison_options *options, struct comparison *out_comparison);
void comparison_free(struct comparison *comparison);

// Judges all rows anew, with another confidence.
void comparison_judge(struct comparison *comparison, double confidence);

// Whether a row is the time in which nothing worked.
bool comparison_is_idle(const struct comparison_row *row);

#endif
