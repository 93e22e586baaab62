#include "plot.h"

#include <stdlib.h>

#include "base/memory.h"
#include "plot_tracks.h"

// While the events come.
struct reading {
    struct event_sink sink;
    struct plot *plot;
    uint32_t *lane_of; // by track
    struct picture_names names;
};

// Where a time lies --------------------------------------------------------------------

static double plot_column_of(const struct plot *plot, uint64_t ns)
{
    return (double)(ns - plot->from) / (double)(plot->to - plot->from) * plot->options.columns;
}

// floor(a * b / c), where the quotient fits. Two words are divided only where it must be.
static uint64_t plot_scale(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t product;
    if (!__builtin_mul_overflow(a, b, &product))
        return product / c;
    return (uint64_t)((unsigned __int128)a * b / c);
}

static uint32_t column_at(const struct plot *plot, uint64_t ns)
{
    const uint32_t columns = plot->options.columns;
    const uint64_t column = plot_scale(ns - plot->from, columns, plot->to - plot->from);
    return column < columns ? (uint32_t)column : columns - 1;
}

// The first nanosecond of a column, which column_at gives back.
static uint64_t column_start(const struct plot *plot, uint32_t column)
{
    const uint64_t below = plot_scale(plot->to - plot->from, column, plot->options.columns);
    const uint64_t ns = plot->from + below;
    return plot_scale(below, plot->options.columns, plot->to - plot->from) < column ? ns + 1 : ns;
}

// Spans --------------------------------------------------------------------------------

static void merge_into(const struct plot *plot, struct plot_row *row, uint32_t column,
                       uint64_t covered, unsigned kind)
{
    if (row->cells == NULL)
        row->cells = memory_allocate_zeroed(plot->options.columns, sizeof *row->cells);
    struct plot_cell *cell = &row->cells[column];
    cell->covered += covered;
    const uint64_t votes = covered + 1;
    if (cell->votes == 0 || cell->kind == kind) {
        cell->kind = kind;
        cell->votes += votes;
    } else if (cell->votes >= votes) {
        cell->votes -= votes;
    } else {
        cell->kind = kind;
        cell->votes = votes - cell->votes;
    }
}

// Each column gets its part.
static void merge_span(const struct plot *plot, struct plot_row *row, uint64_t start, uint64_t end,
                       unsigned kind)
{
    const uint32_t first = column_at(plot, start);
    const uint32_t last = column_at(plot, end > start ? end - 1 : start);
    for (uint32_t column = first; column <= last; column++) {
        const uint64_t from = column > first ? column_start(plot, column) : start;
        const uint64_t to = column < last ? column_start(plot, column + 1) : end;
        merge_into(plot, row, column, to > from ? to - from : 0, kind);
    }
    row->cells[first].count++;
}

static void plot_keep_span(struct plot_row *row, const struct plot_span *span)
{
    row->spans = memory_grow(row->spans, row->count, &row->capacity, sizeof *row->spans);
    row->spans[row->count++] = *span;
}

// The first row whose last span is over; the last row takes what is left.
static struct plot_row *choose_row(struct plot_lane *lane, uint64_t start, bool *out_crowded)
{
    unsigned at = 0;
    while (at < lane->row_count && lane->rows[at].end > start)
        at++;
    *out_crowded = at == PLOT_ROWS_MOST;
    if (*out_crowded)
        return &lane->rows[PLOT_ROWS_MOST - 1];
    lane->row_count = at == lane->row_count ? at + 1 : lane->row_count;
    return &lane->rows[at];
}

// What of the span no earlier one of its track covers: events come in order of their start.
static void plot_count_busy(struct plot *plot, struct plot_lane *lane, uint32_t track,
                            uint64_t start, uint64_t end, unsigned kind)
{
    if (lane->last_track != track) {
        lane->last_track = track;
        lane->until = 0;
        memset(lane->has_kind, 0, sizeof lane->has_kind);
    }
    struct plot_total *total = &plot->totals[kind];
    total->lanes += !lane->has_kind[kind];
    lane->has_kind[kind] = true;
    total->spans++;
    if (end <= lane->until)
        return;
    const uint64_t from = start > lane->until ? start : lane->until;
    lane->busy += end - from;
    total->busy += end - from;
    lane->until = end;
}

static bool is_inside(const struct plot *plot, uint64_t start, uint64_t end)
{
    return start == end ? start >= plot->from && start <= plot->to
                        : start < plot->to && end > plot->from;
}

static void plot_add_span(struct reading *reading, struct plot_lane *lane,
                          const struct event *event, uint64_t start, uint64_t end)
{
    struct plot *plot = reading->plot;
    struct plot_span span = {.start = start, .end = end, .name = event->name};
    lane->spans++;
    if (!is_inside(plot, start, end)) {
        lane->outside++;
        return;
    }
    const uint64_t from = start > plot->from ? start : plot->from;
    const uint64_t to = end < plot->to ? end : plot->to;
    span.kind = picture_names_kind(&reading->names, event->name, plot->kinds.of_track[event->track],
                                   &span.shade);
    plot_count_busy(plot, lane, event->track, from, to, span.kind);
    bool crowded = true;
    struct plot_row *row = &lane->rows[0];
    if (lane->track != 0) {
        row = choose_row(lane, start, &crowded);
        lane->deeper += crowded;
    }
    lane->row_count = lane->row_count > 0 ? lane->row_count : 1;
    row->end = end > row->end ? end : row->end;
    span.x = plot_column_of(plot, from);
    span.width = plot_column_of(plot, to) - span.x;
    if (!crowded && span.width >= plot->options.wide) {
        lane->kept++;
        plot_keep_span(row, &span);
    } else {
        lane->merged++;
        merge_span(plot, row, from, to, span.kind);
    }
}

// Instants and samples ------------------------------------------------------------------

static void plot_add_instant(const struct plot *plot, struct plot_lane *lane, uint64_t ns)
{
    lane->instant_count++;
    if (ns < plot->from || ns > plot->to) {
        lane->instants_outside++;
        return;
    }
    if (lane->instants == NULL)
        lane->instants = memory_allocate_zeroed(plot->options.columns, sizeof *lane->instants);
    lane->instants[column_at(plot, ns)]++;
}

// A counter keeps its value until the next sample, which is never an earlier one.
static void carry_level(struct plot_lane *lane, uint32_t column)
{
    for (; lane->level_column < column; lane->level_column++)
        lane->levels[lane->level_column + 1] = (struct plot_level){lane->last, true};
}

static void plot_add_sample(const struct plot *plot, struct plot_lane *lane, uint64_t ns,
                            struct view values)
{
    double number;
    lane->sample_count++;
    if (ns > plot->to || lane->track == 0 || !value_sample(values, &number) ||
        number - number != 0) // infinite, or no number
        return;
    if (lane->levels == NULL) {
        lane->levels = memory_allocate_zeroed(plot->options.columns, sizeof *lane->levels);
        lane->level_column = column_at(plot, ns > plot->from ? ns : plot->from);
    }
    if (ns < plot->from)
        lane->levels[0].known = false; // only the last one before what is shown counts
    else
        carry_level(lane, column_at(plot, ns));
    struct plot_level *level = &lane->levels[lane->level_column];
    level->most = level->known && level->most > number ? level->most : number;
    level->known = true;
    lane->last = number;
}

static void finish_levels(const struct plot *plot, struct plot_lane *lane)
{
    if (lane->levels == NULL)
        return;
    carry_level(lane, plot->options.columns - 1);
    for (uint32_t i = 0; i < plot->options.columns; i++) {
        const double number = lane->levels[i].known ? lane->levels[i].most : 0;
        lane->most = number > lane->most ? number : lane->most;
        lane->least = number < lane->least ? number : lane->least;
    }
}

// Reading --------------------------------------------------------------------------------

static status picture_plot_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct reading *reading = (struct reading *)(void *)sink;
    struct plot *plot = reading->plot;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const uint32_t at = reading->lane_of[event->track];
        if (at == PLOT_NO_LANE)
            continue;
        const struct clock_domain *clock =
            profile_clock(plot->profile, profile_track(plot->profile, event->track)->clock);
        const uint64_t start = clock_to_ns(clock, event->start) - plot->start;
        struct plot_lane *lane = &plot->lanes[at];
        if (event->kind == EVENT_SPAN)
            plot_add_span(reading, lane, event, start,
                          clock_to_ns(clock, event->end) - plot->start);
        else if (event->kind == EVENT_INSTANT)
            plot_add_instant(plot, lane, start);
        else
            plot_add_sample(plot, lane, start, event_values(batch, event));
    }
    return STATUS_OK;
}

static status plot_find_range(struct plot *plot)
{
    uint64_t first = UINT64_MAX, last = 0, from, to;
    for (uint32_t i = 1; i < plot->profile->tracks.count; i++) {
        if (!plot_track_range(plot->profile, i, &from, &to))
            continue;
        first = from < first ? from : first;
        last = to > last ? to : last;
    }
    plot->start = first < last ? first : last;
    const uint64_t length = last - plot->start;
    plot->from = plot->options.from;
    plot->to = plot->options.to < length ? plot->options.to : length;
    if (plot->to == 0)
        plot->to = 1; // nothing has a duration
    if (plot->from >= plot->to)
        return status_make(STATUS_USAGE,
                           "nothing lies between --from and --to: the profile is %.9g s long",
                           (double)length / 1e9);
    return STATUS_OK;
}

static void plot_add_up(struct plot *plot)
{
    for (size_t i = 0; i < plot->lane_count; i++) {
        struct plot_lane *lane = &plot->lanes[i];
        finish_levels(plot, lane);
        plot->spans += lane->spans;
        plot->kept += lane->kept;
        plot->merged += lane->merged;
        plot->outside += lane->outside;
        plot->deeper += lane->track != 0 ? lane->deeper : 0;
        plot->instants += lane->instant_count;
        plot->instants_outside += lane->instants_outside;
        plot->samples += lane->sample_count;
    }
}

static status plot_read_events(struct plot *plot, struct profile *profile)
{
    struct reading reading = {
        .sink = {.take = picture_plot_take_batch}, .plot = plot, .names = {.profile = profile}};
    status result = plot_find_range(plot);
    if (result == STATUS_OK)
        result = plot_choose_tracks(plot, &reading.lane_of);
    if (result == STATUS_OK)
        result = profile_replay(profile, &reading.sink);
    plot_add_up(plot);
    free(reading.lane_of);
    free(reading.names.known);
    return result;
}

status plot_create(struct profile *profile, const struct plot_options *options,
                   struct plot **out_plot)
{
    struct plot *plot = memory_allocate_zeroed(1, sizeof *plot);
    plot->profile = profile;
    plot->options = *options;
    plot->kinds = picture_kinds_find(profile);
    const status result = plot_read_events(plot, profile);
    if (result != STATUS_OK) {
        plot_free(plot);
        return result;
    }
    *out_plot = plot;
    return STATUS_OK;
}

void plot_free(struct plot *plot)
{
    for (size_t i = 0; i < plot->lane_count; i++) {
        struct plot_lane *lane = &plot->lanes[i];
        for (unsigned row = 0; row < PLOT_ROWS_MOST; row++) {
            free(lane->rows[row].spans);
            free(lane->rows[row].cells);
        }
        free(lane->instants);
        free(lane->levels);
    }
    free(plot->lanes);
    picture_kinds_free(&plot->kinds);
    free(plot);
}

double plot_cell_cover(const struct plot *plot, const struct plot_lane *lane,
                       const struct plot_row *row, uint32_t column)
{
    const double width = (double)(plot->to - plot->from) / plot->options.columns;
    const double lanes = lane->track == 0 ? lane->merged_lanes : 1;
    const double cover = (double)row->cells[column].covered / (width * lanes);
    return cover < 1 ? cover : 1;
}

double plot_percent(const struct plot *plot, uint64_t busy, uint64_t lanes)
{
    if (lanes == 0)
        return 0;
    return 100 * (double)busy / ((double)(plot->to - plot->from) * (double)lanes);
}
