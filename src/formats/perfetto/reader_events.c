#include "reader_events.h"

#include "wire/protobuf.h"

// Phases of legacy events, as in Chrome's traces.
enum { PHASE_BEGIN = 'B', PHASE_END = 'E', PHASE_WHOLE = 'X' };

// What is common to both looks at an event.
struct outline {
    enum perfetto_event_type type;
    uint64_t uuid;
    bool has_uuid;
    bool has_phase;
    uint64_t phase;
    uint64_t phase_name; // iid
    int64_t duration_us;
};

// All of an event. Its values are in the reader's buffers.
struct details {
    uint32_t name;
    uint32_t category;
    bool has_value;
    bool has_real;
    uint64_t number;
    double real;
    uint32_t unknown; // interned texts that are not defined
    uint32_t field;   // the number of one that is not read
};

void perfetto_events_start(struct perfetto_events *events, struct profile *profile,
                           struct perfetto_tracks *tracks, struct losses *losses)
{
    *events = (struct perfetto_events){.profile = profile, .tracks = tracks, .losses = losses};
    events->counters = (struct perfetto_counters){.profile = profile, .losses = losses};
    events->correlation_key = profile_string(profile, VIEW_LITERAL("correlation_id"));
    events->annotations = (struct perfetto_annotations){
        .strings = &profile->strings,
        .values = &events->values,
        .location_key = profile_string(profile, VIEW_LITERAL("location")),
        .call_key = profile_string(profile, VIEW_LITERAL(PERFETTO_CALL_ARGUMENT))};
    spans_start(&events->spans, profile, losses);
}

void perfetto_events_free(struct perfetto_events *events)
{
    spans_free(&events->spans);
    bytes_free(&events->values);
    bytes_free(&events->categories);
    bytes_free(&events->extra.values);
    bytes_free(&events->extra.tracks);
    bytes_free(&events->extra_real.values);
    bytes_free(&events->extra_real.tracks);
    perfetto_counters_free(&events->counters);
}

// Outline ---------------------------------------------------------------------

static bool read_legacy(struct view message, struct outline *outline)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_LEGACY_NAME_IID) {
            outline->phase_name = field.value;
        } else if (field.number == PERFETTO_LEGACY_PHASE) {
            outline->has_phase = true;
            outline->phase = field.value;
        } else if (field.number == PERFETTO_LEGACY_DURATION_US) {
            outline->duration_us = (int64_t)field.value;
        }
    }
    return reader.ending == PROTOBUF_WHOLE;
}

static enum perfetto_event_type reader_events_type_of(uint64_t type)
{
    return type <= PERFETTO_TYPE_STATE ? (enum perfetto_event_type)type : PERFETTO_TYPE_UNSPECIFIED;
}

// Takes `field` if it belongs to the outline.
static bool read_outline_field(const struct protobuf_field *field, struct outline *outline,
                               bool *whole)
{
    switch (field->number) {
    case PERFETTO_EVENT_TYPE:
        outline->type = reader_events_type_of(field->value);
        return true;
    case PERFETTO_EVENT_TRACK:
        outline->has_uuid = true;
        outline->uuid = field->value;
        return true;
    case PERFETTO_EVENT_LEGACY:
        if (field->type == PROTOBUF_BYTES && !read_legacy(field->bytes, outline))
            *whole = false;
        return true;
    default:
        return false;
    }
}

// A phase, where there is one, takes the place of the type.
static void apply_phase(struct outline *outline)
{
    if (!outline->has_phase)
        return;
    switch (outline->phase) {
    case PHASE_BEGIN:
        outline->type = PERFETTO_TYPE_BEGIN;
        break;
    case PHASE_END:
        outline->type = PERFETTO_TYPE_END;
        break;
    case 'I':
    case 'i':
    case 'R':
        outline->type = PERFETTO_TYPE_INSTANT;
        break;
    default:
        outline->type = PERFETTO_TYPE_UNSPECIFIED;
        break;
    }
}

static bool is_whole_span(const struct outline *outline)
{
    return outline->has_phase && outline->phase == PHASE_WHOLE;
}

static struct perfetto_track *reader_events_track_of(struct perfetto_tracks *tracks,
                                                     struct perfetto_sequence *sequence,
                                                     const struct outline *outline)
{
    const uint64_t uuid = outline->has_uuid ? outline->uuid : sequence->track;
    return perfetto_tracks_get_for(tracks, sequence, uuid);
}

// The first look --------------------------------------------------------------

static void count_sample(struct perfetto_tracks *tracks, const struct perfetto_sequence *sequence,
                         uint64_t uuid, uint64_t time)
{
    perfetto_tracks_count(perfetto_tracks_get(tracks, uuid), sequence, PERFETTO_TYPE_COUNTER, time);
}

static void count_samples(struct perfetto_tracks *tracks, const struct perfetto_sequence *sequence,
                          const struct protobuf_field *field, uint64_t time)
{
    struct view rest = {0};
    uint64_t uuid;
    while (protobuf_next_varint(field, &rest, &uuid))
        count_sample(tracks, sequence, uuid, time);
}

// The first `count` of the counters that the defaults list.
static void count_default_samples(struct perfetto_tracks *tracks,
                                  const struct perfetto_sequence *sequence,
                                  const struct bytes *uuids, uint64_t count, uint64_t time)
{
    for (size_t at = 0; at < uuids->size && count > 0; at += sizeof(uint64_t), count--) {
        uint64_t uuid;
        memcpy(&uuid, uuids->data + at, sizeof uuid);
        count_sample(tracks, sequence, uuid, time);
    }
}

static uint64_t count_numbers(const struct protobuf_field *field, bool fixed)
{
    struct view rest = {0};
    uint64_t number;
    uint64_t count = 0;
    while (fixed ? protobuf_next_fixed64(field, &rest, &number)
                 : protobuf_next_varint(field, &rest, &number))
        count++;
    return count;
}

static void count_message(struct perfetto_tracks *tracks, struct perfetto_sequence *sequence,
                          struct view message, uint64_t time)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    struct outline outline = {0};
    bool whole = true;
    uint64_t extra = 0;
    uint64_t extra_real = 0;
    while (protobuf_next(&reader, &field)) {
        if (read_outline_field(&field, &outline, &whole))
            continue;
        if (field.number == PERFETTO_EVENT_EXTRA_TRACK ||
            field.number == PERFETTO_EVENT_EXTRA_DOUBLE_TRACK)
            count_samples(tracks, sequence, &field, time);
        else if (field.number == PERFETTO_EVENT_EXTRA_VALUE)
            extra += count_numbers(&field, false);
        else if (field.number == PERFETTO_EVENT_EXTRA_DOUBLE_VALUE)
            extra_real += count_numbers(&field, true);
    }
    if (!whole || reader.ending != PROTOBUF_WHOLE)
        return;
    count_default_samples(tracks, sequence, &sequence->extra_tracks, extra, time);
    count_default_samples(tracks, sequence, &sequence->extra_double_tracks, extra_real, time);
    apply_phase(&outline);
    perfetto_tracks_count(reader_events_track_of(tracks, sequence, &outline), sequence,
                          outline.type, time);
}

static struct outline split_outline(const struct perfetto_packet *packet)
{
    return (struct outline){.type = (enum perfetto_event_type)packet->type,
                            .has_uuid = packet->has_uuid,
                            .uuid = packet->uuid};
}

void perfetto_events_count(struct perfetto_tracks *tracks, struct perfetto_sequence *sequence,
                           const struct perfetto_packet *packet, uint64_t time)
{
    if (!packet->split) {
        count_message(tracks, sequence, packet->event, time);
        return;
    }
    const struct outline outline = split_outline(packet);
    perfetto_tracks_count(reader_events_track_of(tracks, sequence, &outline), sequence,
                          outline.type, time);
}

// Details ---------------------------------------------------------------------

static bool reader_events_find_text(const struct perfetto_sequence *sequence,
                                    enum perfetto_interned_kind kind, uint64_t iid,
                                    struct details *details, uint32_t *out_text)
{
    if (perfetto_interned_find(&sequence->interned[kind], iid, out_text))
        return true;
    details->unknown++;
    return false;
}

// Several categories become one text with commas.
static void add_category(struct perfetto_events *events, uint32_t text, struct details *details)
{
    if (details->category == 0) {
        details->category = text;
        return;
    }
    const struct view before = profile_text(events->profile, details->category);
    const struct view behind = profile_text(events->profile, text);
    struct bytes *joined = &events->categories;
    joined->size = 0;
    bytes_append(joined, before.data, before.size);
    bytes_append(joined, ",", 1);
    bytes_append(joined, behind.data, behind.size);
    details->category = profile_string(events->profile, bytes_view(joined));
}

static void add_interned_categories(struct perfetto_events *events,
                                    const struct perfetto_sequence *sequence,
                                    const struct protobuf_field *field, struct details *details)
{
    struct view rest = {0};
    uint64_t iid;
    uint32_t text;
    while (protobuf_next_varint(field, &rest, &iid)) {
        if (reader_events_find_text(sequence, PERFETTO_TEXT_CATEGORY, iid, details, &text))
            add_category(events, text, details);
    }
}

static void reader_events_add_flows(struct perfetto_events *events,
                                    const struct protobuf_field *field)
{
    const bool ends =
        field->number == PERFETTO_EVENT_FLOW_END || field->number == PERFETTO_EVENT_FLOW_END_OLD;
    const bool old =
        field->number == PERFETTO_EVENT_FLOW_OLD || field->number == PERFETTO_EVENT_FLOW_END_OLD;
    struct view rest = {0};
    uint64_t flow;
    while (old ? protobuf_next_varint(field, &rest, &flow)
               : protobuf_next_fixed64(field, &rest, &flow))
        value_add_flow(&events->values, ends ? VALUE_FLOW_IN : VALUE_FLOW_OUT, flow);
}

static void reader_events_add_numbers(struct bytes *numbers, const struct protobuf_field *field,
                                      bool fixed)
{
    struct view rest = {0};
    uint64_t number;
    while (fixed ? protobuf_next_fixed64(field, &rest, &number)
                 : protobuf_next_varint(field, &rest, &number))
        bytes_append(numbers, &number, sizeof number);
}

static void add_correlation(struct perfetto_events *events,
                            const struct perfetto_sequence *sequence,
                            const struct protobuf_field *field, struct details *details)
{
    uint32_t text;
    if (field->number == PERFETTO_EVENT_CORRELATION)
        value_add_uint(&events->values, events->correlation_key, field->value);
    else if (field->number == PERFETTO_EVENT_CORRELATION_TEXT && field->type == PROTOBUF_BYTES)
        value_add_text(&events->values, events->correlation_key, field->bytes);
    else if (field->number == PERFETTO_EVENT_CORRELATION_TEXT_IID &&
             reader_events_find_text(sequence, PERFETTO_TEXT_CORRELATION, field->value, details,
                                     &text))
        value_add_string(&events->values, events->correlation_key, text);
}

// Fields whose payload is a message or a text.
static void read_text_field(struct perfetto_events *events, const struct protobuf_field *field,
                            struct details *details)
{
    switch (field->number) {
    case PERFETTO_EVENT_ANNOTATION:
        perfetto_annotations_add(&events->annotations, field->bytes);
        break;
    case PERFETTO_EVENT_NAME:
        details->name = profile_string(events->profile, field->bytes);
        break;
    case PERFETTO_EVENT_CATEGORY:
        add_category(events, profile_string(events->profile, field->bytes), details);
        break;
    default:
        details->field = field->number;
        break;
    }
}

static void reader_events_read_field(struct perfetto_events *events,
                                     const struct perfetto_sequence *sequence,
                                     const struct protobuf_field *field, struct details *details)
{
    switch (field->number) {
    case PERFETTO_EVENT_NAME_IID:
        reader_events_find_text(sequence, PERFETTO_TEXT_EVENT_NAME, field->value, details,
                                &details->name);
        break;
    case PERFETTO_EVENT_CATEGORY_IID:
        add_interned_categories(events, sequence, field, details);
        break;
    case PERFETTO_EVENT_COUNTER_VALUE:
        details->has_value = true;
        details->number = field->value;
        break;
    case PERFETTO_EVENT_DOUBLE_VALUE:
        details->has_real = field->type == PROTOBUF_FIXED64;
        details->real = protobuf_to_double(field->value);
        break;
    case PERFETTO_EVENT_FLOW:
    case PERFETTO_EVENT_FLOW_END:
    case PERFETTO_EVENT_FLOW_OLD:
    case PERFETTO_EVENT_FLOW_END_OLD:
        reader_events_add_flows(events, field);
        break;
    case PERFETTO_EVENT_EXTRA_VALUE:
        reader_events_add_numbers(&events->extra.values, field, false);
        break;
    case PERFETTO_EVENT_EXTRA_TRACK:
        reader_events_add_numbers(&events->extra.tracks, field, false);
        break;
    case PERFETTO_EVENT_EXTRA_DOUBLE_VALUE:
        reader_events_add_numbers(&events->extra_real.values, field, true);
        break;
    case PERFETTO_EVENT_EXTRA_DOUBLE_TRACK:
        reader_events_add_numbers(&events->extra_real.tracks, field, false);
        break;
    case PERFETTO_EVENT_CORRELATION:
    case PERFETTO_EVENT_CORRELATION_TEXT:
    case PERFETTO_EVENT_CORRELATION_TEXT_IID:
        add_correlation(events, sequence, field, details);
        break;
    default:
        if (field->type == PROTOBUF_BYTES)
            read_text_field(events, field, details);
        else
            details->field = field->number;
        break;
    }
}

static void clear_buffers(struct perfetto_events *events, const struct perfetto_sequence *sequence)
{
    events->values.size = 0;
    events->extra.values.size = 0;
    events->extra.tracks.size = 0;
    events->extra_real.values.size = 0;
    events->extra_real.tracks.size = 0;
    events->annotations.sequence = sequence;
    events->annotations.location = 0;
    events->annotations.call = 0;
    events->annotations.unread = 0;
    events->annotations.unknown = 0;
}

static void read_items(struct perfetto_events *events, const struct perfetto_sequence *sequence,
                       const struct perfetto_packet *packet, struct details *details)
{
    for (uint32_t i = 0; i < packet->item_count; i++) {
        const struct perfetto_item *item = &packet->items[i];
        const struct protobuf_field field = perfetto_item_field(item);
        if (item->name != 0)
            perfetto_annotations_add_scalar(&events->annotations, item->name, &field);
        else
            reader_events_read_field(events, sequence, &field, details);
    }
}

static bool read_message(struct perfetto_events *events, const struct perfetto_sequence *sequence,
                         struct view message, struct outline *out_outline,
                         struct details *out_details)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    bool whole = true;
    *out_outline = (struct outline){0};
    while (protobuf_next(&reader, &field)) {
        if (!read_outline_field(&field, out_outline, &whole))
            reader_events_read_field(events, sequence, &field, out_details);
    }
    apply_phase(out_outline);
    if (out_details->name == 0 && out_outline->phase_name != 0)
        reader_events_find_text(sequence, PERFETTO_TEXT_EVENT_NAME, out_outline->phase_name,
                                out_details, &out_details->name);
    return whole && reader.ending == PROTOBUF_WHOLE;
}

static bool read_event(struct perfetto_events *events, const struct perfetto_sequence *sequence,
                       const struct perfetto_packet *packet, struct outline *out_outline,
                       struct details *out_details)
{
    *out_details = (struct details){0};
    clear_buffers(events, sequence);
    if (!packet->split)
        return read_message(events, sequence, packet->event, out_outline, out_details);
    *out_outline = split_outline(packet);
    read_items(events, sequence, packet, out_details);
    return true;
}

// Counters --------------------------------------------------------------------

static void reader_events_lose(struct perfetto_events *events, uint32_t track,
                               enum perfetto_loss loss, uint64_t detail, uint64_t offset)
{
    profile_track(events->profile, track)->ledger.expected++;
    perfetto_losses_add(events->losses, track, loss, detail, offset);
}

// Values of further counters, whose tracks the event or the defaults list.
static void add_extra_samples(struct perfetto_events *events,
                              const struct perfetto_sequence *sequence,
                              const struct perfetto_extra *extra,
                              const struct bytes *default_tracks, enum value_kind kind,
                              const struct span_edge *edge)
{
    const struct bytes *tracks = extra->tracks.size > 0 ? &extra->tracks : default_tracks;
    for (size_t at = 0; at < extra->values.size; at += sizeof(uint64_t)) {
        uint64_t number;
        uint64_t uuid;
        if (at >= tracks->size) {
            reader_events_lose(events, 0, PERFETTO_LOSS_NO_COUNTER_TRACK, 0, edge->offset);
            continue;
        }
        memcpy(&number, extra->values.data + at, sizeof number);
        memcpy(&uuid, tracks->data + at, sizeof uuid);
        const struct value value = {
            .kind = kind, .number = number, .real = protobuf_to_double(number)};
        perfetto_counters_add(&events->counters, sequence,
                              perfetto_tracks_get(events->tracks, uuid), edge->time, value,
                              edge->offset);
    }
}

static void reader_events_add_counter(struct perfetto_events *events,
                                      const struct perfetto_sequence *sequence,
                                      struct perfetto_track *track, const struct details *details,
                                      const struct span_edge *edge)
{
    perfetto_tracks_name(track, events->profile, details->name);
    if (details->has_value)
        perfetto_counters_add(&events->counters, sequence, track, edge->time,
                              (struct value){.kind = VALUE_INT, .number = details->number},
                              edge->offset);
    else if (details->has_real)
        perfetto_counters_add(&events->counters, sequence, track, edge->time,
                              (struct value){.kind = VALUE_REAL, .real = details->real},
                              edge->offset);
    else
        reader_events_lose(events, track->counter, PERFETTO_LOSS_NO_VALUE, 0, edge->offset);
}

// Events ----------------------------------------------------------------------

static void reader_events_remark(struct perfetto_events *events, const struct details *details,
                                 const struct perfetto_packet *packet)
{
    const uint64_t offset = packet->offset;
    if (details->unknown + events->annotations.unknown > 0)
        perfetto_losses_add(events->losses, 0, PERFETTO_LOSS_NAME_UNKNOWN, 0, offset);
    if (events->annotations.unread > 0)
        perfetto_losses_add(events->losses, 0, PERFETTO_LOSS_ANNOTATION, 0, offset);
    if (details->field != 0)
        perfetto_losses_add(events->losses, 0, PERFETTO_LOSS_EVENT_FIELD, details->field, offset);
    if (packet->sequence == 0)
        perfetto_losses_add(events->losses, 0, PERFETTO_LOSS_NO_SEQUENCE, 0, offset);
}

static struct span_lane *reader_events_lane_of(struct perfetto_events *events,
                                               struct perfetto_track *track, uint32_t name)
{
    perfetto_tracks_name(track, events->profile, name);
    track->spans.track = track->lane;
    return &track->spans;
}

static void reader_events_add_edge(struct perfetto_events *events, struct perfetto_track *track,
                                   const struct span_edge *edge)
{
    spans_add(&events->spans, reader_events_lane_of(events, track, edge->begins ? edge->name : 0),
              edge);
}

static void add_whole(struct perfetto_events *events, struct perfetto_track *track,
                      const struct span_edge *edge, enum event_kind kind, uint64_t end)
{
    spans_add_whole(&events->spans, reader_events_lane_of(events, track, edge->name), edge, kind,
                    end);
}

static void add_whole_span(struct perfetto_events *events, struct perfetto_track *track,
                           const struct span_edge *edge, int64_t duration_us)
{
    int64_t duration;
    uint64_t end;
    if (__builtin_mul_overflow(duration_us, 1000, &duration) ||
        __builtin_add_overflow(edge->time, duration, &end))
        reader_events_lose(events, track->lane, PERFETTO_LOSS_TIME_RANGE, 0, edge->offset);
    else
        add_whole(events, track, edge, EVENT_SPAN, end);
}

static void add_untyped(struct perfetto_events *events, const struct perfetto_track *track,
                        const struct outline *outline, uint64_t offset)
{
    if (outline->has_phase)
        reader_events_lose(events, track->lane, PERFETTO_LOSS_LEGACY_PHASE, outline->phase, offset);
    else
        reader_events_lose(events, track->lane, PERFETTO_LOSS_NO_TYPE, 0, offset);
}

static void reader_events_add_event(struct perfetto_events *events,
                                    const struct perfetto_sequence *sequence,
                                    struct perfetto_track *track, const struct outline *outline,
                                    const struct details *details, const struct span_edge *edge)
{
    if (is_whole_span(outline)) {
        add_whole_span(events, track, edge, outline->duration_us);
        return;
    }
    switch (outline->type) {
    case PERFETTO_TYPE_BEGIN:
    case PERFETTO_TYPE_END:
        reader_events_add_edge(events, track, edge);
        break;
    case PERFETTO_TYPE_INSTANT:
        add_whole(events, track, edge, EVENT_INSTANT, edge->time);
        break;
    case PERFETTO_TYPE_COUNTER:
        reader_events_add_counter(events, sequence, track, details, edge);
        break;
    case PERFETTO_TYPE_STATE:
        reader_events_lose(events, track->lane, PERFETTO_LOSS_STATE_EVENT, 0, edge->offset);
        break;
    default:
        add_untyped(events, track, outline, edge->offset);
        break;
    }
}

void perfetto_events_read(struct perfetto_events *events, struct perfetto_sequence *sequence,
                          const struct perfetto_packet *packet, uint64_t time)
{
    struct outline outline;
    struct details details;
    if (!read_event(events, sequence, packet, &outline, &details)) {
        perfetto_events_lose(events, packet, PERFETTO_LOSS_MALFORMED, 0);
        return;
    }
    reader_events_remark(events, &details, packet);
    const struct span_edge edge = {.time = time,
                                   .offset = packet->offset,
                                   .name = details.name,
                                   .category = details.category,
                                   .location = events->annotations.location,
                                   .call = events->annotations.call,
                                   .begins = outline.type != PERFETTO_TYPE_END,
                                   .values = bytes_view(&events->values)};
    struct perfetto_track *track = reader_events_track_of(events->tracks, sequence, &outline);
    reader_events_add_event(events, sequence, track, &outline, &details, &edge);
    if (packet->split)
        return; // has no further counters
    add_extra_samples(events, sequence, &events->extra, &sequence->extra_tracks, VALUE_INT, &edge);
    add_extra_samples(events, sequence, &events->extra_real, &sequence->extra_double_tracks,
                      VALUE_REAL, &edge);
}

// Whether the message announces something of its own: an end does not.
static bool announces(struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    struct outline outline = {0};
    bool whole = true;
    while (protobuf_next(&reader, &field))
        read_outline_field(&field, &outline, &whole);
    apply_phase(&outline);
    return outline.type != PERFETTO_TYPE_END;
}

void perfetto_events_lose(struct perfetto_events *events, const struct perfetto_packet *packet,
                          enum perfetto_loss loss, uint64_t detail)
{
    if (announces(packet->event))
        reader_events_lose(events, 0, loss, detail, packet->offset);
}
