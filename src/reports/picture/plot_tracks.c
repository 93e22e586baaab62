#include "plot_tracks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "profile/track_order.h"

struct choosing {
    struct plot *plot;
    const struct profile *profile;
    uint32_t *order; // tracks, parents before children, siblings by rank
    bool *chosen;    // by track: its name, or that of one above it, was given
    bool *needed;    // by track: it or one below it is shown
    uint32_t *lane_of;
    unsigned *indent; // by track: how many are above it
    size_t capacity;
    uint32_t shown; // lanes that are no headings
    uint32_t headings;
    bool by_engine; // lanes of cores are too many to be shown each
};

static bool plot_tracks_has_events(const struct track *track)
{
    return track->spans + track->instants + track->samples > 0;
}

bool plot_track_range(const struct profile *profile, uint32_t id, uint64_t *out_first,
                      uint64_t *out_last)
{
    const struct track *track = profile_track(profile, id);
    const struct clock_domain *clock = profile_clock(profile, track->clock);
    if (!plot_tracks_has_events(track))
        return false;
    *out_first = clock_to_ns(clock, track->first);
    *out_last = clock_to_ns(clock, track->last);
    return true;
}

// Choice ---------------------------------------------------------------------------

static bool plot_tracks_is_given(const struct choosing *choosing, const struct track *track)
{
    const struct plot_options *options = &choosing->plot->options;
    const struct view name = profile_text(choosing->profile, track->name);
    for (size_t i = 0; i < options->track_count; i++) {
        if (picture_has_word(name, view_of(options->tracks[i])))
            return true;
    }
    return options->track_count == 0;
}

static void plot_tracks_mark(struct choosing *choosing)
{
    const struct profile *profile = choosing->profile;
    uint32_t lanes = 0;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        choosing->chosen[i] =
            plot_tracks_is_given(choosing, track) || choosing->chosen[track->parent];
        choosing->indent[i] = track->parent != 0 ? choosing->indent[track->parent] + 1 : 0;
    }
    for (uint32_t i = profile->tracks.count - 1; i > 0; i--) {
        const struct track *track = profile_track(profile, i);
        lanes += plot_tracks_has_events(track) && choosing->chosen[i];
        if (plot_tracks_has_events(track) && choosing->chosen[i])
            choosing->needed[i] = true;
        else if (plot_tracks_has_events(track))
            choosing->plot->unchosen_tracks++;
        else if (choosing->chosen[i] && track->kind != TRACK_PROCESS && track->kind != TRACK_GROUP)
            choosing->plot->empty_tracks++;
        if (choosing->needed[i])
            choosing->needed[track->parent] = true;
    }
    choosing->by_engine = lanes > PLOT_LANES_MOST;
}

// Lanes ----------------------------------------------------------------------------

static struct plot_lane *plot_tracks_add_lane(struct choosing *choosing)
{
    struct plot *plot = choosing->plot;
    plot->lanes =
        memory_grow(plot->lanes, plot->lane_count, &choosing->capacity, sizeof *plot->lanes);
    struct plot_lane *lane = &plot->lanes[plot->lane_count++];
    *lane = (struct plot_lane){.kind = PICTURE_OTHER};
    return lane;
}

static enum plot_folding folding_of(const struct track *track)
{
    if (!track->nests || role_is_device(track->role))
        return PLOT_FOLDS_NOTHING;
    return track->role == ROLE_NONE ? PLOT_FOLDS_SAME : PLOT_FOLDS_ALIKE;
}

static bool is_alike(const struct profile *profile, uint32_t one, uint32_t other)
{
    const struct track *a = profile_track(profile, one), *b = profile_track(profile, other);
    return a->role == b->role && a->engine == b->engine && a->device == b->device &&
           (a->engine != 0 || a->name == b->name) &&
           picture_process_of(profile, one) == picture_process_of(profile, other);
}

// The lanes of an engine, of all cores; counters of cores are counted.
static void add_to_engine(struct choosing *choosing, uint32_t id)
{
    struct plot *plot = choosing->plot;
    if (profile_track(choosing->profile, id)->kind == TRACK_COUNTER) {
        plot->unshown_counters++;
        return;
    }
    size_t at = 0;
    while (at < plot->lane_count &&
           (plot->lanes[at].like == 0 || !is_alike(choosing->profile, plot->lanes[at].like, id)))
        at++;
    if (at == plot->lane_count) {
        struct plot_lane *lane = plot_tracks_add_lane(choosing);
        lane->like = id;
        lane->indent = 1;
        choosing->shown++;
    }
    plot->lanes[at].merged_lanes++;
    plot->provenances[profile_track(choosing->profile, id)->provenance] = true;
    choosing->lane_of[id] = (uint32_t)at;
}

static void plot_tracks_add_track(struct choosing *choosing, uint32_t id)
{
    const struct track *track = profile_track(choosing->profile, id);
    const bool heading = !plot_tracks_has_events(track) || !choosing->chosen[id];
    if (heading && (choosing->shown >= PLOT_LANES_MOST || choosing->headings == PLOT_LANES_MOST))
        return;
    if (!heading && choosing->by_engine && track->core != 0) {
        add_to_engine(choosing, id);
        return;
    }
    if (choosing->shown >= PLOT_LANES_MOST) {
        struct plot *plot = choosing->plot;
        struct plot_lane *last = &plot->lanes[plot->lane_count - 1];
        if (last->track != 0 || last->like != 0)
            last = plot_tracks_add_lane(choosing);
        last->merged_lanes++;
        choosing->lane_of[id] = (uint32_t)(plot->lane_count - 1);
        return;
    }
    struct plot_lane *lane = plot_tracks_add_lane(choosing);
    lane->track = id;
    lane->indent = choosing->indent[id];
    lane->heading = heading;
    lane->kind = choosing->plot->kinds.of_track[id];
    lane->folding = folding_of(track);
    if (heading) {
        choosing->headings++;
        return;
    }
    choosing->shown++;
    choosing->lane_of[id] = (uint32_t)(choosing->plot->lane_count - 1);
    choosing->plot->provenances[track->provenance] = true;
}

void plot_choose_tracks(struct plot *plot, uint32_t **out_lane_of)
{
    const struct profile *profile = plot->profile;
    const uint32_t count = profile->tracks.count;
    struct choosing choosing = {.plot = plot, .profile = profile};
    choosing.order = memory_allocate_zeroed(count, sizeof *choosing.order);
    choosing.chosen = memory_allocate_zeroed(count, sizeof *choosing.chosen);
    choosing.needed = memory_allocate_zeroed(count, sizeof *choosing.needed);
    choosing.indent = memory_allocate_zeroed(count, sizeof *choosing.indent);
    choosing.lane_of = memory_allocate(count * sizeof *choosing.lane_of);
    memset(choosing.lane_of, 0xff, count * sizeof *choosing.lane_of);
    track_order(profile, choosing.order);
    plot_tracks_mark(&choosing);
    for (uint32_t i = 1; i < count; i++) {
        if (choosing.needed[choosing.order[i]])
            plot_tracks_add_track(&choosing, choosing.order[i]);
    }
    free(choosing.order);
    free(choosing.chosen);
    free(choosing.needed);
    free(choosing.indent);
    *out_lane_of = choosing.lane_of;
}
