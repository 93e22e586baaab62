#include "encode.h"

#include <endian.h>

#include "arguments.h"
#include "fields.h"
#include "wire/protobuf.h"

// What is being put down.
struct encoder {
    const struct chunk *chunk;
    const struct encode_options *options;
    const struct sequence_keys *sequence; // of the event at hand
    size_t definition;                    // the next one
    size_t iid;                           // the next one of those in values
};

// Lengths of nested messages are one byte in most packets: leave room for one,
// and move the content when it turns out longer.
static inline unsigned char *length_open(unsigned char *to)
{
    return to + 1;
}

static unsigned char *length_close_far(unsigned char *content, unsigned char *end)
{
    const size_t size = (size_t)(end - content);
    unsigned char length[VARINT_MOST];
    const size_t bytes = (size_t)(varint_put(length, size) - length);
    memmove(content - 1 + bytes, content, size);
    memcpy(content - 1, length, bytes);
    return end + bytes - 1;
}

static inline unsigned char *length_close(unsigned char *content, unsigned char *end)
{
    const size_t size = (size_t)(end - content);
    if (size >= 128)
        return length_close_far(content, end);
    content[-1] = (unsigned char)size;
    return end;
}

// Most packets have the same few fields in front of and after their numbers, which are small: these
// are put down eight bytes at a time, the first one lowest. Who does so has room for all eight, and
// goes on after those that it means.
#define BYTE(at, value) ((uint64_t)(value) << 8 * (at))
#define TAG(at, number, type) BYTE(at, (unsigned)(number) << 3 | (unsigned)(type))

static inline void put_eight(unsigned char *to, uint64_t bytes)
{
    bytes = htole64(bytes);
    memcpy(to, &bytes, sizeof bytes);
}

static inline bool is_small(uint64_t number)
{
    return number < 128;
}

// Arguments ---------------------------------------------------------------------------

// An annotation of `size` bytes up to the number of its name: 4 bytes.
static inline uint64_t annotation_head(size_t size, uint32_t name)
{
    return TAG(0, PERFETTO_EVENT_ANNOTATION, PROTOBUF_BYTES) | BYTE(1, size) |
           TAG(2, PERFETTO_ANNOTATION_NAME_IID, PROTOBUF_VARINT) | BYTE(3, name);
}

// After such a head: a tag of two bytes.
static const uint64_t ANNOTATION_STRING_IID =
    BYTE(4, ((PERFETTO_ANNOTATION_STRING_IID << 3 | PROTOBUF_VARINT) & 127) | 128) |
    BYTE(5, PERFETTO_ANNOTATION_STRING_IID >> 4);

// 0: it has to be looked up.
static inline uint32_t encode_common_key(const struct sequence_keys *sequence, uint32_t key)
{
    return key < SEQUENCE_COMMON_KEYS ? sequence->iids[key] : 0;
}

static inline unsigned char *annotation_open(unsigned char *to)
{
    return length_open(protobuf_put_tag(to, PERFETTO_EVENT_ANNOTATION, PROTOBUF_BYTES));
}

static inline unsigned char *encode_key(struct encoder *encoder, unsigned char *to, uint32_t key)
{
    uint32_t iid = encode_common_key(encoder->sequence, key);
    if (iid == 0)
        iid = encoder->chunk->iids[encoder->iid++];
    return protobuf_put_varint(to, PERFETTO_ANNOTATION_NAME_IID, iid);
}

static inline unsigned char *encode_number(struct encoder *encoder, unsigned char *to, uint32_t key,
                                           uint32_t field, uint64_t number)
{
    const uint32_t name = encode_common_key(encoder->sequence, key);
    if (name != 0) {
        put_eight(to, annotation_head(0, name) | TAG(4, field, PROTOBUF_VARINT));
        return length_close(to + 2, varint_put_any(to + 5, number));
    }
    unsigned char *content = annotation_open(to);
    return length_close(content,
                        protobuf_put_any(encode_key(encoder, content, key), field, number));
}

// A text that is defined under `iid`.
static inline unsigned char *encode_string(struct encoder *encoder, unsigned char *to, uint32_t key,
                                           const uint32_t *iid)
{
    const uint32_t name = encode_common_key(encoder->sequence, key);
    if (name != 0 && iid != NULL) {
        put_eight(to, annotation_head(0, name) | ANNOTATION_STRING_IID);
        return length_close(to + 2, varint_put_any(to + 6, *iid));
    }
    unsigned char *content = annotation_open(to);
    unsigned char *end = encode_key(encoder, content, key);
    const uint32_t number = iid != NULL ? *iid : encoder->chunk->iids[encoder->iid++];
    return length_close(content, protobuf_put_any(end, PERFETTO_ANNOTATION_STRING_IID, number));
}

static unsigned char *encode_text(struct encoder *encoder, unsigned char *to, uint32_t key,
                                  uint32_t field, struct view text)
{
    unsigned char *content = annotation_open(to);
    return length_close(content,
                        protobuf_put_bytes(encode_key(encoder, content, key), field, text));
}

static unsigned char *encode_real(struct encoder *encoder, unsigned char *to, uint32_t key,
                                  double real)
{
    unsigned char *content = annotation_open(to);
    return length_close(content, protobuf_put_fixed64(encode_key(encoder, content, key),
                                                      PERFETTO_ANNOTATION_DOUBLE,
                                                      protobuf_from_double(real)));
}

// Times on another clock: a dictionary {start, end} in ticks of that clock.
static unsigned char *encode_ticks(struct encoder *encoder, unsigned char *to,
                                   const struct value *value)
{
    const char *const names[] = {"start", "end"};
    const uint64_t numbers[] = {value->number, value->end};
    unsigned char *content = annotation_open(to);
    unsigned char *end = encode_key(encoder, content, value->key);
    for (int i = 0; i < 2; i++) {
        end = protobuf_put_tag(end, PERFETTO_ANNOTATION_DICTIONARY_ENTRY, PROTOBUF_BYTES);
        unsigned char *entry = length_open(end);
        end = protobuf_put_bytes(entry, PERFETTO_ANNOTATION_NAME, view_of(names[i]));
        end = protobuf_put_varint(end, PERFETTO_ANNOTATION_UINT, numbers[i]);
        end = length_close(entry, end);
    }
    return length_close(content, end);
}

static unsigned char *encode_value(struct encoder *encoder, unsigned char *to,
                                   const struct value *value)
{
    switch (value->kind) {
    case VALUE_UINT:
        return encode_number(encoder, to, value->key, PERFETTO_ANNOTATION_UINT, value->number);
    case VALUE_INT:
        return encode_number(encoder, to, value->key, PERFETTO_ANNOTATION_INT, value->number);
    case VALUE_BOOL:
        return encode_number(encoder, to, value->key, PERFETTO_ANNOTATION_BOOL, value->number);
    case VALUE_REAL:
        return encode_real(encoder, to, value->key, value->real);
    case VALUE_STRING:
        return encode_string(encoder, to, value->key, NULL);
    case VALUE_TEXT:
        return encode_text(encoder, to, value->key, PERFETTO_ANNOTATION_STRING, value->text);
    case VALUE_JSON:
        return encode_text(encoder, to, value->key, PERFETTO_ANNOTATION_JSON, value->text);
    case VALUE_TICKS:
        return encode_ticks(encoder, to, value);
    default:
        return to;
    }
}

// Numbers and short texts, as most values are, are the same bytes in both forms. Stops at the first
// value that is something else. Most are short: to copy more than that is quicker than to ask how
// much it is. There is room for it, as an annotation has, and it can be read.
static inline unsigned char *encode_common_values(const struct sequence_keys *sequence,
                                                  unsigned char *to, struct argument_reader *reader)
{
    enum { HEAD = 5, SIZE_MOST = 127 - HEAD + 2 };
    const unsigned char *const values_end = reader->values.end;
    const unsigned char *at = reader->values.at;
    const unsigned char *last = NULL;
    size_t size;
    while ((size = argument_common_size(at, values_end)) != 0 && size <= SIZE_MOST) {
        const uint64_t tag = at[1] == VALUE_TEXT
                                 ? TAG(4, PERFETTO_ANNOTATION_STRING, PROTOBUF_BYTES)
                                 : TAG(4, PERFETTO_ANNOTATION_UINT, PROTOBUF_VARINT);
        const uint32_t name = encode_common_key(sequence, at[0]);
        if (name == 0)
            break;
        put_eight(to, annotation_head(HEAD - 2 + size, name) | tag);
        if (size <= ARGUMENTS_AFTER)
            memcpy(to + HEAD, at + 2, ARGUMENTS_AFTER);
        else
            memcpy(to + HEAD, at + 2, size);
        last = at;
        to += HEAD + size;
        at += 2 + size;
    }
    arguments_pass(reader, at, last);
    return to;
}

static unsigned char *encode_values(struct encoder *encoder, unsigned char *to, struct view values)
{
    const struct encode_options *options = encoder->options;
    struct argument_reader reader =
        arguments_read(values, options->category_key, !options->no_arguments);
    struct value value;
    for (;;) {
        if (reader.wanted)
            to = encode_common_values(encoder->sequence, to, &reader);
        if (arguments_are_over(&reader))
            return to;
        switch (argument_next(&reader, &value)) {
        case ARGUMENT_VALUE:
            to = encode_value(encoder, to, &value);
            break;
        case ARGUMENT_CATEGORY:
            to = protobuf_put_varint(to, PERFETTO_EVENT_CATEGORY_IID,
                                     encoder->chunk->iids[encoder->iid++]);
            break;
        case ARGUMENT_FLOW_OUT:
            to = protobuf_put_fixed64(to, PERFETTO_EVENT_FLOW, value.number);
            break;
        case ARGUMENT_FLOW_IN:
            to = protobuf_put_fixed64(to, PERFETTO_EVENT_FLOW_END, value.number);
            break;
        default:
            return to;
        }
    }
}

static inline unsigned char *encode_arguments(struct encoder *encoder, unsigned char *to,
                                              const struct chunk_event *event)
{
    const struct encode_options *options = encoder->options;
    if (event->values_size > 0)
        to = encode_values(
            encoder, to,
            (struct view){(const char *)encoder->chunk->values.data + event->values_at,
                          event->values_size});
    if (event->location != 0)
        to = encode_string(encoder, to, options->location_key, &event->location);
    if (event->call != 0)
        to = encode_number(encoder, to, options->call_key, PERFETTO_ANNOTATION_UINT, event->call);
    if (event->has_cycles)
        to = encode_number(encoder, to, options->cycles_key, PERFETTO_ANNOTATION_UINT,
                           event->number);
    return to;
}

// Texts -------------------------------------------------------------------------------

// The definitions of the event with this index, of which there is one.
static unsigned char *encode_definitions(struct encoder *encoder, unsigned char *to, size_t index)
{
    const struct chunk *chunk = encoder->chunk;
    to = protobuf_put_tag(to, PERFETTO_PACKET_INTERNED_DATA, PROTOBUF_BYTES);
    unsigned char *content = length_open(to);
    unsigned char *end = content;
    for (; encoder->definition < chunk->definition_count &&
           chunk->definitions[encoder->definition].event == index;
         encoder->definition++) {
        const struct chunk_definition *definition = &chunk->definitions[encoder->definition];
        const struct view text = profile_text(encoder->options->profile, definition->text);
        unsigned char head[VARINT_MOST + PROTOBUF_TAG_MOST + PROTOBUF_HEADER_MOST];
        unsigned char *after = protobuf_put_varint(head, PERFETTO_ENTRY_IID, definition->iid);
        after = protobuf_put_header(after, PERFETTO_ENTRY_TEXT, text.size);
        const size_t size = (size_t)(after - head);
        end = protobuf_put_header(end, definition->field, size + text.size);
        memcpy(end, head, size);
        if (text.size > 0)
            memcpy(end + size, text.data, text.size);
        end += size + text.size;
    }
    return length_close(content, end);
}

// How many bytes they take at most.
static size_t definitions_room(const struct encoder *encoder, size_t index)
{
    enum { ENTRY_MOST = VARINT_MOST + PROTOBUF_TAG_MOST + 2 * PROTOBUF_HEADER_MOST };
    const struct chunk *chunk = encoder->chunk;
    size_t room = PROTOBUF_HEADER_MOST;
    for (size_t i = encoder->definition;
         i < chunk->definition_count && chunk->definitions[i].event == index; i++)
        room +=
            ENTRY_MOST + profile_text(encoder->options->profile, chunk->definitions[i].text).size;
    return room;
}

// Packets -----------------------------------------------------------------------------

static inline unsigned char *packet_open(unsigned char *to)
{
    return length_open(protobuf_put_tag(to, PERFETTO_TRACE_PACKET, PROTOBUF_BYTES));
}

// Everything of a packet in front of its event.
static inline unsigned char *encode_front(const struct encoder *encoder, unsigned char *to,
                                          uint64_t ns)
{
    to = protobuf_put_any(to, PERFETTO_PACKET_TIMESTAMP, ns);
    return protobuf_put_varint(to, PERFETTO_PACKET_SEQUENCE, encoder->sequence->id);
}

static inline unsigned char *event_open(unsigned char *to)
{
    return length_open(protobuf_put_tag(to, PERFETTO_PACKET_TRACK_EVENT, PROTOBUF_BYTES));
}

static inline unsigned char *encode_type(unsigned char *event, enum perfetto_event_type type)
{
    return protobuf_put_varint(event, PERFETTO_EVENT_TYPE, type);
}

static inline unsigned char *encode_state_needed(unsigned char *to)
{
    return protobuf_put_varint(to, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_STATE_NEEDED);
}

static const uint64_t SEQUENCE_AND_EVENT = TAG(0, PERFETTO_PACKET_SEQUENCE, PROTOBUF_VARINT) |
                                           TAG(2, PERFETTO_PACKET_TRACK_EVENT, PROTOBUF_BYTES) |
                                           TAG(4, PERFETTO_EVENT_TYPE, PROTOBUF_VARINT);

static inline unsigned char *encode_end(const struct encoder *encoder, unsigned char *to,
                                        uint64_t ns)
{
    unsigned char *content = packet_open(to);
    if (is_small(encoder->sequence->id)) {
        to = protobuf_put_any(content, PERFETTO_PACKET_TIMESTAMP, ns);
        put_eight(to, SEQUENCE_AND_EVENT | BYTE(1, encoder->sequence->id) | BYTE(3, 2) |
                          BYTE(5, PERFETTO_TYPE_END) |
                          TAG(6, PERFETTO_PACKET_SEQUENCE_FLAGS, PROTOBUF_VARINT) |
                          BYTE(7, PERFETTO_STATE_NEEDED));
        return length_close(content, to + 8);
    }
    unsigned char *event = event_open(encode_front(encoder, content, ns));
    unsigned char *end = length_close(event, encode_type(event, PERFETTO_TYPE_END));
    return length_close(content, encode_state_needed(end));
}

static unsigned char *encode_sample(const struct encoder *encoder, unsigned char *to,
                                    const struct chunk_event *sample)
{
    unsigned char *content = packet_open(to);
    unsigned char *event = event_open(encode_front(encoder, content, sample->ns));
    unsigned char *end = encode_type(event, PERFETTO_TYPE_COUNTER);
    if (sample->kind == CHUNK_SAMPLE_REAL)
        end = protobuf_put_fixed64(end, PERFETTO_EVENT_DOUBLE_VALUE, sample->number);
    else
        end = protobuf_put_varint(end, PERFETTO_EVENT_COUNTER_VALUE, sample->number);
    return length_close(content, encode_state_needed(length_close(event, end)));
}

// A packet up to the name of its event.
static inline unsigned char *encode_begin(const struct encoder *encoder, unsigned char *content,
                                          const struct chunk_event *added,
                                          unsigned char **out_event)
{
    const enum perfetto_event_type type =
        added->kind == CHUNK_INSTANT ? PERFETTO_TYPE_INSTANT : PERFETTO_TYPE_BEGIN;
    if (is_small(encoder->sequence->id) && is_small(added->name)) {
        unsigned char *to = protobuf_put_any(content, PERFETTO_PACKET_TIMESTAMP, added->ns);
        put_eight(to, SEQUENCE_AND_EVENT | BYTE(1, encoder->sequence->id) | BYTE(5, type) |
                          TAG(6, PERFETTO_EVENT_NAME_IID, PROTOBUF_VARINT) | BYTE(7, added->name));
        *out_event = to + 4;
        return to + 8;
    }
    *out_event = event_open(encode_front(encoder, content, added->ns));
    return protobuf_put_varint(encode_type(*out_event, type), PERFETTO_EVENT_NAME_IID, added->name);
}

static inline unsigned char *encode_event(struct encoder *encoder, unsigned char *to,
                                          const struct chunk_event *added, size_t index,
                                          bool defines)
{
    if (added->ends)
        to = encode_end(encoder, to, added->end_ns);
    unsigned char *content = packet_open(to);
    unsigned char *event;
    unsigned char *end = encode_begin(encoder, content, added, &event);
    end = length_close(event, encode_arguments(encoder, end, added));
    end = encode_state_needed(end);
    if (defines)
        end = encode_definitions(encoder, end, index);
    return length_close(content, end);
}

static unsigned char *encode_any(struct encoder *encoder, unsigned char *to, size_t index,
                                 bool defines)
{
    const struct chunk_event *event = &encoder->chunk->events[index];
    encoder->sequence = event->sequence;
    switch (event->kind) {
    case CHUNK_PACKETS:
        memcpy(to, encoder->chunk->values.data + event->values_at, event->values_size);
        return to + event->values_size;
    case CHUNK_END:
        return encode_end(encoder, to, event->ns);
    case CHUNK_SAMPLE:
    case CHUNK_SAMPLE_REAL:
        return encode_sample(encoder, to, event);
    default:
        return encode_event(encoder, to, event, index, defines);
    }
}

// A value of n bytes becomes an annotation of at most 16 n.
static inline size_t event_room(const struct chunk_event *event)
{
    const size_t size = event->values_size;
    return event->kind == CHUNK_PACKETS ? size : 256 + 16 * size;
}

void chunk_encode(const struct chunk *chunk, const struct encode_options *options, size_t most,
                  struct bytes *to, struct bytes *ends)
{
    struct encoder encoder = {.chunk = chunk, .options = options};
    size_t piece = to->size; // where the one at hand begins
    for (size_t i = 0; i < chunk->count; i++) {
        const bool defines = encoder.definition < chunk->definition_count &&
                             chunk->definitions[encoder.definition].event == i;
        const size_t room =
            event_room(&chunk->events[i]) + (defines ? definitions_room(&encoder, i) : 0);
        unsigned char *start =
            to->capacity - to->size >= room ? to->data + to->size : bytes_reserve(to, room);
        unsigned char *end = encode_any(&encoder, start, i, defines);
        const size_t before = to->size;
        to->size += (size_t)(end - start);
        if (to->size - piece > most && before > piece) {
            bytes_append(ends, &before, sizeof before);
            piece = before;
        }
    }
    bytes_append(ends, &to->size, sizeof to->size);
}

// How a sequence starts ---------------------------------------------------------------

static unsigned char *put_clock(unsigned char *to, uint64_t clock, uint64_t ns, bool incremental)
{
    unsigned char *content =
        length_open(protobuf_put_tag(to, PERFETTO_SNAPSHOT_CLOCK, PROTOBUF_BYTES));
    unsigned char *end = protobuf_put_varint(content, PERFETTO_CLOCK_ID, clock);
    end = protobuf_put_varint(end, PERFETTO_CLOCK_TIMESTAMP, ns);
    if (incremental)
        end = protobuf_put_varint(end, PERFETTO_CLOCK_INCREMENTAL, 1);
    return length_close(content, end);
}

static unsigned char *put_snapshot(unsigned char *to, uint64_t ns)
{
    unsigned char *content =
        length_open(protobuf_put_tag(to, PERFETTO_PACKET_CLOCK_SNAPSHOT, PROTOBUF_BYTES));
    unsigned char *end = put_clock(content, PERFETTO_CLOCK_OWN_FIRST, ns, true);
    end = put_clock(end, PERFETTO_CLOCK_BOOTTIME, ns, false);
    return length_close(content, end);
}

static unsigned char *put_defaults(unsigned char *to, uint64_t uuid)
{
    unsigned char *content =
        length_open(protobuf_put_tag(to, PERFETTO_PACKET_DEFAULTS, PROTOBUF_BYTES));
    unsigned char *end =
        protobuf_put_varint(content, PERFETTO_DEFAULTS_CLOCK, PERFETTO_CLOCK_OWN_FIRST);
    unsigned char *event =
        length_open(protobuf_put_tag(end, PERFETTO_DEFAULTS_TRACK_EVENT, PROTOBUF_BYTES));
    end = length_close(event, protobuf_put_varint(event, PERFETTO_EVENT_TRACK, uuid));
    return length_close(content, end);
}

unsigned char *encode_start(unsigned char *to, uint32_t sequence, uint64_t uuid, uint64_t ns)
{
    unsigned char *content = packet_open(to);
    unsigned char *end = protobuf_put_varint(content, PERFETTO_PACKET_SEQUENCE, sequence);
    end = protobuf_put_varint(end, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_STATE_CLEARED);
    end = put_snapshot(end, ns);
    end = put_defaults(end, uuid);
    return length_close(content, end);
}
