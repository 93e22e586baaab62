#include "reader_spans.h"

#include "base/memory.h"
#include "base/sort.h"

void perfetto_spans_start(struct perfetto_spans *spans, struct profile *profile,
                          struct losses *losses)
{
    *spans = (struct perfetto_spans){.profile = profile,
                                     .losses = losses,
                                     .calls.profile = profile,
                                     .kept_keys = SPOOL_EMPTY,
                                     .kept = SPOOL_EMPTY};
    spans->category_key = profile_string(profile, VIEW_LITERAL("category"));
}

void perfetto_spans_free(struct perfetto_spans *spans)
{
    located_calls_free(&spans->calls);
    bytes_free(&spans->values);
    bytes_free(&spans->other_values);
    spool_free(&spans->kept_keys);
    spool_free(&spans->kept);
    status_free(spans->failure);
}

static void lose(struct perfetto_spans *spans, const struct perfetto_track *track,
                 enum perfetto_loss loss, uint64_t offset)
{
    perfetto_losses_add(spans->losses, track->lane, loss, 0, offset);
}

static void expect_one(struct perfetto_spans *spans, const struct perfetto_track *track)
{
    profile_track(spans->profile, track->lane)->ledger.expected++;
}

// Whole events ----------------------------------------------------------------

// Back to the ticks that the nanoseconds were made from. Then the length needs
// no argument of its own.
static struct view to_ticks(struct perfetto_spans *spans, uint32_t clock, struct event *event,
                            struct view values)
{
    const struct clock_domain *domain = profile_clock(spans->profile, clock);
    event->start = clock_from_ns(domain, event->start);
    event->end = clock_from_ns(domain, event->end);
    spans->other_values.size = 0;
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key != spans->cycles_key)
            value_add(&spans->other_values, &value);
    }
    return bytes_view(&spans->other_values);
}

static void emit(struct perfetto_spans *spans, const struct perfetto_track *track,
                 const struct perfetto_open_span *span, enum event_kind kind, uint64_t end,
                 struct view values)
{
    if (end < span->start) {
        lose(spans, track, PERFETTO_LOSS_ENDS_BEFORE, span->offset);
        return;
    }
    struct event event = {.start = span->start,
                          .end = end,
                          .track = track->lane,
                          .name = span->name,
                          .call = located_call(&spans->calls, span->name, span->location),
                          .kind = kind};
    const uint32_t clock = profile_track(spans->profile, track->lane)->clock;
    if (clock != 0)
        values = to_ticks(spans, clock, &event, values);
    profile_event_add(spans->profile, &event, values);
}

static void append_values(const struct perfetto_spans *spans, struct bytes *to,
                          const struct perfetto_edge *edge)
{
    if (edge->begins && edge->category != 0)
        value_add_string(to, spans->category_key, edge->category);
    bytes_append(to, edge->values.data, edge->values.size);
}

static struct perfetto_open_span open_of(const struct perfetto_edge *edge)
{
    return (struct perfetto_open_span){.start = edge->time,
                                       .offset = edge->offset,
                                       .name = edge->name,
                                       .category = edge->category,
                                       .location = edge->location};
}

void perfetto_spans_add_whole(struct perfetto_spans *spans, struct perfetto_track *track,
                              const struct perfetto_edge *edge, enum event_kind kind, uint64_t end)
{
    const struct perfetto_open_span span = open_of(edge);
    spans->values.size = 0;
    append_values(spans, &spans->values, edge);
    perfetto_tracks_name(track, spans->profile, edge->name);
    expect_one(spans, track);
    emit(spans, track, &span, kind, end, bytes_view(&spans->values));
}

// Pairing ---------------------------------------------------------------------

static void begin_span(struct perfetto_spans *spans, struct perfetto_track *track,
                       const struct perfetto_edge *edge)
{
    perfetto_tracks_name(track, spans->profile, edge->name);
    expect_one(spans, track);
    if (track->open_count == PERFETTO_DEPTH_MOST) {
        track->too_deep++;
        lose(spans, track, PERFETTO_LOSS_TOO_DEEP, edge->offset);
        return;
    }
    track->open =
        memory_grow(track->open, track->open_count, &track->open_capacity, sizeof *track->open);
    struct perfetto_open_span *span = &track->open[track->open_count++];
    *span = open_of(edge);
    span->values_at = track->values.size;
    append_values(spans, &track->values, edge);
}

static bool closes(const struct perfetto_edge *end, const struct perfetto_open_span *span)
{
    if (end->category != 0 && end->category != span->category)
        return false;
    return end->name == 0 || span->name == 0 || end->name == span->name;
}

// The open span that an end belongs to; `open_count` when there is none.
static size_t find_open(const struct perfetto_track *track, const struct perfetto_edge *end)
{
    for (size_t i = track->open_count; i > 0; i--) {
        if (closes(end, &track->open[i - 1]))
            return i - 1;
    }
    return track->open_count;
}

// Takes a span out from below others that are still open.
static void remove_open(struct perfetto_track *track, size_t index)
{
    const size_t from = track->open[index + 1].values_at;
    const size_t removed = from - track->open[index].values_at;
    if (removed > 0) {
        unsigned char *values = track->values.data;
        memmove(values + from - removed, values + from, track->values.size - from);
    }
    track->values.size -= removed;
    track->open_count--;
    for (size_t i = index; i < track->open_count; i++) {
        track->open[i] = track->open[i + 1];
        track->open[i].values_at -= removed;
    }
}

static void end_inner(struct perfetto_spans *spans, struct perfetto_track *track, size_t index,
                      const struct perfetto_edge *edge)
{
    const struct perfetto_open_span span = track->open[index];
    const size_t size = track->open[index + 1].values_at - span.values_at;
    lose(spans, track, PERFETTO_LOSS_MISNESTED, edge->offset);
    spans->values.size = 0;
    if (size > 0)
        bytes_append(&spans->values, track->values.data + span.values_at, size);
    append_values(spans, &spans->values, edge);
    emit(spans, track, &span, EVENT_SPAN, edge->time, bytes_view(&spans->values));
    remove_open(track, index);
}

static void end_innermost(struct perfetto_spans *spans, struct perfetto_track *track,
                          const struct perfetto_edge *edge)
{
    const struct perfetto_open_span *span = &track->open[track->open_count - 1];
    append_values(spans, &track->values, edge);
    struct view values = bytes_view(&track->values);
    if (values.size > 0)
        values = view_slice(values, span->values_at, values.size);
    emit(spans, track, span, EVENT_SPAN, edge->time, values);
    track->values.size = span->values_at;
    track->open_count--;
}

static void end_span(struct perfetto_spans *spans, struct perfetto_track *track,
                     const struct perfetto_edge *edge)
{
    if (track->too_deep > 0) {
        track->too_deep--;
        return;
    }
    const size_t index = find_open(track, edge);
    if (index == track->open_count) {
        expect_one(spans, track);
        lose(spans, track, PERFETTO_LOSS_NO_BEGIN, edge->offset);
        return;
    }
    struct perfetto_open_span *span = &track->open[index];
    if (span->name == 0)
        span->name = edge->name;
    if (span->location == 0)
        span->location = edge->location;
    if (index + 1 == track->open_count)
        end_innermost(spans, track, edge);
    else
        end_inner(spans, track, index, edge);
}

static void pair(struct perfetto_spans *spans, struct perfetto_track *track,
                 const struct perfetto_edge *edge)
{
    if (edge->begins)
        begin_span(spans, track, edge);
    else
        end_span(spans, track, edge);
}

// Order of time ---------------------------------------------------------------

// Where an edge lies that is kept: its fields in `kept`, then its values.
struct kept_key {
    struct perfetto_track *track;
    uint64_t time;
    uint64_t at; // rises with the order of the file
};

static status keep(struct perfetto_spans *spans, struct perfetto_track *track,
                   const struct perfetto_edge *edge)
{
    const struct kept_key key = {track, edge->time, spool_size(&spans->kept)};
    STATUS_TRY(spool_append(&spans->kept_keys, &key, sizeof key));
    STATUS_TRY(spool_append(&spans->kept, edge, sizeof *edge));
    return spool_append(&spans->kept, edge->values.data, edge->values.size);
}

void perfetto_spans_add(struct perfetto_spans *spans, struct perfetto_track *track,
                        const struct perfetto_edge *edge)
{
    if (!track->by_time)
        pair(spans, track, edge);
    else if (spans->failure == STATUS_OK)
        spans->failure = keep(spans, track, edge);
}

static bool comes_before(const void *left, const void *right)
{
    const struct kept_key *a = left;
    const struct kept_key *b = right;
    if (a->track != b->track)
        return a->track->lane < b->track->lane;
    return a->time != b->time ? a->time < b->time : a->at < b->at;
}

static status pair_kept(struct perfetto_spans *spans)
{
    char *data;
    char *kept;
    size_t size;
    size_t kept_size;
    STATUS_TRY(spool_read(&spans->kept_keys, &data, &size));
    STATUS_TRY(spool_read(&spans->kept, &kept, &kept_size));
    struct kept_key *keys = (struct kept_key *)(void *)data;
    const size_t count = size / sizeof *keys;
    sort_in_place(keys, count, sizeof *keys, comes_before);
    for (size_t i = 0; i < count; i++) {
        struct perfetto_edge edge;
        memcpy(&edge, kept + keys[i].at, sizeof edge);
        edge.values.data = kept + keys[i].at + sizeof edge;
        pair(spans, keys[i].track, &edge);
    }
    return STATUS_OK;
}

status perfetto_spans_finish(struct perfetto_spans *spans, struct perfetto_tracks *tracks)
{
    const status failure = spans->failure;
    spans->failure = STATUS_OK;
    if (failure != STATUS_OK)
        return failure;
    if (spool_size(&spans->kept) > 0)
        STATUS_TRY(pair_kept(spans));
    for (uint32_t i = 0; i < tracks->tracks.count; i++) {
        const struct perfetto_track *track = segments_get(&tracks->tracks, i);
        for (size_t open = 0; open < track->open_count; open++)
            lose(spans, track, PERFETTO_LOSS_NO_END, track->open[open].offset);
    }
    return STATUS_OK;
}
