#include "reader_sequences.h"

#include <stdlib.h>

#include "base/memory.h"
#include "fields.h"
#include "wire/protobuf.h"

void perfetto_sequences_start(struct perfetto_sequences *sequences, struct strings *strings)
{
    *sequences = (struct perfetto_sequences){.strings = strings};
    segments_start(&sequences->sequences, sizeof(struct perfetto_sequence));
}

// Interned texts --------------------------------------------------------------

static struct perfetto_interned_entry *
reader_sequences_find_entry(const struct perfetto_interned *interned, uint64_t iid)
{
    if (iid - 1 < interned->count && interned->entries[iid - 1].iid == iid)
        return &interned->entries[iid - 1];
    const uint32_t hash = hash_u64(iid);
    uint32_t id;
    for (uint32_t at = hash_first(&interned->index, hash);
         (id = hash_next(&interned->index, hash, &at)) != HASH_NONE;) {
        if (interned->entries[id].iid == iid)
            return &interned->entries[id];
    }
    return NULL;
}

bool perfetto_interned_find_far(const struct perfetto_interned *interned, uint64_t iid,
                                uint32_t *out_text)
{
    const struct perfetto_interned_entry *entry = reader_sequences_find_entry(interned, iid);
    if (entry == NULL)
        return false;
    *out_text = entry->text;
    return true;
}

// The first definition of a number stays.
static void reader_sequences_intern(struct perfetto_interned *interned, uint64_t iid, uint32_t text)
{
    if (reader_sequences_find_entry(interned, iid) != NULL)
        return;
    interned->entries = memory_grow(interned->entries, interned->count, &interned->capacity,
                                    sizeof *interned->entries);
    interned->entries[interned->count] = (struct perfetto_interned_entry){iid, text};
    if (iid != interned->count + 1)
        hash_add(&interned->index, hash_u64(iid), (uint32_t)interned->count);
    interned->count++;
}

static void clear_interned(struct perfetto_interned *interned)
{
    interned->count = 0;
    hash_free(&interned->index);
}

static enum perfetto_interned_kind kind_of_field(uint32_t number)
{
    switch (number) {
    case PERFETTO_INTERNED_CATEGORY:
        return PERFETTO_TEXT_CATEGORY;
    case PERFETTO_INTERNED_EVENT_NAME:
        return PERFETTO_TEXT_EVENT_NAME;
    case PERFETTO_INTERNED_ANNOTATION_NAME:
        return PERFETTO_TEXT_ANNOTATION_NAME;
    case PERFETTO_INTERNED_STRING:
        return PERFETTO_TEXT_STRING;
    case PERFETTO_INTERNED_CORRELATION:
        return PERFETTO_TEXT_CORRELATION;
    default:
        return PERFETTO_TEXT_KINDS;
    }
}

static bool reader_sequences_read_entry(struct view message, uint64_t *out_iid,
                                        struct view *out_text)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    *out_iid = 0;
    *out_text = VIEW_LITERAL("");
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_ENTRY_IID && field.type == PROTOBUF_VARINT)
            *out_iid = field.value;
        else if (field.number == PERFETTO_ENTRY_TEXT && field.type == PROTOBUF_BYTES)
            *out_text = field.bytes;
    }
    return reader.ending == PROTOBUF_WHOLE;
}

static bool read_interned(struct perfetto_sequences *sequences, struct perfetto_sequence *sequence,
                          struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    bool whole = true;
    while (protobuf_next(&reader, &field)) {
        const enum perfetto_interned_kind kind = kind_of_field(field.number);
        uint64_t iid;
        struct view text;
        if (kind == PERFETTO_TEXT_KINDS || field.type != PROTOBUF_BYTES)
            continue;
        if (reader_sequences_read_entry(field.bytes, &iid, &text))
            reader_sequences_intern(&sequence->interned[kind], iid,
                                    strings_add(sequences->strings, text));
        else
            whole = false;
    }
    return whole && reader.ending == PROTOBUF_WHOLE;
}

// Defaults --------------------------------------------------------------------

static void add_uuids(struct bytes *uuids, const struct protobuf_field *field)
{
    struct view rest = {0};
    uint64_t uuid;
    while (protobuf_next_varint(field, &rest, &uuid))
        bytes_append(uuids, &uuid, sizeof uuid);
}

static bool read_event_defaults(struct perfetto_sequence *sequence, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_EVENT_TRACK)
            sequence->track = field.value;
        else if (field.number == PERFETTO_EVENT_EXTRA_TRACK)
            add_uuids(&sequence->extra_tracks, &field);
        else if (field.number == PERFETTO_EVENT_EXTRA_DOUBLE_TRACK)
            add_uuids(&sequence->extra_double_tracks, &field);
    }
    return reader.ending == PROTOBUF_WHOLE;
}

static void clear_defaults(struct perfetto_sequence *sequence)
{
    sequence->track = 0;
    sequence->clock = 0;
    sequence->extra_tracks.size = 0;
    sequence->extra_double_tracks.size = 0;
}

static bool read_defaults(struct perfetto_sequence *sequence, struct view message)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field;
    bool whole = true;
    clear_defaults(sequence);
    while (protobuf_next(&reader, &field)) {
        if (field.number == PERFETTO_DEFAULTS_CLOCK && field.type == PROTOBUF_VARINT)
            sequence->clock = (uint32_t)field.value;
        else if (field.number == PERFETTO_DEFAULTS_TRACK_EVENT && field.type == PROTOBUF_BYTES)
            whole &= read_event_defaults(sequence, field.bytes);
    }
    return whole && reader.ending == PROTOBUF_WHOLE;
}

// Sequences -------------------------------------------------------------------

static struct perfetto_sequence *reader_sequences_find_or_add(struct perfetto_sequences *sequences,
                                                              uint32_t id)
{
    struct perfetto_sequence **recent = &sequences->recent[id % PERFETTO_SEQUENCES_RECENT];
    if (*recent != NULL && (*recent)->id == id)
        return *recent;
    const uint32_t hash = hash_u64(id);
    uint32_t found;
    for (uint32_t at = hash_first(&sequences->index, hash);
         (found = hash_next(&sequences->index, hash, &at)) != HASH_NONE;) {
        struct perfetto_sequence *sequence = segments_get(&sequences->sequences, found);
        if (sequence->id == id) {
            *recent = sequence;
            return sequence;
        }
    }
    if (sequences->sequences.count == PERFETTO_SEQUENCES_MOST) {
        sequences->too_many = true;
        return sequences->current;
    }
    struct perfetto_sequence *added = segments_add(&sequences->sequences);
    added->id = id;
    *recent = added;
    hash_add(&sequences->index, hash, sequences->sequences.count - 1);
    return added;
}

static void clear_state(struct perfetto_sequence *sequence)
{
    for (size_t i = 0; i < PERFETTO_TEXT_KINDS; i++)
        clear_interned(&sequence->interned[i]);
    clear_defaults(sequence);
    sequence->has_state = true;
    sequence->generation++;
}

static bool read_payloads(struct perfetto_sequences *sequences, struct perfetto_sequence *sequence,
                          const struct perfetto_payloads *payloads)
{
    bool whole = true;
    if (payloads->defaults.data != NULL)
        whole &= read_defaults(sequence, payloads->defaults);
    if (payloads->interned.data != NULL && sequences->strings != NULL)
        whole &= read_interned(sequences, sequence, payloads->interned);
    if (payloads->snapshot.data != NULL)
        whole &= perfetto_clocks_snapshot(&sequences->clocks, sequence->id, payloads->snapshot);
    return whole;
}

bool perfetto_sequences_enter_far(struct perfetto_sequences *sequences,
                                  const struct perfetto_packet *packet,
                                  struct perfetto_sequence **out_sequence)
{
    struct perfetto_sequence *sequence = reader_sequences_find_or_add(sequences, packet->sequence);
    sequences->current = sequence;
    *out_sequence = sequence;
    sequence->gap = sequence->seen && packet->dropped_before;
    sequence->seen = true;
    if ((packet->flags & PERFETTO_STATE_CLEARED) != 0)
        clear_state(sequence);
    else if (packet->dropped_before)
        sequence->has_state = false;
    return packet->payloads == NULL || read_payloads(sequences, sequence, packet->payloads);
}

bool perfetto_sequences_time(const struct perfetto_sequences *sequences,
                             struct perfetto_sequence *sequence,
                             const struct perfetto_packet *packet, uint64_t *out_time,
                             enum perfetto_loss *out_loss)
{
    const uint32_t clock = packet->clock != 0 ? packet->clock : sequence->clock;
    switch (perfetto_clocks_convert(&sequences->clocks, &sequence->clock_use, sequence->id, clock,
                                    packet->timestamp, out_time)) {
    case PERFETTO_CLOCK_UNKNOWN:
        *out_loss = PERFETTO_LOSS_NO_CLOCK;
        return false;
    case PERFETTO_CLOCK_RANGE:
        *out_loss = PERFETTO_LOSS_TIME_RANGE;
        return false;
    default:
        return true;
    }
}

void perfetto_sequences_free(struct perfetto_sequences *sequences)
{
    for (uint32_t i = 0; i < sequences->sequences.count; i++) {
        struct perfetto_sequence *sequence = segments_get(&sequences->sequences, i);
        for (size_t kind = 0; kind < PERFETTO_TEXT_KINDS; kind++) {
            free(sequence->interned[kind].entries);
            hash_free(&sequence->interned[kind].index);
        }
        bytes_free(&sequence->extra_tracks);
        bytes_free(&sequence->extra_double_tracks);
    }
    segments_free(&sequences->sequences);
    hash_free(&sequences->index);
    perfetto_clocks_free(&sequences->clocks);
}
