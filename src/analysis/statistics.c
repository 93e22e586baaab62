#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/memory.h"

enum { RESAMPLES = 2000 };

static const uint64_t SEED = 0x9e3779b97f4a7c15;

size_t statistics_rank(size_t count, unsigned percent)
{
    // ceil(count * percent / 100) - 1, without overflow
    const size_t hundreds = count / 100, rest = count % 100;
    const size_t rank = hundreds * percent + (rest * percent + 99) / 100;
    return rank > 0 ? rank - 1 : 0;
}

// Whole numbers ---------------------------------------------------------------

uint64_t statistics_median_whole(const uint64_t *sorted, size_t count)
{
    const struct statistics_middle middle = statistics_middle(count);
    return statistics_halfway(sorted[middle.low], sorted[middle.high]);
}

static void swap_whole(uint64_t *a, uint64_t *b)
{
    const uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

// Numbers below the pivot, equal to it, above it: each round keeps the part that holds the rank.
// The pivot is drawn, so that no order of the numbers makes it slow.
uint64_t statistics_select(uint64_t *numbers, size_t count, size_t rank)
{
    uint64_t drawn = SEED;
    size_t from = 0, to = count;
    while (to - from > 1) {
        drawn = drawn * 6364136223846793005u + 1442695040888963407u;
        const uint64_t pivot = numbers[from + (size_t)(drawn >> 33) % (to - from)];
        size_t below = from, at = from, above = to;
        while (at < above) {
            if (numbers[at] < pivot)
                swap_whole(&numbers[below++], &numbers[at++]);
            else if (numbers[at] > pivot)
                swap_whole(&numbers[at], &numbers[--above]);
            else
                at++;
        }
        if (rank < below)
            to = below;
        else if (rank >= above)
            from = above;
        else
            return pivot;
    }
    return numbers[from];
}

static int compare_signed(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

int64_t statistics_median_signed(int64_t *numbers, size_t count)
{
    const struct statistics_middle middle = statistics_middle(count);
    sort_items(numbers, count, sizeof *numbers, compare_signed);
    const uint64_t distance = (uint64_t)numbers[middle.high] - (uint64_t)numbers[middle.low];
    return (int64_t)((uint64_t)numbers[middle.low] + distance / 2);
}

// Reals -----------------------------------------------------------------------

static int compare_reals(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

void statistics_sort(double *numbers, size_t count)
{
    if (count > 1)
        sort_items(numbers, count, sizeof *numbers, compare_reals);
}

double statistics_median(const double *sorted, size_t count)
{
    const struct statistics_middle middle = statistics_middle(count);
    return middle.low == middle.high ? sorted[middle.low]
                                     : sorted[middle.low] / 2 + sorted[middle.high] / 2;
}

double statistics_percentile(const double *sorted, size_t count, unsigned percent)
{
    return sorted[statistics_rank(count, percent)];
}

double statistics_mean(const double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum / (double)count;
}

double statistics_deviation(const double *numbers, size_t count)
{
    const double mean = statistics_mean(numbers, count);
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (numbers[i] - mean) * (numbers[i] - mean);
    return sqrt(squares / ((double)count - 1));
}

double statistics_deviation_of_sums(double sum, double squares, size_t count)
{
    const double mean = sum / (double)count;
    const double variance = (squares - sum * mean) / ((double)count - 1);
    return variance > 0 ? sqrt(variance) : 0;
}

// Ranks -----------------------------------------------------------------------

struct ranked {
    double number;
    size_t place;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

// From 0; equal numbers share the mean of their ranks.
static double *ranks_of(const double *numbers, size_t count)
{
    struct ranked *ranked = memory_allocate_zeroed(count, sizeof *ranked);
    double *ranks = memory_allocate_zeroed(count, sizeof *ranks);
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){numbers[i], i};
    sort_items(ranked, count, sizeof *ranked, compare_ranked);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && ranked[to].number == ranked[from].number;)
            to++;
        for (size_t i = from; i < to; i++)
            ranks[ranked[i].place] = (double)(from + to - 1) / 2;
    }
    free(ranked);
    return ranks;
}

bool statistics_rank_correlation(const double *a, const double *b, size_t count,
                                 double *out_correlation)
{
    if (count == 0)
        return false;
    double *ranks_a = ranks_of(a, count);
    double *ranks_b = ranks_of(b, count);
    const double mean = ((double)count - 1) / 2;
    double both = 0, left = 0, right = 0;
    for (size_t i = 0; i < count; i++) {
        const double from_a = ranks_a[i] - mean;
        const double from_b = ranks_b[i] - mean;
        both += from_a * from_b;
        left += from_a * from_a;
        right += from_b * from_b;
    }
    free(ranks_a);
    free(ranks_b);
    if (!(left > 0) || !(right > 0))
        return false;
    *out_correlation = both / sqrt(left * right);
    return true;
}

// Confidence ------------------------------------------------------------------

// The median lies below the k-th smallest (from 1) of n samples when fewer than k of them lie
// below it: the probability of fewer than k heads in n throws.
static double fewer_heads(size_t throws, size_t heads)
{
    double sum = 0;
    for (size_t i = 0; i < heads; i++)
        sum += exp(lgamma((double)throws + 1) - lgamma((double)i + 1) -
                   lgamma((double)(throws - i) + 1) - (double)throws * log(2));
    return sum;
}

bool statistics_median_interval(const double *sorted, size_t count, double confidence,
                                struct statistics_interval *out_interval)
{
    const double outside = (1 - confidence) / 2;
    size_t low = 0, high = count / 2;
    // The largest k that is safe enough; probabilities grow with it.
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        if (fewer_heads(count, middle) <= outside)
            low = middle;
        else
            high = middle - 1;
    }
    if (low == 0)
        return false;
    *out_interval = (struct statistics_interval){sorted[low - 1], sorted[count - low]};
    return true;
}

// splitmix64
static uint64_t analysis_statistics_next_random(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

static double resampled_median(const double *numbers, size_t count, uint64_t *state, double *room)
{
    for (size_t i = 0; i < count; i++)
        room[i] = numbers[analysis_statistics_next_random(state) % count];
    statistics_sort(room, count);
    return statistics_median(room, count);
}

static size_t resample_ratios(const double *a, size_t a_count, const double *b, size_t b_count,
                              double *ratios)
{
    double *room = memory_allocate_zeroed(a_count > b_count ? a_count : b_count, sizeof *room);
    uint64_t state = SEED;
    size_t kept = 0;
    for (size_t i = 0; i < RESAMPLES; i++) {
        const double top = resampled_median(a, a_count, &state, room);
        const double bottom = resampled_median(b, b_count, &state, room);
        if (bottom > 0)
            ratios[kept++] = top / bottom;
    }
    free(room);
    return kept;
}

bool statistics_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
                               double confidence, struct statistics_interval *out_interval)
{
    if (a_count < 2 || b_count < 2)
        return false;
    double *ratios = memory_allocate_zeroed(RESAMPLES, sizeof *ratios);
    const size_t kept = resample_ratios(a, a_count, b, b_count, ratios);
    statistics_sort(ratios, kept);
    const bool enough = kept == RESAMPLES;
    if (enough) {
        const double outside = (1 - confidence) / 2 * RESAMPLES;
        const size_t low = outside < RESAMPLES / 2 ? (size_t)outside : RESAMPLES / 2 - 1;
        *out_interval = (struct statistics_interval){ratios[low], ratios[RESAMPLES - 1 - low]};
    }
    free(ratios);
    return enough;
}
