#include "spans.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

void spans_start(struct spans *spans, struct profile *profile, struct losses *losses)
{
    *spans = (struct spans){.profile = profile,
                            .losses = losses,
                            .calls.profile = profile,
                            .kept_keys = SPOOL_EMPTY,
                            .kept = SPOOL_EMPTY};
    spans->category_key = profile_string(profile, VIEW_LITERAL("category"));
    spans->cycles_key = profile_string(profile, VIEW_LITERAL("cycles"));
}

void spans_free(struct spans *spans)
{
    located_calls_free(&spans->calls);
    bytes_free(&spans->values);
    bytes_free(&spans->other_values);
    spool_free(&spans->kept_keys);
    spool_free(&spans->kept);
    status_free(spans->failure);
}

static void trace_spans_lose(struct spans *spans, const struct span_lane *lane, enum span_loss loss,
                             uint64_t offset)
{
    losses_add(spans->losses, lane->track, loss, 0, offset);
}

static void expect_one(struct spans *spans, const struct span_lane *lane)
{
    profile_track(spans->profile, lane->track)->ledger.expected++;
}

void spans_lose(struct spans *spans, const struct span_lane *lane, uint32_t reason, uint64_t offset)
{
    expect_one(spans, lane);
    losses_add(spans->losses, lane->track, reason, 0, offset);
}

// Whole events ----------------------------------------------------------------

// All but the values of a key.
static struct view spans_without(struct spans *spans, struct view values, uint32_t key)
{
    struct value_reader reader = value_read(values);
    const unsigned char *kept = reader.at;
    const unsigned char *at = reader.at;
    uint32_t found;
    spans->other_values.size = 0;
    while (value_skip(&reader, &found)) {
        if (found == key) {
            bytes_append(&spans->other_values, kept, (size_t)(at - kept));
            kept = reader.at;
        }
        at = reader.at;
    }
    if (spans->other_values.size == 0)
        return (struct view){(const char *)kept, (size_t)(at - kept)};
    bytes_append(&spans->other_values, kept, (size_t)(at - kept));
    return bytes_view(&spans->other_values);
}

// Back to the ticks that the nanoseconds were made from. Then the length needs
// no argument of its own.
static struct view to_ticks(struct spans *spans, uint32_t clock, struct event *event,
                            struct view values)
{
    const struct clock_domain *domain = profile_clock(spans->profile, clock);
    event->start = clock_from_ns(domain, event->start);
    event->end = clock_from_ns(domain, event->end);
    return spans_without(spans, values, spans->cycles_key);
}

static void trace_spans_emit(struct spans *spans, struct span_lane *lane,
                             const struct span_open *span, enum event_kind kind, uint64_t end,
                             struct view values)
{
    if (end < span->start) {
        trace_spans_lose(spans, lane, SPAN_LOSS_ENDS_BEFORE, span->offset);
        return;
    }
    struct event event = {.start = span->start,
                          .end = end,
                          .track = lane->track,
                          .name = span->name,
                          .call = span->call != 0
                                      ? span->call
                                      : located_call(&spans->calls, span->name, span->location),
                          .kind = kind};
    const uint32_t clock = profile_track(spans->profile, lane->track)->clock;
    if (clock != 0)
        values = to_ticks(spans, clock, &event, values);
    profile_event_add(spans->profile, &event, values);
    const bool same = event.start == lane->last_start && event.end == lane->last_end;
    lane->last_same = same ? lane->last_same + 1 : 1;
    lane->last_start = event.start;
    lane->last_end = event.end;
}

static void spans_append_values(const struct spans *spans, struct bytes *to,
                                const struct span_edge *edge)
{
    if (edge->begins && edge->category != 0)
        value_add_string(to, spans->category_key, edge->category);
    bytes_append(to, edge->values.data, edge->values.size);
}

static struct span_open open_of(const struct span_edge *edge)
{
    return (struct span_open){.start = edge->time,
                              .offset = edge->offset,
                              .name = edge->name,
                              .category = edge->category,
                              .location = edge->location,
                              .call = edge->call};
}

void spans_add_whole(struct spans *spans, struct span_lane *lane, const struct span_edge *edge,
                     enum event_kind kind, uint64_t end)
{
    const struct span_open span = open_of(edge);
    struct view values = edge->values;
    if (edge->category != 0) {
        spans->values.size = 0;
        spans_append_values(spans, &spans->values, edge);
        values = bytes_view(&spans->values);
    }
    expect_one(spans, lane);
    trace_spans_emit(spans, lane, &span, kind, end, values);
}

// Pairing ---------------------------------------------------------------------

static void spans_begin_span(struct spans *spans, struct span_lane *lane,
                             const struct span_edge *edge)
{
    expect_one(spans, lane);
    if (lane->open_count == SPAN_DEPTH_MOST) {
        lane->too_deep++;
        trace_spans_lose(spans, lane, SPAN_LOSS_TOO_DEEP, edge->offset);
        return;
    }
    lane->open =
        memory_grow(lane->open, lane->open_count, &lane->open_capacity, sizeof *lane->open);
    struct span_open *span = &lane->open[lane->open_count++];
    *span = open_of(edge);
    if (span->call == 0)
        located_call_soon(&spans->calls, span->name, span->location);
    span->values_at = lane->values.size;
    spans_append_values(spans, &lane->values, edge);
}

static bool trace_spans_closes(const struct span_edge *end, const struct span_open *span)
{
    if (end->category != 0 && end->category != span->category)
        return false;
    return end->name == 0 || span->name == 0 || end->name == span->name;
}

// The open span that an end belongs to; `open_count` when there is none.
static size_t find_open(const struct span_lane *lane, const struct span_edge *end)
{
    for (size_t i = lane->open_count; i > 0; i--) {
        if (trace_spans_closes(end, &lane->open[i - 1]))
            return i - 1;
    }
    return lane->open_count;
}

// Takes a span out from below others that are still open.
static void remove_open(struct span_lane *lane, size_t index)
{
    const size_t from = lane->open[index + 1].values_at;
    const size_t removed = from - lane->open[index].values_at;
    if (removed > 0) {
        unsigned char *values = lane->values.data;
        memmove(values + from - removed, values + from, lane->values.size - from);
    }
    lane->values.size -= removed;
    lane->open_count--;
    for (size_t i = index; i < lane->open_count; i++) {
        lane->open[i] = lane->open[i + 1];
        lane->open[i].values_at -= removed;
    }
}

static void end_inner(struct spans *spans, struct span_lane *lane, size_t index,
                      const struct span_edge *edge)
{
    const struct span_open span = lane->open[index];
    const size_t size = lane->open[index + 1].values_at - span.values_at;
    trace_spans_lose(spans, lane, SPAN_LOSS_MISNESTED, edge->offset);
    spans->values.size = 0;
    if (size > 0)
        bytes_append(&spans->values, lane->values.data + span.values_at, size);
    spans_append_values(spans, &spans->values, edge);
    trace_spans_emit(spans, lane, &span, EVENT_SPAN, edge->time, bytes_view(&spans->values));
    remove_open(lane, index);
}

static void end_innermost(struct spans *spans, struct span_lane *lane, const struct span_edge *edge)
{
    const struct span_open *span = &lane->open[lane->open_count - 1];
    spans_append_values(spans, &lane->values, edge);
    struct view values = bytes_view(&lane->values);
    if (values.size > 0)
        values = view_slice(values, span->values_at, values.size);
    trace_spans_emit(spans, lane, span, EVENT_SPAN, edge->time, values);
    lane->values.size = span->values_at;
    lane->open_count--;
}

static void spans_end_span(struct spans *spans, struct span_lane *lane,
                           const struct span_edge *edge)
{
    if (lane->too_deep > 0) {
        lane->too_deep--;
        return;
    }
    const size_t index = find_open(lane, edge);
    if (index == lane->open_count) {
        expect_one(spans, lane);
        trace_spans_lose(spans, lane, SPAN_LOSS_NO_BEGIN, edge->offset);
        return;
    }
    struct span_open *span = &lane->open[index];
    if (span->name == 0)
        span->name = edge->name;
    if (span->location == 0)
        span->location = edge->location;
    if (index + 1 == lane->open_count)
        end_innermost(spans, lane, edge);
    else
        end_inner(spans, lane, index, edge);
}

static void pair(struct spans *spans, struct span_lane *lane, const struct span_edge *edge)
{
    if (edge->begins)
        spans_begin_span(spans, lane, edge);
    else
        spans_end_span(spans, lane, edge);
}

// Order of time ---------------------------------------------------------------

// Where an edge lies that is kept: its fields in `kept`, then its values.
struct kept_key {
    struct span_lane *lane;
    uint64_t time;
    uint64_t at; // rises with the order of the file
};

static status spans_keep_edge(struct spans *spans, struct span_lane *lane,
                              const struct span_edge *edge)
{
    const struct kept_key key = {lane, edge->time, spool_size(&spans->kept)};
    STATUS_TRY(spool_append(&spans->kept_keys, &key, sizeof key));
    STATUS_TRY(spool_append(&spans->kept, edge, sizeof *edge));
    return spool_append(&spans->kept, edge->values.data, edge->values.size);
}

void spans_add(struct spans *spans, struct span_lane *lane, const struct span_edge *edge)
{
    if (!lane->by_time)
        pair(spans, lane, edge);
    else if (spans->failure == STATUS_OK)
        spans->failure = spans_keep_edge(spans, lane, edge);
}

static bool spans_comes_before(const void *left, const void *right)
{
    const struct kept_key *a = left;
    const struct kept_key *b = right;
    if (a->lane != b->lane)
        return a->lane->track < b->lane->track;
    return a->time != b->time ? a->time < b->time : a->at < b->at;
}

static status pair_kept(struct spans *spans)
{
    char *data;
    char *kept;
    size_t size;
    size_t kept_size;
    STATUS_TRY(spool_read(&spans->kept_keys, &data, &size));
    STATUS_TRY(spool_read(&spans->kept, &kept, &kept_size));
    struct kept_key *keys = (struct kept_key *)(void *)data;
    const size_t count = size / sizeof *keys;
    sort_in_place(keys, count, sizeof *keys, spans_comes_before);
    for (size_t i = 0; i < count; i++) {
        struct span_edge edge;
        memcpy(&edge, kept + keys[i].at, sizeof edge);
        edge.values.data = kept + keys[i].at + sizeof edge;
        pair(spans, keys[i].lane, &edge);
    }
    return STATUS_OK;
}

status spans_finish(struct spans *spans)
{
    const status failure = spans->failure;
    spans->failure = STATUS_OK;
    if (failure != STATUS_OK)
        return failure;
    return spool_size(&spans->kept) > 0 ? pair_kept(spans) : STATUS_OK;
}

void spans_lose_open(struct spans *spans, const struct span_lane *lane)
{
    for (size_t open = 0; open < lane->open_count; open++)
        trace_spans_lose(spans, lane, SPAN_LOSS_NO_END, lane->open[open].offset);
}

void span_lane_free(struct span_lane *lane)
{
    free(lane->open);
    bytes_free(&lane->values);
}
