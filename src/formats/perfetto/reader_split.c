#include "reader_split.h"

#include "fields.h"

#define VARINT(number) ((uint64_t)(number) << 3 | PROTOBUF_VARINT)
#define BYTES(number) ((uint64_t)(number) << 3 | PROTOBUF_BYTES)

// Each reads what follows a tag, and is false where it is cut off or malformed.

static inline bool get_number(const unsigned char **at, const unsigned char *end, uint64_t tag,
                              struct perfetto_item *item)
{
    item->tag = (uint32_t)tag;
    item->bytes = NULL;
    return varint_get_short(at, end, &item->value);
}

static inline bool get_fixed(const unsigned char **at, const unsigned char *end, uint64_t tag,
                             struct perfetto_item *item)
{
    if (end - *at < 8)
        return false;
    item->tag = (uint32_t)tag;
    item->bytes = NULL;
    item->value = 0;
    for (unsigned i = 0; i < 8; i++)
        item->value |= (uint64_t)(*at)[i] << (8 * i);
    *at += 8;
    return true;
}

static inline bool get_bytes(const unsigned char **at, const unsigned char *end, uint64_t tag,
                             struct perfetto_item *item)
{
    item->tag = (uint32_t)tag;
    if (!varint_get_short(at, end, &item->value) || item->value > (uint64_t)(end - *at))
        return false;
    item->bytes = (const char *)*at;
    *at += item->value;
    return true;
}

// Numbers of fields, a bit for each.
struct numbers {
    uint64_t of_varint;
    uint64_t of_fixed64;
    uint64_t of_bytes;
};

#define NUMBER(number) (1ull << (number))

// What events usually have.
static const struct numbers OF_EVENTS = {
    .of_varint = NUMBER(PERFETTO_EVENT_TYPE) | NUMBER(PERFETTO_EVENT_TRACK) |
                 NUMBER(PERFETTO_EVENT_NAME_IID) | NUMBER(PERFETTO_EVENT_CATEGORY_IID) |
                 NUMBER(PERFETTO_EVENT_COUNTER_VALUE) | NUMBER(PERFETTO_EVENT_FLOW_OLD) |
                 NUMBER(PERFETTO_EVENT_FLOW_END_OLD),
    .of_fixed64 = NUMBER(PERFETTO_EVENT_DOUBLE_VALUE) | NUMBER(PERFETTO_EVENT_FLOW) |
                  NUMBER(PERFETTO_EVENT_FLOW_END),
    .of_bytes = NUMBER(PERFETTO_EVENT_ANNOTATION) | NUMBER(PERFETTO_EVENT_NAME) |
                NUMBER(PERFETTO_EVENT_CATEGORY),
};

static const struct numbers OF_SCALARS = {
    .of_varint = NUMBER(PERFETTO_ANNOTATION_BOOL) | NUMBER(PERFETTO_ANNOTATION_UINT) |
                 NUMBER(PERFETTO_ANNOTATION_INT) | NUMBER(PERFETTO_ANNOTATION_POINTER) |
                 NUMBER(PERFETTO_ANNOTATION_STRING_IID),
    .of_fixed64 = NUMBER(PERFETTO_ANNOTATION_DOUBLE),
    .of_bytes = NUMBER(PERFETTO_ANNOTATION_STRING) | NUMBER(PERFETTO_ANNOTATION_JSON),
};

// The next field; false where it is none, or none of these.
static inline bool next_of(const unsigned char **at, const unsigned char *end,
                           const struct numbers numbers, struct perfetto_item *item)
{
    uint64_t tag;
    item->name = 0;
    if (!varint_get_short(at, end, &tag) || tag >= 64 << 3)
        return false;
    switch (tag & 7) {
    case PROTOBUF_VARINT:
        return (numbers.of_varint >> (tag >> 3) & 1) != 0 && get_number(at, end, tag, item);
    case PROTOBUF_FIXED64:
        return (numbers.of_fixed64 >> (tag >> 3) & 1) != 0 && get_fixed(at, end, tag, item);
    case PROTOBUF_BYTES:
        return (numbers.of_bytes >> (tag >> 3) & 1) != 0 && get_bytes(at, end, tag, item);
    default:
        return false;
    }
}

// An interned name, then a value, and nothing else. What `item` is is not said otherwise.
static inline bool split_annotation(const unsigned char *at, const unsigned char *end,
                                    struct perfetto_item *item)
{
    uint64_t name;
    if (at == end || *at++ != VARINT(PERFETTO_ANNOTATION_NAME_IID) ||
        !varint_get_short(&at, end, &name) || name == 0 || name > UINT32_MAX ||
        !next_of(&at, end, OF_SCALARS, item) || at != end)
        return false;
    item->name = (uint32_t)name;
    return true;
}

// Takes `field` if it belongs to the outline.
static inline bool split_outline_field(const struct perfetto_item *field,
                                       struct perfetto_packet *packet)
{
    if (field->tag == VARINT(PERFETTO_EVENT_TYPE)) {
        packet->type = (unsigned char)(field->value <= PERFETTO_TYPE_STATE ? field->value : 0);
        return true;
    }
    if (field->tag == VARINT(PERFETTO_EVENT_TRACK)) {
        packet->has_uuid = true;
        packet->uuid = field->value;
        return true;
    }
    return false;
}

static void split_outline(struct perfetto_packet *packet)
{
    const unsigned char *at = (const unsigned char *)packet->event.data;
    const unsigned char *end = at + packet->event.size;
    struct perfetto_item field;
    while (at < end) {
        if (!next_of(&at, end, OF_EVENTS, &field))
            return;
        split_outline_field(&field, packet);
    }
    packet->split = true;
}

static uint32_t split_whole(struct perfetto_packet *packet, struct perfetto_item *items,
                            uint32_t room)
{
    const unsigned char *at = (const unsigned char *)packet->event.data;
    const unsigned char *end = at + packet->event.size;
    struct perfetto_item field;
    uint32_t count = 0;
    while (at < end) {
        if (!next_of(&at, end, OF_EVENTS, &field))
            return 0;
        if (split_outline_field(&field, packet))
            continue;
        if (count == room)
            return 0;
        if (field.tag != BYTES(PERFETTO_EVENT_ANNOTATION) ||
            !split_annotation(at - field.value, at, &items[count]))
            items[count] = field;
        count++;
    }
    packet->split = true;
    packet->items = items;
    packet->item_count = count;
    return count;
}

uint32_t perfetto_split(struct perfetto_packet *packet, enum perfetto_split_depth depth,
                        struct perfetto_item *items, uint32_t room)
{
    if (depth == PERFETTO_SPLIT_WHOLE)
        return split_whole(packet, items, room);
    split_outline(packet);
    return 0;
}
