#include "writer.h"

#include <stdlib.h>

#include "arguments.h"
#include "base/memory.h"
#include "calls_writer.h"
#include "fields.h"
#include "formats/trace/lane_search.h"
#include "formats/trace/track_source.h"
#include "pack.h"
#include "profile/store.h"
#include "sequence.h"
#include "wire/protobuf.h"

// A track of the profile as it is written.
struct written_track {
    bool described;
    bool nests;
    struct clock_domain clock;
    uint64_t uuid;
    uint64_t last_start; // ns
    struct sequence *lanes;
    size_t lane_count;
    size_t lane_capacity;
    size_t first_lane; // lanes before it hold what came in order
    struct lane_search search;
    bool cycles; // its clock counts cycles
    bool has_late;
};

// An event on its way to a chunk.
struct taken_event {
    const struct event *event;
    uint64_t start, end; // ns
    uint32_t values_at;  // in the chunk
    uint64_t keys;       // as its batch says
};

// Where a text is at home is looked up this far ahead of the event.
enum { TEXTS_AHEAD = 16 };

struct perfetto_writer {
    struct event_sink sink;
    struct profile *profile;
    struct pack *pack;
    struct perfetto_writer_options options;
    struct encode_options encode;
    struct written_track *tracks;
    size_t track_count;
    struct segments homes; // of texts (sequence.h)
    struct event_store *late;
    struct event_batch *late_batch;
    uint64_t too_late; // events beyond the range of Perfetto's clock
    uint64_t next_uuid;
    uint32_t next_sequence;
    bool has_calls;      // some event says its call by number
    uint32_t *locations; // by call: text id + 1; calls and operators are far apart in memory
    size_t location_count;
};

// Descriptors -----------------------------------------------------------------

static unsigned char *put_named_message(unsigned char *to, uint32_t field,
                                        const uint32_t *number_fields, const uint64_t *numbers,
                                        size_t count, uint32_t name_field, struct view name)
{
    struct bytes content = {0};
    unsigned char *at =
        bytes_reserve(&content, count * 2 * VARINT_MOST + PROTOBUF_HEADER_MOST + name.size);
    for (size_t i = 0; i < count; i++)
        at = protobuf_put_varint(at, number_fields[i], numbers[i]);
    at = protobuf_put_bytes(at, name_field, name);
    content.size = (size_t)(at - content.data);
    to = protobuf_put_bytes(to, field, bytes_view(&content));
    bytes_free(&content);
    return to;
}

static unsigned char *put_process(unsigned char *to, uint64_t pid, struct view name)
{
    static const uint32_t fields[] = {PERFETTO_PROCESS_PID};
    return put_named_message(to, PERFETTO_DESCRIPTOR_PROCESS, fields, &pid, 1,
                             PERFETTO_PROCESS_NAME, name);
}

static unsigned char *put_thread(unsigned char *to, uint64_t pid, uint64_t tid, struct view name)
{
    static const uint32_t fields[] = {PERFETTO_THREAD_PID, PERFETTO_THREAD_TID};
    const uint64_t numbers[] = {pid, tid};
    return put_named_message(to, PERFETTO_DESCRIPTOR_THREAD, fields, numbers, 2,
                             PERFETTO_THREAD_NAME, name);
}

static unsigned char *put_counter(unsigned char *to, struct view unit)
{
    const bool bytes = view_is(unit, "bytes");
    static const uint32_t fields[] = {PERFETTO_COUNTER_UNIT};
    const uint64_t number = bytes ? PERFETTO_UNIT_SIZE_BYTES : PERFETTO_UNIT_UNSPECIFIED;
    return put_named_message(to, PERFETTO_DESCRIPTOR_COUNTER, fields, &number, 1,
                             PERFETTO_COUNTER_UNIT_NAME, unit);
}

static struct written_track *written(struct perfetto_writer *writer, uint32_t track)
{
    writer->tracks =
        memory_extend(writer->tracks, &writer->track_count, track, sizeof *writer->tracks);
    return &writer->tracks[track];
}

static uint64_t perfetto_writer_describe(struct perfetto_writer *writer, uint32_t id);

static unsigned char *put_place(struct perfetto_writer *writer, unsigned char *to,
                                const struct track *track, uint64_t uuid, uint64_t parent_uuid)
{
    const struct view name = profile_text(writer->profile, track->name);
    const struct track *parent = profile_track(writer->profile, track->parent);
    if (track->kind == TRACK_PROCESS)
        return put_process(to, uuid, name);
    if (track->kind == TRACK_LANE && track->parent != 0 && parent->kind == TRACK_PROCESS)
        return put_thread(to, parent_uuid, uuid, name);
    if (parent_uuid != 0)
        to = protobuf_put_varint(to, PERFETTO_DESCRIPTOR_PARENT, parent_uuid);
    if (track->kind == TRACK_COUNTER)
        to = put_counter(to, profile_text(writer->profile, track->unit));
    return to;
}

// `first` is the uuid of the track's first lane; 0: this is it.
static void put_descriptor(struct perfetto_writer *writer, const struct track *track, uint64_t uuid,
                           uint64_t parent_uuid, uint64_t first)
{
    char source[256];
    const struct view name = profile_text(writer->profile, track->name);
    const struct view unit = profile_text(writer->profile, track->unit);
    size_t source_size = track_source_describe(writer->profile, track, source, sizeof source);
    if (first != 0)
        source_size = track_source_lane(source, source_size, sizeof source, first);
    struct bytes content = {0};
    unsigned char *to = bytes_reserve(&content, 512 + 2 * name.size + unit.size);
    to = protobuf_put_varint(to, PERFETTO_DESCRIPTOR_UUID, uuid);
    to = protobuf_put_bytes(to, PERFETTO_DESCRIPTOR_NAME, name);
    to = put_place(writer, to, track, uuid, parent_uuid);
    if (track->kind == TRACK_PROCESS || track->kind == TRACK_GROUP)
        to = protobuf_put_varint(to, PERFETTO_DESCRIPTOR_CHILD_ORDERING, PERFETTO_ORDER_EXPLICIT);
    to = protobuf_put_varint(to, PERFETTO_DESCRIPTOR_RANK, (uint64_t)(int64_t)track->rank);
    if (source_size > 0)
        to = protobuf_put_bytes(to, PERFETTO_DESCRIPTOR_DESCRIPTION,
                                (struct view){source, source_size});
    content.size = (size_t)(to - content.data);

    const size_t inner = protobuf_bytes_size(PERFETTO_PACKET_TRACK_DESCRIPTOR, content.size);
    struct chunk *chunk = pack_chunk(writer->pack);
    unsigned char *start = chunk_reserve(chunk, PROTOBUF_HEADER_MOST + inner);
    unsigned char *end = protobuf_put_header(start, PERFETTO_TRACE_PACKET, inner);
    end = protobuf_put_bytes(end, PERFETTO_PACKET_TRACK_DESCRIPTOR, bytes_view(&content));
    chunk_commit(chunk, (size_t)(end - start));
    bytes_free(&content);
}

// The uuid of a track's parent, described first; 0 at the root.
static uint64_t describe_parent(struct perfetto_writer *writer, const struct track *track)
{
    return track->parent == 0 ? 0 : perfetto_writer_describe(writer, track->parent);
}

static uint64_t perfetto_writer_describe(struct perfetto_writer *writer, uint32_t id)
{
    struct written_track *state = written(writer, id);
    if (state->described)
        return state->uuid;
    const struct track *track = profile_track(writer->profile, id);
    state->described = true;
    state->nests = track->nests;
    state->clock = *profile_clock(writer->profile, track->clock);
    state->cycles = view_is(profile_text(writer->profile, state->clock.name), "cycles");
    const uint64_t parent_uuid = describe_parent(writer, track);
    state = written(writer, id); // the parent may have moved it
    state->uuid = ++writer->next_uuid;
    put_descriptor(writer, track, state->uuid, parent_uuid, 0);
    return state->uuid;
}

// Lanes -----------------------------------------------------------------------

// What spans of several lanes are looked for by; the first one is looked at itself.
static void perfetto_writer_note_lane(struct written_track *state, size_t index)
{
    if (index == state->first_lane)
        return;
    const struct sequence *lane = &state->lanes[index];
    lane_search_set(&state->search, index, lane->depth > 0 ? lane->ends[lane->depth - 1] : 0,
                    lane->depth >= PERFETTO_DEPTH_MOST);
}

static struct sequence *perfetto_writer_add_lane(struct perfetto_writer *writer, uint32_t id,
                                                 uint64_t ns)
{
    uint64_t uuid = perfetto_writer_describe(writer, id);
    struct written_track *state = written(writer, id);
    if (state->lane_count > 0) {
        const struct track *track = profile_track(writer->profile, id);
        uuid = ++writer->next_uuid;
        put_descriptor(writer, track, uuid, describe_parent(writer, track), state->uuid);
    }
    state->lanes =
        memory_grow(state->lanes, state->lane_count, &state->lane_capacity, sizeof *state->lanes);
    struct sequence *lane = &state->lanes[state->lane_count++];
    sequence_start(lane, pack_chunk(writer->pack), ++writer->next_sequence, uuid, ns,
                   &writer->homes);
    perfetto_writer_note_lane(state, state->lane_count - 1);
    return lane;
}

static void perfetto_writer_close_spans(struct sequence *lane, struct chunk *chunk, uint64_t ns)
{
    while (lane->depth > 0 && lane->ends[lane->depth - 1] <= ns)
        sequence_end(lane, chunk, lane->ends[--lane->depth]);
}

// Whether a span that starts at or after all earlier ones can lie on the lane.
static bool perfetto_writer_lane_takes(const struct sequence *lane, bool nests, uint64_t end)
{
    if (lane->depth == 0)
        return true;
    return nests && lane->ends[lane->depth - 1] >= end && lane->depth < PERFETTO_DEPTH_MOST;
}

// Ends the spans of a lane that are over, and says whether another one can lie on it. If so, it is
// for the caller to note what becomes of it.
static bool perfetto_writer_try_lane(struct perfetto_writer *writer, struct written_track *state,
                                     size_t index, bool nests, uint64_t start, uint64_t end)
{
    struct sequence *lane = &state->lanes[index];
    const bool over = lane->depth > 0 && lane->ends[lane->depth - 1] <= start;
    if (over)
        perfetto_writer_close_spans(lane, pack_chunk(writer->pack), start);
    if (perfetto_writer_lane_takes(lane, nests, end))
        return true;
    if (over)
        perfetto_writer_note_lane(state, index);
    return false;
}

// The first lane that takes it; spans that are over are ended on those before it, and on it.
static struct sequence *lane_for(struct perfetto_writer *writer, struct written_track *state,
                                 uint32_t track, bool nests, uint64_t start, uint64_t end)
{
    size_t i = state->first_lane;
    if (i < state->lane_count && perfetto_writer_try_lane(writer, state, i, nests, start, end))
        return &state->lanes[i];
    while (++i < state->lane_count) {
        i = lane_search_next(&state->search, i, state->lane_count, nests, start, end);
        if (i < state->lane_count && perfetto_writer_try_lane(writer, state, i, nests, start, end))
            return &state->lanes[i];
    }
    return perfetto_writer_add_lane(writer, track, start);
}

static void perfetto_writer_open_span(struct written_track *state, struct sequence *lane,
                                      uint64_t end)
{
    if (lane->depth == lane->capacity)
        lane->ends = memory_grow(lane->ends, lane->depth, &lane->capacity, sizeof *lane->ends);
    lane->ends[lane->depth++] = end;
    perfetto_writer_note_lane(state, (size_t)(lane - state->lanes));
}

static void perfetto_writer_write_sample(struct perfetto_writer *writer,
                                         struct written_track *state, const struct event *event,
                                         struct view values, uint64_t ns)
{
    struct sequence *lane = state->lane_count > state->first_lane
                                ? &state->lanes[state->first_lane]
                                : perfetto_writer_add_lane(writer, event->track, ns);
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.key == 0 && value.kind <= VALUE_REAL)
            sequence_sample(lane, pack_chunk(writer->pack), ns, &value);
    }
}

static uint32_t perfetto_writer_location_of(struct perfetto_writer *writer, uint32_t call_id)
{
    if (writer->options.located && (call_id & CALL_LOCATED) != 0)
        return call_id & ~CALL_LOCATED;
    writer->locations = memory_extend(writer->locations, &writer->location_count, call_id,
                                      sizeof *writer->locations);
    if (writer->locations[call_id] == 0) {
        const struct call *call = profile_call(writer->profile, call_id);
        writer->locations[call_id] =
            profile_operator(writer->profile, call->operator_id)->location + 1;
    }
    return writer->locations[call_id] - 1;
}

// 0: it has none, or what is written anyway says it.
static uint32_t perfetto_writer_call_of(struct perfetto_writer *writer, const struct event *event)
{
    if (!writer->options.calls || writer->options.no_arguments || event->call == 0 ||
        perfetto_call_is_plain(writer->profile, event->call, event->name))
        return 0;
    writer->has_calls = true;
    return event->call;
}

// Whether a span takes the place of the innermost one on the lane, which has just ended.
static bool perfetto_writer_follows(const struct sequence *lane, bool nests, uint64_t start,
                                    uint64_t end)
{
    const size_t depth = lane->depth;
    if (depth == 0 || lane->ends[depth - 1] > start)
        return false;
    return depth == 1 || (nests && lane->ends[depth - 2] > start && lane->ends[depth - 2] >= end);
}

static void perfetto_writer_write_event(struct perfetto_writer *writer, struct written_track *state,
                                        const struct taken_event *taken)
{
    const struct event *event = taken->event;
    const bool span = event->kind == EVENT_SPAN;
    const bool nests = state->nests || !span;
    struct sequence_event written = {
        .kind = span ? CHUNK_SPAN : CHUNK_INSTANT,
        .name = event->name,
        .location = perfetto_writer_location_of(writer, event->call),
        .call = perfetto_writer_call_of(writer, event),
        .values_at = taken->values_at,
        .values_size = event->values_size,
        .keys = taken->keys,
        .has_cycles = state->cycles && span,
        .cycles = event->end - event->start,
    };
    struct sequence *lane =
        state->first_lane < state->lane_count ? &state->lanes[state->first_lane] : NULL;
    if (lane != NULL && perfetto_writer_follows(lane, nests, taken->start, taken->end)) {
        written.ends = true;
        written.end = lane->ends[--lane->depth];
    } else {
        lane = lane_for(writer, state, event->track, nests, taken->start, taken->end);
    }
    sequence_add(lane, pack_chunk(writer->pack), &writer->encode, taken->start, &written);
    if (span)
        perfetto_writer_open_span(state, lane, taken->end);
    else
        perfetto_writer_note_lane(state, (size_t)(lane - state->lanes));
}

static status flush_late(struct perfetto_writer *writer)
{
    struct event_batch *batch = writer->late_batch;
    if (batch == NULL)
        return STATUS_OK;
    const status result = store_add(writer->late, batch);
    batch->count = 0;
    batch->values.size = 0;
    return result;
}

static status hold_back(struct perfetto_writer *writer, const struct event *event,
                        struct view values)
{
    if (writer->late_batch == NULL)
        writer->late_batch = event_batch_create();
    struct event_batch *batch = writer->late_batch;
    struct event *held = &batch->events[batch->count++];
    *held = *event;
    held->values_at = (uint32_t)batch->values.size;
    bytes_append(&batch->values, values.data, values.size);
    written(writer, event->track)->has_late = true;
    return batch->count < EVENT_BATCH ? STATUS_OK : flush_late(writer);
}

// `values_at` is where the event's values lie in the chunk.
static status perfetto_writer_take_event(struct perfetto_writer *writer,
                                         const struct event_batch *batch, const struct event *event,
                                         uint32_t values_at)
{
    struct written_track *state = written(writer, event->track);
    if (!state->described) {
        perfetto_writer_describe(writer, event->track);
        state = written(writer, event->track);
    }
    const struct taken_event taken = {.event = event,
                                      .start = clock_to_ns(&state->clock, event->start),
                                      .end = clock_to_ns(&state->clock, event->end),
                                      .values_at = values_at,
                                      .keys = batch->keys};
    if (taken.end > INT64_MAX) {
        writer->too_late++;
        return STATUS_OK;
    }
    if (taken.start < state->last_start)
        return hold_back(writer, event, event_values(batch, event));
    state->last_start = taken.start;
    if (event->kind == EVENT_COUNTER)
        perfetto_writer_write_sample(writer, state, event, event_values(batch, event), taken.start);
    else
        perfetto_writer_write_event(writer, state, &taken);
    return STATUS_OK;
}

// How many of the next events, `count` at most, go into one chunk, and where their values end.
static size_t perfetto_writer_run(const struct event *events, size_t count, size_t *out_values_end)
{
    const struct event *last = &events[count - 1];
    if (last->values_at - events->values_at >= PACK_CHUNK) {
        for (last = events; last->values_at - events->values_at < PACK_CHUNK;)
            last++;
    }
    *out_values_end = (size_t)last->values_at + last->values_size;
    return (size_t)(last - events) + 1;
}

// Asks for what is known of the event's location.
static inline void perfetto_writer_prefetch(const struct perfetto_writer *writer,
                                            const struct event *event)
{
    const uint32_t location = event->call & ~CALL_LOCATED;
    if (writer->options.located && event->call != location && location < writer->homes.count)
        __builtin_prefetch(segments_get(&writer->homes, location));
}

// With what may be read after them.
static void perfetto_writer_put_values(struct chunk *chunk, const unsigned char *values,
                                       size_t size)
{
    unsigned char *to = bytes_reserve(&chunk->values, size + ARGUMENTS_AFTER);
    memcpy(to, values, size);
    memset(to + size, 0, ARGUMENTS_AFTER);
    chunk->values.size += size + ARGUMENTS_AFTER;
}

// Takes events of a batch from `from` to `to`, whose values are in the chunk from `values_at` on,
// as long as it has room: where a chunk ends must not depend on where batches do. `*out_end` is the
// first that was not taken.
static status perfetto_writer_take_run(struct perfetto_writer *writer,
                                       const struct event_batch *batch, size_t from, size_t to,
                                       size_t values_at, size_t *out_end)
{
    const size_t values_from = batch->events[from].values_at;
    size_t i = from;
    do {
        const struct event *event = &batch->events[i];
        if (i + TEXTS_AHEAD < to)
            perfetto_writer_prefetch(writer, &batch->events[i + TEXTS_AHEAD]);
        pack_chunk(writer->pack)->size += event->values_size;
        STATUS_TRY(perfetto_writer_take_event(
            writer, batch, event, (uint32_t)(values_at + (event->values_at - values_from))));
    } while (++i < to && !pack_is_full(writer->pack));
    *out_end = i;
    return STATUS_OK;
}

// Values lie in the order of the events: those of a run of events are copied at once.
static status perfetto_writer_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct perfetto_writer *writer = (struct perfetto_writer *)sink;
    for (size_t i = 0; i < batch->count;) {
        struct chunk *chunk = pack_chunk_with_room(writer->pack);
        const size_t values_from = batch->events[i].values_at;
        size_t values_end;
        const size_t room = PACK_EVENTS - chunk->count;
        const size_t left = batch->count - i;
        const size_t end =
            i + perfetto_writer_run(batch->events + i, left < room ? left : room, &values_end);
        const size_t values_at = chunk->values.size;
        if (values_end > values_from)
            perfetto_writer_put_values(chunk, batch->values.data + values_from,
                                       values_end - values_from);
        STATUS_TRY(perfetto_writer_take_run(writer, batch, i, end, values_at, &i));
    }
    return STATUS_OK;
}

// Opening and closing ---------------------------------------------------------

status perfetto_writer_open(const char *path, struct profile *profile,
                            const struct perfetto_writer_options *options,
                            struct perfetto_writer **out_writer)
{
    struct perfetto_writer *writer = memory_allocate_zeroed(1, sizeof *writer);
    const status result = pack_open(path, &writer->encode, &writer->pack);
    if (result != STATUS_OK) {
        free(writer);
        return result;
    }
    writer->sink.take = perfetto_writer_take_batch;
    writer->profile = profile;
    writer->options = *options;
    writer->late = store_create();
    segments_start(&writer->homes, sizeof(struct text_home));
    writer->encode = (struct encode_options){
        .profile = profile,
        .no_arguments = options->no_arguments,
        .location_key = profile_string(profile, VIEW_LITERAL("location")),
        .cycles_key = profile_string(profile, VIEW_LITERAL("cycles")),
        .category_key = profile_string(profile, VIEW_LITERAL("category")),
    };
    if (options->calls)
        writer->encode.call_key = profile_string(profile, VIEW_LITERAL(PERFETTO_CALL_ARGUMENT));
    *out_writer = writer;
    return STATUS_OK;
}

struct event_sink *perfetto_writer_sink(struct perfetto_writer *writer)
{
    return &writer->sink;
}

void perfetto_writer_plain(struct perfetto_writer *writer, bool plain)
{
    pack_plain(writer->pack, plain);
}

static void close_lanes(struct perfetto_writer *writer)
{
    for (size_t i = 0; i < writer->track_count; i++) {
        struct written_track *state = &writer->tracks[i];
        for (size_t k = state->first_lane; k < state->lane_count; k++)
            perfetto_writer_close_spans(&state->lanes[k], pack_chunk_with_room(writer->pack),
                                        UINT64_MAX);
        state->first_lane = state->lane_count;
        state->last_start = 0;
    }
}

static status write_late(struct perfetto_writer *writer)
{
    STATUS_TRY(flush_late(writer));
    STATUS_TRY(store_finish(writer->late));
    for (uint32_t i = 0; i < writer->track_count; i++) {
        if (writer->tracks[i].has_late)
            STATUS_TRY(store_replay(writer->late, i, true, &writer->sink));
    }
    close_lanes(writer);
    return STATUS_OK;
}

// How a merged profile was put together; other facts are opscope's own affair.
static void write_attributes(struct perfetto_writer *writer)
{
    const struct profile *profile = writer->profile;
    struct bytes attributes = {0};
    for (uint32_t i = 0; i < profile->facts.count; i++) {
        const struct profile_fact *fact = segments_get(&profile->facts, i);
        const struct view key = profile_text(profile, fact->key);
        const struct view text = profile_text(profile, fact->text);
        if (!view_starts_with(key, "merge."))
            continue;
        struct bytes attribute = {0};
        unsigned char *to =
            bytes_reserve(&attribute, key.size + text.size + 2 * PROTOBUF_HEADER_MOST);
        unsigned char *end = protobuf_put_bytes(to, PERFETTO_ATTRIBUTE_KEY, key);
        end = protobuf_put_bytes(end, PERFETTO_ATTRIBUTE_STRING, text);
        attribute.size = (size_t)(end - to);
        to = bytes_reserve(&attributes, attribute.size + PROTOBUF_HEADER_MOST);
        end = protobuf_put_bytes(to, PERFETTO_ATTRIBUTES_ATTRIBUTE, bytes_view(&attribute));
        attributes.size += (size_t)(end - to);
        bytes_free(&attribute);
    }
    if (attributes.size > 0) {
        const size_t inner = protobuf_bytes_size(PERFETTO_PACKET_TRACE_ATTRIBUTES, attributes.size);
        unsigned char *start = pack_reserve(writer->pack, PROTOBUF_HEADER_MOST + inner);
        unsigned char *end = protobuf_put_header(start, PERFETTO_TRACE_PACKET, inner);
        end = protobuf_put_bytes(end, PERFETTO_PACKET_TRACE_ATTRIBUTES, bytes_view(&attributes));
        pack_commit(writer->pack, (size_t)(end - start));
    }
    bytes_free(&attributes);
}

status perfetto_writer_close(struct perfetto_writer *writer, status written)
{
    close_lanes(writer);
    status result = status_first(written, write_late(writer));
    for (uint32_t i = 1; i < writer->profile->tracks.count; i++)
        perfetto_writer_describe(writer, i);
    write_attributes(writer);
    if (writer->has_calls)
        perfetto_calls_write(writer->profile, writer->pack);
    result = pack_close(writer->pack, result);
    for (size_t i = 0; i < writer->track_count; i++) {
        for (size_t k = 0; k < writer->tracks[i].lane_count; k++)
            sequence_free(&writer->tracks[i].lanes[k]);
        free(writer->tracks[i].lanes);
        lane_search_free(&writer->tracks[i].search);
    }
    if (writer->too_late > 0)
        profile_note(writer->profile, 0, LEDGER_NOT_CARRIED, writer->too_late,
                     "events after 2^63 ns: Perfetto's clock ends there");
    event_batch_free(writer->late_batch);
    store_free(writer->late);
    free(writer->tracks);
    free(writer->locations);
    segments_free(&writer->homes);
    free(writer);
    return result;
}

status perfetto_write(struct profile *profile, const char *path,
                      const struct perfetto_writer_options *options)
{
    struct perfetto_writer *writer;
    STATUS_TRY(perfetto_writer_open(path, profile, options, &writer));
    const status result = profile_replay(profile, perfetto_writer_sink(writer));
    return perfetto_writer_close(writer, result);
}
