#include "plot.h"

#include <stdlib.h>

#include "base/memory.h"
#include "plot_flows.h"
#include "plot_levels.h"
#include "plot_rows.h"
#include "plot_tracks.h"

// While the events come.
struct reading {
    struct event_sink sink;
    struct plot *plot;
    uint32_t *lane_of; // by track
    struct picture_names names;
    uint32_t role_key; // of the value by which a span says its role; HASH_NONE: none does
    uint32_t role_text;
    enum role role; // that `role_text` says
    struct plot_flows flows;
};

// Spans --------------------------------------------------------------------------------

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

// A stream may do several things: what a span says of itself counts.
static unsigned kind_of_span(struct reading *reading, const struct event *event, struct view values,
                             unsigned *out_shade)
{
    const struct plot *plot = reading->plot;
    unsigned kind = plot->kinds.of_track[event->track];
    struct value_reader reader = value_read(values);
    struct value value;
    while (reading->role_key != HASH_NONE && value_next(&reader, &value)) {
        if (value.key != reading->role_key || value.kind != VALUE_STRING)
            continue;
        if (reading->role_text != value.number) {
            reading->role_text = (uint32_t)value.number;
            reading->role = ROLE_NONE;
            role_from_name(profile_text(plot->profile, reading->role_text), &reading->role);
        }
        kind = reading->role != ROLE_NONE ? picture_kind_of_role(reading->role) : kind;
    }
    return picture_names_kind(&reading->names, event->name, kind, out_shade);
}

static void plot_add_span(struct reading *reading, uint32_t lane_id, const struct event *event,
                          struct view values, uint64_t start, uint64_t end)
{
    struct plot *plot = reading->plot;
    struct plot_lane *lane = &plot->lanes[lane_id];
    struct plot_span span = {.start = start, .end = end, .name = event->name};
    lane->spans++;
    if (!is_inside(plot, span.start, span.end)) {
        lane->outside++;
        return;
    }
    const uint64_t from = span.start > plot->from ? span.start : plot->from;
    const uint64_t to = span.end < plot->to ? span.end : plot->to;
    span.kind = kind_of_span(reading, event, values, &span.shade);
    plot_count_busy(plot, lane, event->track, from, to, span.kind);
    span.x = plot_column_of(plot, from);
    span.width = plot_column_of(plot, to) - span.x;
    const uint32_t row = plot_place_span(plot, lane, &span, from, to);
    if (plot->options.arrows != PLOT_NO_ARROWS)
        plot_flows_see(&reading->flows, values, span.start,
                       &(struct plot_flow_end){.lane = lane_id,
                                               .row = row,
                                               .track = event->track,
                                               .x = span.x,
                                               .width = span.width});
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
    lane->instants[plot_column_at(plot, ns)]++;
}

static void plot_add_sample(const struct plot *plot, struct plot_lane *lane, uint64_t ns,
                            struct view values)
{
    double number;
    lane->sample_count++;
    if (lane->track != 0 && value_sample(values, &number))
        plot_level_add(plot, lane, ns, number);
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
            plot_add_span(reading, at, event, event_values(batch, event), start,
                          clock_to_ns(clock, event->end) - plot->start);
        else if (event->kind == EVENT_INSTANT)
            plot_add_instant(plot, lane, start);
        else
            plot_add_sample(plot, lane, start, event_values(batch, event));
    }
    return STATUS_OK;
}

static void widen(uint64_t *first, uint64_t *last, uint64_t from, uint64_t to)
{
    *first = from < *first ? from : *first;
    *last = to > *last ? to : *last;
}

// What is shown of a profile with spans or samples begins and ends with them: lanes that hold
// nothing but instants are remarks, such as when the recording ended.
static status plot_find_range(struct plot *plot)
{
    uint64_t first = UINT64_MAX, last = 0, first_shown = UINT64_MAX, last_shown = 0, from, to;
    for (uint32_t i = 1; i < plot->profile->tracks.count; i++) {
        const struct track *track = profile_track(plot->profile, i);
        if (!plot_track_range(plot->profile, i, &from, &to))
            continue;
        widen(&first, &last, from, to);
        if (track->spans + track->samples > 0)
            widen(&first_shown, &last_shown, from, to);
    }
    if (first_shown >= last_shown) {
        first_shown = first;
        last_shown = last;
    }
    plot->start = first < last ? first : last;
    const uint64_t length = last - plot->start;
    const struct plot_options *options = &plot->options;
    plot->from =
        options->from > 0 || first_shown > last_shown ? options->from : first_shown - plot->start;
    if (options->to == UINT64_MAX)
        plot->to = last_shown > plot->start ? last_shown - plot->start : 0;
    else
        plot->to = options->to < length ? options->to : length;
    if (plot->to == 0)
        plot->to = 1; // nothing has a duration
    if (plot->from >= plot->to)
        return status_make(STATUS_USAGE,
                           "nothing lies between --from and --to: the profile is %.9g s long",
                           (double)length / 1e9);
    return STATUS_OK;
}

// Whether all instants lie at the edges: when a recording began and ended.
static bool has_edges_only(const struct plot *plot, const struct plot_lane *lane)
{
    uint64_t count = lane->instant_count - lane->instants_outside;
    count -= lane->instants[0];
    count -= plot->options.columns > 1 ? lane->instants[plot->options.columns - 1] : 0;
    return count == 0;
}

static bool shows_nothing(const struct plot *plot, const struct plot_lane *lane)
{
    if (lane->kept + lane->merged + lane->folded > 0 || lane->levels != NULL)
        return false;
    return lane->instants == NULL || (plot->spans > 0 && has_edges_only(plot, lane));
}

static void mark_above(const struct profile *profile, uint32_t track, bool *needed)
{
    for (; track != 0 && !needed[track]; track = profile_track(profile, track)->parent)
        needed[track] = true;
}

// Lanes with nothing in the time that is shown, and headings that are left with none.
static void hide_lanes(struct plot *plot)
{
    bool *needed = memory_allocate_zeroed(plot->profile->tracks.count, sizeof *needed);
    bool has_memory = false;
    for (size_t i = 0; i < plot->lane_count; i++) {
        struct plot_lane *lane = &plot->lanes[i];
        lane->hidden = !lane->heading && shows_nothing(plot, lane);
        plot->hidden_lanes += lane->hidden;
        if (!lane->heading && !lane->hidden)
            mark_above(plot->profile,
                       lane->like != 0 ? picture_process_of(plot->profile, lane->like)
                                       : lane->track,
                       needed);
        has_memory |= lane->is_memory && !lane->heading && !lane->hidden;
    }
    for (size_t i = 0; i < plot->lane_count; i++) {
        struct plot_lane *lane = &plot->lanes[i];
        if (lane->heading)
            lane->hidden = lane->is_memory ? !has_memory : !needed[lane->track];
    }
    free(needed);
}

static void plot_add_up(struct plot *plot)
{
    for (size_t i = 0; i < plot->lane_count; i++) {
        struct plot_lane *lane = &plot->lanes[i];
        plot_levels_finish(plot, lane);
        plot->spans += lane->spans;
        plot->kept += lane->kept;
        plot->merged += lane->merged;
        plot->folded += lane->folded;
        plot->outside += lane->outside;
        plot->deeper += lane->deeper;
        plot->instants += lane->instant_count;
        plot->instants_outside += lane->instants_outside;
        plot->samples += lane->is_memory ? 0 : lane->sample_count;
    }
    hide_lanes(plot);
}

static status has_chosen(const struct plot *plot)
{
    if (plot->lane_count > 0 || plot->options.track_count == 0)
        return STATUS_OK;
    return status_make(STATUS_USAGE,
                       "no track with events has '%s' in its name; 'opscope info' lists them",
                       plot->options.tracks[0]);
}

static status plot_read_events(struct plot *plot, struct profile *profile)
{
    struct reading reading = {.sink = {.take = picture_plot_take_batch},
                              .plot = plot,
                              .names = {.profile = profile},
                              .role_key = strings_find(&profile->strings, VIEW_LITERAL("role"))};
    status result = plot_find_range(plot);
    if (result == STATUS_OK) {
        plot_choose_tracks(plot, &reading.lane_of);
        plot_add_memories(plot);
        result = has_chosen(plot);
    }
    if (result == STATUS_OK)
        result = profile_replay(profile, &reading.sink);
    plot_add_up(plot);
    plot_flows_finish(&reading.flows, plot);
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
    plot->options.depth = options->depth > 0 ? options->depth : PLOT_DEPTH;
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
        for (unsigned row = 0; row < lane->row_count; row++) {
            free(lane->rows[row].spans);
            free(lane->rows[row].cells);
        }
        free(lane->rows);
        free(lane->instants);
        free(lane->levels);
    }
    free(plot->lanes);
    free(plot->arrows);
    picture_kinds_free(&plot->kinds);
    free(plot);
}

double plot_cell_cover(const struct plot *plot, const struct plot_lane *lane,
                       const struct plot_row *row, uint32_t column)
{
    const double width = (double)(plot->to - plot->from) / plot->options.columns;
    const double lanes = plot_lane_is_rest(lane) ? lane->merged_lanes : 1;
    const double cover = (double)row->cells[column].covered / (width * lanes);
    return cover < 1 ? cover : 1;
}

double plot_percent(const struct plot *plot, uint64_t busy, uint64_t lanes)
{
    if (lanes == 0)
        return 0;
    return 100 * (double)busy / ((double)(plot->to - plot->from) * (double)lanes);
}
