#include "reader_split.h"

#include "fields.h"

// A field in the wire type that its number goes with, of those that an event's items may be.
static bool is_usual(const struct protobuf_field *field)
{
    switch (field->number) {
    case PERFETTO_EVENT_TYPE:
    case PERFETTO_EVENT_TRACK:
    case PERFETTO_EVENT_NAME_IID:
    case PERFETTO_EVENT_CATEGORY_IID:
    case PERFETTO_EVENT_COUNTER_VALUE:
    case PERFETTO_EVENT_FLOW_OLD:
    case PERFETTO_EVENT_FLOW_END_OLD:
        return field->type == PROTOBUF_VARINT;
    case PERFETTO_EVENT_DOUBLE_VALUE:
    case PERFETTO_EVENT_FLOW:
    case PERFETTO_EVENT_FLOW_END:
        return field->type == PROTOBUF_FIXED64;
    case PERFETTO_EVENT_ANNOTATION:
    case PERFETTO_EVENT_NAME:
    case PERFETTO_EVENT_CATEGORY:
        return field->type == PROTOBUF_BYTES;
    default:
        return false;
    }
}

static bool is_scalar(const struct protobuf_field *field)
{
    switch (field->number) {
    case PERFETTO_ANNOTATION_BOOL:
    case PERFETTO_ANNOTATION_UINT:
    case PERFETTO_ANNOTATION_INT:
    case PERFETTO_ANNOTATION_POINTER:
    case PERFETTO_ANNOTATION_STRING_IID:
        return field->type == PROTOBUF_VARINT;
    case PERFETTO_ANNOTATION_DOUBLE:
        return field->type == PROTOBUF_FIXED64;
    case PERFETTO_ANNOTATION_STRING:
    case PERFETTO_ANNOTATION_JSON:
        return field->type == PROTOBUF_BYTES;
    default:
        return false;
    }
}

static void put_field(struct perfetto_item *item, uint32_t name, const struct protobuf_field *field)
{
    item->name = name;
    item->tag = field->number << 3 | field->type;
    if (field->type == PROTOBUF_BYTES) {
        item->value = field->bytes.size;
        item->bytes = field->bytes.data;
    } else {
        item->value = field->value;
        item->bytes = NULL;
    }
}

// An interned name, then a value, and nothing else.
static bool split_annotation(struct view message, struct perfetto_item *item)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field name;
    struct protobuf_field value;
    if (!protobuf_next(&reader, &name) || name.number != PERFETTO_ANNOTATION_NAME_IID ||
        name.type != PROTOBUF_VARINT || name.value == 0 || name.value > UINT32_MAX ||
        !protobuf_next(&reader, &value) || !is_scalar(&value) || reader.at != reader.end)
        return false;
    put_field(item, (uint32_t)name.value, &value);
    return true;
}

uint32_t perfetto_split(struct perfetto_packet *packet, enum perfetto_split_depth depth,
                        struct perfetto_item *items, uint32_t room)
{
    struct protobuf_reader reader = protobuf_read(packet->event);
    struct protobuf_field field;
    uint32_t count = 0;
    while (protobuf_next(&reader, &field)) {
        if (!is_usual(&field))
            return 0;
        if (field.number == PERFETTO_EVENT_TYPE) {
            packet->type = (unsigned char)(field.value <= PERFETTO_TYPE_STATE ? field.value : 0);
        } else if (field.number == PERFETTO_EVENT_TRACK) {
            packet->has_uuid = true;
            packet->uuid = field.value;
        } else if (depth == PERFETTO_SPLIT_WHOLE) {
            if (count == room)
                return 0;
            if (field.number != PERFETTO_EVENT_ANNOTATION ||
                !split_annotation(field.bytes, &items[count]))
                put_field(&items[count], 0, &field);
            count++;
        }
    }
    if (reader.ending != PROTOBUF_WHOLE)
        return 0;
    packet->split = true;
    packet->items = items;
    packet->item_count = count;
    return count;
}
