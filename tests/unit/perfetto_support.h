// Perfetto traces written field by field, and profiles as text to compare.

#ifndef OPSCOPE_TESTS_PERFETTO_SUPPORT_H
#define OPSCOPE_TESTS_PERFETTO_SUPPORT_H

#include "formats/perfetto/fields.h"
#include "formats/perfetto/reader.h"
#include "wire/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Writing ---------------------------------------------------------------------

static inline void put_number(struct bytes *message, uint32_t field, uint64_t number)
{
    unsigned char *to = bytes_reserve(message, 2 * VARINT_MOST);
    message->size += (size_t)(protobuf_put_varint(to, field, number) - to);
}

static inline void put_fixed(struct bytes *message, uint32_t field, uint64_t number)
{
    unsigned char *to = bytes_reserve(message, 2 * VARINT_MOST);
    message->size += (size_t)(protobuf_put_fixed64(to, field, number) - to);
}

static inline void put_view(struct bytes *message, uint32_t field, struct view bytes)
{
    unsigned char *to = bytes_reserve(message, PROTOBUF_HEADER_MOST + bytes.size);
    message->size += (size_t)(protobuf_put_bytes(to, field, bytes) - to);
}

static inline void put_text(struct bytes *message, uint32_t field, const char *text)
{
    put_view(message, field, view_of(text));
}

// Frees `inner`.
static inline void put_message(struct bytes *message, uint32_t field, struct bytes inner)
{
    put_view(message, field, bytes_view(&inner));
    bytes_free(&inner);
}

static inline void put_packet(struct bytes *trace, struct bytes packet)
{
    put_message(trace, PERFETTO_TRACE_PACKET, packet);
}

static inline struct bytes track(uint64_t uuid, const char *name, uint64_t parent)
{
    struct bytes descriptor = {0};
    put_number(&descriptor, PERFETTO_DESCRIPTOR_UUID, uuid);
    if (name != NULL)
        put_text(&descriptor, PERFETTO_DESCRIPTOR_NAME, name);
    if (parent != 0)
        put_number(&descriptor, PERFETTO_DESCRIPTOR_PARENT, parent);
    return descriptor;
}

static inline void put_descriptor(struct bytes *trace, struct bytes descriptor)
{
    struct bytes packet = {0};
    put_message(&packet, PERFETTO_PACKET_TRACK_DESCRIPTOR, descriptor);
    put_packet(trace, packet);
}

static inline void put_track(struct bytes *trace, uint64_t uuid, const char *name)
{
    put_descriptor(trace, track(uuid, name, 0));
}

static inline struct bytes event(enum perfetto_event_type type, uint64_t uuid, const char *name)
{
    struct bytes message = {0};
    put_number(&message, PERFETTO_EVENT_TYPE, type);
    if (uuid != 0)
        put_number(&message, PERFETTO_EVENT_TRACK, uuid);
    if (name != NULL)
        put_text(&message, PERFETTO_EVENT_NAME, name);
    return message;
}

static inline void put_event_on(struct bytes *trace, uint64_t sequence, uint64_t flags,
                                uint64_t time, struct bytes message)
{
    struct bytes packet = {0};
    put_number(&packet, PERFETTO_PACKET_TIMESTAMP, time);
    put_number(&packet, PERFETTO_PACKET_SEQUENCE, sequence);
    if (flags != 0)
        put_number(&packet, PERFETTO_PACKET_SEQUENCE_FLAGS, flags);
    put_message(&packet, PERFETTO_PACKET_TRACK_EVENT, message);
    put_packet(trace, packet);
}

static inline void put_event(struct bytes *trace, uint64_t time, struct bytes message)
{
    put_event_on(trace, 1, 0, time, message);
}

static inline void put_begin(struct bytes *trace, uint64_t time, uint64_t uuid, const char *name)
{
    put_event(trace, time, event(PERFETTO_TYPE_BEGIN, uuid, name));
}

static inline void put_end(struct bytes *trace, uint64_t time, uint64_t uuid)
{
    put_event(trace, time, event(PERFETTO_TYPE_END, uuid, NULL));
}

static inline void put_span(struct bytes *trace, uint64_t start, uint64_t end, uint64_t uuid,
                            const char *name)
{
    put_begin(trace, start, uuid, name);
    put_end(trace, end, uuid);
}

static inline void put_entry(struct bytes *interned, uint32_t field, uint64_t iid, const char *text)
{
    struct bytes entry = {0};
    put_number(&entry, PERFETTO_ENTRY_IID, iid);
    put_text(&entry, PERFETTO_ENTRY_TEXT, text);
    put_message(interned, field, entry);
}

// Starts the state of a sequence; `more` are further fields of the packet.
static inline void put_state(struct bytes *trace, uint64_t sequence, struct bytes more)
{
    put_number(&more, PERFETTO_PACKET_SEQUENCE, sequence);
    put_number(&more, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_STATE_CLEARED);
    put_packet(trace, more);
}

static inline void put_clock(struct bytes *snapshot, uint64_t id, uint64_t time, bool incremental,
                             uint64_t unit)
{
    struct bytes clock = {0};
    put_number(&clock, PERFETTO_CLOCK_ID, id);
    put_number(&clock, PERFETTO_CLOCK_TIMESTAMP, time);
    put_number(&clock, PERFETTO_CLOCK_INCREMENTAL, incremental);
    put_number(&clock, PERFETTO_CLOCK_UNIT_NS, unit);
    put_message(snapshot, PERFETTO_SNAPSHOT_CLOCK, clock);
}

static inline void put_annotation(struct bytes *message, const char *name, uint32_t field,
                                  uint64_t number)
{
    struct bytes annotation = {0};
    put_number(&annotation, field, number);
    put_text(&annotation, PERFETTO_ANNOTATION_NAME, name);
    put_message(message, PERFETTO_EVENT_ANNOTATION, annotation);
}

static inline void put_sample(struct bytes *trace, uint64_t sequence, uint64_t time, uint64_t uuid,
                              int64_t value)
{
    struct bytes sample = event(PERFETTO_TYPE_COUNTER, uuid, NULL);
    put_number(&sample, PERFETTO_EVENT_COUNTER_VALUE, (uint64_t)value);
    put_event_on(trace, sequence, 0, time, sample);
}

static inline void put_counter_track(struct bytes *trace, uint64_t uuid, const char *name,
                                     uint64_t unit, uint64_t multiplier, bool incremental)
{
    struct bytes counter = {0};
    put_number(&counter, PERFETTO_COUNTER_UNIT, unit);
    put_number(&counter, PERFETTO_COUNTER_UNIT_MULTIPLIER, multiplier);
    put_number(&counter, PERFETTO_COUNTER_INCREMENTAL, incremental);
    struct bytes descriptor = track(uuid, name, 0);
    put_message(&descriptor, PERFETTO_DESCRIPTOR_COUNTER, counter);
    put_descriptor(trace, descriptor);
}

// Reading ---------------------------------------------------------------------

struct listing {
    struct event_sink sink;
    struct profile *profile;
    struct bytes text;
};

static inline void list_value(struct listing *listing, const struct value *value)
{
    const struct view key = profile_text(listing->profile, value->key);
    struct bytes *text = &listing->text;
    bytes_append_format(text, " %.*s", VIEW_ARGUMENTS(key));
    switch (value->kind) {
    case VALUE_STRING:
        bytes_append_format(
            text, "='%.*s'",
            VIEW_ARGUMENTS(profile_text(listing->profile, (uint32_t)value->number)));
        break;
    case VALUE_TEXT:
        bytes_append_format(text, "=\"%.*s\"", VIEW_ARGUMENTS(value->text));
        break;
    case VALUE_REAL:
        bytes_append_format(text, "=%g", value->real);
        break;
    case VALUE_INT:
        bytes_append_format(text, "=%+lld", (long long)value->number);
        break;
    case VALUE_FLOW_OUT:
        bytes_append_format(text, ">%llu", (unsigned long long)value->number);
        break;
    case VALUE_FLOW_IN:
        bytes_append_format(text, "<%llu", (unsigned long long)value->number);
        break;
    default:
        bytes_append_format(text, value->kind == VALUE_BOOL ? "=(%llu)" : "=%llu",
                            (unsigned long long)value->number);
        break;
    }
}

static inline status list_events(struct event_sink *sink, const struct event_batch *batch)
{
    struct listing *listing = (struct listing *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *item = &batch->events[i];
        const struct view name = profile_text(listing->profile, item->name);
        bytes_append_format(&listing->text, "  %llu", (unsigned long long)item->start);
        if (item->kind == EVENT_SPAN)
            bytes_append_format(&listing->text, "-%llu", (unsigned long long)item->end);
        bytes_append_format(&listing->text, " %.*s", VIEW_ARGUMENTS(name));
        if (item->call != 0)
            bytes_append_format(&listing->text, " call %u", item->call);
        struct value_reader reader = value_read(event_values(batch, item));
        struct value value;
        while (value_next(&reader, &value))
            list_value(listing, &value);
        bytes_append_format(&listing->text, "\n");
    }
    return STATUS_OK;
}

// Without the places, which change with every byte before them.
static inline void list_notes(struct listing *listing)
{
    const struct profile *profile = listing->profile;
    for (uint32_t i = 0; i < profile->notes.count; i++) {
        const struct ledger_note *note = segments_get(&profile->notes, i);
        struct view text = profile_text(profile, note->text);
        text.size = view_find_text(text, ", the first at byte");
        bytes_append_format(&listing->text, "%s %llu: %.*s\n", ledger_note_kind_name(note->kind),
                            (unsigned long long)note->count, VIEW_ARGUMENTS(text));
    }
}

static inline void assert_adds_up(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->tracks.count; i++) {
        const struct ledger *ledger = &profile_track(profile, i)->ledger;
        if (i > 0 || ledger->expected != LEDGER_UNKNOWN)
            assert_int_equal(ledger->expected,
                             ledger->recorded + ledger->lost + ledger->impossible);
    }
}

static inline struct profile *read_trace(struct view trace)
{
    struct input *input = input_over("t", trace);
    struct profile *profile = profile_create();
    assert_null(perfetto_read(input, profile));
    input_close(input);
    assert_adds_up(profile);
    return profile;
}

// Tracks with their events, indented by two; then the notes.
static inline char *list(struct profile *profile)
{
    static const char *const KINDS[] = {"group", "process", "lane", "counter"};
    struct listing listing = {{list_events}, profile, {0}};
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *item = profile_track(profile, i);
        const struct track *parent = profile_track(profile, item->parent);
        bytes_append_format(&listing.text, "%s %.*s/%.*s", KINDS[item->kind],
                            VIEW_ARGUMENTS(profile_text(profile, parent->name)),
                            VIEW_ARGUMENTS(profile_text(profile, item->name)));
        if (item->unit != 0)
            bytes_append_format(&listing.text, " in %.*s",
                                VIEW_ARGUMENTS(profile_text(profile, item->unit)));
        bytes_append_format(&listing.text, "\n");
        assert_null(profile_replay_track(profile, i, &listing.sink));
    }
    list_notes(&listing);
    bytes_append(&listing.text, "", 1);
    return (char *)listing.text.data;
}

// Frees `trace`.
static inline void assert_reads(struct bytes trace, const char *want)
{
    struct profile *profile = read_trace(bytes_view(&trace));
    char *text = list(profile);
    assert_string_equal(text, want);
    free(text);
    profile_free(profile);
    bytes_free(&trace);
}

#endif
