#include "comparison_sides.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "statistics.h"

enum { LOW_PERCENT = 10 };

#define LEAST 0.5        // ns: what is less comes of adding up
#define CHANGED_BY 0.005 // of a number: what is less is rounding

const char *comparison_verdict_name(enum comparison_verdict verdict)
{
    static const char *const NAMES[] = {"slower", "faster", "even", "unsure", "new", "gone"};
    return NAMES[verdict];
}

// Measurements ----------------------------------------------------------------

// What is compared: numbers above 0, in the order in which they were measured.
struct measured {
    double *numbers;
    size_t count;
    double value; // one that stands for all
};

// Sorts them.
static double sum_up(double *numbers, size_t count, enum comparison_statistic statistic)
{
    if (count == 0)
        return 0;
    if (statistic == COMPARE_MEAN)
        return statistics_mean(numbers, count);
    statistics_sort(numbers, count);
    return statistic == COMPARE_LOW ? statistics_percentile(numbers, count, LOW_PERCENT)
                                    : statistics_median(numbers, count);
}

// Of an iteration that does not say what it took as a whole nothing counts where others do.
static bool round_counts(const struct comparison *comparison, const struct work_iteration *round)
{
    return !comparison->whole || round->whole > 0;
}

// One number for each iteration of a run that counts, or one for all of them, after what is there
// already.
static void take_rounds(struct measured *measured, const struct work_run *run, const double *rounds,
                        const struct comparison *comparison)
{
    double *kept = &measured->numbers[measured->count];
    size_t count = 0;
    for (size_t i = 0; i < run->iteration_count; i++) {
        if (round_counts(comparison, &run->iterations[i]))
            kept[count++] = rounds[i];
    }
    if (comparison->by_runs && count > 0)
        kept[0] = sum_up(kept, count, comparison->options.statistic);
    measured->count += comparison->by_runs && count > 0 ? 1 : count;
}

static size_t rounds_of(const struct compared_side *side)
{
    size_t rounds = 0;
    for (size_t i = 0; i < side->run_count; i++)
        rounds += side->runs[i].iteration_count;
    return rounds;
}

static struct measured measured_of(const struct compared_side *side)
{
    return (struct measured){.numbers =
                                 memory_allocate_zeroed(rounds_of(side) + 1, sizeof(double))};
}

// The number that stands for all of a side; what is 0 cannot be divided by and is left out.
static void finish_measured(struct measured *measured, const struct comparison *comparison)
{
    double *sorted = memory_allocate_zeroed(measured->count + 1, sizeof *sorted);
    memcpy(sorted, measured->numbers, measured->count * sizeof *sorted);
    measured->value = sum_up(sorted, measured->count,
                             comparison->by_runs && comparison->options.statistic == COMPARE_LOW
                                 ? COMPARE_MEDIAN
                                 : comparison->options.statistic);
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < measured->count; i++) {
        if (measured->numbers[i] > 0)
            measured->numbers[kept++] = measured->numbers[i];
    }
    measured->count = kept;
}

// The time of some parts together, iteration by iteration.
static struct measured measure_parts(const struct comparison *comparison,
                                     const struct compared_side *side, const uint32_t *parts,
                                     size_t part_count)
{
    struct measured measured = measured_of(side);
    for (size_t r = 0; r < side->run_count; r++) {
        const struct work_run *run = &side->runs[r];
        double *rounds = memory_allocate_zeroed(run->iteration_count + 1, sizeof *rounds);
        for (size_t i = 0; i < part_count; i++) {
            for (size_t at = side->samples[r][parts[i]]; at < side->samples[r][parts[i] + 1];
                 at++) {
                const struct work_sample *sample = &run->samples[side->ordered[r][at]];
                rounds[sample->iteration] += sample->ns;
            }
        }
        take_rounds(&measured, run, rounds, comparison);
        free(rounds);
    }
    finish_measured(&measured, comparison);
    return measured;
}

// What an iteration took, or the time of it in which nothing worked.
static struct measured measure_rounds(const struct comparison *comparison,
                                      const struct compared_side *side, bool idle)
{
    struct measured measured = measured_of(side);
    for (size_t r = 0; r < side->run_count; r++) {
        const struct work_run *run = &side->runs[r];
        double *rounds = memory_allocate_zeroed(run->iteration_count + 1, sizeof *rounds);
        for (size_t i = 0; i < run->iteration_count; i++) {
            const struct work_iteration *round = &run->iterations[i];
            const double elapsed =
                (double)(comparison->whole ? round->whole : round->last - round->first);
            const double rest = elapsed - round->busy;
            rounds[i] = !idle ? elapsed : rest < LEAST ? 0 : rest;
        }
        take_rounds(&measured, run, rounds, comparison);
        free(rounds);
    }
    finish_measured(&measured, comparison);
    return measured;
}

// Calls -----------------------------------------------------------------------

// How often one of `parts` was called in a run, and in how many blocks that is known.
struct called {
    uint64_t calls;
    size_t blocks;
};

static struct called calls_of(const struct compared_side *side, size_t run_index, uint32_t place)
{
    const struct call_blocks *calls = &side->runs[run_index].calls;
    struct called called = {0};
    if (calls->part_count == 0)
        return called;
    for (size_t at = side->callers[run_index][place]; at < side->callers[run_index][place + 1];
         at++) {
        const uint32_t part = side->called[run_index][at];
        called.calls += calls->calls[part];
        called.blocks += call_blocks_count(calls, part);
    }
    return called;
}

static void add_calls(const struct compared_side *side, size_t run_index, uint32_t place,
                      double *numbers)
{
    const struct call_blocks *calls = &side->runs[run_index].calls;
    for (size_t at = side->callers[run_index][place]; at < side->callers[run_index][place + 1];
         at++) {
        const uint32_t part = side->called[run_index][at];
        for (size_t i = calls->begins[part]; i < calls->begins[part + 1]; i++)
            *numbers++ += calls->ns[i];
    }
}

// What a call of some parts together took: known where all were called equally often.
static struct measured measure_calls(const struct comparison *comparison,
                                     const struct compared_side *side, const uint32_t *parts,
                                     size_t part_count)
{
    struct measured measured = {0};
    size_t room = 0;
    for (size_t r = 0; r < side->run_count && part_count > 0; r++)
        room += calls_of(side, r, parts[0]).blocks;
    measured.numbers = memory_allocate_zeroed(room + 1, sizeof *measured.numbers);
    for (size_t r = 0; r < side->run_count && part_count > 0; r++) {
        const struct called first = calls_of(side, r, parts[0]);
        for (size_t i = 0; i < part_count; i++) {
            const struct called called = calls_of(side, r, parts[i]);
            if (called.calls != first.calls || called.blocks != first.blocks) {
                measured.count = 0;
                return measured;
            }
            add_calls(side, r, parts[i], &measured.numbers[measured.count]);
        }
        measured.count += first.blocks;
    }
    finish_measured(&measured, comparison);
    return measured;
}

// Rows ------------------------------------------------------------------------

static bool is_modelled(const struct compared_side *side)
{
    for (size_t i = 0; i < side->run_count; i++) {
        if (!side->runs[i].modelled)
            return false;
    }
    return true;
}

static enum comparison_verdict verdict_of(const struct comparison_row *row, bool exact)
{
    if (!row->a.there || !row->b.there)
        return row->a.there ? VERDICT_GONE : VERDICT_NEW;
    if (exact)
        return row->difference >= LEAST    ? VERDICT_SLOWER
               : row->difference <= -LEAST ? VERDICT_FASTER
                                           : VERDICT_EVEN;
    if (!row->shift.known)
        return VERDICT_UNSURE;
    if (row->shift.low > 1)
        return VERDICT_SLOWER;
    return row->shift.high < 1 ? VERDICT_FASTER : VERDICT_EVEN;
}

// Modelled times have no noise: the change is what it is, also where one side has no time at all.
static struct shift exact_shift(const struct comparison_row *row)
{
    const double factor = fabs(row->difference) < LEAST ? 1 : row->b.ns / row->a.ns;
    if (fabs(row->difference) >= LEAST && !(row->a.ns > 0 && row->b.ns > 0))
        return (struct shift){0};
    return (struct shift){factor, factor, factor, true};
}

static struct shift measured_shift(const struct comparison *comparison, const struct measured *a,
                                   const struct measured *b)
{
    const struct shift_side sides[2] = {{a->numbers, a->count}, {b->numbers, b->count}};
    const double confidence = comparison->options.confidence;
    if (a->count == 0 || b->count == 0)
        return (struct shift){0};
    if (is_modelled(&comparison->sides[0]))
        return shift_from_exact(a->value, sides[1], confidence);
    if (is_modelled(&comparison->sides[1]))
        return shift_to_exact(sides[0], b->value, confidence);
    return shift_between(sides[0], sides[1], confidence, comparison->order);
}

// Takes the numbers of both sides.
static void judge(const struct comparison *comparison, struct comparison_row *row,
                  struct measured a, struct measured b)
{
    const bool exact = is_modelled(&comparison->sides[0]) && is_modelled(&comparison->sides[1]);
    row->a.ns = a.value;
    row->b.ns = b.value;
    row->difference = (row->b.there ? b.value : 0) - (row->a.there ? a.value : 0);
    if (exact && row->a.there && row->b.there)
        row->shift = exact_shift(row);
    else
        row->shift = measured_shift(comparison, &a, &b);
    row->verdict = verdict_of(row, exact);
    free(a.numbers);
    free(b.numbers);
}

// By what the calls of a row took, where iterations are too few to tell; takes the numbers. The
// change that is said is that of the row's time, which the interval holds besides that of a call.
static void judge_by_calls(const struct comparison *comparison, struct comparison_row *row,
                           struct measured a, struct measured b)
{
    const double a_calls = row->a.calls / (double)row->a.parts; // those of each part
    const double b_calls = row->b.calls / (double)row->b.parts;
    const struct shift call = measured_shift(comparison, &a, &b);
    if (row->a.ns > 0 && row->b.ns > 0 && a_calls > 0 && b_calls > 0 && call.known) {
        const double factor = row->b.ns / row->a.ns, more = b_calls / a_calls;
        row->shift = (struct shift){factor, fmin(factor, call.low * more),
                                    fmax(factor, call.high * more), true};
        row->verdict = verdict_of(row, false);
    }
    free(a.numbers);
    free(b.numbers);
}

static bool changed(double a, double b)
{
    return fabs(a - b) > CHANGED_BY * fmax(fabs(a), fabs(b));
}

static unsigned changes_of(const struct comparison_row *row)
{
    const struct comparison_half *a = &row->a, *b = &row->b;
    unsigned changes = 0;
    if (!a->there || !b->there)
        return 0;
    const bool alone = a->parts == 1 && b->parts == 1;
    if (alone && changed(a->calls, b->calls))
        changes |= CHANGED_CALLS;
    if (alone && !view_equal(a->part->shape, b->part->shape) && a->part->shape.size > 0 &&
        b->part->shape.size > 0)
        changes |= CHANGED_SHAPES;
    if (a->macs > 0 && b->macs > 0 && changed(a->macs, b->macs))
        changes |= CHANGED_WORK;
    if (a->bytes > 0 && b->bytes > 0 && changed(a->bytes, b->bytes))
        changes |= CHANGED_BYTES;
    if (alone && !view_equal(a->part->kernel, b->part->kernel) && a->part->kernel.size > 0 &&
        b->part->kernel.size > 0 && !view_equal(a->part->kernel, a->part->name))
        changes |= CHANGED_KERNELS;
    if (fabs(b->waited - a->waited) > fmax(0.1 * fabs(row->difference), LEAST) &&
        (b->waited > a->waited) == (row->difference > 0))
        changes |= CHANGED_WAITING;
    return changes;
}

static void fill_half(struct comparison_half *half, const struct compared_side *side,
                      const uint32_t *parts, size_t count)
{
    *half = (struct comparison_half){.there = count > 0, .parts = count};
    if (count > 0) {
        half->part = side->parts[parts[0]].part;
        half->repeats = side->parts[parts[0]].repeats;
    }
    for (size_t i = 0; i < count; i++) {
        const struct compared_part *part = &side->parts[parts[i]];
        half->calls += part->calls;
        half->bytes += part->bytes;
        half->macs += part->macs;
        half->waited += part->waited;
    }
}

// Parts of a side by group: those of group g stand from begins[g] to begins[g + 1].
struct grouped {
    size_t *begins;
    uint32_t *parts;
};

static struct grouped group_parts(const uint32_t *groups, size_t part_count, size_t group_count)
{
    struct grouped grouped = {
        .begins = memory_allocate_zeroed(group_count + 2, sizeof *grouped.begins),
        .parts = memory_allocate_zeroed(part_count + 1, sizeof *grouped.parts),
    };
    for (size_t i = 0; i < part_count; i++)
        grouped.begins[groups[i] + 2]++;
    for (size_t i = 2; i < group_count + 2; i++)
        grouped.begins[i] += grouped.begins[i - 1];
    for (size_t i = 0; i < part_count; i++)
        grouped.parts[grouped.begins[groups[i] + 1]++] = (uint32_t)i;
    return grouped;
}

static void judge_groups_calls(const struct comparison *comparison, struct comparison_row *row,
                               const struct grouped grouped[2], size_t group)
{
    struct measured measured[2];
    for (unsigned s = 0; s < 2; s++) {
        const size_t from = grouped[s].begins[group];
        const uint32_t *parts = grouped[s].parts + from;
        measured[s] = measure_calls(comparison, &comparison->sides[s], parts,
                                    grouped[s].begins[group + 1] - from);
    }
    judge_by_calls(comparison, row, measured[0], measured[1]);
}

static void compare_groups(struct comparison *comparison)
{
    const struct match *match = &comparison->match;
    struct grouped grouped[2];
    for (unsigned s = 0; s < 2; s++)
        grouped[s] = group_parts(match->groups[s], comparison->sides[s].part_count, match->count);
    for (size_t i = 0; i < match->count; i++) {
        struct comparison_row *row = &comparison->rows[i];
        struct measured measured[2];
        *row = (struct comparison_row){.place = i, .relation = match->relations[i]};
        for (unsigned s = 0; s < 2; s++) {
            const uint32_t *parts = grouped[s].parts + grouped[s].begins[i];
            const size_t count = grouped[s].begins[i + 1] - grouped[s].begins[i];
            fill_half(s == 0 ? &row->a : &row->b, &comparison->sides[s], parts, count);
            measured[s] = measure_parts(comparison, &comparison->sides[s], parts, count);
        }
        judge(comparison, row, measured[0], measured[1]);
        if (comparison->by_calls)
            judge_groups_calls(comparison, row, grouped, i);
        row->changes = changes_of(row);
    }
    for (unsigned s = 0; s < 2; s++) {
        free(grouped[s].begins);
        free(grouped[s].parts);
    }
}

static const struct work_part IDLE = {.name = {"(idle)", 6}};

bool comparison_is_idle(const struct comparison_row *row)
{
    return row->a.part == &IDLE;
}

static struct comparison_row compare_rounds(const struct comparison *comparison, bool idle)
{
    const struct comparison_half half = {.there = true, .parts = idle, .part = idle ? &IDLE : NULL};
    struct comparison_row row = {.place = SIZE_MAX, .a = half, .b = half};
    judge(comparison, &row, measure_rounds(comparison, &comparison->sides[0], idle),
          measure_rounds(comparison, &comparison->sides[1], idle));
    return row;
}

static int by_difference(const void *left, const void *right)
{
    const struct comparison_row *a = left, *b = right;
    const double left_size = fabs(a->difference), right_size = fabs(b->difference);
    return left_size != right_size ? (left_size < right_size) - (left_size > right_size)
                                   : sort_compare(a->place, b->place);
}

// Order of the runs -----------------------------------------------------------

struct began {
    uint64_t at;
    uint32_t side;
};

static int by_beginning(const void *left, const void *right)
{
    const struct began *a = left, *b = right;
    return sort_compare(a->at, b->at);
}

static bool have_one_clock(const struct compared_side sides[2])
{
    const struct view clock = sides[0].runs[0].clock;
    for (unsigned s = 0; s < 2; s++) {
        for (size_t i = 0; i < sides[s].run_count; i++) {
            if (clock.size == 0 || !view_equal(sides[s].runs[i].clock, clock))
                return false;
        }
    }
    return true;
}

// Whether runs of one side began between those of the other throughout: they change often, and
// neither side is the earlier one on the whole.
static enum shift_order order_of(const struct compared_side sides[2])
{
    const size_t count = sides[0].run_count + sides[1].run_count;
    struct began *all = memory_allocate_zeroed(count + 1, sizeof *all);
    double places[2] = {0}; // mean of each side
    size_t at = 0;
    size_t turns = 0;
    if (!have_one_clock(sides)) {
        free(all);
        return SHIFT_ONE_AFTER_THE_OTHER;
    }
    for (uint32_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sides[s].run_count; i++)
            all[at++] = (struct began){sides[s].runs[i].began, s};
    }
    sort_items(all, count, sizeof *all, by_beginning);
    for (size_t i = 0; i < count; i++) {
        places[all[i].side] += (double)i / (double)sides[all[i].side].run_count;
        turns += i > 0 && all[i].side != all[i - 1].side && all[i].at != all[i - 1].at;
    }
    free(all);
    const size_t fewest =
        sides[0].run_count < sides[1].run_count ? sides[0].run_count : sides[1].run_count;
    return turns >= fewest && fabs(places[0] - places[1]) <= (double)count / 6
               ? SHIFT_IN_TURN
               : SHIFT_ONE_AFTER_THE_OTHER;
}

static int comparison_by_time(const void *left, const void *right)
{
    const struct work_run *a = left, *b = right;
    return sort_compare(a->began, b->began);
}

// In the order in which they were made, where a clock tells; else as they were given.
static void sort_runs(struct work_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (runs[i].clock.size == 0 || !view_equal(runs[i].clock, runs[0].clock))
            return;
    }
    sort_items(runs, count, sizeof *runs, comparison_by_time);
}

// All together ----------------------------------------------------------------

static bool says_wholes(const struct work_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool says = false;
        for (size_t k = 0; k < runs[i].iteration_count; k++)
            says = says || runs[i].iterations[k].whole > 0;
        if (!says)
            return false;
    }
    return true;
}

// Iterations of a side that was measured, for an interval.
static bool has_too_few(const struct comparison *comparison, unsigned side)
{
    return !is_modelled(&comparison->sides[side]) &&
           rounds_of(&comparison->sides[side]) < shift_least(comparison->options.confidence);
}

static struct match_part *match_parts_of(const struct compared_side *side)
{
    struct match_part *parts = memory_allocate_zeroed(side->part_count + 1, sizeof *parts);
    for (size_t i = 0; i < side->part_count; i++) {
        const struct work_part *part = side->parts[i].part;
        parts[i] =
            (struct match_part){part->name, part->type, part->shape, part->location, part->macs};
    }
    return parts;
}

void comparison_make(struct work_run *a, size_t a_count, struct work_run *b, size_t b_count,
                     const struct comparison_options *options, struct comparison *out_comparison)
{
    struct comparison *comparison = out_comparison;
    *comparison = (struct comparison){.options = *options};
    sort_runs(a, a_count);
    sort_runs(b, b_count);
    compared_side_make(&comparison->sides[0], a, a_count);
    compared_side_make(&comparison->sides[1], b, b_count);
    comparison->whole = says_wholes(a, a_count) && says_wholes(b, b_count);
    comparison->by_runs = a_count > 1 && b_count > 1;
    comparison->by_calls =
        !comparison->by_runs && (has_too_few(comparison, 0) || has_too_few(comparison, 1));
    comparison->order =
        comparison->by_runs ? order_of(comparison->sides) : SHIFT_ONE_AFTER_THE_OTHER;
    struct match_part *parts[2] = {match_parts_of(&comparison->sides[0]),
                                   match_parts_of(&comparison->sides[1])};
    match_sides((struct match_side){parts[0], comparison->sides[0].part_count},
                (struct match_side){parts[1], comparison->sides[1].part_count}, &comparison->match);
    free(parts[0]);
    free(parts[1]);
    comparison->count = comparison->match.count + 1;
    comparison->rows = memory_allocate_zeroed(comparison->count, sizeof *comparison->rows);
    comparison_judge(comparison, options->confidence);
}

void comparison_judge(struct comparison *comparison, double confidence)
{
    comparison->options.confidence = confidence;
    compare_groups(comparison);
    comparison->rows[comparison->count - 1] = compare_rounds(comparison, true);
    comparison->total = compare_rounds(comparison, false);
    sort_items(comparison->rows, comparison->count, sizeof *comparison->rows, by_difference);
}

void comparison_free(struct comparison *comparison)
{
    compared_side_free(&comparison->sides[0]);
    compared_side_free(&comparison->sides[1]);
    match_free(&comparison->match);
    free(comparison->rows);
    *comparison = (struct comparison){0};
}
