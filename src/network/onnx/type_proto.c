#include "type_proto.h"

#include <inttypes.h>

enum { DATA_TYPE_MOST = ELEMENT_I4 };

status type_proto_element(uint64_t data_type, enum element *out_element)
{
    if (data_type > DATA_TYPE_MOST)
        return status_make(STATUS_UNSUPPORTED, "element type %" PRIu64 "; 1 to %d are known",
                           data_type, DATA_TYPE_MOST);
    *out_element = (enum element)data_type;
    return STATUS_OK;
}

status type_proto_dimensions(struct message *message, struct shape *shape)
{
    struct view rest = {0};
    uint64_t length;
    while (message_next_number(message, PROTOBUF_VARINT, &rest, &length)) {
        if (shape->rank == SHAPE_RANK_MOST)
            return status_make(STATUS_LIMIT, "more than %d dimensions", SHAPE_RANK_MOST);
        if (length > INT64_MAX)
            return status_make(STATUS_DATA, "a negative dimension");
        shape->dims[shape->rank++] = (int64_t)length;
    }
    return STATUS_OK;
}

struct dimension {
    int64_t length;
    struct view symbol;
};

static status dimension_read(struct view bytes, struct dimension *out_dimension)
{
    enum { DIM_VALUE = 1, DIM_PARAM = 2 };
    struct dimension dimension = {.length = SHAPE_UNKNOWN};
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number == DIM_VALUE)
            dimension.length = (int64_t)message_number(&message);
        else if (message.field.number == DIM_PARAM)
            dimension.symbol = message_bytes(&message);
    }
    // Some exporters write what they do not know as a negative length.
    if (dimension.length < 0)
        dimension.length = SHAPE_UNKNOWN;
    *out_dimension = dimension;
    return message_close(&message, "a dimension");
}

static status shape_read(struct view bytes, struct arena *arena, struct value_type *type,
                         const struct view **out_symbols)
{
    enum { DIM = 1 };
    struct view symbols[SHAPE_RANK_MOST] = {0};
    bool named = false;
    struct shape shape = {0};
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number != DIM)
            continue;
        if (shape.rank == SHAPE_RANK_MOST)
            return status_make(STATUS_LIMIT, "more than %d dimensions", SHAPE_RANK_MOST);
        struct dimension dimension;
        STATUS_TRY(dimension_read(message_bytes(&message), &dimension));
        symbols[shape.rank] = dimension.symbol;
        shape.dims[shape.rank++] = dimension.length;
        named = named || dimension.symbol.size > 0;
    }
    STATUS_TRY(message_close(&message, "a shape"));
    type->ranked = true;
    type->shape = shape;
    if (named) {
        struct view *kept = arena_allocate(arena, sizeof symbols);
        memcpy(kept, symbols, sizeof symbols);
        *out_symbols = kept;
    }
    return STATUS_OK;
}

static status tensor_type_read(struct view bytes, struct arena *arena, struct value_type *type,
                               const struct view **out_symbols)
{
    enum { ELEM_TYPE = 1, SHAPE = 2 };
    type->kind = VALUE_TENSOR;
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number == ELEM_TYPE)
            STATUS_TRY(type_proto_element(message_number(&message), &type->element));
        else if (message.field.number == SHAPE)
            STATUS_TRY(shape_read(message_bytes(&message), arena, type, out_symbols));
    }
    return message_close(&message, "a tensor type");
}

enum type_field {
    TYPE_TENSOR = 1,
    TYPE_SEQUENCE = 4,
    TYPE_MAP = 5,
    TYPE_OPAQUE = 7,
    TYPE_SPARSE_TENSOR = 8,
    TYPE_OPTIONAL = 9,
};

// The field of a TypeProto that says what kind of type it is; 0 when none does.
static status type_open(struct view bytes, uint32_t *out_field, struct view *out_inner)
{
    *out_field = 0;
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        switch (message.field.number) {
        case TYPE_TENSOR:
        case TYPE_SEQUENCE:
        case TYPE_MAP:
        case TYPE_OPAQUE:
        case TYPE_SPARSE_TENSOR:
        case TYPE_OPTIONAL:
            *out_field = message.field.number;
            *out_inner = message_bytes(&message);
            break;
        default:
            break;
        }
    }
    return message_close(&message, "a type");
}

// The TypeProto inside a sequence or an optional.
static status element_type_open(struct view *bytes, uint32_t *out_field)
{
    enum { ELEM_TYPE = 1 };
    struct view inner = VIEW_LITERAL("");
    struct message message = message_open(*bytes);
    while (message_next(&message)) {
        if (message.field.number == ELEM_TYPE)
            inner = message_bytes(&message);
    }
    STATUS_TRY(message_close(&message, "a type"));
    return type_open(inner, out_field, bytes);
}

static status type_proto_refuse_field(uint32_t field, const char *where)
{
    const char *what = field == TYPE_MAP             ? "map"
                       : field == TYPE_SPARSE_TENSOR ? "sparse tensor"
                       : field == TYPE_SEQUENCE      ? "sequence"
                       : field == TYPE_OPTIONAL      ? "optional"
                                                     : "opaque value";
    return status_make(STATUS_UNSUPPORTED, "%sa %s, which is not supported", where, what);
}

status type_proto_read(struct view message, struct arena *arena, struct value_type *out_type,
                       const struct view **out_symbols)
{
    *out_type = (struct value_type){0};
    *out_symbols = NULL;
    uint32_t field;
    struct view inner;
    STATUS_TRY(type_open(message, &field, &inner));
    const char *where = "";
    if (field == TYPE_OPTIONAL) {
        out_type->optional = true;
        where = "an optional of ";
        STATUS_TRY(element_type_open(&inner, &field));
    }
    const bool sequence = field == TYPE_SEQUENCE;
    if (sequence) {
        where = "a sequence of ";
        STATUS_TRY(element_type_open(&inner, &field));
    }
    if (field == TYPE_TENSOR)
        STATUS_TRY(tensor_type_read(inner, arena, out_type, out_symbols));
    else if (field != 0)
        return type_proto_refuse_field(field, where);
    if (sequence)
        out_type->kind = VALUE_SEQUENCE;
    return STATUS_OK;
}

status value_info_read(struct view message, struct arena *arena, struct value_info *out_info)
{
    enum { NAME = 1, TYPE = 2 };
    struct view type = {0};
    *out_info = (struct value_info){.name = VIEW_LITERAL("")};
    struct message fields = message_open(message);
    while (message_next(&fields)) {
        if (fields.field.number == NAME)
            out_info->name = message_bytes(&fields);
        else if (fields.field.number == TYPE)
            type = message_bytes(&fields);
    }
    STATUS_TRY(message_close(&fields, "a value"));
    return status_within(type_proto_read(type, arena, &out_info->type, &out_info->symbols),
                         "value '%.*s'", VIEW_ARGUMENTS(out_info->name));
}
