// How well modelled times foretell measured ones, by groups of operators.

#ifndef OPSCOPE_ANALYSIS_SCORE_H
#define OPSCOPE_ANALYSIS_SCORE_H

#include "program/program.h"

struct score_pair {
    uint32_t group;
    double measured; // ns
    double modelled;
};

struct score {
    const struct program *program;
    struct score_pair *pairs; // by measured time, the longest first
    size_t count;
    size_t large; // those of at least a hundredth of the time
    double measured;
    double modelled;
    double mape; // over the large ones
    double spearman;
};

// Of the nanoseconds of every task, both ways. `program` must outlive the score.
void score_compare(const struct program *program, const double *measured, const double *modelled,
                   struct score *out_score);
void score_free(struct score *score);

// By how much of the measured time the modelled one is off: 0.1 is a tenth too long.
double score_error(double modelled, double measured);

#endif
