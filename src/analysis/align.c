#include "align.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/memory.h"
#include "statistics.h"

typedef __int128 wide;

static const int64_t BILLION = 1000000000;

// An anchor as the fit sees it.
struct point {
    int64_t x;          // middle, on the clock to be mapped
    int64_t y;          // middle, on the reference
    int64_t half_width; // of what it leaves open
    int64_t residual;   // y less where the map puts x
    struct align_anchor *anchor;
};

struct fit {
    struct point *points;
    size_t count;
    int64_t pivot;
    int64_t offset; // of y at the pivot, against x
    int64_t drift_ppb;
    int64_t resolution;
};

static wide align_floor_divide(wide number, int64_t divisor)
{
    const wide quotient = number / divisor;
    return number % divisor != 0 && (number < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

static int64_t align_clamp(wide number)
{
    if (number > INT64_MAX)
        return INT64_MAX;
    return number < INT64_MIN ? INT64_MIN : (int64_t)number;
}

static uint64_t align_distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static int align_compare_numbers(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// Points ----------------------------------------------------------------------

static int compare_anchors(const void *left, const void *right)
{
    const struct align_anchor *a = left;
    const struct align_anchor *b = right;
    if (a->from_start != b->from_start)
        return a->from_start < b->from_start ? -1 : 1;
    return (a->to_start > b->to_start) - (a->to_start < b->to_start);
}

static int align_compare_places(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->anchor > b->anchor) - (a->anchor < b->anchor);
}

static struct point point_of(struct align_anchor *anchor)
{
    const uint64_t from = anchor->from_end - anchor->from_start;
    const uint64_t to = anchor->to_end - anchor->to_start;
    return (struct point){
        .x = (int64_t)(anchor->from_start + from / 2),
        .y = (int64_t)(anchor->to_start + to / 2),
        .half_width = (int64_t)(align_distance(from, to) / 2 + align_distance(from, to) % 2),
        .anchor = anchor};
}

// Anchors that leave much more open than the best quarter would only blur the fit. Of too many,
// some are taken all over the time. Points come and go in order of time.
static size_t keep_narrow(struct point *points, size_t count, int64_t *numbers, int64_t resolution)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = points[i].half_width;
    sort_items(numbers, count, sizeof *numbers, align_compare_numbers);
    const wide most = (wide)4 * numbers[count / 4] + 4 * (wide)resolution;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].half_width <= most)
            points[kept++] = points[i];
    }
    if (kept <= ALIGN_ANCHORS_MOST)
        return kept;
    for (size_t i = 0; i < ALIGN_ANCHORS_MOST; i++)
        points[i] = points[i * (kept - 1) / (ALIGN_ANCHORS_MOST - 1)];
    return ALIGN_ANCHORS_MOST;
}

// The line --------------------------------------------------------------------

// How much longer the reference's time is between two points, in ppb, rounded to the nearest.
static int64_t slope_between(const struct point *a, const struct point *b)
{
    const wide more = ((wide)b->y - a->y) - ((wide)b->x - a->x);
    const wide span = (wide)b->x - a->x;
    const wide doubled = 2 * more * BILLION + span;
    const wide quotient = doubled / (2 * span);
    return align_clamp(doubled % (2 * span) < 0 ? quotient - 1 : quotient);
}

// The median of medians of the slopes through each point: right as long as most
// points are.
static bool guess_drift(struct fit *fit, int64_t *numbers)
{
    int64_t *medians = memory_allocate_zeroed(fit->count, sizeof *medians);
    size_t count = 0;
    for (size_t i = 0; i < fit->count; i++) {
        size_t slopes = 0;
        for (size_t k = 0; k < fit->count; k++) {
            const struct point *left = &fit->points[i < k ? i : k];
            const struct point *right = &fit->points[i < k ? k : i];
            if (left->x < right->x)
                numbers[slopes++] = slope_between(left, right);
        }
        if (slopes > 0)
            medians[count++] = statistics_median_signed(numbers, slopes);
    }
    if (count > 0)
        fit->drift_ppb = statistics_median_signed(medians, count);
    free(medians);
    return count > 0;
}

// Once no point is wrong, the slopes between points far apart are the precise ones.
static void measure_drift(struct fit *fit, int64_t *numbers)
{
    const size_t apart = fit->count / 2 > 0 ? fit->count / 2 : 1;
    size_t count = 0;
    for (size_t i = 0; i + apart < fit->count; i++) {
        if (fit->points[i].x < fit->points[i + apart].x)
            numbers[count++] = slope_between(&fit->points[i], &fit->points[i + apart]);
    }
    if (count > 0)
        fit->drift_ppb = statistics_median_signed(numbers, count);
}

static int64_t gain(const struct fit *fit, const struct point *point)
{
    const wide drifted = (wide)(point->x - fit->pivot) * fit->drift_ppb;
    return align_clamp((wide)point->y - point->x - align_floor_divide(drifted, BILLION));
}

static void measure_offset(struct fit *fit, int64_t *numbers)
{
    for (size_t i = 0; i < fit->count; i++)
        numbers[i] = gain(fit, &fit->points[i]);
    fit->offset = statistics_median_signed(numbers, fit->count);
    for (size_t i = 0; i < fit->count; i++)
        fit->points[i].residual = align_clamp((wide)gain(fit, &fit->points[i]) - fit->offset);
}

static int64_t align_size_of(int64_t number)
{
    return number < 0 ? align_clamp(-(wide)number) : number;
}

// Leaves out the anchors that lie far from the line.
static void drop_outliers(struct fit *fit, int64_t *numbers)
{
    for (size_t i = 0; i < fit->count; i++)
        numbers[i] = align_size_of(fit->points[i].residual);
    const int64_t usual = statistics_median_signed(numbers, fit->count);
    size_t kept = 0;
    for (size_t i = 0; i < fit->count; i++) {
        const struct point point = fit->points[i];
        if (align_size_of(point.residual) <= (wide)6 * usual + point.half_width + fit->resolution)
            fit->points[kept++] = point;
    }
    fit->count = kept;
}

// The error -------------------------------------------------------------------

// What the anchors scatter by beyond what they leave open themselves; fewer
// anchors say less of it.
static int64_t scatter(const struct fit *fit)
{
    int64_t most = 0;
    for (size_t i = 0; i < fit->count; i++) {
        const int64_t beyond = align_size_of(fit->points[i].residual) - fit->points[i].half_width;
        most = beyond > most ? beyond : most;
    }
    if (fit->count < 3)
        return most;
    return align_clamp((wide)most * (int64_t)fit->count / (int64_t)(fit->count - 2));
}

// How wrong the map can be at an anchor.
static wide error_at(const struct fit *fit, size_t index, int64_t scattered)
{
    const struct point *point = &fit->points[index];
    return (wide)align_size_of(point->residual) + point->half_width + scattered + fit->resolution;
}

// How wrong a line can be at x that is wrong by at most `left` and `right` at a < b.
static wide error_beyond(int64_t x, int64_t a, int64_t b, wide left, wide right)
{
    const wide most = left > right ? left : right;
    if (x >= a && x <= b)
        return most;
    const wide to_a = x < a ? (wide)a - x : (wide)x - a;
    const wide to_b = x < b ? (wide)b - x : (wide)x - b;
    return (left * to_b + right * to_a) / (b - a) + 1;
}

// Over the whole range, from the two anchors that say most; -1 when no two lie
// apart. `*out_looseness` is how far the drift can be off, in ppb.
static int64_t error_of_line(const struct fit *fit, int64_t first, int64_t last,
                             int64_t *out_looseness)
{
    const int64_t scattered = scatter(fit);
    wide best = -1;
    wide looseness = -1;
    for (size_t i = 0; i < fit->count; i++) {
        for (size_t k = i + 1; k < fit->count; k++) {
            const int64_t a = fit->points[i].x;
            const int64_t b = fit->points[k].x;
            if (a >= b)
                continue;
            const wide left = error_at(fit, i, scattered);
            const wide right = error_at(fit, k, scattered);
            const wide before = error_beyond(first, a, b, left, right);
            const wide after = error_beyond(last, a, b, left, right);
            const wide worst = before > after ? before : after;
            const wide loose = (left + right) * BILLION / (b - a);
            best = best < 0 || worst < best ? worst : best;
            looseness = looseness < 0 || loose < looseness ? loose : looseness;
        }
    }
    *out_looseness = align_clamp(looseness);
    return align_clamp(best);
}

// The most that a clock can drift from x to where the range ends.
static wide drift_from(int64_t x, const struct align_request *request)
{
    const uint64_t before = align_distance(request->first, (uint64_t)x);
    const uint64_t after = align_distance(request->last, (uint64_t)x);
    return (wide)(before > after ? before : after) * ALIGN_DRIFT_MOST_PPB / BILLION;
}

// Where the drift is not known, from the anchor that says most. A single moment says nothing
// of other times: then it is the error at that moment.
static int64_t error_of_offset(const struct fit *fit, const struct align_request *request)
{
    const int64_t scattered = scatter(fit);
    const bool apart = fit->points[0].x < fit->points[fit->count - 1].x;
    wide error = -1;
    for (size_t i = 0; i < fit->count; i++) {
        const wide drifted = apart ? drift_from(fit->points[i].x, request) : 0;
        const wide at = error_at(fit, i, scattered) + drifted;
        error = error < 0 || at < error ? at : error;
    }
    return align_clamp(error);
}

// Where the anchors ask for more than a drift: the error at the worst of them.
static int64_t error_of_refused(const struct fit *fit)
{
    wide error = 0;
    for (size_t i = 0; i < fit->count; i++) {
        const wide at = error_at(fit, i, 0);
        error = at > error ? at : error;
    }
    return align_clamp(error);
}

// -----------------------------------------------------------------------------

static void align_finish_fit(const struct fit *fit, const struct align_request *request,
                             int64_t error, struct align_fit *out)
{
    const uint64_t pivot = (uint64_t)fit->pivot;
    const uint64_t before = align_distance(request->first, pivot);
    const uint64_t after = align_distance(request->last, pivot);
    const uint64_t reach = before > after ? before : after;
    for (size_t i = 0; i < fit->count; i++)
        fit->points[i].anchor->used = true;
    out->map = (struct align_map){.from = pivot,
                                  .to = align_clamp((wide)fit->pivot + fit->offset),
                                  .drift_ppb = fit->drift_ppb};
    // The drift is a whole number of 1e-9: half of one, as far as the range reaches.
    out->error_ns =
        (uint64_t)align_clamp((wide)error + (out->has_drift ? reach / 2000000000 + 1 : 0));
    out->used = fit->count;
}

static void fit_line(struct fit *fit, bool drifts, int64_t *numbers)
{
    measure_offset(fit, numbers);
    drop_outliers(fit, numbers);
    if (drifts)
        measure_drift(fit, numbers);
    measure_offset(fit, numbers);
}

// A line with a drift, if the anchors show one that a clock can have.
static bool try_drift(struct fit *fit, const struct align_request *request, int64_t *numbers,
                      int64_t *out_error, int64_t *out_refused)
{
    if (!guess_drift(fit, numbers))
        return false;
    fit_line(fit, true, numbers);
    int64_t looseness;
    *out_error = error_of_line(fit, (int64_t)request->first, (int64_t)request->last, &looseness);
    if (*out_error < 0)
        return false;
    if (request->any_drift && align_size_of(fit->drift_ppb) < BILLION / 2)
        return true;
    if (align_size_of(fit->drift_ppb) > (wide)ALIGN_DRIFT_MOST_PPB + looseness)
        *out_refused = fit->drift_ppb;
    return align_size_of(fit->drift_ppb) <= ALIGN_DRIFT_MOST_PPB &&
           looseness <= ALIGN_DRIFT_MOST_PPB;
}

static void fit_points(struct fit *fit, const struct align_request *request, int64_t *numbers,
                       struct align_fit *out)
{
    const size_t count = fit->count;
    struct point *before = memory_allocate_zeroed(count, sizeof *before);
    memcpy(before, fit->points, count * sizeof *before);
    fit->pivot = before[0].x + (before[count - 1].x - before[0].x) / 2;
    int64_t error = 0;
    out->has_drift = try_drift(fit, request, numbers, &error, &out->refused_drift);
    if (!out->has_drift) {
        memcpy(fit->points, before, count * sizeof *before);
        fit->count = count;
        fit->drift_ppb = 0;
        fit_line(fit, false, numbers);
        error = out->refused_drift != 0 ? error_of_refused(fit) : error_of_offset(fit, request);
    }
    align_finish_fit(fit, request, error, out);
    free(before);
}

void align_fit(const struct align_request *request, struct align_fit *out_fit)
{
    *out_fit = (struct align_fit){0};
    sort_items(request->anchors, request->count, sizeof *request->anchors, compare_anchors);
    struct point *points = memory_allocate_zeroed(request->count, sizeof *points);
    int64_t *numbers = memory_allocate_zeroed(request->count, sizeof *numbers);
    for (size_t i = 0; i < request->count; i++) {
        request->anchors[i].used = false;
        points[i] = point_of(&request->anchors[i]);
    }
    struct fit fit = {.points = points, .resolution = (int64_t)request->resolution};
    sort_items(points, request->count, sizeof *points, align_compare_places);
    fit.count = keep_narrow(points, request->count, numbers, fit.resolution);
    fit_points(&fit, request, numbers, out_fit);
    free(numbers);
    free(points);
}

bool align_apply(const struct align_map *map, uint64_t time, int64_t *out_time)
{
    const wide passed = (wide)time - map->from;
    const wide mapped = map->to + passed + align_floor_divide(passed * map->drift_ppb, BILLION);
    *out_time = align_clamp(mapped);
    return mapped == *out_time;
}

bool align_compose(const struct align_map *outer, const struct align_map *inner,
                   struct align_map *out_map)
{
    const wide both = (wide)outer->drift_ppb + inner->drift_ppb +
                      align_floor_divide((wide)outer->drift_ppb * inner->drift_ppb, BILLION);
    const wide passed = (wide)inner->to - outer->from;
    const wide mapped = outer->to + passed + align_floor_divide(passed * outer->drift_ppb, BILLION);
    *out_map = (struct align_map){
        .from = inner->from, .to = align_clamp(mapped), .drift_ppb = align_clamp(both)};
    return mapped == out_map->to;
}
