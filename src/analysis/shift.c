#include "shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics.h"

enum {
    EXACT_MOST = 2500,      // quotients up to which the distribution of ranks is counted out
    QUOTIENTS_MOST = 22500, // above, every so many numbers of a side stand for the others
};

#define CORRELATION_MOST 0.8 // what is above cannot be told from a machine that changes for good

// Ranks -----------------------------------------------------------------------

// How often, of all ways to mix n and m numbers, u pairs stand the wrong way round: the
// coefficients of the Gaussian binomial, up to `most`.
static double *count_inversions(size_t n, size_t m, size_t most)
{
    double *ways = memory_allocate_zeroed(most + 1, sizeof *ways);
    ways[0] = 1;
    for (size_t i = 1; i <= n; i++) {
        for (size_t u = most + 1; u-- > m + i;) // times 1 - q^(m + i)
            ways[u] -= ways[u - m - i];
        for (size_t u = i; u <= most; u++) // over 1 - q^i
            ways[u] += ways[u - i];
    }
    return ways;
}

// The most quotients that may be left out at each end; SIZE_MAX: not even none is sure enough.
static size_t left_out_exactly(size_t n, size_t m, double outside)
{
    const size_t half = n * m / 2;
    double *ways = count_inversions(n, m, half);
    const double all =
        exp(lgamma((double)(n + m) + 1) - lgamma((double)n + 1) - lgamma((double)m + 1));
    size_t left_out = SIZE_MAX;
    double sum = 0;
    for (size_t u = 0; u < half && (sum += ways[u]) <= outside * all * (1 + 1e-9); u++)
        left_out = u;
    free(ways);
    return left_out;
}

// The number that a normal distribution exceeds with this probability, by halving.
static double normal_above(double outside)
{
    double low = 0, high = 40;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) / 2 > outside)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t left_out_of(size_t n, size_t m, double outside)
{
    if (n * m <= EXACT_MOST)
        return left_out_exactly(n < m ? n : m, n < m ? m : n, outside);
    const double pairs = (double)n * (double)m;
    const double spread = sqrt(pairs * (double)(n + m + 1) / 12);
    const double at = pairs / 2 - normal_above(outside) * spread - 1;
    return at < 0 ? SIZE_MAX : (size_t)at;
}

size_t shift_least(double confidence)
{
    size_t count = 1;
    while (left_out_of(count, count, (1 - confidence) / 2) == SIZE_MAX)
        count++;
    return count;
}

// Quotients -------------------------------------------------------------------

// Sorted logarithms of b over a; the caller frees them.
static double *quotients_of(struct shift_side a, struct shift_side b)
{
    double *quotients = memory_allocate_zeroed(a.count * b.count, sizeof *quotients);
    double *above = memory_allocate_zeroed(b.count, sizeof *above);
    for (size_t j = 0; j < b.count; j++)
        above[j] = log(b.numbers[j]);
    for (size_t i = 0; i < a.count; i++) {
        const double below = log(a.numbers[i]);
        for (size_t j = 0; j < b.count; j++)
            quotients[i * b.count + j] = above[j] - below;
    }
    free(above);
    statistics_sort(quotients, a.count * b.count);
    return quotients;
}

static double median_quotient(struct shift_side a, struct shift_side b)
{
    double *quotients = quotients_of(a, b);
    const double median = statistics_median(quotients, a.count * b.count);
    free(quotients);
    return median;
}

// Of logarithms: how far neighbours lie on the same side of the mean, 0 to CORRELATION_MOST. A few
// numbers make it look smaller than it is, by (1 + 3 r) / n.
static double correlation_of(struct shift_side side)
{
    const double n = (double)side.count;
    double mean = 0, both = 0, squares = 0, before = 0;
    if (side.count < 4)
        return CORRELATION_MOST;
    for (size_t i = 0; i < side.count; i++)
        mean += log(side.numbers[i]) / n;
    for (size_t i = 0; i < side.count; i++) {
        const double off = log(side.numbers[i]) - mean;
        both += i > 0 ? off * before : 0;
        squares += off * off;
        before = off;
    }
    if (!(squares > 0))
        return 0;
    const double found = (both / squares + 1 / n) / (1 - 3 / n);
    return fmin(fmax(found, 0), CORRELATION_MOST);
}

// How far the later half of a side lies from the earlier one.
static double drift_of(struct shift_side side)
{
    const size_t half = side.count / 2;
    if (half == 0)
        return 0;
    return fabs(median_quotient((struct shift_side){side.numbers, half},
                                (struct shift_side){side.numbers + side.count - half, half}));
}

static void widen(struct shift *shift, double common, double drift)
{
    const double factor = sqrt((1 + common) / (1 - common));
    const double middle = log(shift->factor);
    shift->low = exp(middle - (middle - log(shift->low)) * factor - drift);
    shift->high = exp(middle + (log(shift->high) - middle) * factor + drift);
}

// Every so many numbers of a side, so that the quotients stay few; the caller frees `*out_room`.
static struct shift_side thin_out(struct shift_side side, double **out_room)
{
    const size_t most = (size_t)sqrt(QUOTIENTS_MOST);
    *out_room = NULL;
    if (side.count <= most)
        return side;
    *out_room = memory_allocate_zeroed(most, sizeof **out_room);
    for (size_t i = 0; i < most; i++)
        (*out_room)[i] = side.numbers[i * side.count / most];
    return (struct shift_side){*out_room, most};
}

struct shift shift_between(struct shift_side a, struct shift_side b, double confidence,
                           enum shift_order order)
{
    double *rooms[2];
    a = thin_out(a, &rooms[0]);
    b = thin_out(b, &rooms[1]);
    double *quotients = quotients_of(a, b);
    const size_t count = a.count * b.count;
    struct shift shift = {.factor = exp(statistics_median(quotients, count))};
    const size_t left_out = left_out_of(a.count, b.count, (1 - confidence) / 2);
    if (left_out != SIZE_MAX) {
        shift.known = true;
        shift.low = exp(quotients[left_out]);
        shift.high = exp(quotients[count - 1 - left_out]);
        if (order == SHIFT_ONE_AFTER_THE_OTHER)
            widen(&shift, (correlation_of(a) + correlation_of(b)) / 2,
                  fmax(drift_of(a), drift_of(b)));
    }
    free(quotients);
    free(rooms[0]);
    free(rooms[1]);
    return shift;
}

struct shift shift_from_exact(double a, struct shift_side b, double confidence)
{
    double *room;
    struct statistics_interval interval;
    const struct shift_side kept = thin_out(b, &room);
    double *sorted = memory_allocate_zeroed(kept.count, sizeof *sorted);
    memcpy(sorted, kept.numbers, kept.count * sizeof *sorted);
    statistics_sort(sorted, kept.count);
    struct shift shift = {.factor = statistics_median(sorted, kept.count) / a};
    shift.known = statistics_median_interval(sorted, kept.count, confidence, &interval);
    if (shift.known) {
        shift.low = interval.low / a;
        shift.high = interval.high / a;
        widen(&shift, correlation_of(kept), drift_of(kept));
    }
    free(sorted);
    free(room);
    return shift;
}

struct shift shift_to_exact(struct shift_side a, double b, double confidence)
{
    const struct shift turned = shift_from_exact(b, a, confidence);
    return (struct shift){1 / turned.factor, turned.known ? 1 / turned.high : 0,
                          turned.known ? 1 / turned.low : 0, turned.known};
}

size_t shift_needed(const struct shift *shift, size_t count, double wanted, double confidence)
{
    const size_t least = shift_least(confidence);
    if (!shift->known)
        return least > count ? least : count + 1;
    const double width = (log(shift->high) - log(shift->low)) / 2 / log1p(wanted);
    const double needed = ceil((double)count * width * width);
    if (!(needed < 1e6))
        return 1000000;
    const size_t more = (size_t)needed > count ? (size_t)needed : count + 1;
    return more > least ? more : least;
}
