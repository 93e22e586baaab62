// Numbers that sum up many: the one place where a median is defined.
//
// A median is the number in the middle of the sorted ones; of an even count it lies halfway
// between the two in the middle, and is rounded down where numbers are whole. A percentile is
// the nearest rank: the least number that at least so many percent of all keep to. So the 50th
// percentile is the lower of two in the middle, and always one of the numbers.

#ifndef OPSCOPE_ANALYSIS_STATISTICS_H
#define OPSCOPE_ANALYSIS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Places among `count` sorted numbers, for what is kept in other records; `count` is not 0.
struct statistics_middle {
    size_t low, high; // the same where the count is odd
};

static inline struct statistics_middle statistics_middle(size_t count)
{
    return (struct statistics_middle){(count - 1) / 2, count / 2};
}

// `percent` is 1 to 100.
size_t statistics_rank(size_t count, unsigned percent);

// Halfway, rounded down; `low` is not above `high`.
static inline uint64_t statistics_halfway(uint64_t low, uint64_t high)
{
    return low + (high - low) / 2;
}

// Of sorted numbers, at least one.
uint64_t statistics_median_whole(const uint64_t *sorted, size_t count);

// The one that would stand at `rank` if they were sorted; puts them in another order.
uint64_t statistics_select(uint64_t *numbers, size_t count, size_t rank);

// Sorts them; at least one.
int64_t statistics_median_signed(int64_t *numbers, size_t count);

// Of reals --------------------------------------------------------------------

// Numbers that are none (NaN) must not be among them.
void statistics_sort(double *numbers, size_t count);

// Of sorted numbers, at least one.
double statistics_median(const double *sorted, size_t count);
double statistics_percentile(const double *sorted, size_t count, unsigned percent);

double statistics_mean(const double *numbers, size_t count);

// The deviation of a sample (divided by count - 1); at least two.
double statistics_deviation(const double *numbers, size_t count);

// The same from the sums of numbers and of their squares, for what is added up as it comes.
double statistics_deviation_of_sums(double sum, double squares, size_t count);

// Spearman's: the correlation of ranks, where equal numbers share the mean of theirs. False
// where one side is all equal, or there are none: nothing can be said.
bool statistics_rank_correlation(const double *a, const double *b, size_t count,
                                 double *out_correlation);

// Confidence ------------------------------------------------------------------

struct statistics_interval {
    double low, high;
};

// Of the median, by order statistics: it makes no assumption but that samples are independent.
// `confidence` is 0 to 1, 0.95 say. False where there are too few for it (fewer than 6 for 0.95).
bool statistics_median_interval(const double *sorted, size_t count, double confidence,
                                struct statistics_interval *out_interval);

// Of the median of `a` over that of `b`, by resampling both 2000 times; the same numbers give the
// same interval. False where either has fewer than two, or a median of b that is not above 0.
bool statistics_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
                               double confidence, struct statistics_interval *out_interval);

#endif
