#include "reader_tracks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "formats/trace/engine_names.h"
#include "wire/protobuf.h"

void perfetto_tracks_start(struct perfetto_tracks *tracks, struct strings *strings)
{
    *tracks = (struct perfetto_tracks){.strings = strings};
    segments_start(&tracks->tracks, sizeof(struct perfetto_track));
}

uint32_t perfetto_tracks_look_up(const struct perfetto_tracks *tracks, uint64_t uuid)
{
    const uint32_t hash = hash_u64(uuid);
    uint32_t id;
    for (uint32_t at = hash_first(&tracks->index, hash);
         (id = hash_next(&tracks->index, hash, &at)) != HASH_NONE;) {
        const struct perfetto_track *track = segments_get(&tracks->tracks, id);
        if (track->uuid == uuid)
            return id;
    }
    return HASH_NONE;
}

static uint32_t reader_tracks_find_or_add(struct perfetto_tracks *tracks, uint64_t uuid)
{
    const uint32_t found = perfetto_tracks_look_up(tracks, uuid);
    if (found != HASH_NONE)
        return found;
    if (tracks->tracks.count == PERFETTO_TRACKS_MOST) {
        tracks->too_many = true;
        return 0;
    }
    struct perfetto_track *added = segments_add(&tracks->tracks);
    added->uuid = uuid;
    added->multiplier = 1;
    added->census.first = UINT64_MAX;
    hash_add(&tracks->index, hash_u64(uuid), tracks->tracks.count - 1);
    return tracks->tracks.count - 1;
}

struct perfetto_track *perfetto_tracks_get(struct perfetto_tracks *tracks, uint64_t uuid)
{
    return segments_get(&tracks->tracks, reader_tracks_find_or_add(tracks, uuid));
}

// Descriptors -----------------------------------------------------------------

static uint32_t reader_tracks_text_of(struct perfetto_tracks *tracks,
                                      const struct protobuf_field *field)
{
    return field->type == PROTOBUF_BYTES ? strings_add(tracks->strings, field->bytes) : 0;
}

static bool reader_tracks_read_process(struct perfetto_tracks *tracks, struct view message,
                                       struct perfetto_track *track)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    track->kind = PERFETTO_TRACK_PROCESS;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_PROCESS_PID)
            track->pid = field.value;
        else if (field.number == PERFETTO_PROCESS_NAME && field.bytes.size > 0)
            track->name = reader_tracks_text_of(tracks, &field);
    }
    return reader.ending == PROTOBUF_WHOLE;
}

static bool reader_tracks_read_thread(struct perfetto_tracks *tracks, struct view message,
                                      struct perfetto_track *track)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    track->kind = PERFETTO_TRACK_THREAD;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_THREAD_PID)
            track->pid = field.value;
        else if (field.number == PERFETTO_THREAD_TID)
            track->tid = field.value;
        else if (field.number == PERFETTO_THREAD_NAME && field.bytes.size > 0)
            track->name = reader_tracks_text_of(tracks, &field);
    }
    return reader.ending == PROTOBUF_WHOLE;
}

static const char *unit_name(uint64_t unit)
{
    switch (unit) {
    case PERFETTO_UNIT_TIME_NS:
        return "ns";
    case PERFETTO_UNIT_COUNT:
        return "count";
    case PERFETTO_UNIT_SIZE_BYTES:
        return "bytes";
    default:
        return "";
    }
}

static bool read_counter(struct perfetto_tracks *tracks, struct view message,
                         struct perfetto_track *track)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    uint32_t own_unit = 0;
    track->kind = PERFETTO_TRACK_COUNTER;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_COUNTER_UNIT)
            track->unit = strings_add(tracks->strings, view_of(unit_name(field.value)));
        else if (field.number == PERFETTO_COUNTER_UNIT_NAME)
            own_unit = reader_tracks_text_of(tracks, &field);
        else if (field.number == PERFETTO_COUNTER_UNIT_MULTIPLIER && field.value != 0)
            track->multiplier = (int64_t)field.value;
        else if (field.number == PERFETTO_COUNTER_INCREMENTAL)
            track->incremental = field.value != 0;
    }
    if (own_unit != 0)
        track->unit = own_unit;
    return reader.ending == PROTOBUF_WHOLE;
}

// A message inside the descriptor. Where a track is several things at once, a
// thread wins over a process, and that over a counter, as in Perfetto.
static bool read_part(struct perfetto_tracks *tracks, const struct protobuf_field *field,
                      struct perfetto_track *track)
{
    if (field->type != PROTOBUF_BYTES)
        return true;
    if (field->number == PERFETTO_DESCRIPTOR_THREAD)
        return reader_tracks_read_thread(tracks, field->bytes, track);
    if (field->number == PERFETTO_DESCRIPTOR_PROCESS && track->kind != PERFETTO_TRACK_THREAD)
        return reader_tracks_read_process(tracks, field->bytes, track);
    if (field->number == PERFETTO_DESCRIPTOR_COUNTER && track->kind == PERFETTO_TRACK_PLAIN)
        return read_counter(tracks, field->bytes, track);
    return true;
}

static bool read_descriptor(struct perfetto_tracks *tracks, struct view message,
                            struct perfetto_track *track, bool *out_has_uuid)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    uint32_t name = 0;
    bool whole = true;
    *track = (struct perfetto_track){.multiplier = 1, .described = true};
    *out_has_uuid = false;
    while (protobuf_next(&reader, &field)) {
        switch (field.number) {
        case PERFETTO_DESCRIPTOR_UUID:
            track->uuid = field.value;
            *out_has_uuid = true;
            break;
        case PERFETTO_DESCRIPTOR_NAME:
            name = reader_tracks_text_of(tracks, &field);
            break;
        case PERFETTO_DESCRIPTOR_PARENT:
            track->parent = field.value;
            break;
        case PERFETTO_DESCRIPTOR_CHILD_ORDERING:
            track->ordering = (uint32_t)field.value;
            break;
        case PERFETTO_DESCRIPTOR_RANK:
            track->rank = (int32_t)(uint32_t)field.value;
            break;
        case PERFETTO_DESCRIPTOR_DESCRIPTION:
            track->description = reader_tracks_text_of(tracks, &field);
            break;
        default:
            whole &= read_part(tracks, &field, track);
            break;
        }
    }
    if (track->name == 0)
        track->name = name;
    return whole && reader.ending == PROTOBUF_WHOLE;
}

bool perfetto_tracks_describe(struct perfetto_tracks *tracks, struct view descriptor)
{
    struct perfetto_track said;
    bool has_uuid;
    if (!read_descriptor(tracks, descriptor, &said, &has_uuid) || !has_uuid)
        return false;
    struct perfetto_track *track = perfetto_tracks_get(tracks, said.uuid);
    if (track->described) {
        if (track->name == 0)
            track->name = said.name;
        return true;
    }
    said.census = track->census;
    *track = said;
    return true;
}

// Census ----------------------------------------------------------------------

static void reader_tracks_count_begin(struct perfetto_census *census, uint64_t time)
{
    if (census->open > 0)
        census->nested = true;
    if (census->open < PERFETTO_DEPTH_MOST) {
        census->begins =
            memory_grow(census->begins, census->open, &census->capacity, sizeof *census->begins);
        census->begins[census->open] = time;
    }
    census->open++;
}

static void reader_tracks_count_end(struct perfetto_census *census, uint64_t time)
{
    if (census->open == 0) {
        census->broken = true;
        census->nested = true;
        return;
    }
    census->open--;
    if (census->open < PERFETTO_DEPTH_MOST && time < census->begins[census->open])
        census->broken = true;
}

void perfetto_tracks_count(struct perfetto_track *track, const struct perfetto_sequence *sequence,
                           enum perfetto_event_type type, uint64_t time)
{
    struct perfetto_census *census = &track->census;
    if (time < census->first)
        census->first = time;
    if (type == PERFETTO_TYPE_COUNTER) {
        census->has_samples = true;
        return;
    }
    if (type != PERFETTO_TYPE_BEGIN && type != PERFETTO_TYPE_END) {
        census->has_events = true;
        return;
    }
    if (census->has_spans) {
        census->several |= census->sequence != sequence->id;
        census->went_back |= time < census->time;
    }
    census->has_events = true;
    census->has_spans = true;
    census->sequence = sequence->id;
    census->time = time;
    if (type == PERFETTO_TYPE_BEGIN)
        reader_tracks_count_begin(census, time);
    else
        reader_tracks_count_end(census, time);
}

void perfetto_tracks_name(struct perfetto_track *track, struct profile *profile, uint32_t name)
{
    if (!track->unnamed || name == 0)
        return;
    track->unnamed = false;
    track->name = name;
    if (track->counter != 0)
        profile_track(profile, track->counter)->name = name;
    if (track->lane == 0)
        return;
    struct track *lane = profile_track(profile, track->lane);
    lane->name = name;
    engine_names_apply(profile, lane);
}

void perfetto_tracks_free(struct perfetto_tracks *tracks)
{
    for (uint32_t i = 0; i < tracks->tracks.count; i++) {
        struct perfetto_track *track = segments_get(&tracks->tracks, i);
        free(track->census.begins);
        span_lane_free(&track->spans);
    }
    segments_free(&tracks->tracks);
    hash_free(&tracks->index);
}
