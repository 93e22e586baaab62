#include "reader_split.h"

#include "fields.h"

#define VARINT(number) ((uint64_t)(number) << 3 | PROTOBUF_VARINT)
#define FIXED64(number) ((uint64_t)(number) << 3 | PROTOBUF_FIXED64)
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

// An interned name, then a value, and nothing else. `item` is left alone otherwise.
static bool split_annotation(const unsigned char *at, const unsigned char *end,
                             struct perfetto_item *item)
{
    struct perfetto_item value;
    uint64_t name;
    uint64_t tag;
    bool whole;
    if (at == end || *at++ != VARINT(PERFETTO_ANNOTATION_NAME_IID) ||
        !varint_get_short(&at, end, &name) || name == 0 || name > UINT32_MAX ||
        !varint_get_short(&at, end, &tag))
        return false;
    switch (tag) {
    case VARINT(PERFETTO_ANNOTATION_BOOL):
    case VARINT(PERFETTO_ANNOTATION_UINT):
    case VARINT(PERFETTO_ANNOTATION_INT):
    case VARINT(PERFETTO_ANNOTATION_POINTER):
    case VARINT(PERFETTO_ANNOTATION_STRING_IID):
        whole = get_number(&at, end, tag, &value);
        break;
    case FIXED64(PERFETTO_ANNOTATION_DOUBLE):
        whole = get_fixed(&at, end, tag, &value);
        break;
    case BYTES(PERFETTO_ANNOTATION_STRING):
    case BYTES(PERFETTO_ANNOTATION_JSON):
        whole = get_bytes(&at, end, tag, &value);
        break;
    default:
        return false;
    }
    if (!whole || at != end)
        return false;
    value.name = (uint32_t)name;
    *item = value;
    return true;
}

// The next field, where it is of a number and a type that events usually have.
static inline bool next_usual(const unsigned char **at, const unsigned char *end,
                              struct perfetto_item *item)
{
    uint64_t tag;
    item->name = 0;
    if (!varint_get_short(at, end, &tag))
        return false;
    switch (tag) {
    case VARINT(PERFETTO_EVENT_TYPE):
    case VARINT(PERFETTO_EVENT_TRACK):
    case VARINT(PERFETTO_EVENT_NAME_IID):
    case VARINT(PERFETTO_EVENT_CATEGORY_IID):
    case VARINT(PERFETTO_EVENT_COUNTER_VALUE):
    case VARINT(PERFETTO_EVENT_FLOW_OLD):
    case VARINT(PERFETTO_EVENT_FLOW_END_OLD):
        return get_number(at, end, tag, item);
    case FIXED64(PERFETTO_EVENT_DOUBLE_VALUE):
    case FIXED64(PERFETTO_EVENT_FLOW):
    case FIXED64(PERFETTO_EVENT_FLOW_END):
        return get_fixed(at, end, tag, item);
    case BYTES(PERFETTO_EVENT_ANNOTATION):
    case BYTES(PERFETTO_EVENT_NAME):
    case BYTES(PERFETTO_EVENT_CATEGORY):
        return get_bytes(at, end, tag, item);
    default:
        return false;
    }
}

uint32_t perfetto_split(struct perfetto_packet *packet, enum perfetto_split_depth depth,
                        struct perfetto_item *items, uint32_t room)
{
    const unsigned char *at = (const unsigned char *)packet->event.data;
    const unsigned char *end = at + packet->event.size;
    uint32_t count = 0;
    while (at < end) {
        struct perfetto_item field;
        if (!next_usual(&at, end, &field))
            return 0;
        if (field.tag == VARINT(PERFETTO_EVENT_TYPE)) {
            packet->type = (unsigned char)(field.value <= PERFETTO_TYPE_STATE ? field.value : 0);
        } else if (field.tag == VARINT(PERFETTO_EVENT_TRACK)) {
            packet->has_uuid = true;
            packet->uuid = field.value;
        } else if (depth == PERFETTO_SPLIT_WHOLE) {
            if (count == room)
                return 0;
            if (field.tag != BYTES(PERFETTO_EVENT_ANNOTATION) ||
                !split_annotation(at - field.value, at, &items[count]))
                items[count] = field;
            count++;
        }
    }
    packet->split = true;
    packet->items = items;
    packet->item_count = count;
    return count;
}
