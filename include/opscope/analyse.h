// Where the time of a profile went: the Host Profile Overview, figure by figure, and the time
// of each operator, and the statistics that reports go by. For C11 and later, and C++11 and later;
// threads, texts and sizes as in opscope/profile.h.

#ifndef OPSCOPE_ANALYSE_H
#define OPSCOPE_ANALYSE_H

#include <opscope/profile.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// The overviews of a profile: one for each process that has spans, and one for spans outside
// any process. It does not need the profile any more.
struct opscope_overview;

// Figures that a Perfetto trace carries in the names of its overview events are taken from
// there; otherwise they are computed from the spans. `all` not 0: also the figures that the
// overview does not show ("opscope overview --all").
int opscope_overview_create(struct opscope_profile *profile, int all,
                            struct opscope_overview **out_overview, char *message, size_t size);

// Accepts NULL.
void opscope_overview_free(struct opscope_overview *overview);

// How many processes it is about; 0 for a profile without spans.
uint32_t opscope_overview_count(const struct opscope_overview *overview);

// The name of process `index`: "" for spans outside any, NULL when there is no such process.
const char *opscope_overview_name(const struct opscope_overview *overview, uint32_t index);

// How many figures it has; OVERALL is the first.
uint32_t opscope_overview_metric_count(const struct opscope_overview *overview, uint32_t index);

struct opscope_metric {
    const char *name;     // "OVERALL", "Dma Only", ...; belongs to the overview
    uint32_t provenance;  // of the spans that it was computed from; derived where they differ or
                          // the trace carries the figure; OPSCOPE_ABSENT: the profile says nothing
    uint32_t has_percent; // not 0: `percent` counts
    uint64_t ns;
    double percent; // of OVERALL
};

// OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND.
int opscope_overview_get_metric_sized(const struct opscope_overview *overview, uint32_t index,
                                      uint32_t metric, struct opscope_metric *out_metric,
                                      size_t size);

static inline int opscope_overview_get_metric(const struct opscope_overview *overview,
                                              uint32_t index, uint32_t metric,
                                              struct opscope_metric *out_metric)
{
    return opscope_overview_get_metric_sized(overview, index, metric, out_metric,
                                             sizeof *out_metric);
}

// Operators -------------------------------------------------------------------------

// How long operators took: the spans of their calls, on the host and on the device's engines.
// Ids of operators are those of the profile, which it does not need otherwise.
struct opscope_operator_times;

// Measures them; derived tracks are left out.
int opscope_operator_times_create(struct opscope_profile *profile,
                                  struct opscope_operator_times **out_times, char *message,
                                  size_t size);

// Accepts NULL.
void opscope_operator_times_free(struct opscope_operator_times *times);

// Operators one by one, or those of one type together.
enum opscope_operator_grouping { OPSCOPE_BY_OPERATOR, OPSCOPE_BY_TYPE };

// How many there are that have spans; 0 for a grouping that is none.
uint32_t opscope_operator_times_count(const struct opscope_operator_times *times,
                                      uint32_t grouping);

// Spans that belong to no operator.
uint64_t opscope_operator_times_unassigned(const struct opscope_operator_times *times);

struct opscope_operator_time {
    uint32_t operator_id; // by type: one of them; 0: time of no operator, the last one
    uint32_t has_device;  // not 0: the profile has times of the device
    uint32_t has_host;    // not 0: ... of the host
    uint32_t reserved;
    uint64_t calls; // that have spans
    uint64_t spans;
    uint64_t device_ns;      // all spans added up
    uint64_t device_self_ns; // without what operators inside took: nothing counts twice
    uint64_t host_ns;
    uint64_t host_self_ns;
    uint64_t unknown_ns; // on engines of which nobody said whether they are the device's
    uint64_t unknown_self_ns;
};

// The slowest first: by time on the device, then on the host, without what is inside; those of a
// program that ran on a device, by their shares of the time that passed.
// OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND.
int opscope_operator_times_get_sized(const struct opscope_operator_times *times, uint32_t grouping,
                                     uint32_t index, struct opscope_operator_time *out_time,
                                     size_t size);

static inline int opscope_operator_times_get(const struct opscope_operator_times *times,
                                             uint32_t grouping, uint32_t index,
                                             struct opscope_operator_time *out_time)
{
    return opscope_operator_times_get_sized(times, grouping, index, out_time, sizeof *out_time);
}

// Statistics ------------------------------------------------------------------------

// As opscope's own reports have them. Numbers need not be sorted; none of them may be NaN.
// What cannot be said (of no numbers, of the deviation of one) is NaN.

// The middle one; of an even count halfway between the two in the middle.
double opscope_median(const double *numbers, size_t count);

// The nearest rank: the least number that at least `percent` (1 to 100) % of all keep to.
double opscope_percentile(const double *numbers, size_t count, unsigned percent);

// Arithmetic.
double opscope_mean(const double *numbers, size_t count);

// Of a sample: divided by `count` - 1.
double opscope_deviation(const double *numbers, size_t count);

// Spearman's correlation of ranks, equal numbers sharing the mean of theirs; NaN where one side
// is all equal.
double opscope_rank_correlation(const double *a, const double *b, size_t count);

// Where the median lies with this confidence (0 to 1, 0.95 say), by order statistics.
// OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND where there are too few numbers for it.
int opscope_median_interval(const double *numbers, size_t count, double confidence, double *out_low,
                            double *out_high);

// The same of the median of `a` over that of `b`, by resampling both; the same numbers give the
// same interval. OPSCOPE_ERROR_NOT_FOUND where either has fewer than two or b has one not above 0.
int opscope_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
                           double confidence, double *out_low, double *out_high);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
