#include "steps.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "roles.h"

static int compare_steps(const void *left, const void *right)
{
    const struct overview_step_row *a = left;
    const struct overview_step_row *b = right;
    const int process = sort_compare(a->process, b->process);
    return process != 0 ? process : sort_compare(a->step, b->step);
}

// A device's step begins where the rest before its work does.
static void add_step_gaps(const struct launch_gaps *gaps, uint64_t start,
                          struct overview_step_row *row)
{
    struct launch_gap gap;
    if (!launch_gaps_of_step(gaps, row->process, row->step, &gap))
        return;
    if (gap.leads_to == start) {
        row->figures[OVERVIEW_STEP_OVERALL].ns += gap.lead;
        row->figures[OVERVIEW_STEP_IDLE].ns += gap.lead;
    }
    // What ends with work of no step, or of no launch.
    const uint64_t idle = row->figures[OVERVIEW_STEP_IDLE].ns;
    const uint64_t known = gap.before + gap.after;
    const uint64_t unknown = idle > known ? idle - known : 0;
    const bool some = known > 0 || unknown == 0;
    row->figures[OVERVIEW_STEP_NOT_LAUNCHED] = (struct overview_value){some, gap.before};
    row->figures[OVERVIEW_STEP_LAUNCHED] = (struct overview_value){some, gap.after};
    row->figures[OVERVIEW_STEP_LAUNCH_UNKNOWN] =
        (struct overview_value){some && unknown > 0, unknown};
}

static status compute_step(struct overview_collector *collector, size_t index,
                           const struct launch_gaps *gaps, struct overview_step_row *row)
{
    struct overview overview;
    STATUS_TRY(overview_compute(collector, index, OVERVIEW_ROLE_PARTS, OVERVIEW_ROLE_PART_COUNT,
                                &overview));
    *row = (struct overview_step_row){.process = overview_scope(collector, index),
                                      .step = overview_step(collector, index)};
    for (int i = 0; i <= OVERVIEW_STEP_IDLE; i++)
        row->figures[i] = overview_evaluate(&overview, &OVERVIEW_STEP_RULES[i]);
    add_step_gaps(gaps, overview.overall.start, row);
    overview_free(&overview);
    return STATUS_OK;
}

static status compute_steps(struct overview_collector *collector, const struct launch_gaps *gaps,
                            struct overview_steps *steps)
{
    const size_t count = overview_count(collector);
    steps->rows = memory_allocate_zeroed(count + 1, sizeof *steps->rows);
    for (size_t i = 0; i < count; i++) {
        if (overview_lane_count(collector, i) > 0)
            STATUS_TRY(compute_step(collector, i, gaps, &steps->rows[steps->count++]));
    }
    sort_items(steps->rows, steps->count, sizeof *steps->rows, compare_steps);
    return STATUS_OK;
}

status overview_steps_measure(struct profile *profile, struct overview_steps *out_steps)
{
    struct launch_gaps gaps;
    *out_steps = (struct overview_steps){.profile = profile};
    STATUS_TRY(launch_gaps_measure(profile, &gaps));
    struct overview_collector *collector = overview_collector_create(profile, false);
    overview_collector_tell_steps(collector);
    status result = profile_replay(profile, overview_collector_sink(collector));
    if (result == STATUS_OK)
        result = compute_steps(collector, &gaps, out_steps);
    overview_collector_free(collector);
    launch_gaps_free(&gaps);
    if (result != STATUS_OK)
        overview_steps_free(out_steps);
    return result;
}

void overview_steps_free(struct overview_steps *steps)
{
    free(steps->rows);
    *steps = (struct overview_steps){0};
}

// Cells ----------------------------------------------------------------------------------------

static const struct overview_step_row *step_row(const struct table_query *query)
{
    return &((const struct overview_steps *)query->report)->rows[query->row];
}

static struct table_cell step_process_cell(const struct table_query *query)
{
    const struct profile *profile = ((const struct overview_steps *)query->report)->profile;
    return table_text(
        profile_text(profile, profile_track(profile, step_row(query)->process)->name));
}

static struct table_cell step_cell(const struct table_query *query)
{
    return table_whole(step_row(query)->step);
}

static struct table_cell step_figure_cell(const struct table_query *query)
{
    const struct overview_value *value = &step_row(query)->figures[query->column->argument];
    return table_whole_if(value->present, value->ns);
}

#define FIGURE(name, words, which, at, lost)                                                       \
    .key = name "_ns", .title = name, .type = TABLE_NS, .look = TABLE_SCALED, .width = 8,          \
    .flags = TABLE_HIDE_EMPTY | TABLE_EMPTY_ABSENT, .place = (at), .loss = (lost),                 \
    .argument = (which), .cell = step_figure_cell, .meaning = (words)

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "process", .meaning = "whose lanes they are: a process of the host, or a device",
     .place = 14, .cell = step_process_cell},
    {.key = "step", .meaning = "or iteration, as the profile numbers them", .type = TABLE_COUNT,
     .width = 5, .place = 1, .cell = step_cell},
    {FIGURE("overall", "its own span, or first start to last end; a device rests first", OVERVIEW_STEP_OVERALL, 2, 0)},
    {FIGURE("compute", "something computes", OVERVIEW_STEP_COMPUTE, 3, 0)},
    {FIGURE("in", "data comes in", OVERVIEW_STEP_IN, 4, 4)},
    {FIGURE("out", "data goes out", OVERVIEW_STEP_OUT, 5, 4)},
    {FIGURE("within", "data is moved within the device", OVERVIEW_STEP_WITHIN, 6, 6)},
    {FIGURE("communication", "data goes between cores or devices", OVERVIEW_STEP_COMMUNICATION, 7, 3)},
    {FIGURE("overlap", "something computes while data is moved", OVERVIEW_STEP_OVERLAP, 8, 5)},
    {FIGURE("host", "the host works", OVERVIEW_STEP_HOST, 9, 1)},
    {FIGURE("idle", "nothing does; what follows are parts of it", OVERVIEW_STEP_IDLE, 10, 0)},
    {FIGURE("not_launched", "the device rests, and its next work was not launched yet",
            OVERVIEW_STEP_NOT_LAUNCHED, 11, 2)},
    {FIGURE("launched", "the same, and it was", OVERVIEW_STEP_LAUNCHED, 12, 2)},
    {FIGURE("launch_unknown", "the same, and nobody knows", OVERVIEW_STEP_LAUNCH_UNKNOWN, 13, 2)},
};
// clang-format on

const struct table_form OVERVIEW_STEPS_FORM = {
    .name = "steps",
    .about = "a row for each step of each process (--steps)",
    .indent = 2,
    TABLE_COLUMNS(COLUMNS),
};
