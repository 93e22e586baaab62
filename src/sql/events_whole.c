// Calls and flows: what only all events together say.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "events_state.h"

// Walks over all events of a kind. A walk's own memory is freed where a visit fails for want of it.
typedef status visit_function(void *context, const struct sql_walk *walk);

static void free_held_walk(void *walk)
{
    sql_walk_free(walk);
}

static status visit_track(struct sql_walk *walk, uint32_t track, visit_function *visit,
                          void *context)
{
    STATUS_TRY(sql_walk_to_track(walk, track, 0));
    enum sql_walk_result result;
    while ((result = sql_walk_next(walk)) == SQL_WALK_EVENT)
        STATUS_TRY(visit(context, walk));
    return result == SQL_WALK_NO_MEMORY ? status_out_of_memory() : STATUS_OK;
}

static status visit_all(struct sql_events *events, enum event_kind kind, visit_function *visit,
                        void *context)
{
    struct sql_walk walk = sql_walk_of(events, kind);
    status result = STATUS_OK;
    recovery_hold(RECOVERY_AT_ONCE, free_held_walk, &walk);
    for (uint32_t i = 0; result == STATUS_OK && i < events->profile->tracks.count; i++) {
        if (events->tracks[i + 1].first[kind] > events->tracks[i].first[kind])
            result = visit_track(&walk, i, visit, context);
    }
    recovery_let_go(&walk);
    sql_walk_free(&walk);
    return result;
}

// Calls -----------------------------------------------------------------------------------------

struct call_lists {
    struct sql_call_times *times;
    uint64_t *spans;
    uint64_t total;
};

static status count_call(void *context, const struct sql_walk *walk)
{
    struct call_lists *lists = context;
    if (walk->event.call == 0)
        return STATUS_OK;
    struct sql_call_times *times = &lists->times[walk->event.call];
    const uint64_t start = clock_to_ns(walk->clock, walk->event.start);
    const uint64_t end = clock_to_ns(walk->clock, walk->event.end);
    times->start = start < times->start ? start : times->start;
    times->end = end > times->end ? end : times->end;
    times->count++;
    lists->total++;
    return STATUS_OK;
}

static status list_call(void *context, const struct sql_walk *walk)
{
    struct call_lists *lists = context;
    if (walk->event.call == 0)
        return STATUS_OK;
    // A mapped file may say something else the second time.
    struct sql_call_times *times = &lists->times[walk->event.call];
    if (times->first + times->count < lists->total)
        lists->spans[times->first + times->count++] = walk->id;
    return STATUS_OK;
}

static status make_calls(struct sql_events *events)
{
    if (events->has_calls)
        return STATUS_OK;
    const uint32_t count = events->profile->calls.count;
    char *data;
    spool_free(&events->calls);
    spool_free(&events->call_spans);
    events->calls = SPOOL_EMPTY;
    events->call_spans = SPOOL_EMPTY;
    STATUS_TRY(spool_make_room(&events->calls, count * sizeof(struct sql_call_times), &data));
    struct call_lists lists = {.times = (struct sql_call_times *)(void *)data};
    for (uint32_t i = 0; i < count; i++)
        lists.times[i].start = UINT64_MAX;
    STATUS_TRY(visit_all(events, EVENT_SPAN, count_call, &lists));
    uint64_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        lists.times[i].first = first;
        first += lists.times[i].count;
        lists.times[i].count = 0;
    }
    STATUS_TRY(spool_make_room(&events->call_spans, (lists.total + 1) * sizeof(uint64_t), &data));
    lists.spans = (uint64_t *)(void *)data;
    STATUS_TRY(visit_all(events, EVENT_SPAN, list_call, &lists));
    events->call_times = lists.times;
    events->call_span_ids = lists.spans;
    events->has_calls = true;
    return STATUS_OK;
}

static __attribute__((noinline)) status make_calls_in_scope(struct sql_events *events)
{
    return RECOVERY_SCOPE(&events->region, make_calls(events), status_out_of_memory());
}

status sql_events_call(struct sql_events *events, uint32_t call, struct sql_call_times *out_times,
                       const uint64_t **out_spans)
{
    STATUS_TRY(make_calls_in_scope(events));
    *out_times = call < events->profile->calls.count ? events->call_times[call]
                                                     : (struct sql_call_times){.start = UINT64_MAX};
    *out_spans = events->call_span_ids + out_times->first;
    return STATUS_OK;
}

// Flows -----------------------------------------------------------------------------------------

// Where a flow touches an event.
struct flow_end {
    uint64_t number;
    uint64_t time; // ns
    uint64_t id;
    uint32_t key;
    uint8_t kind; // enum event_kind
    bool leaves;  // the flow begins there, or goes on
};

static status collect_ends(void *context, const struct sql_walk *walk)
{
    struct spool *ends = context;
    struct value_reader reader = value_read(walk->values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.kind != VALUE_FLOW_OUT && value.kind != VALUE_FLOW_IN)
            continue;
        const struct flow_end end = {.number = value.number,
                                     .time = clock_to_ns(walk->clock, walk->event.start),
                                     .id = walk->id,
                                     .key = value.key,
                                     .kind = (uint8_t)walk->event.kind,
                                     .leaves = value.kind == VALUE_FLOW_OUT};
        STATUS_TRY(spool_append(ends, &end, sizeof end));
    }
    return STATUS_OK;
}

// By flow; of one flow those that it leaves first, each by time.
static bool end_comes_before(const void *left, const void *right)
{
    const struct flow_end *a = left;
    const struct flow_end *b = right;
    if (a->number != b->number)
        return a->number < b->number;
    if (a->leaves != b->leaves)
        return a->leaves;
    if (a->time != b->time)
        return a->time < b->time;
    return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
}

static status add_flow(struct sql_events *events, const struct flow_end *from,
                       const struct flow_end *to)
{
    const struct flow_end *any = from != NULL ? from : to;
    const struct sql_flow flow = {.number = any->number,
                                  .from = from != NULL ? from->id : 0,
                                  .to = to != NULL ? to->id : 0,
                                  .from_kind = from != NULL ? from->kind : EVENT_SPAN,
                                  .to_kind = to != NULL ? to->kind : EVENT_SPAN,
                                  .key = any->key};
    events->flow_count++;
    return spool_append(&events->flows, &flow, sizeof flow);
}

// The ends of one flow: from each event that it leaves to the next such one, and from the last to
// every event where it ends.
static status connect(struct sql_events *events, const struct flow_end *ends, size_t count)
{
    size_t leaving = 0;
    while (leaving < count && ends[leaving].leaves)
        leaving++;
    for (size_t i = 1; i < leaving; i++)
        STATUS_TRY(add_flow(events, &ends[i - 1], &ends[i]));
    for (size_t i = leaving; i < count; i++)
        STATUS_TRY(add_flow(events, leaving > 0 ? &ends[leaving - 1] : NULL, &ends[i]));
    return leaving == 1 && count == 1 ? add_flow(events, &ends[0], NULL) : STATUS_OK;
}

static status connect_all(struct sql_events *events, struct spool *ends)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(ends, &data, &size));
    struct flow_end *all = (struct flow_end *)(void *)data;
    const size_t count = size / sizeof *all;
    sort_in_place(all, count, sizeof *all, end_comes_before);
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        while (end < count && all[end].number == all[first].number)
            end++;
        STATUS_TRY(connect(events, all + first, end - first));
        first = end;
    }
    STATUS_TRY(spool_read(&events->flows, &data, &size));
    events->flow_rows = (const struct sql_flow *)(void *)data;
    return STATUS_OK;
}

static status make_flows(struct sql_events *events)
{
    if (events->has_flows)
        return STATUS_OK;
    struct spool ends = SPOOL_EMPTY;
    spool_free(&events->flows);
    events->flows = SPOOL_EMPTY;
    events->flow_count = 0;
    status result = STATUS_OK;
    for (int kind = 0; result == STATUS_OK && kind < EVENT_KINDS; kind++)
        result = visit_all(events, (enum event_kind)kind, collect_ends, &ends);
    if (result == STATUS_OK)
        result = connect_all(events, &ends);
    spool_free(&ends);
    events->has_flows = result == STATUS_OK;
    return result;
}

static __attribute__((noinline)) status make_flows_in_scope(struct sql_events *events)
{
    return RECOVERY_SCOPE(&events->region, make_flows(events), status_out_of_memory());
}

status sql_events_flows(struct sql_events *events, const struct sql_flow **out_flows,
                        uint64_t *out_count)
{
    STATUS_TRY(make_flows_in_scope(events));
    *out_flows = events->flow_rows;
    *out_count = events->flow_count;
    return STATUS_OK;
}
