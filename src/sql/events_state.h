// What the files of sql/events.h share.

#ifndef OPSCOPE_SQL_EVENTS_STATE_H
#define OPSCOPE_SQL_EVENTS_STATE_H

#include "base/recovery.h"
#include "base/spool.h"
#include "events.h"

// A place on a track from which a walk can go on.
struct sql_mark {
    struct store_mark at;
    uint64_t next[EVENT_KINDS];
    uint64_t start; // ticks: of the event that comes next; UINT64_MAX: none
    size_t open_at; // of the track's `open`
    size_t open_count;
};

struct sql_track {
    uint64_t first[EVENT_KINDS]; // ids of its first events
    struct store_cursor *order;  // NULL: not asked for yet
    struct sql_mark *marks;
    size_t mark_count, mark_capacity;
    struct sql_open_span *open; // at all marks
    size_t open_count, open_capacity;
};

struct sql_events {
    struct profile *profile;
    struct region region;     // of what is made later
    struct sql_track *tracks; // one more than there are, for its ids
    bool has_calls, has_flows;
    struct spool calls; // struct sql_call_times
    const struct sql_call_times *call_times;
    struct spool call_spans; // ids
    const uint64_t *call_span_ids;
    struct spool flows; // struct sql_flow
    const struct sql_flow *flow_rows;
    uint64_t flow_count;
};

#endif
