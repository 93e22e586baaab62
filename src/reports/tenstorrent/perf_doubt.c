// Figures that cannot be: an operation that took less time than its work would at the peak, or
// quite another time than the first call that the report describes with the same words.
//
// The report repeats the shapes of the first call for calls whose program was cached, and the
// hash of some programs leaves the volume out, so that such shapes can be those of another call.
// What stands before and after the operation tells: it takes what one of those gave, and gives
// what another takes.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "perf.h"

enum { NEIGHBOURS = 2 }; // on each side

// A hundredth above the peak is within what a duration and a clock are known to.
#define PEAK_SLACK 1.01

// Equal calls take the same time within a few hundredths; what is a third off is another call.
#define OTHER_TIME (4.0 / 3)

// The time grows as the volume to this power: with it at most, and for small operations by far
// less. Neighbours that are not next to the operation must explain its time well.
#define POWER_MOST 1.5
#define POWER_LEAST_NEXT 0.2
#define POWER_LEAST 0.5

static bool is_above_peak(const struct perf_op *op)
{
    const double most = op->time.value * PEAK_SLACK;
    return op->kind == PERF_DEVICE && op->time.known && op->time.value > 0 &&
           ((op->compute_time.known && op->compute_time.value > most) ||
            (op->memory_time.known && op->memory_time.value > most));
}

static double perf_doubt_volume_of(const struct perf_op *op, bool output)
{
    double volume = 1;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t size;
        const enum column_kind kind = (enum column_kind)(COLUMN_TENSOR_W + i);
        if (!report_padded(report_tensor_text(op->report, op->row, output, 0, kind), &size))
            return 0;
        volume *= (double)size;
    }
    return volume;
}

// Volumes of what the operations in front of `index` gave, or of what those after it take, the
// nearest first; 0 where there is none.
static void perf_doubt_look_around(const struct perf *perf, size_t index, bool behind,
                                   double out_volumes[NEIGHBOURS])
{
    size_t found = 0;
    const struct perf_op *op = &perf->ops[index];
    for (size_t at = index; found < NEIGHBOURS && (behind ? at + 1 < perf->count : at > 0);) {
        at = behind ? at + 1 : at - 1;
        const struct perf_op *other = &perf->ops[at];
        if (other->kind == PERF_DEVICE && (perf->merged || other->device == op->device))
            out_volumes[found++] = perf_doubt_volume_of(other, !behind);
    }
    for (; found < NEIGHBOURS; found++)
        out_volumes[found] = 0;
}

// The volume that goes through the place of the operation, by its neighbours; 0: they do not tell.
// `ratio` is that of its time to the first call's, and must fit the volumes'; 0: it is not looked
// at.
static double volume_by_neighbours(const struct perf *perf, size_t index, double own, double ratio)
{
    double before[NEIGHBOURS];
    double behind[NEIGHBOURS];
    perf_doubt_look_around(perf, index, false, before);
    perf_doubt_look_around(perf, index, true, behind);
    for (size_t i = 0; i < NEIGHBOURS; i++) {
        for (size_t k = 0; k < NEIGHBOURS; k++) {
            if (!(before[i] > 0) || before[i] != behind[k])
                continue;
            const double power = ratio > 0 ? log(ratio) / log(before[i] / own) : 1;
            const double least = i + k == 0 ? POWER_LEAST_NEXT : POWER_LEAST;
            if (power >= least && power <= POWER_MOST)
                return before[i];
        }
    }
    return 0;
}

static void perf_doubt_scale(struct perf_value *number, double factor)
{
    number->value *= factor;
}

static void perf_doubt_scale_all(struct perf_op *op, double factor)
{
    perf_doubt_scale(&op->work.flops, factor);
    perf_doubt_scale(&op->work.dram_bytes, factor);
    perf_doubt_scale(&op->work.l1_bytes, factor);
    perf_doubt_scale(&op->compute_time, factor);
    perf_doubt_scale(&op->memory_time, factor);
}

// What an operation takes that gives as much; 0: it does not, or its shapes are surely its own.
static double volume_in_doubt(const struct perf_op *op)
{
    const double own = perf_doubt_volume_of(op, false);
    const bool fits = own == perf_doubt_volume_of(op, true) && !perf_is_matmul(op) &&
                      !perf_is_convolution(op) &&
                      !view_is(report_text(op->report, op->row, COLUMN_PROGRAM_CACHE_HIT), "False");
    return fits ? own : 0;
}

// Counts it with the volume on which its neighbours agree. False: they do not.
static bool recount(struct perf *perf, size_t index, double ratio)
{
    struct perf_op *op = &perf->ops[index];
    const double own = volume_in_doubt(op);
    const double volume = own > 0 ? volume_by_neighbours(perf, index, own, ratio) : 0;
    if (!(volume > 0) || volume == own || (!(ratio > 0) && volume > own))
        return false;
    const struct perf_op as_reported = *op;
    perf_doubt_scale_all(op, volume / own);
    if (ratio > 0 && is_above_peak(op)) {
        *op = as_reported;
        return false;
    }
    return true;
}

// Calls that a report describes alike -----------------------------------------

// The first row with a time of each description.
struct first_calls {
    const struct report *report;
    struct hash_index rows;
};

static const enum column_kind DESCRIBES[] = {COLUMN_OP_CODE, COLUMN_ATTRIBUTES, COLUMN_CORE_COUNT,
                                             COLUMN_MATH_FIDELITY};

static void perf_doubt_hash_text(uint32_t *hash, struct view text)
{
    *hash = hash_u64((uint64_t)*hash << 32 | hash_bytes(text.data, text.size));
}

static uint32_t perf_doubt_hash(const struct report *report, size_t row)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < sizeof DESCRIBES / sizeof DESCRIBES[0]; i++)
        perf_doubt_hash_text(&hash, report_text(report, row, DESCRIBES[i]));
    for (unsigned output = 0; output < 2; output++) {
        for (uint32_t tensor = 0; tensor < report->tensor_counts[output]; tensor++) {
            for (unsigned kind = COLUMN_TENSOR_W; kind < COLUMN_KINDS; kind++)
                perf_doubt_hash_text(&hash, report_tensor_text(report, row, output, tensor, kind));
        }
    }
    return hash;
}

static bool describes_alike(const struct report *report, size_t a, size_t b)
{
    for (size_t i = 0; i < sizeof DESCRIBES / sizeof DESCRIBES[0]; i++) {
        if (!view_equal(report_text(report, a, DESCRIBES[i]), report_text(report, b, DESCRIBES[i])))
            return false;
    }
    for (unsigned output = 0; output < 2; output++) {
        for (uint32_t tensor = 0; tensor < report->tensor_counts[output]; tensor++) {
            for (unsigned kind = COLUMN_TENSOR_W; kind < COLUMN_KINDS; kind++) {
                if (!view_equal(report_tensor_text(report, a, output, tensor, kind),
                                report_tensor_text(report, b, output, tensor, kind)))
                    return false;
            }
        }
    }
    return true;
}

static size_t find_first(const struct first_calls *calls, uint32_t hash, size_t row)
{
    uint32_t first;
    for (uint32_t at = hash_first(&calls->rows, hash);
         (first = hash_next(&calls->rows, hash, &at)) != HASH_NONE;) {
        if (describes_alike(calls->report, first, row))
            return first;
    }
    return SIZE_MAX;
}

static bool perf_doubt_time(const struct report *report, size_t row, double *out_ns)
{
    return report_double(report, row, COLUMN_KERNEL_DURATION, out_ns) && *out_ns > 0;
}

static void find_first_calls(struct first_calls *calls, const struct report *report)
{
    *calls = (struct first_calls){.report = report};
    for (size_t row = 0; row < report->row_count && row < HASH_NONE; row++) {
        double ns;
        const uint32_t hash = perf_doubt_hash(report, row);
        if (perf_doubt_time(report, row, &ns) && find_first(calls, hash, row) == SIZE_MAX)
            hash_add(&calls->rows, hash, (uint32_t)row);
    }
}

// Its time by that of the first call with its description; 0 where that is the same, or it is the
// first.
static double ratio_to_first(const struct first_calls *calls, const struct perf_op *op)
{
    double own, first_ns;
    const size_t first = find_first(calls, perf_doubt_hash(op->report, op->row), op->row);
    if (op->kind != PERF_DEVICE || first == SIZE_MAX || first == op->row ||
        !perf_doubt_time(op->report, op->row, &own) ||
        !perf_doubt_time(op->report, first, &first_ns))
        return 0;
    const double ratio = own / first_ns;
    return ratio > OTHER_TIME || ratio < 1 / OTHER_TIME ? ratio : 0;
}

// Marking ---------------------------------------------------------------------

static void doubt_op(struct perf *perf, size_t index, const struct first_calls *calls)
{
    struct perf_op *op = &perf->ops[index];
    if (!is_above_peak(op)) {
        const double ratio = ratio_to_first(calls, op);
        if (ratio > 0 && recount(perf, index, ratio))
            op->doubt = PERF_DOUBT_STALE_SHAPES;
        return;
    }
    op->doubt = recount(perf, index, 0) ? PERF_DOUBT_STALE_SHAPES : PERF_DOUBT_ABOVE_PEAK;
    if (is_above_peak(op))
        op->doubt = PERF_DOUBT_ABOVE_PEAK;
}

static bool doubts_alike(const struct perf_op *a, const struct perf_op *b)
{
    return a->doubt == b->doubt && view_equal(a->code, b->code);
}

// One remark for all operations of a name, at the first of them.
static void note_doubts(struct perf *perf)
{
    struct perf_op **noted = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < perf->count; i++) {
        struct perf_op *op = &perf->ops[i];
        size_t more = 0, known = 0;
        while (known < count && !doubts_alike(noted[known], op))
            known++;
        if (op->doubt == PERF_DOUBT_NONE || known < count || count >= LEDGER_NOTES_KEPT)
            continue;
        noted = memory_grow(noted, count, &capacity, sizeof *noted);
        noted[count++] = op;
        for (size_t k = i + 1; k < perf->count; k++)
            more += doubts_alike(&perf->ops[k], op);
        char others[32] = "";
        if (more > 0)
            snprintf(others, sizeof others, " and %zu more", more);
        profile_note(perf->account, 0, LEDGER_REMARK, 1, "id %llu%s: %.*s: %s",
                     (unsigned long long)op->id, others, VIEW_ARGUMENTS(op->code),
                     perf_doubt_text(op->doubt));
    }
    free(noted);
}

void perf_doubts_mark(struct perf *perf)
{
    struct first_calls *calls = memory_allocate_zeroed(perf->file_count, sizeof *calls);
    for (size_t file = 0; file < perf->file_count; file++)
        find_first_calls(&calls[file], perf->reports[file]);
    for (size_t i = 0; i < perf->count; i++) {
        size_t file = 0;
        while (perf->reports[file] != perf->ops[i].report)
            file++;
        doubt_op(perf, i, &calls[file]);
    }
    for (size_t file = 0; file < perf->file_count; file++)
        hash_free(&calls[file].rows);
    free(calls);
    note_doubts(perf);
}

const char *perf_doubt_name(enum perf_doubt doubt)
{
    static const char *const names[] = {"", "stale shapes", "above peak"};
    return names[doubt];
}

const char *perf_doubt_text(enum perf_doubt doubt)
{
    static const char *const texts[] = {
        "",
        ("its shapes are those of another call (they do not fit its time, and its neighbours "
         "agree on other ones): counted with its neighbours'"),
        ("faster than the peak allows: the shapes or memories of the report are not those of this "
         "call")};
    return texts[doubt];
}
