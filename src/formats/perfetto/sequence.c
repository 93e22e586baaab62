#include "sequence.h"

#include <stdlib.h>

#include "base/memory.h"
#include "fields.h"
#include "wire/protobuf.h"

// Interning -------------------------------------------------------------------

// Ids are dense: neighbours fall into neighbouring slots.
static uint32_t perfetto_sequence_slot_of(uint32_t text, uint32_t mask)
{
    return text & mask;
}

static void map_grow(struct iid_map *map)
{
    const struct iid_map old = *map;
    const uint32_t size = old.slots == NULL ? 16 : (old.mask + 1) * 2;
    map->slots = memory_allocate_zeroed(size, 2 * sizeof *map->slots);
    memory_prefer_huge(map->slots, (size_t)size * 2 * sizeof *map->slots);
    map->mask = size - 1;
    for (uint32_t i = 0; old.slots != NULL && i <= old.mask; i++) {
        if (old.slots[2 * i] == 0)
            continue;
        uint32_t at = perfetto_sequence_slot_of(old.slots[2 * i], map->mask);
        while (map->slots[2 * at] != 0)
            at = (at + 1) & map->mask;
        map->slots[2 * at] = old.slots[2 * i];
        map->slots[2 * at + 1] = old.slots[2 * i + 1];
    }
    free(old.slots);
}

// The iid of a text; `*out_new` when it has to be defined.
static uint32_t map_get(struct iid_map *map, uint32_t text, bool *out_new)
{
    if (map->count * 2 >= map->mask || map->slots == NULL)
        map_grow(map);
    uint32_t at = perfetto_sequence_slot_of(text + 1, map->mask);
    for (; map->slots[2 * at] != 0; at = (at + 1) & map->mask) {
        if (map->slots[2 * at] == text + 1) {
            *out_new = false;
            return map->slots[2 * at + 1];
        }
    }
    map->count++;
    map->slots[2 * at] = text + 1;
    map->slots[2 * at + 1] = ++map->last;
    *out_new = true;
    return map->last;
}

static uint32_t sequence_text_iid(struct sequence *sequence, uint32_t text, bool *out_new)
{
    while (sequence->homes->count <= text)
        segments_add(sequence->homes);
    struct text_home *home = segments_get(sequence->homes, text);
    *out_new = home->sequence == 0;
    if (*out_new)
        *home = (struct text_home){sequence->id, ++sequence->texts.last};
    if (home->sequence == sequence->id)
        return home->iid;
    return map_get(&sequence->texts, text, out_new);
}

// Packets ---------------------------------------------------------------------

// A packet being put together: the event, and the texts it defines.
struct packet {
    struct sequence *sequence;
    const struct profile *profile;
    unsigned char *to;
    struct bytes *interned; // empty in most packets
};

// Lengths of nested messages are one byte in most packets: leave room for one,
// and move the content when it turns out longer.
static unsigned char *length_open(unsigned char *to)
{
    return to + 1;
}

static unsigned char *length_close(unsigned char *content, unsigned char *end)
{
    const size_t size = (size_t)(end - content);
    if (size < 128) {
        content[-1] = (unsigned char)size;
        return end;
    }
    unsigned char length[VARINT_MOST];
    const size_t bytes = (size_t)(varint_put(length, size) - length);
    memmove(content - 1 + bytes, content, size);
    memcpy(content - 1, length, bytes);
    return end + bytes - 1;
}

static void sequence_define(struct packet *packet, uint32_t field, uint32_t iid, uint32_t text_id)
{
    const struct view text = profile_text(packet->profile, text_id);
    unsigned char entry[2 * PROTOBUF_HEADER_MOST + VARINT_MOST];
    unsigned char *end = protobuf_put_varint(entry, PERFETTO_ENTRY_IID, iid);
    end = protobuf_put_header(end, PERFETTO_ENTRY_TEXT, text.size);
    const size_t head = (size_t)(end - entry);
    unsigned char *to = bytes_reserve(packet->interned, PROTOBUF_HEADER_MOST + head + text.size);
    unsigned char *at = protobuf_put_header(to, field, head + text.size);
    memcpy(at, entry, head);
    if (text.size > 0)
        memcpy(at + head, text.data, text.size);
    packet->interned->size += (size_t)(at - to) + head + text.size;
}

static uint32_t sequence_intern(struct packet *packet, struct iid_map *map, uint32_t field,
                                uint32_t text)
{
    bool is_new;
    const uint32_t iid = map_get(map, text, &is_new);
    if (is_new)
        sequence_define(packet, field, iid, text);
    return iid;
}

static uint32_t intern_key(struct packet *packet, uint32_t key)
{
    struct sequence *sequence = packet->sequence;
    const bool common = key < SEQUENCE_COMMON_KEYS;
    if (common && sequence->common_keys[key] != 0)
        return sequence->common_keys[key];
    const uint32_t iid =
        sequence_intern(packet, &sequence->keys, PERFETTO_INTERNED_ANNOTATION_NAME, key);
    if (common && iid < 256)
        sequence->common_keys[key] = (unsigned char)iid;
    return iid;
}

static unsigned char *perfetto_sequence_put_key(struct packet *packet, unsigned char *to,
                                                uint32_t key)
{
    return protobuf_put_varint(to, PERFETTO_ANNOTATION_NAME_IID, intern_key(packet, key));
}

static unsigned char *perfetto_sequence_put_text(struct packet *packet, unsigned char *to,
                                                 uint32_t text)
{
    bool is_new;
    const uint32_t iid = sequence_text_iid(packet->sequence, text, &is_new);
    if (is_new)
        sequence_define(packet, PERFETTO_INTERNED_STRING, iid, text);
    return protobuf_put_varint(to, PERFETTO_ANNOTATION_STRING_IID, iid);
}

static unsigned char *annotation_open(unsigned char *to)
{
    return length_open(protobuf_put_tag(to, PERFETTO_EVENT_ANNOTATION, PROTOBUF_BYTES));
}

static void perfetto_sequence_put_number(struct packet *packet, uint32_t key, uint32_t field,
                                         uint64_t number)
{
    unsigned char *content = annotation_open(packet->to);
    unsigned char *end = perfetto_sequence_put_key(packet, content, key);
    end = protobuf_put_varint(end, field, number);
    packet->to = length_close(content, end);
}

static void perfetto_sequence_put_string(struct packet *packet, uint32_t key, uint32_t text)
{
    unsigned char *content = annotation_open(packet->to);
    unsigned char *end = perfetto_sequence_put_key(packet, content, key);
    end = perfetto_sequence_put_text(packet, end, text);
    packet->to = length_close(content, end);
}

static void put_inline(struct packet *packet, uint32_t key, uint32_t field, struct view text)
{
    unsigned char *content = annotation_open(packet->to);
    unsigned char *end = perfetto_sequence_put_key(packet, content, key);
    end = protobuf_put_bytes(end, field, text);
    packet->to = length_close(content, end);
}

static void put_real(struct packet *packet, uint32_t key, double real)
{
    unsigned char *content = annotation_open(packet->to);
    unsigned char *end = perfetto_sequence_put_key(packet, content, key);
    end = protobuf_put_fixed64(end, PERFETTO_ANNOTATION_DOUBLE, protobuf_from_double(real));
    packet->to = length_close(content, end);
}

// Times on another clock: a dictionary {start, end} in ticks of that clock.
static void put_ticks(struct packet *packet, const struct value *value)
{
    const char *const names[] = {"start", "end"};
    const uint64_t numbers[] = {value->number, value->end};
    unsigned char *content = annotation_open(packet->to);
    unsigned char *end = perfetto_sequence_put_key(packet, content, value->key);
    for (int i = 0; i < 2; i++) {
        end = protobuf_put_tag(end, PERFETTO_ANNOTATION_DICTIONARY_ENTRY, PROTOBUF_BYTES);
        unsigned char *entry = length_open(end);
        end = protobuf_put_bytes(entry, PERFETTO_ANNOTATION_NAME, view_of(names[i]));
        end = protobuf_put_varint(end, PERFETTO_ANNOTATION_UINT, numbers[i]);
        end = length_close(entry, end);
    }
    packet->to = length_close(content, end);
}

static void perfetto_sequence_put_value(struct packet *packet, const struct value *value)
{
    switch (value->kind) {
    case VALUE_UINT:
        perfetto_sequence_put_number(packet, value->key, PERFETTO_ANNOTATION_UINT, value->number);
        break;
    case VALUE_INT:
        perfetto_sequence_put_number(packet, value->key, PERFETTO_ANNOTATION_INT, value->number);
        break;
    case VALUE_BOOL:
        perfetto_sequence_put_number(packet, value->key, PERFETTO_ANNOTATION_BOOL, value->number);
        break;
    case VALUE_REAL:
        put_real(packet, value->key, value->real);
        break;
    case VALUE_STRING:
        perfetto_sequence_put_string(packet, value->key, (uint32_t)value->number);
        break;
    case VALUE_TEXT:
        put_inline(packet, value->key, PERFETTO_ANNOTATION_STRING, value->text);
        break;
    case VALUE_JSON:
        put_inline(packet, value->key, PERFETTO_ANNOTATION_JSON, value->text);
        break;
    case VALUE_TICKS:
        put_ticks(packet, value);
        break;
    default:
        break;
    }
}

static void perfetto_sequence_put_category(struct packet *packet, const struct value *value)
{
    const uint32_t iid = sequence_intern(packet, &packet->sequence->categories,
                                         PERFETTO_INTERNED_CATEGORY, (uint32_t)value->number);
    packet->to = protobuf_put_varint(packet->to, PERFETTO_EVENT_CATEGORY_IID, iid);
}

// How the trace that was read spells the value before, or that an event has no arguments.
static bool is_spelling(const struct value *value, uint32_t before)
{
    return value->provenance == PROVENANCE_DERIVED && value->kind == VALUE_JSON &&
           (value->key == before || view_is(value->text, "{}"));
}

// Flows are no arguments, and what a trace that was read said of them goes to no other format: they
// are written even where arguments are not wanted.
static void perfetto_sequence_put_values(struct packet *packet,
                                         const struct sequence_arguments *arguments)
{
    struct value_reader reader = value_read(arguments->values);
    struct value value;
    bool of_flow = false;
    uint32_t before = 0; // the key of the value before
    while (value_next(&reader, &value)) {
        of_flow = value.kind == VALUE_FLOW_OUT || value.kind == VALUE_FLOW_IN ||
                  (of_flow && value.provenance == PROVENANCE_DERIVED);
        const bool spells = is_spelling(&value, before);
        before = value.key;
        if (value.kind == VALUE_FLOW_OUT)
            packet->to = protobuf_put_fixed64(packet->to, PERFETTO_EVENT_FLOW, value.number);
        else if (value.kind == VALUE_FLOW_IN)
            packet->to = protobuf_put_fixed64(packet->to, PERFETTO_EVENT_FLOW_END, value.number);
        else if (value.kind == VALUE_STRING && value.key == arguments->category_key)
            perfetto_sequence_put_category(packet, &value);
        else if (arguments->wanted && !of_flow && !spells)
            perfetto_sequence_put_value(packet, &value);
    }
    if (arguments->wanted && arguments->location != 0)
        perfetto_sequence_put_string(packet, arguments->location_key, arguments->location);
    if (arguments->call != 0)
        perfetto_sequence_put_number(packet, arguments->call_key, PERFETTO_ANNOTATION_UINT,
                                     arguments->call);
    if (arguments->wanted && arguments->has_cycles)
        perfetto_sequence_put_number(packet, arguments->cycles_key, PERFETTO_ANNOTATION_UINT,
                                     arguments->cycles);
}

// Everything of a packet in front of its event.
static unsigned char *put_front(struct sequence *sequence, unsigned char *to, uint64_t ns)
{
    to = protobuf_put_varint(to, PERFETTO_PACKET_TIMESTAMP, ns - sequence->now);
    to = protobuf_put_varint(to, PERFETTO_PACKET_SEQUENCE, sequence->id);
    sequence->now = ns;
    return to;
}

static unsigned char *packet_open(unsigned char *to)
{
    return length_open(protobuf_put_tag(to, PERFETTO_TRACE_PACKET, PROTOBUF_BYTES));
}

static unsigned char *event_open(unsigned char *to, enum perfetto_event_type type)
{
    unsigned char *event =
        length_open(protobuf_put_tag(to, PERFETTO_PACKET_TRACK_EVENT, PROTOBUF_BYTES));
    return protobuf_put_varint(event, PERFETTO_EVENT_TYPE, type);
}

static unsigned char *put_state_needed(unsigned char *to)
{
    return protobuf_put_varint(to, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_STATE_NEEDED);
}

// A packet that defines texts is built apart: its size is not known beforehand.
static void commit_with_texts(struct pack *pack, const struct packet *packet,
                              const unsigned char *content, const unsigned char *end)
{
    const size_t size = (size_t)(end - content);
    const size_t interned =
        protobuf_bytes_size(PERFETTO_PACKET_INTERNED_DATA, packet->interned->size);
    struct bytes *copy = &packet->sequence->packet;
    copy->size = 0;
    bytes_append(copy, content, size);
    unsigned char *start = pack_reserve(pack, PROTOBUF_HEADER_MOST + size + interned);
    unsigned char *to = protobuf_put_header(start, PERFETTO_TRACE_PACKET, size + interned);
    memcpy(to, copy->data, size);
    to = protobuf_put_bytes(to + size, PERFETTO_PACKET_INTERNED_DATA, bytes_view(packet->interned));
    pack_commit(pack, (size_t)(to - start));
}

static void event_write(struct sequence *sequence, struct pack *pack, const struct profile *profile,
                        uint64_t ns, enum perfetto_event_type type, uint32_t name,
                        const struct sequence_arguments *arguments)
{
    // A value of n bytes becomes an annotation of at most 16 n.
    unsigned char *start = pack_reserve(pack, 256 + 16 * arguments->values.size);
    unsigned char *content = packet_open(start);
    unsigned char *front = put_front(sequence, content, ns);
    unsigned char *event = event_open(front, type);
    struct packet packet = {
        .sequence = sequence, .profile = profile, .to = event, .interned = &sequence->interned};
    sequence->interned.size = 0;
    const uint32_t iid =
        sequence_intern(&packet, &sequence->names, PERFETTO_INTERNED_EVENT_NAME, name);
    packet.to = protobuf_put_varint(packet.to, PERFETTO_EVENT_NAME_IID, iid);
    perfetto_sequence_put_values(&packet, arguments);
    unsigned char *end = length_close(front + 2, packet.to);
    end = put_state_needed(end);
    if (sequence->interned.size > 0) {
        commit_with_texts(pack, &packet, content, end);
        return;
    }
    end = length_close(content, end);
    pack_commit(pack, (size_t)(end - start));
}

void sequence_span(struct sequence *sequence, struct pack *pack, const struct profile *profile,
                   uint64_t ns, uint32_t name, const struct sequence_arguments *arguments)
{
    event_write(sequence, pack, profile, ns, PERFETTO_TYPE_BEGIN, name, arguments);
}

void sequence_instant(struct sequence *sequence, struct pack *pack, const struct profile *profile,
                      uint64_t ns, uint32_t name, const struct sequence_arguments *arguments)
{
    event_write(sequence, pack, profile, ns, PERFETTO_TYPE_INSTANT, name, arguments);
}

void sequence_end(struct sequence *sequence, struct pack *pack, uint64_t ns)
{
    unsigned char *start = pack_reserve(pack, 64);
    unsigned char *content = packet_open(start);
    unsigned char *front = put_front(sequence, content, ns);
    unsigned char *end = event_open(front, PERFETTO_TYPE_END);
    end = put_state_needed(length_close(front + 2, end));
    end = length_close(content, end);
    pack_commit(pack, (size_t)(end - start));
}

void sequence_sample(struct sequence *sequence, struct pack *pack, uint64_t ns,
                     const struct value *value)
{
    unsigned char *start = pack_reserve(pack, 128);
    unsigned char *content = packet_open(start);
    unsigned char *front = put_front(sequence, content, ns);
    unsigned char *end = event_open(front, PERFETTO_TYPE_COUNTER);
    if (value->kind == VALUE_REAL)
        end = protobuf_put_fixed64(end, PERFETTO_EVENT_DOUBLE_VALUE,
                                   protobuf_from_double(value->real));
    else
        end = protobuf_put_varint(end, PERFETTO_EVENT_COUNTER_VALUE, value->number);
    end = put_state_needed(length_close(front + 2, end));
    end = length_close(content, end);
    pack_commit(pack, (size_t)(end - start));
}

// State ---------------------------------------------------------------------

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

void sequence_start(struct sequence *sequence, struct pack *pack, uint32_t id, uint64_t uuid,
                    uint64_t ns, struct segments *homes)
{
    *sequence = (struct sequence){.id = id, .uuid = uuid, .now = ns, .homes = homes};
    unsigned char *start = pack_reserve(pack, 256);
    unsigned char *content = packet_open(start);
    unsigned char *end = protobuf_put_varint(content, PERFETTO_PACKET_SEQUENCE, id);
    end = protobuf_put_varint(end, PERFETTO_PACKET_SEQUENCE_FLAGS, PERFETTO_STATE_CLEARED);
    end = put_snapshot(end, ns);
    end = put_defaults(end, uuid);
    end = length_close(content, end);
    pack_commit(pack, (size_t)(end - start));
}

void sequence_free(struct sequence *sequence)
{
    free(sequence->ends);
    free(sequence->names.slots);
    free(sequence->categories.slots);
    free(sequence->keys.slots);
    free(sequence->texts.slots);
    bytes_free(&sequence->interned);
    bytes_free(&sequence->packet);
}
