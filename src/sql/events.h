// The events of a profile by number, for tables of them: a span, an instant and a sample each have
// an id, counted from 1 in the order of tracks and, on a track, of starts (longest first).
//
// What a walk needs of a track is made when it is first asked for: the order of one that is not
// sorted, and, to find an event by id or time, a mark for every SQL_MARK_EVERY events, or as many
// as spans are open where these are more. Memory: some 100 bytes a mark and 16 for each span that
// is open there, of which there are at most twice as many as events; orders and lists of calls lie
// in temporary files from a megabyte on.
//
// Memory that runs out makes the function fail, whatever is around it: SQLite is, and nothing may
// jump over it.

#ifndef OPSCOPE_SQL_EVENTS_H
#define OPSCOPE_SQL_EVENTS_H

#include "profile/profile.h"
#include "profile/store.h"

enum { SQL_MARK_EVERY = 256 };

struct sql_events;

// The profile must be finished, and outlives it.
struct sql_events *sql_events_create(struct profile *profile);
void sql_events_free(struct sql_events *events);

// Gives back only what was made since it was created.
void sql_events_abandon(struct sql_events *events);

uint64_t sql_events_count(const struct sql_events *events, enum event_kind kind);

// Walks -----------------------------------------------------------------------------------------

struct sql_open_span {
    uint64_t end; // ticks
    uint64_t id;
};

// A place among the events of one kind on one track, and the event there.
struct sql_walk {
    struct sql_events *events;
    enum event_kind kind;
    const struct track *track;
    const struct clock_domain *clock;
    const struct store_cursor *order;
    struct store_mark mark;
    uint64_t next[EVENT_KINDS]; // ids of what comes next
    struct sql_open_span *open; // SQLite's memory
    size_t open_count, open_capacity;
    struct event event;
    struct view values;
    uint64_t id;
    uint32_t depth;  // of a span: how many it lies in
    uint64_t parent; // the innermost of these; 0: none
};

struct sql_walk sql_walk_of(struct sql_events *events, enum event_kind kind);
void sql_walk_free(struct sql_walk *walk);

// Before the first event of a track, or before one from which on all that start at `from` ns or
// later follow.
status sql_walk_to_track(struct sql_walk *walk, uint32_t track, uint64_t from);

// At an event; `*out_found` is false when there is none with this id.
status sql_walk_to(struct sql_walk *walk, uint64_t id, bool *out_found);

// The next event of the track; false at its end. SQL_WALK_NO_MEMORY: that.
enum sql_walk_result { SQL_WALK_END, SQL_WALK_EVENT, SQL_WALK_NO_MEMORY };
enum sql_walk_result sql_walk_next(struct sql_walk *walk);

// What is made of all events when it is first asked for -------------------------------------------

struct sql_call_times {
    uint64_t start, end; // ns; UINT64_MAX and 0: the call has no spans
    uint64_t first;      // of the list of its spans
    uint64_t count;
};

// The times of a call, and in `*out_spans` the ids of its spans, ascending.
status sql_events_call(struct sql_events *events, uint32_t call, struct sql_call_times *out_times,
                       const uint64_t **out_spans);

// From an event that a flow leaves to one that it reaches; 0: there is none, the flow's other end
// is not in the profile.
struct sql_flow {
    uint64_t number;
    uint64_t from, to; // ids
    enum event_kind from_kind, to_kind;
    uint32_t key; // string id
};

status sql_events_flows(struct sql_events *events, const struct sql_flow **out_flows,
                        uint64_t *out_count);

#endif
