#include "overview.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "step_extents.h"
#include "sweep.h"

_Static_assert((int)OVERVIEW_PARTS_MOST == (int)SWEEP_PARTS_MOST, "as many as a sweep takes");

struct scope {
    uint32_t track;
    uint64_t step; // where they are told apart
    struct overview_lane *lanes;
    struct hash_index index; // of the lanes
    struct busy *busy;       // of the lanes
    size_t count;
    size_t lane_capacity;
    size_t busy_capacity;
    struct interval other; // of spans on no lane
    bool has_other;
    struct interval frames; // of spans that are no work, but say how long it lasted
    bool has_frames;
    bool seen; // some track of it
    enum provenance provenance;
};

struct known_track {
    bool known;
    size_t scope;
    size_t lanes[ROLE_COUNT]; // + 1, by what its spans do; 0: not looked for, SIZE_MAX: none
    struct clock_domain clock;
    // A span of no operator, until it is known whether others lie in it: then it is a frame.
    struct interval held;
    size_t held_scope, held_lane;
    bool holds;
    struct interval step; // the latest span that is a step itself
    uint64_t step_number;
};

struct overview_collector {
    struct event_sink sink;
    const struct profile *profile;
    bool unknown;
    bool by_step;
    struct scope *scopes;
    struct hash_index index; // by track
    size_t scope_count;
    size_t scope_capacity;
    struct known_track *tracks;
    size_t track_count;
    size_t held_count;  // tracks that hold a span
    uint32_t role_key;  // of the value by which a span says its role; HASH_NONE: none does
    uint32_t waits_key; // the same, that it only waits
    bool has_operators;
};

// Collecting ------------------------------------------------------------------

static size_t find_scope(struct overview_collector *collector, uint32_t track, uint64_t step)
{
    const uint32_t hash = hash_u64((uint64_t)track << 32 ^ step);
    uint32_t id;
    for (uint32_t at = hash_first(&collector->index, hash);
         (id = hash_next(&collector->index, hash, &at)) != HASH_NONE;) {
        if (collector->scopes[id].track == track && collector->scopes[id].step == step)
            return id;
    }
    hash_add(&collector->index, hash, (uint32_t)collector->scope_count);
    collector->scopes = memory_grow(collector->scopes, collector->scope_count,
                                    &collector->scope_capacity, sizeof *collector->scopes);
    collector->scopes[collector->scope_count] = (struct scope){.track = track, .step = step};
    return collector->scope_count++;
}

static bool same_engine(const struct overview_lane *a, const struct overview_lane *b)
{
    return a->role == b->role && a->engine == b->engine && a->device == b->device &&
           a->core == b->core;
}

static uint32_t analysis_overview_hash_of(const struct overview_lane *lane, uint32_t index)
{
    const uint32_t words[] = {lane->role, lane->engine, lane->device, lane->core, index};
    return hash_bytes(words, sizeof words);
}

static size_t analysis_overview_find_lane(const struct overview_collector *collector,
                                          struct scope *scope, const struct track *track,
                                          enum role role)
{
    if (role == ROLE_NONE && !collector->unknown)
        return SIZE_MAX;
    struct overview_lane lane = {0};
    if (role != ROLE_NONE || track->engine != 0)
        lane = (struct overview_lane){.role = role,
                                      .engine = track->engine,
                                      .device = track->device,
                                      .core = track->core,
                                      .index = track->index};
    const uint32_t hash = analysis_overview_hash_of(&lane, lane.index);
    uint32_t id;
    for (uint32_t at = hash_first(&scope->index, hash);
         (id = hash_next(&scope->index, hash, &at)) != HASH_NONE;) {
        if (same_engine(&scope->lanes[id], &lane) && scope->lanes[id].index == lane.index)
            return id;
    }
    hash_add(&scope->index, hash, (uint32_t)scope->count);
    scope->lanes =
        memory_grow(scope->lanes, scope->count, &scope->lane_capacity, sizeof *scope->lanes);
    scope->busy =
        memory_grow(scope->busy, scope->count, &scope->busy_capacity, sizeof *scope->busy);
    scope->lanes[scope->count] = lane;
    scope->busy[scope->count] = busy_empty();
    return scope->count++;
}

static void add_provenance(struct scope *scope, enum provenance provenance)
{
    const bool mixed = scope->seen && scope->provenance != provenance;
    scope->provenance = mixed ? PROVENANCE_DERIVED : provenance;
    scope->seen = true;
}

static struct known_track *find_track(struct overview_collector *collector, uint32_t id)
{
    collector->tracks =
        memory_extend(collector->tracks, &collector->track_count, id, sizeof *collector->tracks);
    struct known_track *found = &collector->tracks[id];
    if (!found->known) {
        const struct track *track = profile_track(collector->profile, id);
        found->known = true;
        found->clock = *profile_clock(collector->profile, track->clock);
        found->scope = find_scope(collector, profile_process_of(collector->profile, id), 0);
        add_provenance(&collector->scopes[found->scope], track->provenance);
    }
    return found;
}

static void analysis_overview_widen(struct interval *range, bool *has, struct interval span)
{
    if (!*has || span.start < range->start)
        range->start = span.start;
    if (!*has || span.end > range->end)
        range->end = span.end;
    *has = true;
}

// A stream may do several things: what a span says of itself counts.
static enum role role_of_span(const struct overview_collector *collector, enum role role,
                              struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    enum role said = ROLE_NONE;
    while (value_next(&reader, &value)) {
        if (value.key == collector->waits_key && value.kind == VALUE_BOOL && value.number != 0)
            said = ROLE_WAIT;
        else if (value.key == collector->role_key && value.kind == VALUE_STRING)
            role_from_name(profile_text(collector->profile, (uint32_t)value.number), &said);
    }
    return said == ROLE_NONE ? role : said;
}

static size_t lane_of_span(struct overview_collector *collector, struct known_track *known,
                           const struct track *track, struct view values)
{
    const bool may_say = collector->role_key != HASH_NONE || collector->waits_key != HASH_NONE;
    const enum role role = may_say ? role_of_span(collector, track->role, values) : track->role;
    size_t *lane = &known->lanes[role];
    if (*lane == 0) {
        const size_t found =
            analysis_overview_find_lane(collector, &collector->scopes[known->scope], track, role);
        *lane = found == SIZE_MAX ? found : found + 1;
    }
    return *lane == SIZE_MAX ? SIZE_MAX : *lane - 1;
}

// A step has lanes of its own: what is known of a track is of the step that came last.
static void enter_step(struct overview_collector *collector, struct known_track *track,
                       uint64_t step)
{
    const struct scope *scope = &collector->scopes[track->scope];
    if (scope->step == step)
        return;
    const uint32_t process = scope->track;
    const enum provenance provenance = scope->provenance;
    track->scope = find_scope(collector, process, step);
    add_provenance(&collector->scopes[track->scope], provenance);
    memset(track->lanes, 0, sizeof track->lanes);
}

static void add_frame(struct scope *scope, struct interval span)
{
    analysis_overview_widen(&scope->frames, &scope->has_frames, span);
}

static status settle_held(struct overview_collector *collector, struct known_track *track,
                          bool is_frame)
{
    struct scope *scope = &collector->scopes[track->held_scope];
    if (!track->holds)
        return STATUS_OK;
    track->holds = false;
    collector->held_count--;
    if (!is_frame)
        return busy_add(&scope->busy[track->held_lane], track->held);
    add_frame(scope, track->held);
    return STATUS_OK;
}

static bool lies_in(struct interval inner, struct interval outer)
{
    return outer.start <= inner.start && inner.start < outer.end && inner.end <= outer.end;
}

// Steps, and what holds spans together where others say their operators, are no work themselves.
static status add_busy(struct overview_collector *collector, struct known_track *track,
                       const struct event *event, bool nests, size_t lane, struct interval span)
{
    if (!collector->has_operators || !nests)
        return busy_add(&collector->scopes[track->scope].busy[lane], span);
    STATUS_TRY(settle_held(collector, track, lies_in(span, track->held)));
    if (profile_call(collector->profile, event->call)->operator_id != 0)
        return busy_add(&collector->scopes[track->scope].busy[lane], span);
    if (step_extents_is_step(collector->profile, event->call)) {
        add_frame(&collector->scopes[track->scope], span);
        return STATUS_OK;
    }
    track->held = span;
    track->held_scope = track->scope;
    track->held_lane = lane;
    track->holds = true;
    collector->held_count++;
    return STATUS_OK;
}

// That of its call, or the one whose span it lies in on its thread; false: none.
static bool step_of(const struct overview_collector *collector, struct known_track *track,
                    const struct event *event, struct interval span, uint64_t *out_step)
{
    const bool nests = profile_track(collector->profile, event->track)->nests;
    const bool inside = nests && lies_in(span, track->step);
    *out_step = profile_call(collector->profile, event->call)->iteration;
    if (step_extents_is_step(collector->profile, event->call)) {
        track->step = span;
        track->step_number = *out_step;
    } else if (event->call == 0) {
        *out_step = track->step_number;
    }
    return event->call != 0 || inside;
}

static status analysis_overview_add_span(struct overview_collector *collector,
                                         const struct event *event, struct view values)
{
    struct known_track *track = find_track(collector, event->track);
    const struct interval span = {clock_to_ns(&track->clock, event->start),
                                  clock_to_ns(&track->clock, event->end)};
    uint64_t step;
    if (collector->by_step && !step_of(collector, track, event, span, &step))
        return STATUS_OK;
    if (collector->by_step)
        enter_step(collector, track, step);
    const struct track *of = profile_track(collector->profile, event->track);
    const size_t lane = lane_of_span(collector, track, of, values);
    struct scope *scope = &collector->scopes[track->scope];
    if (lane != SIZE_MAX)
        return add_busy(collector, track, event, of->nests, lane, span);
    analysis_overview_widen(&scope->other, &scope->has_other, span);
    return STATUS_OK;
}

static status analysis_overview_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct overview_collector *collector = (struct overview_collector *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->events[i].kind == EVENT_SPAN)
            STATUS_TRY(analysis_overview_add_span(collector, &batch->events[i],
                                                  event_values(batch, &batch->events[i])));
    }
    return STATUS_OK;
}

void overview_collector_tell_steps(struct overview_collector *collector)
{
    collector->by_step = true;
}

struct overview_collector *overview_collector_create(const struct profile *profile, bool unknown)
{
    struct overview_collector *collector = memory_allocate_zeroed(1, sizeof *collector);
    collector->sink.take = analysis_overview_take_batch;
    collector->profile = profile;
    collector->unknown = unknown;
    collector->role_key = strings_find(&profile->strings, VIEW_LITERAL("role"));
    collector->waits_key = strings_find(&profile->strings, VIEW_LITERAL("waits"));
    collector->has_operators = profile->operators.count > 1;
    return collector;
}

struct event_sink *overview_collector_sink(struct overview_collector *collector)
{
    return &collector->sink;
}

size_t overview_count(const struct overview_collector *collector)
{
    return collector->scope_count;
}

uint32_t overview_scope(const struct overview_collector *collector, size_t index)
{
    return collector->scopes[index].track;
}

uint64_t overview_step(const struct overview_collector *collector, size_t index)
{
    return collector->scopes[index].step;
}

size_t overview_lane_count(const struct overview_collector *collector, size_t index)
{
    return collector->scopes[index].count;
}

const struct overview_lane *overview_lane(const struct overview_collector *collector, size_t index,
                                          size_t lane)
{
    return &collector->scopes[index].lanes[lane];
}

// Computing -------------------------------------------------------------------

struct computing {
    struct overview *overview;
    const struct overview_part *parts;
    size_t part_count;
    struct sweep_lane *lanes; // those of a part
    size_t lane_count;
    bool has_overall;
    struct hash_index engines;
};

static bool find_part(const struct computing *computing, const struct overview_lane *lane,
                      unsigned *out_part)
{
    const struct view engine = profile_text(computing->overview->profile, lane->engine);
    for (unsigned i = 0; i < computing->part_count; i++) {
        const struct overview_part *part = &computing->parts[i];
        if ((part->role == ROLE_COUNT || part->role == lane->role) &&
            (part->engine == NULL || view_is(engine, part->engine))) {
            *out_part = i;
            return true;
        }
    }
    return false;
}

static size_t find_engine(struct computing *computing, const struct overview_lane *lane)
{
    struct overview *overview = computing->overview;
    const uint32_t hash = analysis_overview_hash_of(lane, 0);
    uint32_t id;
    for (uint32_t at = hash_first(&computing->engines, hash);
         (id = hash_next(&computing->engines, hash, &at)) != HASH_NONE;) {
        if (same_engine(&overview->engines[id], lane))
            return id;
    }
    hash_add(&computing->engines, hash, (uint32_t)overview->engine_count);
    overview->engines[overview->engine_count] = *lane;
    return overview->engine_count++;
}

static void analysis_overview_add_lane(struct computing *computing,
                                       const struct overview_lane *lane, const struct busy *busy)
{
    struct overview *overview = computing->overview;
    unsigned part;
    if (!busy->has_spans || !find_part(computing, lane, &part))
        return;
    bool has = (overview->covered & 1u << part) != 0;
    analysis_overview_widen(&overview->spans[part], &has, busy->span);
    analysis_overview_widen(&overview->overall, &computing->has_overall, busy->span);
    overview->covered |= 1u << part;
    overview->lanes[computing->lane_count] = *lane;
    computing->lanes[computing->lane_count++] =
        (struct sweep_lane){.busy = busy, .part = part, .group = find_engine(computing, lane)};
}

static void sweep(struct computing *computing)
{
    struct overview *overview = computing->overview;
    uint64_t *totals = memory_allocate_zeroed(overview->engine_count + 1, sizeof *totals);
    sweep_lanes(&(struct sweep_input){.range = overview->overall,
                                      .lanes = computing->lanes,
                                      .lane_count = computing->lane_count,
                                      .group_totals = totals,
                                      .group_count = overview->engine_count,
                                      .times = overview->times});
    overview->lane_count = computing->lane_count;
    for (size_t i = 0; i < overview->lane_count; i++)
        overview->lanes[i].ns = computing->lanes[i].total;
    for (size_t i = 0; i < overview->engine_count; i++)
        overview->engines[i].ns = totals[i];
    free(totals);
}

status overview_compute(struct overview_collector *collector, size_t index,
                        const struct overview_part *parts, size_t part_count,
                        struct overview *out_overview)
{
    struct scope *scope = &collector->scopes[index];
    *out_overview = (struct overview){
        .profile = collector->profile, .scope = scope->track, .provenance = scope->provenance};
    for (size_t i = 0; collector->held_count > 0 && i < collector->track_count; i++)
        STATUS_TRY(settle_held(collector, &collector->tracks[i], false));
    for (size_t i = 0; i < scope->count; i++)
        STATUS_TRY(busy_finish(&scope->busy[i]));
    out_overview->times =
        memory_allocate_zeroed((size_t)1 << OVERVIEW_PARTS_MOST, sizeof *out_overview->times);
    out_overview->lanes = memory_allocate_zeroed(scope->count + 1, sizeof *out_overview->lanes);
    out_overview->engines = memory_allocate_zeroed(scope->count + 1, sizeof *out_overview->engines);
    struct computing computing = {
        .overview = out_overview, .parts = parts, .part_count = part_count};
    computing.lanes = memory_allocate_zeroed(scope->count + 1, sizeof *computing.lanes);
    for (size_t i = 0; i < scope->count; i++)
        analysis_overview_add_lane(&computing, &scope->lanes[i], &scope->busy[i]);
    if (scope->has_frames)
        analysis_overview_widen(&out_overview->overall, &computing.has_overall, scope->frames);
    sweep(&computing);
    free(computing.lanes);
    hash_free(&computing.engines);
    if (computing.has_overall)
        return STATUS_OK;
    if (scope->has_other)
        out_overview->overall = scope->other;
    for (size_t i = 0; i < scope->count; i++) {
        if (scope->busy[i].has_spans)
            analysis_overview_widen(&out_overview->overall, &scope->has_other, scope->busy[i].span);
    }
    return STATUS_OK;
}

// Evaluating ------------------------------------------------------------------

// The time of the sets that are meant.
static uint64_t analysis_overview_time_of(const struct overview *overview,
                                          const struct overview_rule *rule)
{
    uint64_t sum = 0;
    for (uint32_t set = 1; set < 1u << OVERVIEW_PARTS_MOST; set++) {
        if ((set & rule->some) != 0 && (set & rule->minus) == 0 &&
            (rule->with == 0 || (set & rule->with) != 0))
            sum += overview->times[set];
    }
    return sum;
}

static uint64_t analysis_overview_span_of(const struct overview *overview, uint32_t parts)
{
    struct interval span = {0};
    bool has = false;
    if (parts == OVERVIEW_ALL)
        return overview->overall.end - overview->overall.start;
    for (unsigned i = 0; i < OVERVIEW_PARTS_MOST; i++) {
        if ((overview->covered & parts & 1u << i) != 0)
            analysis_overview_widen(&span, &has, overview->spans[i]);
    }
    return span.end - span.start;
}

static uint64_t time_of_lane(const struct overview *overview, const struct overview_rule *rule)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < overview->lane_count; i++) {
        const struct overview_lane *lane = &overview->lanes[i];
        if (lane->index == rule->lane &&
            view_is(profile_text(overview->profile, lane->engine), rule->engine))
            sum += lane->ns;
    }
    return sum;
}

struct overview_value overview_evaluate(const struct overview *overview,
                                        const struct overview_rule *rule)
{
    if (overview->times == NULL || (rule->needs != 0 && (overview->covered & rule->needs) == 0))
        return (struct overview_value){false, 0};
    if (rule->engine != NULL)
        return (struct overview_value){true, time_of_lane(overview, rule)};
    const uint64_t time = analysis_overview_time_of(overview, rule);
    const uint64_t span = analysis_overview_span_of(overview, rule->span);
    if (rule->span == 0)
        return (struct overview_value){true, time};
    return (struct overview_value){true, span > time ? span - time : 0};
}

double overview_percent(const struct overview *overview, uint64_t ns)
{
    const uint64_t overall = overview->overall.end - overview->overall.start;
    return overall == 0 ? 0 : (double)ns / (double)overall * 100;
}

void overview_free(struct overview *overview)
{
    free(overview->times);
    free(overview->lanes);
    free(overview->engines);
    *overview = (struct overview){0};
}

void overview_collector_free(struct overview_collector *collector)
{
    if (collector == NULL)
        return;
    for (size_t i = 0; i < collector->scope_count; i++) {
        for (size_t k = 0; k < collector->scopes[i].count; k++)
            busy_free(&collector->scopes[i].busy[k]);
        free(collector->scopes[i].busy);
        free(collector->scopes[i].lanes);
        hash_free(&collector->scopes[i].index);
    }
    free(collector->scopes);
    hash_free(&collector->index);
    free(collector->tracks);
    free(collector);
}
