#include "reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "reader_calls.h"
#include "reader_events.h"
#include "reader_parts.h"
#include "wire/protobuf.h"

struct reader {
    struct perfetto_visitor visitor; // first: visitors are cast to readers
    struct profile *profile;
    struct perfetto_sequences sequences;
    struct perfetto_tracks tracks;
    struct losses losses;
    struct perfetto_calls calls;
    struct perfetto_events events;
};

bool perfetto_recognise(struct view bytes)
{
    return perfetto_packets_recognise(bytes);
}

static struct reader *reader_of(struct perfetto_visitor *visitor)
{
    return (struct reader *)visitor;
}

// Whether the packet's event can be understood, and when it was.
static bool admit(struct reader *reader, const struct perfetto_packet *packet,
                  struct perfetto_sequence *sequence, uint64_t *out_time,
                  enum perfetto_loss *out_loss)
{
    *out_loss = PERFETTO_LOSS_NO_STATE;
    if ((packet->flags & PERFETTO_STATE_NEEDED) != 0 && !sequence->has_state)
        return false;
    *out_loss = PERFETTO_LOSS_NO_TIME;
    if (!packet->has_timestamp)
        return false;
    return perfetto_sequences_time(&reader->sequences, sequence, packet, out_time, out_loss);
}

// The first time --------------------------------------------------------------

static void perfetto_reader_read_attribute(struct profile *profile, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    struct view key = {0};
    struct view text = VIEW_LITERAL("");
    char number[32];
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_ATTRIBUTE_KEY && field.type == PROTOBUF_BYTES) {
            key = field.bytes;
        } else if (field.number == PERFETTO_ATTRIBUTE_STRING && field.type == PROTOBUF_BYTES) {
            text = field.bytes;
        } else if (field.number == PERFETTO_ATTRIBUTE_LONG && field.type == PROTOBUF_VARINT) {
            snprintf(number, sizeof number, "%lld", (long long)field.value);
            text = view_of(number);
        }
    }
    if (key.size == 0)
        return;
    char *name = view_copy(key);
    profile_fact_add(profile, name, text);
    free(name);
}

static void perfetto_reader_read_attributes(struct profile *profile, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_ATTRIBUTES_ATTRIBUTE && field.type == PROTOBUF_BYTES)
            perfetto_reader_read_attribute(profile, field.bytes);
    }
}

static void look_at_payloads(struct reader *reader, const struct perfetto_packet *packet)
{
    const struct perfetto_payloads *payloads = packet->payloads;
    if (payloads->descriptor.data != NULL &&
        !perfetto_tracks_describe(&reader->tracks, payloads->descriptor))
        perfetto_losses_add(&reader->losses, 0, PERFETTO_LOSS_MALFORMED, 0, packet->offset);
    if (payloads->attributes.data != NULL)
        perfetto_reader_read_attributes(reader->profile, payloads->attributes);
    if (payloads->calls.data != NULL)
        perfetto_calls_read(&reader->calls, payloads->calls);
}

static void look_at_packet(struct perfetto_visitor *visitor, const struct perfetto_packet *packet)
{
    struct reader *reader = reader_of(visitor);
    struct perfetto_sequence *sequence;
    enum perfetto_loss loss;
    uint64_t time;
    perfetto_sequences_enter(&reader->sequences, packet, &sequence);
    if (packet->payloads != NULL)
        look_at_payloads(reader, packet);
    if (packet->event.data != NULL && admit(reader, packet, sequence, &time, &loss))
        perfetto_events_count(&reader->tracks, sequence, packet, time);
}

static void pass_over_damage(struct perfetto_visitor *visitor, enum perfetto_loss loss,
                             uint64_t offset)
{
    (void)visitor;
    (void)loss;
    (void)offset;
}

// The second time -------------------------------------------------------------

static void perfetto_reader_read_packet(struct perfetto_visitor *visitor,
                                        const struct perfetto_packet *packet)
{
    struct reader *reader = reader_of(visitor);
    struct perfetto_sequence *sequence;
    enum perfetto_loss loss;
    uint64_t time;
    if (!perfetto_sequences_enter(&reader->sequences, packet, &sequence))
        perfetto_losses_add(&reader->losses, 0, PERFETTO_LOSS_MALFORMED, 0, packet->offset);
    if (sequence->gap)
        perfetto_losses_add(&reader->losses, 0, PERFETTO_LOSS_DROPPED_BEFORE, 0, packet->offset);
    if (packet->other != 0)
        perfetto_losses_add(&reader->losses, 0, PERFETTO_LOSS_OTHER_PACKET, packet->other,
                            packet->offset);
    if (packet->event.data == NULL)
        return;
    if (admit(reader, packet, sequence, &time, &loss))
        perfetto_events_read(&reader->events, sequence, packet, time);
    else
        perfetto_events_lose(&reader->events, packet, loss,
                             packet->clock != 0 ? packet->clock : sequence->clock);
}

static void account_damage(struct perfetto_visitor *visitor, enum perfetto_loss loss,
                           uint64_t offset)
{
    perfetto_losses_add(&reader_of(visitor)->losses, 0, loss, 0, offset);
}

// -----------------------------------------------------------------------------

static status find_tracks(struct reader *reader, const struct input *input)
{
    reader->visitor = (struct perfetto_visitor){look_at_packet, pass_over_damage};
    perfetto_sequences_start(&reader->sequences, NULL);
    perfetto_parts_visit(input->bytes, PERFETTO_SPLIT_OUTLINE, &reader->visitor);
    const bool too_many = reader->sequences.too_many;
    perfetto_sequences_free(&reader->sequences);
    if (too_many)
        return status_make(STATUS_LIMIT, "%s: more than %d packet sequences", input->path,
                           PERFETTO_SEQUENCES_MOST);
    if (reader->tracks.too_many)
        return status_make(STATUS_LIMIT, "%s: more than %d tracks", input->path,
                           PERFETTO_TRACKS_MOST);
    perfetto_tracks_make(&reader->tracks, reader->profile);
    reader->events.annotations.calls = perfetto_calls_finish(&reader->calls, input->path);
    return STATUS_OK;
}

static status perfetto_reader_read_events(struct reader *reader, const struct input *input)
{
    reader->visitor = (struct perfetto_visitor){perfetto_reader_read_packet, account_damage};
    perfetto_sequences_start(&reader->sequences, &reader->profile->strings);
    perfetto_parts_visit(input->bytes, PERFETTO_SPLIT_WHOLE, &reader->visitor);
    perfetto_sequences_free(&reader->sequences);
    STATUS_TRY(spans_finish(&reader->events.spans));
    for (uint32_t i = 0; i < reader->tracks.tracks.count; i++) {
        const struct perfetto_track *track = segments_get(&reader->tracks.tracks, i);
        spans_lose_open(&reader->events.spans, &track->spans);
    }
    return STATUS_OK;
}

// Of a beginning and an end one that cannot be read leaves the other alone: that is one loss.
static void perfetto_reader_explain_losses(struct reader *reader, const char *path)
{
    const uint64_t halves = 1ull << SPAN_LOSS_NO_BEGIN | 1ull << SPAN_LOSS_NO_END;
    uint64_t unread = 0;
    for (size_t i = 0; i < reader->losses.count; i++) {
        const struct loss_entry *entry = &reader->losses.entries[i];
        if (entry->reason == PERFETTO_LOSS_MALFORMED || entry->reason == PERFETTO_LOSS_NO_TYPE)
            unread += entry->count;
    }
    const uint64_t explained = losses_explain(&reader->losses, unread, halves, reader->profile);
    if (explained > 0)
        profile_note(reader->profile, 0, LEDGER_REMARK, explained,
                     "%s: beginnings or ends whose other half may be in what is lost, and that are "
                     "not counted again: %llu",
                     path, (unsigned long long)explained);
}

// How many events were in what cannot be read, nobody knows.
static void perfetto_reader_close_account(struct reader *reader, const struct input *input)
{
    bool unknown = input->damage != NULL;
    perfetto_reader_explain_losses(reader, input->path);
    for (size_t i = 0; i < reader->losses.count; i++)
        unknown |= perfetto_losses_unknown(reader->losses.entries[i].reason);
    perfetto_losses_report(&reader->losses, reader->profile, input->path);
    if (input->damage != NULL)
        profile_note(reader->profile, 0, LEDGER_LOST, 1, "%s: %s", input->path, input->damage);
    if (unknown)
        profile_track(reader->profile, 0)->ledger.expected = LEDGER_UNKNOWN;
}

status perfetto_read(struct input *input, struct profile *profile)
{
    struct reader reader = {.profile = profile, .calls.profile = profile};
    profile_fact_add(profile, "format", VIEW_LITERAL("perfetto"));
    perfetto_tracks_start(&reader.tracks, &profile->strings);
    perfetto_events_start(&reader.events, profile, &reader.tracks, &reader.losses);
    status result = find_tracks(&reader, input);
    if (result == STATUS_OK)
        result = perfetto_reader_read_events(&reader, input);
    perfetto_reader_close_account(&reader, input);
    perfetto_events_free(&reader.events);
    perfetto_tracks_free(&reader.tracks);
    losses_free(&reader.losses);
    return status_first(result, profile_finish(profile));
}
