#include "flows.h"

#include <stdlib.h>

#include "as_written.h"
#include "base/memory.h"
#include "base/sort.h"
#include "profile/store.h"

#define UNBOUND UINT64_MAX

// At most SORT_ITEM_MOST bytes.
struct point {
    uint64_t time;   // ticks of the track
    uint64_t id;     // of the file
    uint64_t number; // of the profile
    uint64_t offset;
    uint64_t last_start; // of the span before it in the file
    uint64_t last_end;
    uint64_t ordinal; // of its event in the track
    uint32_t track;
    uint32_t group;
    uint32_t last_same;
    uint8_t binding;
    char phase; // 0: the same start once more
    bool text_id;
};

_Static_assert(sizeof(struct point) <= SORT_ITEM_MOST, "points are sorted in place");

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
        .ordinal = UNBOUND,
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

// Of one track.
static bool time_before(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    return a->time != b->time ? a->time < b->time : a->offset < b->offset;
}

// Of one track.
static bool ordinal_before(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal;
    return a->offset != b->offset ? a->offset < b->offset : a->number < b->number;
}

// Most traces have their flow events in every order that is asked for.
static void sort_points(struct point *points, size_t count,
                        bool (*before)(const void *a, const void *b))
{
    for (size_t i = 1; i < count; i++) {
        if (before(&points[i], &points[i - 1])) {
            sort_in_place(points, count, sizeof *points, before);
            return;
        }
    }
}

struct points {
    struct point *items;
    size_t count;
};

// Track by track, each in the order of before.
static void group_by_track(const struct points lists[2], uint32_t track_count, struct point *to)
{
    size_t *at = memory_allocate_zeroed((size_t)track_count + 1, sizeof *at);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < lists[k].count; i++)
            at[lists[k].items[i].track + 1]++;
    }
    for (uint32_t i = 0; i < track_count; i++)
        at[i + 1] += at[i];
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < lists[k].count; i++)
            to[at[lists[k].items[i].track]++] = lists[k].items[i];
    }
    free(at);
}

static status read_points(struct spool *spool, struct points *out_points)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(spool, &data, &size));
    *out_points = (struct points){(struct point *)(void *)data, size / sizeof(struct point)};
    return STATUS_OK;
}

static bool is_same_flow(const struct point *a, const struct point *b)
{
    return a->group == b->group && a->text_id == b->text_id && a->id == b->id;
}

// The only start of a flow that has several ends; NULL where it is not so.
static struct point *only_start(struct point *from, const struct point *to)
{
    struct point *start = NULL;
    size_t ends = 0;
    for (struct point *point = from; point < to; point++) {
        ends += point->phase == 'f';
        if (point->phase == 'f')
            continue;
        if (start != NULL || point->phase != 's')
            return NULL;
        start = point;
    }
    return ends > 1 ? start : NULL;
}

// Each end is that of a flow of its own, which starts where all of them do.
static status number_ends(struct point *from, struct point *to, struct point *start,
                          uint64_t *number, struct spool *further)
{
    bool first = true;
    for (struct point *point = from; point < to; point++) {
        if (point == start)
            continue;
        point->number = ++*number;
        struct point again = *start;
        again.number = point->number;
        again.phase = 0;
        if (first)
            start->number = point->number;
        else
            STATUS_TRY(spool_append(further, &again, sizeof again));
        first = false;
    }
    return STATUS_OK;
}

// Flows get the numbers 1, 2 ..., one for each group and id. Starts that stand for several go to
// `further` but for the first time.
static status number_flows(struct point *points, size_t count, bool as_written,
                           struct spool *further)
{
    uint64_t number = 0;
    sort_points(points, count, id_before);
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && is_same_flow(&points[to], &points[from]))
            to++;
        struct point *start = as_written ? only_start(points + from, points + to) : NULL;
        if (start != NULL) {
            STATUS_TRY(number_ends(points + from, points + to, start, &number, further));
            continue;
        }
        number++;
        for (size_t i = from; i < to; i++)
            points[i].number = number;
    }
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
    struct point *at;
    struct point *end;      // of the track's points
    struct point **waiting; // for the next span to start
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

static void bind_point(struct binder *binder, struct point *point)
{
    const struct open *newest =
        binder->open_count > 0 ? &binder->open[binder->open_count - 1] : NULL;
    if (point->binding != CHROME_FLOW_NEXT) {
        point->ordinal = enclosing(binder, point);
    } else if (newest != NULL && newest->start == point->time) {
        point->ordinal = newest->ordinal;
    } else {
        binder->waiting = memory_grow(binder->waiting, binder->waiting_count,
                                      &binder->waiting_capacity, sizeof *binder->waiting);
        binder->waiting[binder->waiting_count++] = point;
    }
}

static void bind_before(struct binder *binder, uint64_t time)
{
    for (; binder->at < binder->end && binder->at->time < time; binder->at++)
        bind_point(binder, binder->at);
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

static status bind_track(struct profile *profile, struct point *points, struct point *end)
{
    const size_t count = (size_t)(end - points);
    struct binder binder = {.at = points, .end = end};
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    STATUS_TRY(flows_open_track(profile, points->track, &cursor));
    sort_points(points, count, time_before);
    while (store_cursor_next(cursor, &event, &values))
        pass_event(&binder, &event);
    bind_before(&binder, UINT64_MAX);
    store_cursor_free(cursor);
    free(binder.open);
    free(binder.waiting);
    sort_points(points, count, ordinal_before);
    return STATUS_OK;
}

static status bind_points(struct profile *profile, struct point *points, size_t count)
{
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && points[to].track == points[from].track)
            to++;
        STATUS_TRY(bind_track(profile, points + from, points + to));
    }
    return STATUS_OK;
}

// Copying ---------------------------------------------------------------------

struct copier {
    struct profile *profile;
    const struct chrome_flows *flows;
    struct as_written_flow_keys keys;
    struct event_store *store;
    const struct point *at;
    const struct point *end;
    uint32_t track;
    uint64_t ordinal;
    struct event_batch *batch;
};

static void copy_flow(struct copier *copier, uint64_t start, const struct point *point)
{
    struct bytes *values = &copier->batch->values;
    const struct chrome_flow_group *group = &copier->flows->groups[point->group];
    value_add_flow(values, point->phase == 'f' ? VALUE_FLOW_IN : VALUE_FLOW_OUT, point->number);
    const struct as_written_flow flow = {.category = group->category,
                                         .name = group->name,
                                         .phase = point->phase,
                                         .enclosing = point->phase == 'f' &&
                                                      point->binding == CHROME_FLOW_ENCLOSING,
                                         .text_id = point->text_id,
                                         .id = point->id,
                                         .later = (int64_t)(point->time - start)};
    if (copier->flows->as_written && point->phase != 0 && point->binding != CHROME_FLOW_LAST)
        as_written_add_flow(copier->profile, &copier->keys, values, &flow);
}

static void copy_event(struct copier *copier, const struct event *event, struct view values)
{
    struct event_batch *batch = copier->batch;
    struct event *to = &batch->events[batch->count++];
    *to = *event;
    to->values_at = (uint32_t)batch->values.size;
    bytes_append(&batch->values, values.data, values.size);
    for (; copier->at < copier->end && copier->at->track == event->track &&
           copier->at->ordinal == copier->ordinal;
         copier->at++)
        copy_flow(copier, event->start, copier->at);
    to->values_size = (uint32_t)(batch->values.size - to->values_at);
    copier->ordinal++;
}

static status flush_copies(struct copier *copier)
{
    const status result = store_add(copier->store, copier->batch);
    copier->batch->count = 0;
    copier->batch->values.size = 0;
    return result;
}

static status copy_track(struct copier *copier, struct profile *profile, uint32_t track)
{
    struct store_cursor *cursor;
    struct event event;
    struct view values;
    status result = STATUS_OK;
    STATUS_TRY(flows_open_track(profile, track, &cursor));
    while (result == STATUS_OK && store_cursor_next(cursor, &event, &values)) {
        copy_event(copier, &event, values);
        if (copier->batch->count == EVENT_BATCH || copier->batch->values.size > (1u << 30))
            result = flush_copies(copier);
    }
    store_cursor_free(cursor);
    return status_first(result, flush_copies(copier));
}

static status flows_copy_tracks(struct copier *copier, struct profile *profile)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        copier->ordinal = 0;
        while (copier->at < copier->end && copier->at->track < i)
            copier->at++;
        STATUS_TRY(copy_track(copier, profile, i));
        profile_track(profile, i)->unsorted = false;
    }
    return store_finish(copier->store);
}

// Replaces the profile's events by the same with their flows.
static status copy_events(const struct chrome_flows *flows, struct profile *profile,
                          const struct point *points, size_t count)
{
    struct copier copier = {.profile = profile,
                            .flows = flows,
                            .keys = as_written_flow_keys(profile),
                            .store = store_create(),
                            .at = points,
                            .end = points + count,
                            .batch = event_batch_create()};
    const status result = flows_copy_tracks(&copier, profile);
    struct event_store *unused = copier.store;
    if (result == STATUS_OK) {
        unused = profile->store;
        profile->store = copier.store;
    }
    store_free(unused);
    event_batch_free(copier.batch);
    return result;
}

struct binding_room {
    struct spool further;
    struct spool grouped;
};

static status bind(struct chrome_flows *flows, struct profile *profile, struct binding_room *room,
                   chrome_flow_unbound *unbound, void *context)
{
    char *grouped;
    struct points lists[2];
    STATUS_TRY(read_points(&flows->points, &lists[0]));
    STATUS_TRY(number_flows(lists[0].items, lists[0].count, flows->as_written, &room->further));
    STATUS_TRY(read_points(&room->further, &lists[1]));
    const size_t count = lists[0].count + lists[1].count;
    STATUS_TRY(spool_make_room(&room->grouped, count * sizeof(struct point), &grouped));
    struct point *points = (struct point *)(void *)grouped;
    group_by_track(lists, profile->tracks.count, points);
    STATUS_TRY(bind_points(profile, points, count));
    for (size_t i = 0; i < count; i++) {
        if (points[i].ordinal == UNBOUND && points[i].phase != 0)
            unbound(context, points[i].track, points[i].offset);
    }
    return copy_events(flows, profile, points, count);
}

status chrome_flows_bind(struct chrome_flows *flows, struct profile *profile,
                         chrome_flow_unbound *unbound, void *context)
{
    const status failure = flows->failure;
    flows->failure = STATUS_OK;
    if (failure != STATUS_OK || spool_size(&flows->points) == 0)
        return failure;
    struct binding_room room = {SPOOL_EMPTY, SPOOL_EMPTY};
    const status result = bind(flows, profile, &room, unbound, context);
    spool_free(&room.further);
    spool_free(&room.grouped);
    return result;
}

void chrome_flows_free(struct chrome_flows *flows)
{
    spool_free(&flows->points);
    free(flows->groups);
    hash_free(&flows->index);
    status_free(flows->failure);
}
