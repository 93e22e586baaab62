// By how much one set of measurements lies above another, and how sure that is.
//
// The shift is that of logarithms, so a factor: the median of all quotients of one from each side
// (Hodges and Lehmann's). Its interval comes from the ranks of these quotients (Mann and
// Whitney's): it assumes neither a distribution nor that there are no outliers, only that the
// measurements of each side are independent of one another. Runs that follow one another on a
// machine that others use are not. `SHIFT_IN_TURN` says that both sides were measured turn by
// turn, so that what the machine does meets both; otherwise the interval is made wider by what
// neighbouring runs have in common (their autocorrelation) and by how far the two halves of a
// side lie apart.

#ifndef OPSCOPE_ANALYSIS_SHIFT_H
#define OPSCOPE_ANALYSIS_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

// All above 0, in the order in which they were measured.
struct shift_side {
    const double *numbers;
    size_t count;
};

enum shift_order { SHIFT_IN_TURN, SHIFT_ONE_AFTER_THE_OTHER };

struct shift {
    double factor;    // b over a
    double low, high; // of the factor; where `known`
    bool known;       // there are enough measurements for the confidence that is asked for
};

// At least one number on each side. `confidence` is 0 to 1, 0.99 say.
struct shift shift_between(struct shift_side a, struct shift_side b, double confidence,
                           enum shift_order order);

// Where a is one number without noise, a modelled time: the median of b over it, with the interval
// of the median (ranks again), made wider as where sides follow one another.
struct shift shift_from_exact(double a, struct shift_side b, double confidence);
struct shift shift_to_exact(struct shift_side a, double b, double confidence);

// So many measurements of each side are the least for this confidence: with fewer, even sides that
// do not overlap could be chance.
size_t shift_least(double confidence);

// How many of each side would make the interval as narrow as `wanted` each way (0.01: a hundredth),
// by how narrow it is with `count` of each.
size_t shift_needed(const struct shift *shift, size_t count, double wanted, double confidence);

#endif
