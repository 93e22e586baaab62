#include "reader_packets.h"

#include "fields.h"

// What a packet holds besides its contents, and is of no use here.
enum {
    TRUSTED_UID = 3,
    STATE_CLEARED_OLD = 41, // a bool, before there were flags
    PREVIOUS_DROPPED = 42,
    TRUSTED_PID = 79,
    MACHINE_ID = 98,
};

static void reader_packets_read_number(const struct protobuf_field *field,
                                       struct perfetto_packet *packet)
{
    switch (field->number) {
    case PERFETTO_PACKET_TIMESTAMP:
        packet->timestamp = field->value;
        packet->has_timestamp = true;
        break;
    case PERFETTO_PACKET_SEQUENCE:
        packet->sequence = (uint32_t)field->value;
        break;
    case PERFETTO_PACKET_SEQUENCE_FLAGS:
        packet->flags |= (uint32_t)field->value;
        break;
    case STATE_CLEARED_OLD:
        packet->flags |= field->value != 0 ? PERFETTO_STATE_CLEARED : 0;
        break;
    case PERFETTO_PACKET_CLOCK:
        packet->clock = (uint32_t)field->value;
        break;
    case PREVIOUS_DROPPED:
        packet->dropped_before = field->value != 0;
        break;
    default:
        break;
    }
}

static struct view *payload_of(struct perfetto_payloads *payloads, uint32_t number)
{
    switch (number) {
    case PERFETTO_PACKET_INTERNED_DATA:
        return &payloads->interned;
    case PERFETTO_PACKET_DEFAULTS:
        return &payloads->defaults;
    case PERFETTO_PACKET_CLOCK_SNAPSHOT:
        return &payloads->snapshot;
    case PERFETTO_PACKET_TRACK_DESCRIPTOR:
        return &payloads->descriptor;
    case PERFETTO_PACKET_TRACE_ATTRIBUTES:
        return &payloads->attributes;
    case PERFETTO_PACKET_CALLS:
        return &payloads->calls;
    default:
        return NULL;
    }
}

static void reader_packets_read_payload(const struct protobuf_field *field,
                                        struct segments *payloads, struct perfetto_packet *packet,
                                        struct protobuf_field *out_packed)
{
    struct perfetto_payloads none;
    if (field->number == PERFETTO_PACKET_TRACK_EVENT) {
        packet->event = field->bytes;
    } else if (payload_of(&none, field->number) != NULL) {
        if (packet->payloads == NULL) {
            packet->payloads = segments_add(payloads);
            *packet->payloads = (struct perfetto_payloads){0};
        }
        *payload_of(packet->payloads, field->number) = field->bytes;
    } else if (field->number == PERFETTO_PACKET_COMPRESSED ||
               field->number == PERFETTO_PACKET_COMPRESSED_ZSTD) {
        *out_packed = *field;
    } else {
        packet->other = field->number;
    }
}

// The fields that nearly all packets have and nothing else: returns where another one starts, or
// one that is cut off or malformed.
static const unsigned char *read_common(const unsigned char *at, const unsigned char *end,
                                        struct perfetto_packet *packet)
{
    while (at < end) {
        const unsigned char *next = at + 1;
        uint64_t number;
        if (*at >= 128 || !varint_get_short(&next, end, &number))
            return at;
        switch (*at) {
        case PERFETTO_PACKET_TIMESTAMP << 3 | PROTOBUF_VARINT:
            packet->timestamp = number;
            packet->has_timestamp = true;
            break;
        case PERFETTO_PACKET_SEQUENCE << 3 | PROTOBUF_VARINT:
            packet->sequence = (uint32_t)number;
            break;
        case PERFETTO_PACKET_SEQUENCE_FLAGS << 3 | PROTOBUF_VARINT:
            packet->flags |= (uint32_t)number;
            break;
        case PERFETTO_PACKET_TRACK_EVENT << 3 | PROTOBUF_BYTES:
            if (number > (uint64_t)(end - next))
                return at;
            packet->event = (struct view){(const char *)next, (size_t)number};
            next += number;
            break;
        default:
            return at;
        }
        at = next;
    }
    return at;
}

static __attribute__((noinline)) enum protobuf_ending read_rest(struct protobuf_reader reader,
                                                                struct segments *payloads,
                                                                struct perfetto_packet *packet,
                                                                struct protobuf_field *out_packed)
{
    struct protobuf_field field;
    while (protobuf_next(&reader, &field)) {
        if (field.type != PROTOBUF_BYTES)
            reader_packets_read_number(&field, packet);
        else
            reader_packets_read_payload(&field, payloads, packet, out_packed);
    }
    return reader.ending;
}

enum protobuf_ending perfetto_packet_read(struct view bytes, struct segments *payloads,
                                          struct perfetto_packet *packet,
                                          struct protobuf_field *out_packed)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    out_packed->number = 0;
    reader.at = read_common(reader.at, reader.end, packet);
    if (reader.at == reader.end)
        return PROTOBUF_WHOLE;
    return read_rest(reader, payloads, packet, out_packed);
}

// Recognition -----------------------------------------------------------------

enum { PACKETS_TRIED = 8, FIELD_LIKELY_MOST = 2000 };

static bool is_number_field(uint32_t number)
{
    switch (number) {
    case TRUSTED_UID:
    case PERFETTO_PACKET_TIMESTAMP:
    case PERFETTO_PACKET_SEQUENCE:
    case PERFETTO_PACKET_SEQUENCE_FLAGS:
    case STATE_CLEARED_OLD:
    case PREVIOUS_DROPPED:
    case PERFETTO_PACKET_CLOCK:
    case TRUSTED_PID:
    case PERFETTO_PACKET_FIRST_ON_SEQUENCE:
    case MACHINE_ID:
        return true;
    default:
        return false;
    }
}

// Numbers where packets have numbers, messages where they have messages.
static bool is_likely_field(const struct protobuf_field *field)
{
    if (is_number_field(field->number))
        return field->type == PROTOBUF_VARINT;
    return field->number <= FIELD_LIKELY_MOST &&
           (field->type == PROTOBUF_BYTES || field->type == PROTOBUF_VARINT);
}

// Whether it is a field of traces in particular.
static bool is_telling_field(const struct protobuf_field *field)
{
    struct perfetto_payloads payloads;
    return field->number == PERFETTO_PACKET_COMPRESSED ||
           field->number == PERFETTO_PACKET_COMPRESSED_ZSTD || is_number_field(field->number) ||
           field->number == PERFETTO_PACKET_TRACK_EVENT ||
           payload_of(&payloads, field->number) != NULL;
}

// The field that the end of the bytes cuts off, as far as its tag tells.
static bool read_cut_field(const struct protobuf_reader *reader, struct protobuf_field *out_field)
{
    const unsigned char *at = reader->at;
    uint64_t tag;
    if (reader->ending != PROTOBUF_CUT || !varint_get(&at, reader->end, &tag))
        return false;
    *out_field = (struct protobuf_field){.number = (uint32_t)(tag >> 3),
                                         .type = (enum protobuf_type)(tag & 7)};
    return true;
}

static bool recognise_packet(struct view bytes, bool *telling)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    while (protobuf_next(&reader, &field) || read_cut_field(&reader, &field)) {
        if (!is_likely_field(&field))
            return false;
        *telling |= is_telling_field(&field);
        if (reader.ending == PROTOBUF_CUT)
            break;
    }
    return reader.ending != PROTOBUF_MALFORMED;
}

// The packet that is cut off at the end of what is there.
static struct view cut_packet(const struct protobuf_reader *reader)
{
    const unsigned char *at = reader->at;
    uint64_t size;
    if (reader->at == reader->end || *at++ != 0x0a || !varint_get(&at, reader->end, &size))
        return (struct view){0};
    return (struct view){(const char *)at, (size_t)(reader->end - at)};
}

bool perfetto_packets_recognise(struct view bytes)
{
    struct protobuf_reader reader = protobuf_read(bytes);
    struct protobuf_field field;
    bool telling = false;
    for (int packets = 0; packets < PACKETS_TRIED && !telling; packets++) {
        const bool whole = protobuf_next(&reader, &field);
        if (whole && (field.number != PERFETTO_TRACE_PACKET || field.type != PROTOBUF_BYTES))
            return false;
        if (!recognise_packet(whole ? field.bytes : cut_packet(&reader), &telling))
            return false;
        if (!whole)
            break;
    }
    return telling && reader.ending != PROTOBUF_MALFORMED;
}
