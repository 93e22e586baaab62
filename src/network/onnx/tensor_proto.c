#include "tensor_proto.h"

#include <inttypes.h>

#include "message.h"
#include "tensor_proto_fields.h"
#include "type_proto.h"

// A TensorProto, its numbers not looked at yet.
struct tensor_fields {
    struct view message;
    struct view name;
    struct shape shape;
    enum element element;
    uint64_t count;
    struct view raw;
    bool raw_given;
    bool external;
    struct external_place place;
    uint32_t data_field; // that holds the elements one by one; 0: none
    uint32_t pieces;     // how many times the message has it
    bool several_fields;
    struct view piece; // of a data field whose numbers are packed
};

static void note_data(struct tensor_fields *fields, const struct protobuf_field *field)
{
    if (fields->data_field != 0 && fields->data_field != field->number)
        fields->several_fields = true;
    fields->data_field = field->number;
    fields->pieces++;
    fields->piece = field->type == PROTOBUF_BYTES ? field->bytes : (struct view){0};
}

static status tensor_proto_field_read(struct message *message, struct tensor_fields *fields)
{
    switch (message->field.number) {
    case TENSOR_DIMS:
        return type_proto_dimensions(message, &fields->shape);
    case TENSOR_DATA_TYPE:
        return type_proto_element(message_number(message), &fields->element);
    case TENSOR_SEGMENT:
        return status_make(STATUS_UNSUPPORTED, "a tensor in segments, which is not supported");
    case TENSOR_FLOAT_DATA:
    case TENSOR_INT32_DATA:
    case TENSOR_STRING_DATA:
    case TENSOR_INT64_DATA:
    case TENSOR_DOUBLE_DATA:
    case TENSOR_UINT64_DATA:
        note_data(fields, &message->field);
        return STATUS_OK;
    case TENSOR_NAME:
        fields->name = message_bytes(message);
        return STATUS_OK;
    case TENSOR_RAW_DATA:
        fields->raw = message_bytes(message);
        fields->raw_given = true;
        return STATUS_OK;
    case TENSOR_EXTERNAL_DATA:
        return external_entry_read(message_bytes(message), &fields->place);
    case TENSOR_DATA_LOCATION:
        fields->external = message_number(message) == 1;
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

static status tensor_proto_fields_read(struct view bytes, struct tensor_fields *fields)
{
    fields->message = bytes;
    struct message message = message_open(bytes);
    while (message_next(&message))
        STATUS_TRY(tensor_proto_field_read(&message, fields));
    STATUS_TRY(message_close(&message, "the tensor"));
    if (fields->element == ELEMENT_NONE)
        return status_make(STATUS_DATA, "the tensor has no element type");
    if (fields->several_fields || (fields->raw_given && fields->data_field != 0) ||
        (fields->external && (fields->raw_given || fields->data_field != 0)))
        return status_make(STATUS_DATA, "the tensor holds its elements twice");
    return shape_elements(&fields->shape, &fields->count);
}

static status size_mismatch(const struct tensor_fields *fields, uint64_t there, const char *what,
                            uint64_t expected)
{
    char text[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "%" PRIu64 " %s instead of %" PRIu64 " for %s%s%s", there, what,
                       expected, shape_text(&fields->shape, text),
                       fields->shape.rank > 0 ? "x" : "", element_name(fields->element));
}

// How an element is spelled where elements come one by one.
struct spelling {
    uint32_t field;
    enum protobuf_type type;
    size_t size; // bytes of one number in memory
};

static struct spelling spelling_of(enum element element)
{
    switch (element) {
    case ELEMENT_F32:
    case ELEMENT_C64:
        return (struct spelling){TENSOR_FLOAT_DATA, PROTOBUF_FIXED32, 4};
    case ELEMENT_F64:
    case ELEMENT_C128:
        return (struct spelling){TENSOR_DOUBLE_DATA, PROTOBUF_FIXED64, 8};
    case ELEMENT_I64:
        return (struct spelling){TENSOR_INT64_DATA, PROTOBUF_VARINT, 8};
    case ELEMENT_U32:
    case ELEMENT_U64:
        return (struct spelling){TENSOR_UINT64_DATA, PROTOBUF_VARINT, element_size(element)};
    case ELEMENT_TEXT:
        return (struct spelling){TENSOR_STRING_DATA, PROTOBUF_BYTES, sizeof(struct view)};
    default:
        return (struct spelling){TENSOR_INT32_DATA, PROTOBUF_VARINT, element_size(element)};
    }
}

static bool is_nibble(enum element element)
{
    return element == ELEMENT_I4 || element == ELEMENT_U4;
}

// Bytes of `count` elements in a file. Fails where that does not fit.
static status packed_size(const struct tensor_fields *fields, uint64_t *out_size)
{
    uint64_t bits;
    if (__builtin_mul_overflow(fields->count, (uint64_t)element_bits(fields->element), &bits)) {
        char text[SHAPE_TEXT_MOST];
        return status_make(STATUS_LIMIT, "a tensor of shape %s is too large",
                           shape_text(&fields->shape, text));
    }
    *out_size = bits / 8 + (bits % 8 != 0);
    return STATUS_OK;
}

// Whether a varint, which holds a sign in 64 bits, can stand for the element.
// Narrow floats and pairs of 4-bit integers come as their bits.
static bool number_fits(enum element element, uint64_t number)
{
    const int64_t value = (int64_t)number;
    if (element_size(element) == 8)
        return true;
    if (element_is_integer(element) && !is_nibble(element))
        return value >= element_lowest(element) && value <= element_highest(element);
    return value >= INT16_MIN && value <= (element_size(element) == 1 ? UINT8_MAX : UINT16_MAX);
}

// Decodes at most `count` numbers; `*out_there` counts all.
static status numbers_decode(const struct tensor_fields *fields, struct spelling spelling,
                             uint64_t count, unsigned char *to, uint64_t *out_there)
{
    uint64_t there = 0;
    struct message message = message_open(fields->message);
    while (message_next(&message)) {
        if (message.field.number != spelling.field)
            continue;
        struct view rest = {0};
        uint64_t number;
        while (message_next_number(&message, spelling.type, &rest, &number)) {
            if (spelling.type == PROTOBUF_VARINT && !number_fits(fields->element, number))
                return status_make(STATUS_DATA, "number %" PRId64 " is no %s", (int64_t)number,
                                   element_name(fields->element));
            if (fields->element == ELEMENT_BOOL)
                number = number != 0;
            if (there < count)
                memcpy(to + there * spelling.size, &number, spelling.size);
            there++;
        }
    }
    *out_there = there;
    return message_close(&message, "the tensor");
}

static status texts_decode(const struct tensor_fields *fields, uint64_t count, struct view *to,
                           uint64_t *out_there)
{
    uint64_t there = 0;
    struct message message = message_open(fields->message);
    while (message_next(&message)) {
        if (message.field.number != TENSOR_STRING_DATA)
            continue;
        const struct view text = message_bytes(&message);
        if (there < count)
            to[there] = text;
        there++;
    }
    *out_there = there;
    return message_close(&message, "the tensor");
}

// Elements that the message spells one by one. Each takes a byte of it at least,
// which bounds what is allocated.
static status data_decode(const struct tensor_fields *fields, struct arena *arena,
                          struct constant *constant)
{
    const struct spelling spelling = spelling_of(fields->element);
    if (fields->data_field != 0 && fields->data_field != spelling.field)
        return status_make(STATUS_DATA, "elements of %s in field %" PRIu32 " instead of %" PRIu32,
                           element_name(fields->element), fields->data_field, spelling.field);
    uint64_t size;
    STATUS_TRY(packed_size(fields, &size));
    const uint64_t numbers = is_nibble(fields->element) ? size
                             : fields->element == ELEMENT_C64 || fields->element == ELEMENT_C128
                                 ? fields->count * 2
                                 : fields->count;
    if (fields->pieces == 1 && fields->piece.data != NULL &&
        (spelling.type == PROTOBUF_FIXED32 || spelling.type == PROTOBUF_FIXED64)) {
        if (fields->piece.size != size)
            return size_mismatch(fields, fields->piece.size, "bytes", size);
        constant->tensor.data = (void *)(uintptr_t)fields->piece.data;
        return STATUS_OK;
    }
    const uint64_t most = fields->data_field != 0 ? fields->message.size : 0;
    const uint64_t room = numbers < most ? numbers : most;
    void *data = arena_allocate(arena, room * spelling.size + 1);
    uint64_t there;
    if (fields->element == ELEMENT_TEXT)
        STATUS_TRY(texts_decode(fields, room, data, &there));
    else
        STATUS_TRY(numbers_decode(fields, spelling, room, data, &there));
    if (there != numbers)
        return size_mismatch(fields, there, "numbers", numbers);
    constant->tensor.data = data;
    return STATUS_OK;
}

// Any byte but 0 is true in some files; kernels want 1.
static void tidy_bools(struct constant *constant, struct arena *arena)
{
    const unsigned char *from = constant->tensor.data;
    uint64_t at = 0;
    while (at < constant->bytes && from[at] <= 1)
        at++;
    if (at == constant->bytes)
        return;
    unsigned char *to = arena_allocate(arena, constant->bytes);
    for (uint64_t i = 0; i < constant->bytes; i++)
        to[i] = from[i] != 0;
    constant->tensor.data = to;
}

static status raw_find(struct tensor_proto_reader *reader, const struct tensor_fields *fields,
                       struct constant *constant)
{
    if (fields->element == ELEMENT_TEXT)
        return status_make(STATUS_DATA, "texts stand in raw_data: ONNX keeps them in string_data");
    uint64_t size;
    STATUS_TRY(packed_size(fields, &size));
    struct view bytes = fields->raw;
    if (fields->external && reader->externals == NULL)
        return status_make(STATUS_DATA, "the data lies in another file, which is not read here");
    if (fields->external)
        STATUS_TRY(external_find(reader->externals, &fields->place, size, &bytes));
    if (bytes.size != size)
        return size_mismatch(fields, bytes.size, "bytes", size);
    constant->tensor.data = (void *)(uintptr_t)bytes.data;
    return STATUS_OK;
}

static status constant_make(struct tensor_proto_reader *reader, const struct tensor_fields *fields,
                            struct constant *constant)
{
    *constant = (struct constant){.tensor = {fields->element, fields->shape, NULL}};
    if (fields->raw_given || fields->external)
        STATUS_TRY(raw_find(reader, fields, constant));
    else
        STATUS_TRY(data_decode(fields, reader->arena, constant));
    STATUS_TRY(packed_size(fields, &constant->bytes));
    constant->packed = is_nibble(fields->element);
    if (fields->element == ELEMENT_BOOL)
        tidy_bools(constant, reader->arena);
    return STATUS_OK;
}

status tensor_proto_read(struct tensor_proto_reader *reader, struct view message,
                         struct view *out_name, struct constant *out_constant)
{
    struct tensor_fields fields = {.name = VIEW_LITERAL("")};
    status failure = tensor_proto_fields_read(message, &fields);
    if (failure == STATUS_OK)
        failure = constant_make(reader, &fields, out_constant);
    *out_name = fields.name;
    if (fields.name.size == 0)
        return failure;
    return status_within(failure, "tensor '%.*s'", VIEW_ARGUMENTS(fields.name));
}
