#include "roofline.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/sort.h"
#include "operator_work.h"

struct roofline_meter {
    struct profile *profile;
    uint32_t engine_key;
    const struct roofline_peaks *peaks;
    struct operator_work *works; // by operator
    bool explicit;               // a program ran, and its transfers say what they move
};

const char *roofline_bound_name(enum roofline_bound bound)
{
    static const char *const NAMES[] = {"unknown", "compute", "memory"};
    return NAMES[bound];
}

// Peaks ---------------------------------------------------------------------------

static struct view engine_of(const struct roofline_meter *meter, uint32_t id)
{
    struct value_reader reader = value_read(profile_operator(meter->profile, id)->values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != meter->engine_key || value.key == 0)
            continue;
        if (value.kind == VALUE_TEXT)
            return value.text;
        if (value.kind == VALUE_STRING)
            return profile_text(meter->profile, (uint32_t)value.number);
    }
    return VIEW_LITERAL("");
}

static double peak_of(const struct roofline_meter *meter, uint32_t id,
                      const struct operator_work *work)
{
    const struct view engine = engine_of(meter, id);
    double best = 0;
    for (size_t i = 0; i < meter->peaks->compute_count; i++) {
        const struct roofline_peak *peak = &meter->peaks->compute[i];
        if (peak->engine != NULL && !view_is(engine, peak->engine))
            continue;
        if (peak->bits != 0 && work->bits != 0 &&
            (peak->bits != work->bits || peak->is_float != work->is_float))
            continue;
        best = peak->macs > best ? peak->macs : best;
    }
    return best;
}

// Rows ----------------------------------------------------------------------------

static void set_bound(const struct roofline_meter *meter, struct roofline_row *row)
{
    const double computing = row->peak > 0 ? row->macs / row->peak * 1e9 : 0;
    const double moving = meter->peaks->bytes > 0 ? row->bytes / meter->peaks->bytes * 1e9 : 0;
    row->least = computing > moving ? computing : moving;
    if (row->least > 0)
        row->bound = computing >= moving ? ROOFLINE_COMPUTE : ROOFLINE_MEMORY;
}

static bool make_row(const struct roofline_meter *meter, const struct work_part *part, double time,
                     struct roofline_row *out_row)
{
    const struct operator_work work = meter->works[part->operator_id];
    if (!work.known)
        return false;
    const double calls = (double)part->calls;
    const bool moved = part->moved > 0 || (meter->explicit && part->kernel.size > 0);
    *out_row =
        (struct roofline_row){.operator_id = part->operator_id,
                              .calls = part->calls,
                              .time = time,
                              .macs = work.macs * calls,
                              .flops = work.flops * calls,
                              .bytes = moved ? part->moved : (work.read + work.written) * calls,
                              .moved = moved};
    out_row->peak = work.macs > 0 ? peak_of(meter, part->operator_id, &work) : 0;
    set_bound(meter, out_row);
    return true;
}

static bool row_before(const void *left, const void *right)
{
    const struct roofline_row *a = left, *b = right;
    const double lost_a = a->time - a->least, lost_b = b->time - b->least;
    return lost_a != lost_b ? lost_a > lost_b : a->operator_id < b->operator_id;
}

static bool says_what_moves(const struct profile *profile, const struct work_run *run)
{
    bool moves = false;
    for (size_t i = 0; i < run->part_count; i++)
        moves = moves || run->parts[i].moved > 0;
    return moves && profile_fact(profile, "target").size > 0;
}

static void make_rows(const struct roofline_meter *meter, const struct work_run *run,
                      struct roofline *roofline)
{
    double *times = memory_allocate_zeroed(run->part_count + 1, sizeof *times);
    for (size_t i = 0; i < run->sample_count; i++)
        times[run->samples[i].part] += run->samples[i].ns;
    roofline->rows = memory_allocate_zeroed(run->part_count + 1, sizeof *roofline->rows);
    for (size_t i = 0; i < run->part_count; i++) {
        if (run->parts[i].operator_id == 0 || times[i] <= 0)
            continue;
        struct roofline_row *row = &roofline->rows[roofline->count];
        if (!make_row(meter, &run->parts[i], times[i], row)) {
            roofline->without++;
            continue;
        }
        roofline->count++;
        roofline->time += row->least > 0 ? row->time : 0;
        roofline->least += row->least;
    }
    free(times);
    sort_in_place(roofline->rows, roofline->count, sizeof *roofline->rows, row_before);
}

status roofline_measure(struct profile *profile, const struct roofline_peaks *peaks,
                        struct roofline *out_roofline)
{
    struct work_run run;
    *out_roofline = (struct roofline){0};
    STATUS_TRY(work_measure(profile, WORK_AUTO, false, &run));
    struct roofline_meter meter = {.profile = profile,
                                   .peaks = peaks,
                                   .engine_key =
                                       strings_find(&profile->strings, VIEW_LITERAL("engine")),
                                   .works = operator_works_read(profile),
                                   .explicit = says_what_moves(profile, &run)};
    make_rows(&meter, &run, out_roofline);
    free(meter.works);
    work_free(&run);
    return STATUS_OK;
}

void roofline_free(struct roofline *roofline)
{
    free(roofline->rows);
    *roofline = (struct roofline){0};
}
