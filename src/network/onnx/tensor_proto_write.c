#include "tensor_proto.h"
#include "tensor_proto_fields.h"
#include "wire/protobuf.h"

// Of what ITEM_ELEM_TYPE says.
enum item_type {
    ITEM_TYPE_TENSOR = 1,
    ITEM_TYPE_SEQUENCE = 3,
};

static void tensor_proto_write_put_number(struct bytes *bytes, uint32_t field, uint64_t number)
{
    unsigned char *start = bytes_reserve(bytes, PROTOBUF_HEADER_MOST);
    const unsigned char *end = protobuf_put_varint(start, field, number);
    bytes->size += (size_t)(end - start);
}

static void put_header(struct bytes *bytes, uint32_t field, size_t size)
{
    unsigned char *start = bytes_reserve(bytes, PROTOBUF_HEADER_MOST);
    const unsigned char *end = protobuf_put_header(start, field, size);
    bytes->size += (size_t)(end - start);
}

static void tensor_proto_write_put_bytes(struct bytes *bytes, uint32_t field, struct view payload)
{
    put_header(bytes, field, payload.size);
    bytes_append(bytes, payload.data, payload.size);
}

static void put_nibbles(struct bytes *bytes, const struct tensor *tensor)
{
    const unsigned char *items = tensor->data;
    const uint64_t count = tensor_count(tensor);
    put_header(bytes, TENSOR_RAW_DATA, count / 2 + count % 2);
    for (uint64_t i = 0; i < count; i += 2) {
        const unsigned low = items[i] & 15u;
        const unsigned high = i + 1 < count ? items[i + 1] & 15u : 0;
        const unsigned char pair = (unsigned char)(low | high << 4);
        bytes_append(bytes, &pair, 1);
    }
}

void tensor_proto_write(struct bytes *bytes, struct view name, const struct tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->shape.rank; i++)
        tensor_proto_write_put_number(bytes, TENSOR_DIMS, (uint64_t)tensor->shape.dims[i]);
    tensor_proto_write_put_number(bytes, TENSOR_DATA_TYPE, tensor->element);
    if (name.size > 0)
        tensor_proto_write_put_bytes(bytes, TENSOR_NAME, name);
    if (tensor->element == ELEMENT_TEXT) {
        const struct view *texts = tensor->data;
        for (uint64_t i = 0; i < tensor_count(tensor); i++)
            tensor_proto_write_put_bytes(bytes, TENSOR_STRING_DATA, texts[i]);
    } else if (tensor->element == ELEMENT_I4 || tensor->element == ELEMENT_U4) {
        put_nibbles(bytes, tensor);
    } else {
        tensor_proto_write_put_bytes(bytes, TENSOR_RAW_DATA,
                                     (struct view){tensor->data, (size_t)tensor_bytes(tensor)});
    }
}

// Puts a datum as an item of a SequenceProto or an OptionalProto.
static void tensor_proto_write_put_item(struct bytes *bytes, const struct datum *datum)
{
    struct bytes inner = {0};
    if (datum->kind == DATUM_TENSOR)
        tensor_proto_write(&inner, VIEW_LITERAL(""), &datum->tensor);
    for (size_t i = 0; datum->kind == DATUM_SEQUENCE && i < datum->count; i++)
        tensor_proto_write_put_item(&inner, datum->items[i]);
    tensor_proto_write_put_bytes(bytes, datum->kind == DATUM_TENSOR ? ITEM_TENSOR : ITEM_SEQUENCE,
                                 bytes_view(&inner));
    bytes_free(&inner);
}

static void put_item_type(struct bytes *bytes, const struct datum *datum)
{
    if (datum->kind != DATUM_NOTHING)
        tensor_proto_write_put_number(bytes, ITEM_ELEM_TYPE,
                                      datum->kind == DATUM_TENSOR ? ITEM_TYPE_TENSOR
                                                                  : ITEM_TYPE_SEQUENCE);
}

void tensor_proto_write_datum(struct bytes *bytes, struct view name, const struct value_type *type,
                              const struct datum *datum)
{
    const bool optional = type != NULL && type->optional;
    if (!optional && datum->kind == DATUM_TENSOR) {
        tensor_proto_write(bytes, name, &datum->tensor);
        return;
    }
    if (name.size > 0)
        tensor_proto_write_put_bytes(bytes, ITEM_NAME, name);
    if (optional) {
        put_item_type(bytes, datum);
        if (datum->kind != DATUM_NOTHING)
            tensor_proto_write_put_item(bytes, datum);
        return;
    }
    tensor_proto_write_put_number(bytes, ITEM_ELEM_TYPE, ITEM_TYPE_TENSOR);
    for (size_t i = 0; i < datum->count; i++)
        tensor_proto_write_put_item(bytes, datum->items[i]);
}
