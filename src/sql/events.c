#include "events.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/recovery.h"
#include "events_state.h"

struct sql_events *sql_events_create(struct profile *profile)
{
    const uint32_t count = profile->tracks.count;
    struct sql_events *events = memory_allocate_zeroed(1, sizeof *events);
    events->profile = profile;
    events->region = REGION_EMPTY;
    events->calls = SPOOL_EMPTY;
    events->call_spans = SPOOL_EMPTY;
    events->flows = SPOOL_EMPTY;
    events->tracks = memory_allocate_zeroed(count + 1, sizeof *events->tracks);
    uint64_t next[EVENT_KINDS] = {1, 1, 1};
    for (uint32_t i = 0; i <= count; i++) {
        memcpy(events->tracks[i].first, next, sizeof next);
        if (i == count)
            break;
        const struct track *track = profile_track(profile, i);
        next[EVENT_SPAN] += track->spans;
        next[EVENT_INSTANT] += track->instants;
        next[EVENT_COUNTER] += track->samples;
    }
    return events;
}

// What was made piece by piece is the region's when memory ran out.
void sql_events_free(struct sql_events *events)
{
    if (events == NULL)
        return;
    if (events->region.unsound) {
        region_release(&events->region);
    } else {
        for (uint32_t i = 0; i < events->profile->tracks.count; i++) {
            struct sql_track *track = &events->tracks[i];
            store_cursor_free(track->order);
            free(track->marks);
            free(track->open);
        }
        spool_free(&events->calls);
        spool_free(&events->call_spans);
        spool_free(&events->flows);
        region_forget(&events->region);
    }
    free(events->tracks);
    free(events);
}

void sql_events_abandon(struct sql_events *events)
{
    region_release(&events->region);
}

uint64_t sql_events_count(const struct sql_events *events, enum event_kind kind)
{
    return events->tracks[events->profile->tracks.count].first[kind] - 1;
}

// Walks -----------------------------------------------------------------------------------------

struct sql_walk sql_walk_of(struct sql_events *events, enum event_kind kind)
{
    return (struct sql_walk){.events = events, .kind = kind};
}

void sql_walk_free(struct sql_walk *walk)
{
    sqlite3_free(walk->open);
    *walk = (struct sql_walk){0};
}

static bool make_room(struct sql_walk *walk, size_t count)
{
    if (count <= walk->open_capacity)
        return true;
    const size_t capacity = count < 32 ? 64 : count * 2;
    struct sql_open_span *larger = sqlite3_realloc64(walk->open, capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    walk->open = larger;
    walk->open_capacity = capacity;
    return true;
}

// A span lies in the innermost one that is open when it starts and ends no earlier than it.
static bool place_span(struct sql_walk *walk)
{
    const struct event *event = &walk->event;
    if (!walk->track->nests)
        return true;
    while (walk->open_count > 0 && (walk->open[walk->open_count - 1].end <= event->start ||
                                    walk->open[walk->open_count - 1].end < event->end))
        walk->open_count--;
    if (!make_room(walk, walk->open_count + 1))
        return false;
    walk->depth = (uint32_t)walk->open_count;
    walk->parent = walk->open_count > 0 ? walk->open[walk->open_count - 1].id : 0;
    walk->open[walk->open_count++] = (struct sql_open_span){event->end, walk->id};
    return true;
}

// The next event of any kind.
static enum sql_walk_result step(struct sql_walk *walk)
{
    if (!store_cursor_next_at(walk->order, &walk->mark, &walk->event, &walk->values))
        return SQL_WALK_END;
    // A mapped file that grew since it was read has no ids for more.
    const enum event_kind kind = walk->event.kind;
    const struct sql_track *after = &walk->events->tracks[walk->event.track + 1];
    if (walk->next[kind] >= after->first[kind])
        return SQL_WALK_END;
    walk->id = walk->next[kind]++;
    walk->depth = 0;
    walk->parent = 0;
    return kind != EVENT_SPAN || place_span(walk) ? SQL_WALK_EVENT : SQL_WALK_NO_MEMORY;
}

enum sql_walk_result sql_walk_next(struct sql_walk *walk)
{
    enum sql_walk_result result;
    do {
        result = step(walk);
    } while (result == SQL_WALK_EVENT && walk->event.kind != walk->kind);
    return result;
}

static void start_track(struct sql_walk *walk, uint32_t id)
{
    const struct profile *profile = walk->events->profile;
    const struct sql_track *track = &walk->events->tracks[id];
    walk->track = profile_track(profile, id);
    walk->clock = profile_clock(profile, walk->track->clock);
    walk->order = track->order;
    walk->mark = store_cursor_mark(track->order);
    walk->open_count = 0;
    memcpy(walk->next, track->first, sizeof walk->next);
}

static status open_order(struct sql_events *events, uint32_t id)
{
    struct sql_track *track = &events->tracks[id];
    if (track->order != NULL)
        return STATUS_OK;
    return store_cursor_open(events->profile->store, id,
                             profile_track(events->profile, id)->unsorted, &track->order);
}

// Marks -----------------------------------------------------------------------------------------

static void add_mark(struct sql_track *track, const struct sql_walk *before)
{
    track->marks =
        memory_grow(track->marks, track->mark_count, &track->mark_capacity, sizeof *track->marks);
    struct sql_mark *mark = &track->marks[track->mark_count++];
    *mark = (struct sql_mark){before->mark, {0}, 0, track->open_count, before->open_count};
    memcpy(mark->next, before->next, sizeof mark->next);
    for (size_t i = 0; i < before->open_count; i++) {
        track->open =
            memory_grow(track->open, track->open_count, &track->open_capacity, sizeof *track->open);
        track->open[track->open_count++] = before->open[i];
    }
}

static status walk_marking(struct sql_track *track, struct sql_walk *walk)
{
    enum sql_walk_result result = SQL_WALK_EVENT;
    uint64_t next_mark = 0;
    for (uint64_t count = 0; result == SQL_WALK_EVENT; count++) {
        const bool marks = count == next_mark;
        if (marks) {
            add_mark(track, walk);
            // What is open is copied: no more of it than there are events.
            next_mark += walk->open_count > SQL_MARK_EVERY ? walk->open_count : SQL_MARK_EVERY;
        }
        result = step(walk);
        if (marks)
            track->marks[track->mark_count - 1].start =
                result == SQL_WALK_EVENT ? walk->event.start : UINT64_MAX;
    }
    return result == SQL_WALK_NO_MEMORY ? status_out_of_memory() : STATUS_OK;
}

static void free_walk(void *walk)
{
    sql_walk_free(walk);
}

static status make_marks(struct sql_events *events, uint32_t id)
{
    struct sql_track *track = &events->tracks[id];
    STATUS_TRY(open_order(events, id));
    if (track->mark_count > 0)
        return STATUS_OK;
    struct sql_walk walk = sql_walk_of(events, EVENT_SPAN);
    recovery_hold(RECOVERY_AT_ONCE, free_walk, &walk);
    start_track(&walk, id);
    const status result = walk_marking(track, &walk);
    recovery_let_go(&walk);
    sql_walk_free(&walk);
    return result;
}

static bool resume(struct sql_walk *walk, const struct sql_track *track,
                   const struct sql_mark *mark)
{
    if (!make_room(walk, mark->open_count))
        return false;
    walk->mark = mark->at;
    memcpy(walk->next, mark->next, sizeof walk->next);
    walk->open_count = mark->open_count;
    if (mark->open_count > 0)
        memcpy(walk->open, track->open + mark->open_at, mark->open_count * sizeof *walk->open);
    return true;
}

// How many marks stand before the event that is looked for, by id or by time.
static size_t marks_before(const struct sql_track *track, const struct sql_walk *walk, uint64_t id,
                           uint64_t from)
{
    size_t low = 0;
    size_t high = track->mark_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct sql_mark *mark = &track->marks[middle];
        const bool before =
            id != 0 ? mark->next[walk->kind] <= id
                    : mark->start != UINT64_MAX && clock_to_ns(walk->clock, mark->start) < from;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool go_near(struct sql_walk *walk, uint32_t id_of_track, uint64_t id, uint64_t from)
{
    const struct sql_track *track = &walk->events->tracks[id_of_track];
    start_track(walk, id_of_track);
    const size_t before = marks_before(track, walk, id, from);
    return before == 0 || resume(walk, track, &track->marks[before - 1]);
}

// A scope has a function of its own: what is around it keeps its variables.
static __attribute__((noinline)) status open_in_scope(struct sql_events *events, uint32_t track)
{
    return RECOVERY_SCOPE(&events->region, open_order(events, track), status_out_of_memory());
}

static __attribute__((noinline)) status mark_in_scope(struct sql_events *events, uint32_t track)
{
    return RECOVERY_SCOPE(&events->region, make_marks(events, track), status_out_of_memory());
}

status sql_walk_to_track(struct sql_walk *walk, uint32_t track, uint64_t from)
{
    struct sql_events *events = walk->events;
    if (from == 0) {
        STATUS_TRY(open_in_scope(events, track));
        start_track(walk, track);
        return STATUS_OK;
    }
    STATUS_TRY(mark_in_scope(events, track));
    return go_near(walk, track, 0, from) ? STATUS_OK : status_out_of_memory();
}

// The last track whose first event has no larger id.
static uint32_t track_of(const struct sql_events *events, enum event_kind kind, uint64_t id)
{
    uint32_t low = 0;
    uint32_t high = events->profile->tracks.count;
    while (low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (events->tracks[middle].first[kind] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

status sql_walk_to(struct sql_walk *walk, uint64_t id, bool *out_found)
{
    struct sql_events *events = walk->events;
    *out_found = false;
    if (id == 0 || id > sql_events_count(events, walk->kind))
        return STATUS_OK;
    const uint32_t track = track_of(events, walk->kind, id);
    STATUS_TRY(mark_in_scope(events, track));
    if (!go_near(walk, track, id, 0))
        return status_out_of_memory();
    enum sql_walk_result result;
    do {
        result = sql_walk_next(walk);
    } while (result == SQL_WALK_EVENT && walk->id < id);
    *out_found = result == SQL_WALK_EVENT && walk->id == id;
    return result == SQL_WALK_NO_MEMORY ? status_out_of_memory() : STATUS_OK;
}
