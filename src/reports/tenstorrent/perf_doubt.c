// Figures that cannot be: an operation that took less time than its work would at the peak.
//
// The report repeats the shapes of the first call for calls whose program was cached, and the
// hash of some programs leaves the volume out, so that such shapes can be those of another call.
// What stands before and after the operation tells: it takes what one of those gave, and gives
// what another takes.

#include "perf.h"

enum { NEIGHBOURS = 2 }; // on each side

// A hundredth above the peak is within what a duration and a clock are known to.
#define PEAK_SLACK 1.01

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
static double volume_by_neighbours(const struct perf *perf, size_t index)
{
    double before[NEIGHBOURS];
    double behind[NEIGHBOURS];
    perf_doubt_look_around(perf, index, false, before);
    perf_doubt_look_around(perf, index, true, behind);
    for (size_t i = 0; i < NEIGHBOURS; i++) {
        for (size_t k = 0; k < NEIGHBOURS; k++) {
            if (before[i] > 0 && before[i] == behind[k])
                return before[i];
        }
    }
    return 0;
}

static void perf_doubt_scale(struct perf_value *number, double factor)
{
    number->value *= factor;
}

// An operation that gives as much as it takes, and whose neighbours agree on less.
static bool recount(struct perf *perf, size_t index)
{
    struct perf_op *op = &perf->ops[index];
    const double own = perf_doubt_volume_of(op, false);
    const double volume = volume_by_neighbours(perf, index);
    if (perf_is_matmul(op) || perf_is_convolution(op) || own != perf_doubt_volume_of(op, true) ||
        !(volume > 0) || volume >= own ||
        view_is(report_text(op->report, op->row, COLUMN_PROGRAM_CACHE_HIT), "False"))
        return false;
    const double factor = volume / own;
    perf_doubt_scale(&op->work.flops, factor);
    perf_doubt_scale(&op->work.dram_bytes, factor);
    perf_doubt_scale(&op->work.l1_bytes, factor);
    perf_doubt_scale(&op->compute_time, factor);
    perf_doubt_scale(&op->memory_time, factor);
    return true;
}

void perf_doubts_mark(struct perf *perf)
{
    for (size_t i = 0; i < perf->count; i++) {
        struct perf_op *op = &perf->ops[i];
        if (!is_above_peak(op))
            continue;
        op->doubt = recount(perf, i) ? PERF_DOUBT_STALE_SHAPES : PERF_DOUBT_ABOVE_PEAK;
        if (is_above_peak(op))
            op->doubt = PERF_DOUBT_ABOVE_PEAK;
        profile_note(perf->account, 0, LEDGER_REMARK, 1, "id %llu: %.*s: %s",
                     (unsigned long long)op->id, VIEW_ARGUMENTS(op->code),
                     perf_doubt_text(op->doubt));
    }
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
        "its shapes are those of another call (it was faster than they allow, and its neighbours "
        "agree on other ones): counted with its neighbours'",
        "faster than the peak allows: the shapes or memories of the report are not those of this "
        "call"};
    return texts[doubt];
}
