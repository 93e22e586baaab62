#include "analysis/statistics.h"

#include <opscope/analyse.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/memory.h"

static double *sorted_copy(const double *numbers, size_t count)
{
    double *copy = memory_allocate_zeroed(count + 1, sizeof *copy);
    if (count > 0)
        memcpy(copy, numbers, count * sizeof *copy);
    statistics_sort(copy, count);
    return copy;
}

static double statistics_of_median(const double *numbers, size_t count)
{
    if (count == 0)
        return NAN;
    double *sorted = sorted_copy(numbers, count);
    const double median = statistics_median(sorted, count);
    free(sorted);
    return median;
}

static double statistics_of_percentile(const double *numbers, size_t count, unsigned percent)
{
    if (count == 0 || percent == 0 || percent > 100)
        return NAN;
    double *sorted = sorted_copy(numbers, count);
    const double number = statistics_percentile(sorted, count, percent);
    free(sorted);
    return number;
}

double opscope_mean(const double *numbers, size_t count)
{
    return count > 0 ? statistics_mean(numbers, count) : NAN;
}

double opscope_deviation(const double *numbers, size_t count)
{
    return count > 1 ? statistics_deviation(numbers, count) : NAN;
}

static double statistics_of_rank_correlation(const double *a, const double *b, size_t count)
{
    double correlation;
    return statistics_rank_correlation(a, b, count, &correlation) ? correlation : NAN;
}

static int api_statistics_give(bool found, struct statistics_interval interval, double *out_low,
                               double *out_high)
{
    *out_low = found ? interval.low : NAN;
    *out_high = found ? interval.high : NAN;
    return found ? OPSCOPE_OK : OPSCOPE_ERROR_NOT_FOUND;
}

static int statistics_of_median_interval(const double *numbers, size_t count, double confidence,
                                         double *out_low, double *out_high)
{
    struct statistics_interval interval = {0};
    double *sorted = sorted_copy(numbers, count);
    const bool found = statistics_median_interval(sorted, count, confidence, &interval);
    free(sorted);
    return api_statistics_give(found, interval, out_low, out_high);
}

static int statistics_of_ratio_interval(const double *a, size_t a_count, const double *b,
                                        size_t b_count, double confidence, double *out_low,
                                        double *out_high)
{
    struct statistics_interval interval = {0};
    const bool found = statistics_ratio_interval(a, a_count, b, b_count, confidence, &interval);
    return api_statistics_give(found, interval, out_low, out_high);
}

// In scopes: without memory there is no number ---------------------------------------------

double opscope_median(const double *numbers, size_t count)
{
    return RECOVERY_SCOPE_ALONE(statistics_of_median(numbers, count), NAN);
}

double opscope_percentile(const double *numbers, size_t count, unsigned percent)
{
    return RECOVERY_SCOPE_ALONE(statistics_of_percentile(numbers, count, percent), NAN);
}

double opscope_rank_correlation(const double *a, const double *b, size_t count)
{
    return RECOVERY_SCOPE_ALONE(statistics_of_rank_correlation(a, b, count), NAN);
}

int opscope_median_interval(const double *numbers, size_t count, double confidence, double *out_low,
                            double *out_high)
{
    return RECOVERY_SCOPE_ALONE(
        statistics_of_median_interval(numbers, count, confidence, out_low, out_high),
        OPSCOPE_ERROR_LIMIT);
}

int opscope_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
                           double confidence, double *out_low, double *out_high)
{
    return RECOVERY_SCOPE_ALONE(
        statistics_of_ratio_interval(a, a_count, b, b_count, confidence, out_low, out_high),
        OPSCOPE_ERROR_LIMIT);
}
