#include "flows.h"

#include <stdlib.h>

#include "as_written.h"
#include "base/crew.h"
#include "base/memory.h"
#include "base/parts.h"
#include "base/sort.h"
#include "profile/store.h"

#define UNBOUND UINT64_MAX

struct point {
    uint64_t time; // ticks of the track
    uint64_t id;   // of the file
    uint64_t offset;
    uint64_t last_start; // of the span before it in the file
    uint64_t last_end;
    uint32_t track;
    uint32_t group;
    uint32_t last_same;
    uint8_t binding;
    char phase;
    bool text_id;
};

// A point as it is put into the profile. Where it lies is far from the next one of its track, so
// what is looked at most stands here, too.
struct bound {
    const struct point *point;
    uint64_t time;
    uint64_t ordinal;     // of its event in the track
    uint64_t number : 62; // of the profile
    uint64_t ends : 1;
    uint64_t again : 1; // the same start once more
};

enum { BOUNDS_AHEAD = 16 }; // whose points are asked for

// Keeping ---------------------------------------------------------------------

static uint32_t flows_group_of(struct chrome_flows *flows, const struct chrome_flow *flow)
{
    const uint32_t hash = hash_u64((uint64_t)flow->category << 32 | flow->name);
    uint32_t id;
    for (uint32_t at = hash_first(&flows->index, hash);
         (id = hash_next(&flows->index, hash, &at)) != HASH_NONE;) {
        const struct chrome_flow_group *group = &flows->groups[id];
        if (group->category == flow->category && group->name == flow->name)
            return id;
    }
    flows->groups = memory_grow(flows->groups, flows->group_count, &flows->group_capacity,
                                sizeof *flows->groups);
    flows->groups[flows->group_count] = (struct chrome_flow_group){flow->category, flow->name};
    hash_add(&flows->index, hash, (uint32_t)flows->group_count);
    return (uint32_t)flows->group_count++;
}

void chrome_flows_add(struct chrome_flows *flows, struct profile *profile,
                      const struct chrome_lane *lane, const struct chrome_flow *flow)
{
    const struct span_lane *spans = &lane->spans;
    const uint32_t clock = profile_track(profile, spans->track)->clock;
    const struct point point = {
        .time = clock == 0 ? flow->time : clock_from_ns(profile_clock(profile, clock), flow->time),
        .id = flow->id.number,
        .offset = flow->offset,
        .last_start = spans->last_start,
        .last_end = spans->last_end,
        .track = spans->track,
        .group = flows_group_of(flows, flow),
        .last_same = spans->last_same,
        .binding = (uint8_t)flow->binding,
        .phase = flow->phase,
        .text_id = flow->id.is_text};
    if (flows->failure == STATUS_OK)
        flows->failure = spool_append(&flows->points, &point, sizeof point);
}

// Numbering -------------------------------------------------------------------

struct points {
    const struct point *items; // by group and id
    size_t count;
};

static bool id_before(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    if (a->group != b->group)
        return a->group < b->group;
    if (a->text_id != b->text_id)
        return b->text_id;
    return a->id != b->id ? a->id < b->id : a->offset < b->offset;
}

static bool is_same_flow(const struct point *a, const struct point *b)
{
    return a->group == b->group && a->text_id == b->text_id && a->id == b->id;
}

// Where the only start of a flow that has several ends is; `to` where it is not so.
static size_t only_start(const struct points *points, size_t from, size_t to)
{
    size_t start = to;
    size_t ends = 0;
    for (size_t i = from; i < to; i++) {
        const char phase = points->items[i].phase;
        ends += phase == 'f';
        if (phase == 'f')
            continue;
        if (start != to || phase != 's')
            return to;
        start = i;
    }
    return ends > 1 ? start : to;
}

// Counts the points of each track, or puts them where `to` has room for those of each.
struct placing {
    size_t *at; // by track
    struct bound *to;
};

static void place(struct placing *placing, const struct point *point, uint64_t number, bool again)
{
    const size_t at = placing->at[point->track]++;
    if (placing->to != NULL)
        placing->to[at] = (struct bound){.point = point,
                                         .time = point->time,
                                         .ordinal = UNBOUND,
                                         .number = number & INT64_MAX >> 1,
                                         .ends = point->phase == 'f',
                                         .again = again};
}

// Each end is that of a flow of its own, which starts where all of them do.
static uint64_t place_ends(struct placing *placing, const struct points *points, size_t from,
                           size_t to, size_t start, uint64_t number)
{
    bool again = false;
    for (size_t i = from; i < to; i++) {
        if (i == start)
            continue;
        place(placing, &points->items[i], ++number, false);
        place(placing, &points->items[start], number, again);
        again = true;
    }
    return number;
}

// Flows get the numbers 1, 2 ..., one for each group and id.
static void place_points(struct placing *placing, const struct points *points, bool as_written)
{
    uint64_t number = 0;
    for (size_t from = 0, to = 0; from < points->count; from = to) {
        while (to < points->count && is_same_flow(&points->items[to], &points->items[from]))
            to++;
        const size_t start = as_written ? only_start(points, from, to) : to;
        if (start != to) {
            number = place_ends(placing, points, from, to, start, number);
            continue;
        }
        number++;
        for (size_t i = from; i < to; i++)
            place(placing, &points->items[i], number, false);
    }
}

// Track by track: `at[i]` is where those of track `i` end.
static status group_by_track(const struct points *points, bool as_written, size_t *at,
                             uint32_t track_count, struct spool *room, struct bound **out_bounds)
{
    char *data;
    size_t sum = 0;
    struct placing placing = {.at = at};
    place_points(&placing, points, as_written);
    for (uint32_t i = 0; i < track_count; i++) {
        const size_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    STATUS_TRY(spool_make_room(room, sum * sizeof **out_bounds, &data));
    placing.to = *out_bounds = (struct bound *)(void *)data;
    place_points(&placing, points, as_written);
    return STATUS_OK;
}

// Binding ---------------------------------------------------------------------

struct open {
    uint64_t start;
    uint64_t end;
    uint64_t ordinal;
    uint32_t same; // how many with these times there are so far
};

// How many open spans a point looks at, at most.
enum { LOOK_MOST = SPAN_DEPTH_MOST };

struct binder {
    struct bound *at;
    struct bound *end;      // of the track's points
    struct bound **waiting; // for the next span to start
    size_t waiting_count;
    size_t waiting_capacity;
    struct open *open;
    size_t open_count;
    size_t open_capacity;
    uint64_t ordinal;
};

static bool is_last(const struct open *open, const struct point *point)
{
    return open->start == point->last_start && open->end == point->last_end;
}

// The innermost span around the point, of those that the file had before it as far as can be
// told: where the span before it in the file is around it, others that start at its time came
// later.
static uint64_t enclosing(const struct binder *binder, const struct point *point)
{
    const bool inside =
        point->last_same > 0 && point->last_start <= point->time && point->time <= point->last_end;
    uint64_t found = UNBOUND;
    size_t looked = 0;
    for (size_t i = binder->open_count; i > 0 && looked < LOOK_MOST; i--, looked++) {
        const struct open *open = &binder->open[i - 1];
        if (open->end < point->time)
            continue;
        if (inside && is_last(open, point)) {
            found = open->ordinal;
            if (open->same <= point->last_same)
                return found;
        } else if (found != UNBOUND) {
            return found;
        } else if (!inside || (open->start < point->time && open->start > point->last_start)) {
            return open->ordinal;
        }
    }
    return found;
}

static void bind_point(struct binder *binder, struct bound *bound)
{
    const struct open *newest =
        binder->open_count > 0 ? &binder->open[binder->open_count - 1] : NULL;
    if (bound->point->binding != CHROME_FLOW_NEXT) {
        bound->ordinal = enclosing(binder, bound->point);
    } else if (newest != NULL && newest->start == bound->time) {
        bound->ordinal = newest->ordinal;
    } else {
        binder->waiting = memory_grow(binder->waiting, binder->waiting_count,
                                      &binder->waiting_capacity, sizeof *binder->waiting);
        binder->waiting[binder->waiting_count++] = bound;
    }
}

static void bind_before(struct binder *binder, uint64_t time)
{
    for (; binder->at < binder->end && binder->at->time < time; binder->at++) {
        if (binder->end - binder->at > BOUNDS_AHEAD) {
            const struct point *ahead = binder->at[BOUNDS_AHEAD].point;
            __builtin_prefetch(&ahead->last_start);
            __builtin_prefetch(&ahead->binding); // which may lie in the next line of the cache
        }
        bind_point(binder, binder->at);
    }
}

static void flows_open_span(struct binder *binder, const struct event *event)
{
    while (binder->open_count > 0 && binder->open[binder->open_count - 1].end < event->start)
        binder->open_count--;
    const struct open *below =
        binder->open_count > 0 ? &binder->open[binder->open_count - 1] : NULL;
    const bool same = below != NULL && below->start == event->start && below->end == event->end;
    const struct open open = {event->start, event->end, binder->ordinal,
                              same ? below->same + 1 : 1};
    binder->open =
        memory_grow(binder->open, binder->open_count, &binder->open_capacity, sizeof *binder->open);
    binder->open[binder->open_count++] = open;
}

static void pass_event(struct binder *binder, const struct event *event)
{
    bind_before(binder, event->start);
    for (; binder->waiting_count > 0; binder->waiting_count--)
        binder->waiting[binder->waiting_count - 1]->ordinal = binder->ordinal;
    flows_open_span(binder, event);
    binder->ordinal++;
}

static status flows_open_track(const struct profile *profile, uint32_t track,
                               struct store_cursor **out_cursor)
{
    return store_cursor_open(profile->store, track, profile_track(profile, track)->unsorted,
                             out_cursor);
}

// Of one track.
static bool time_before(const void *left, const void *right)
{
    const struct bound *a = left;
    const struct bound *b = right;
    return a->time != b->time ? a->time < b->time : a->point->offset < b->point->offset;
}

// Of one track.
static bool ordinal_before(const void *left, const void *right)
{
    const struct bound *a = left;
    const struct bound *b = right;
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal;
    if (a->point->offset != b->point->offset)
        return a->point->offset < b->point->offset;
    return a->number < b->number;
}

static status bind_track(const struct profile *profile, uint32_t track, struct bound *bounds,
                         struct bound *end)
{
    const size_t count = (size_t)(end - bounds);
    struct binder binder = {.at = bounds, .end = end};
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    STATUS_TRY(flows_open_track(profile, track, &cursor));
    sort_where_needed(bounds, count, sizeof *bounds, time_before);
    while (store_cursor_next(cursor, &event, &values))
        pass_event(&binder, &event);
    bind_before(&binder, UINT64_MAX);
    store_cursor_free(cursor);
    free(binder.open);
    free(binder.waiting);
    sort_where_needed(bounds, count, sizeof *bounds, ordinal_before);
    return STATUS_OK;
}

// The points of all tracks: those of track `i` end at `ends[i]`.
struct binding {
    const struct profile *profile;
    struct bound *bounds;
    const size_t *ends;
    status *results; // by track
};

static void bind_one(void *context, unsigned worker, uint32_t track)
{
    (void)worker;
    const struct binding *binding = context;
    const size_t from = track > 0 ? binding->ends[track - 1] : 0;
    const size_t to = binding->ends[track];
    if (from < to)
        binding->results[track] =
            bind_track(binding->profile, track, binding->bounds + from, binding->bounds + to);
}

static status bind_tracks(struct profile *profile, struct bound *bounds, const size_t *ends)
{
    const uint32_t count = profile->tracks.count;
    struct binding binding = {.profile = profile,
                              .bounds = bounds,
                              .ends = ends,
                              .results = memory_allocate_zeroed(count, sizeof(status))};
    status result = STATUS_OK;
    crew_run(parts_threads(), count, bind_one, &binding);
    for (uint32_t i = 0; i < count; i++)
        result = status_first(result, binding.results[i]);
    free(binding.results);
    return result;
}

// Copying ---------------------------------------------------------------------

struct copier {
    struct profile *profile;
    const struct event_store *from;
    const struct chrome_flows *flows;
    struct as_written_flow_keys keys;
    const struct bound *at;
    const struct bound *end; // of the track's
    uint64_t ordinal;
    struct event_batch *batch;
};

static void copy_flow(struct copier *copier, uint64_t start, const struct bound *bound)
{
    struct bytes *values = &copier->batch->values;
    value_add_flow(values, bound->ends ? VALUE_FLOW_IN : VALUE_FLOW_OUT, bound->number);
    if (!copier->flows->as_written || bound->again || bound->point->binding == CHROME_FLOW_LAST)
        return;
    const struct point *point = bound->point;
    const struct chrome_flow_group *group = &copier->flows->groups[point->group];
    const struct as_written_flow flow = {.category = group->category,
                                         .name = group->name,
                                         .phase = point->phase,
                                         .enclosing =
                                             bound->ends && point->binding == CHROME_FLOW_ENCLOSING,
                                         .text_id = point->text_id,
                                         .id = point->id,
                                         .later = (int64_t)(point->time - start)};
    as_written_add_flow(copier->profile, &copier->keys, values, &flow);
}

static void copy_event(struct copier *copier, const struct event *event, struct view values)
{
    struct event_batch *batch = copier->batch;
    struct event *to = &batch->events[batch->count++];
    *to = *event;
    to->values_at = (uint32_t)batch->values.size;
    bytes_append(&batch->values, values.data, values.size);
    for (; copier->at < copier->end && copier->at->ordinal == copier->ordinal; copier->at++)
        copy_flow(copier, event->start, copier->at);
    to->values_size = (uint32_t)(batch->values.size - to->values_at);
    copier->ordinal++;
}

static void hand_copies_on(struct copier *copier)
{
    if (copier->batch->count > 0)
        copier->batch = profile_batch_add(copier->profile, copier->batch);
}

static status copy_track(struct copier *copier, uint32_t track)
{
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    STATUS_TRY(store_cursor_open(copier->from, track,
                                 profile_track(copier->profile, track)->unsorted, &cursor));
    while (copier->profile->failure == STATUS_OK && store_cursor_next(cursor, &event, &values)) {
        event_batch_room(copier->batch, EVENT_BATCH);
        copy_event(copier, &event, values);
        if (copier->batch->count == EVENT_BATCH || copier->batch->values.size > (1u << 30))
            hand_copies_on(copier);
    }
    store_cursor_free(cursor);
    hand_copies_on(copier);
    return STATUS_OK;
}

static status flows_copy_tracks(struct copier *copier, const struct bound *bounds,
                                const size_t *ends)
{
    struct profile *profile = copier->profile;
    copier->end = bounds;
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        copier->ordinal = 0;
        copier->at = copier->end;
        copier->end = bounds + ends[i];
        STATUS_TRY(copy_track(copier, i));
    }
    return STATUS_OK;
}

// Replaces the profile's events by the same with their flows.
static status copy_events(const struct chrome_flows *flows, struct profile *profile,
                          const struct bound *bounds, const size_t *ends)
{
    struct event_store *unused = profile->store;
    struct copier copier = {.profile = profile,
                            .from = profile->store,
                            .flows = flows,
                            .keys = as_written_flow_keys(profile),
                            .batch = event_batch_create()};
    profile->store = store_create();
    status result = flows_copy_tracks(&copier, bounds, ends);
    result = status_first(result, profile_finish(profile));
    if (result != STATUS_OK) {
        unused = profile->store;
        profile->store = (struct event_store *)copier.from;
    }
    for (uint32_t i = 0; result == STATUS_OK && i < profile->tracks.count; i++)
        profile_track(profile, i)->unsorted = false;
    store_free(unused);
    event_batch_free(copier.batch);
    return result;
}

struct binding_room {
    struct spool bounds;
    size_t *ends; // of the tracks' points
};

static status bind(struct chrome_flows *flows, struct profile *profile, struct binding_room *room,
                   chrome_flow_unbound *unbound, void *context)
{
    char *data;
    size_t size;
    struct bound *bounds;
    const uint32_t track_count = profile->tracks.count;
    STATUS_TRY(spool_read(&flows->points, &data, &size));
    const struct points points = {(const struct point *)(void *)data, size / sizeof(struct point)};
    sort_where_needed(data, points.count, sizeof(struct point), id_before);
    room->ends = memory_allocate_zeroed(track_count, sizeof *room->ends);
    STATUS_TRY(group_by_track(&points, flows->as_written, room->ends, track_count, &room->bounds,
                              &bounds));
    STATUS_TRY(bind_tracks(profile, bounds, room->ends));
    for (size_t i = 0; i < room->ends[track_count - 1]; i++) {
        if (bounds[i].ordinal == UNBOUND && !bounds[i].again)
            unbound(context, bounds[i].point->track, bounds[i].point->offset);
    }
    return copy_events(flows, profile, bounds, room->ends);
}

status chrome_flows_bind(struct chrome_flows *flows, struct profile *profile,
                         chrome_flow_unbound *unbound, void *context)
{
    const status failure = flows->failure;
    flows->failure = STATUS_OK;
    if (failure != STATUS_OK || spool_size(&flows->points) == 0)
        return failure;
    struct binding_room room = {.bounds = SPOOL_EMPTY};
    const status result = bind(flows, profile, &room, unbound, context);
    spool_free(&room.bounds);
    free(room.ends);
    return result;
}

void chrome_flows_free(struct chrome_flows *flows)
{
    spool_free(&flows->points);
    free(flows->groups);
    hash_free(&flows->index);
    status_free(flows->failure);
}
