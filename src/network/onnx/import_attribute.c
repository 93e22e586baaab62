#include <inttypes.h>

#include "importer.h"
#include "message.h"
#include "network/real.h"
#include "type_proto.h"

enum attribute_field {
    ATTRIBUTE_FIELD_NAME = 1,
    ATTRIBUTE_FIELD_TYPE = 20,
    ATTRIBUTE_FIELD_REFERENCE = 21,
    ATTRIBUTE_FIELD_SPARSE_TENSOR = 22,
    ATTRIBUTE_FIELD_SPARSE_TENSORS = 23,
};

// What a number of AttributeProto.AttributeType means and which field holds it.
struct attribute_form {
    uint32_t field;
    enum attribute_kind kind;
};

static const struct attribute_form FORMS[] = {
    [1] = {2, ATTRIBUTE_REAL},
    [2] = {3, ATTRIBUTE_INTEGER},
    [3] = {4, ATTRIBUTE_TEXT},
    [4] = {5, ATTRIBUTE_TENSOR},
    [5] = {6, ATTRIBUTE_GRAPH},
    [6] = {7, ATTRIBUTE_REALS},
    [7] = {8, ATTRIBUTE_INTEGERS},
    [8] = {9, ATTRIBUTE_TEXTS},
    [9] = {10, ATTRIBUTE_TENSORS},
    [10] = {11, ATTRIBUTE_GRAPHS},
    [11] = {ATTRIBUTE_FIELD_SPARSE_TENSOR, ATTRIBUTE_TENSOR},
    [12] = {ATTRIBUTE_FIELD_SPARSE_TENSORS, ATTRIBUTE_TENSORS},
    [13] = {14, ATTRIBUTE_TYPE},
};

enum { FORM_COUNT = sizeof FORMS / sizeof *FORMS };

// An AttributeProto, its value not looked at yet.
struct attribute_fields {
    struct view message;
    struct view name;
    struct view reference; // the function's attribute it stands for; "": none
    uint64_t type;         // 0: not given, as files of the first version have it
    uint64_t seen;         // bit `field` for each field that is there
};

static status onnx_import_attribute_fields_read(struct view bytes,
                                                struct attribute_fields *out_fields)
{
    struct attribute_fields fields = {bytes, VIEW_LITERAL(""), VIEW_LITERAL(""), 0, 0};
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number < 64)
            fields.seen |= UINT64_C(1) << message.field.number;
        if (message.field.number == ATTRIBUTE_FIELD_NAME)
            fields.name = message_bytes(&message);
        else if (message.field.number == ATTRIBUTE_FIELD_TYPE)
            fields.type = message_number(&message);
        else if (message.field.number == ATTRIBUTE_FIELD_REFERENCE)
            fields.reference = message_bytes(&message);
    }
    *out_fields = fields;
    return message_close(&message, "an attribute");
}

static status form_find(const struct attribute_fields *fields, struct attribute_form *out_form)
{
    if (fields->type >= FORM_COUNT)
        return status_make(STATUS_UNSUPPORTED, "attributes of type %" PRIu64 " are not read",
                           fields->type);
    *out_form = FORMS[fields->type];
    for (size_t i = 1; i < FORM_COUNT && fields->type == 0; i++) {
        if ((fields->seen >> FORMS[i].field & 1) != 0) {
            *out_form = FORMS[i];
            return STATUS_OK;
        }
    }
    if (fields->type == 0)
        return status_make(STATUS_DATA, "the attribute holds nothing");
    return STATUS_OK;
}

// Goes to the next field that holds a part of the value.
static bool onnx_import_attribute_next_part(struct message *message, uint32_t field)
{
    while (message_next(message)) {
        if (message->field.number == field)
            return true;
    }
    return false;
}

static status onnx_import_attribute_tensor_read(struct importer *importer, struct message *message,
                                                struct constant *out_constant)
{
    struct view name;
    const struct view bytes = message_bytes(message);
    if (message->field.number == ATTRIBUTE_FIELD_SPARSE_TENSOR ||
        message->field.number == ATTRIBUTE_FIELD_SPARSE_TENSORS)
        return tensor_proto_read_sparse(&importer->tensors, bytes, &name, out_constant);
    return tensor_proto_read(&importer->tensors, bytes, &name, out_constant);
}

static status type_read(struct importer *importer, struct view message, struct attribute *attribute)
{
    struct arena *arena = &importer->network->arena;
    struct value_type *type = arena_allocate(arena, sizeof *type);
    const struct view *symbols;
    STATUS_TRY(type_proto_read(message, arena, type, &symbols));
    attribute->type = type;
    return STATUS_OK;
}

static status single_read(struct importer *importer, const struct frame *frame,
                          struct message *message, struct attribute *attribute)
{
    struct constant *constant;
    switch (attribute->kind) {
    case ATTRIBUTE_REAL:
        attribute->real = (double)real_from_bits((uint32_t)message_number(message));
        return STATUS_OK;
    case ATTRIBUTE_INTEGER:
        attribute->integer = (int64_t)message_number(message);
        return STATUS_OK;
    case ATTRIBUTE_TEXT:
        attribute->text = message_bytes(message);
        return STATUS_OK;
    case ATTRIBUTE_TENSOR:
        constant = arena_allocate(&importer->network->arena, sizeof *constant);
        attribute->tensor = constant;
        return onnx_import_attribute_tensor_read(importer, message, constant);
    case ATTRIBUTE_GRAPH:
        return import_graph(importer, frame, message_bytes(message), &attribute->graph);
    default:
        return type_read(importer, message_bytes(message), attribute);
    }
}

// The last one counts, as ever in protobuf.
static status last_read(struct importer *importer, const struct frame *frame, uint32_t field,
                        struct view bytes, struct attribute *attribute)
{
    struct message last = {0};
    struct message message = message_open(bytes);
    while (onnx_import_attribute_next_part(&message, field))
        last = message;
    if (last.field.number == field) {
        STATUS_TRY(single_read(importer, frame, &last, attribute));
        return message_close(&last, "the attribute");
    }
    if (attribute->kind == ATTRIBUTE_TENSOR || attribute->kind == ATTRIBUTE_GRAPH ||
        attribute->kind == ATTRIBUTE_TYPE)
        return status_make(STATUS_DATA, "the attribute holds nothing");
    if (attribute->kind == ATTRIBUTE_TEXT)
        attribute->text = VIEW_LITERAL("");
    return STATUS_OK;
}

static status count_parts(uint32_t field, struct view bytes, enum attribute_kind kind,
                          uint32_t *out_count)
{
    uint64_t count = 0;
    struct message message = message_open(bytes);
    while (onnx_import_attribute_next_part(&message, field)) {
        struct view rest = {0};
        uint64_t number;
        if (kind == ATTRIBUTE_INTEGERS || kind == ATTRIBUTE_REALS) {
            while (message_next_number(&message,
                                       kind == ATTRIBUTE_REALS ? PROTOBUF_FIXED32 : PROTOBUF_VARINT,
                                       &rest, &number))
                count++;
        } else {
            count++;
        }
    }
    if (count > INT32_MAX)
        return status_make(STATUS_LIMIT, "%" PRIu64 " items in an attribute", count);
    *out_count = (uint32_t)count;
    return message_close(&message, "the attribute");
}

static void numbers_read(struct arena *arena, uint32_t field, struct view bytes,
                         struct attribute *attribute)
{
    int64_t *integers = arena_allocate(arena, attribute->count * sizeof *integers + 1);
    double *reals = (double *)(void *)integers;
    const bool real = attribute->kind == ATTRIBUTE_REALS;
    uint32_t count = 0;
    struct message message = message_open(bytes);
    while (onnx_import_attribute_next_part(&message, field)) {
        struct view rest = {0};
        uint64_t number;
        while (message_next_number(&message, real ? PROTOBUF_FIXED32 : PROTOBUF_VARINT, &rest,
                                   &number)) {
            if (real)
                reals[count++] = (double)real_from_bits((uint32_t)number);
            else
                integers[count++] = (int64_t)number;
        }
    }
    if (real)
        attribute->reals = reals;
    else
        attribute->integers = integers;
}

static status plural_read(struct importer *importer, const struct frame *frame, uint32_t field,
                          struct view bytes, struct attribute *attribute)
{
    struct arena *arena = &importer->network->arena;
    STATUS_TRY(count_parts(field, bytes, attribute->kind, &attribute->count));
    if (attribute->kind == ATTRIBUTE_INTEGERS || attribute->kind == ATTRIBUTE_REALS) {
        numbers_read(arena, field, bytes, attribute);
        return STATUS_OK;
    }
    const size_t size = attribute->kind == ATTRIBUTE_TEXTS     ? sizeof(struct view)
                        : attribute->kind == ATTRIBUTE_TENSORS ? sizeof(struct constant)
                                                               : sizeof(uint32_t);
    void *items = arena_allocate(arena, attribute->count * size + 1);
    struct view *texts = items;
    struct constant *tensors = items;
    uint32_t *graphs = items;
    uint32_t count = 0;
    struct message message = message_open(bytes);
    while (onnx_import_attribute_next_part(&message, field)) {
        if (attribute->kind == ATTRIBUTE_TEXTS)
            texts[count] = message_bytes(&message);
        else if (attribute->kind == ATTRIBUTE_TENSORS)
            STATUS_TRY(onnx_import_attribute_tensor_read(importer, &message, &tensors[count]));
        else
            STATUS_TRY(import_graph(importer, frame, message_bytes(&message), &graphs[count]));
        count++;
    }
    if (attribute->kind == ATTRIBUTE_TEXTS)
        attribute->texts = texts;
    else if (attribute->kind == ATTRIBUTE_TENSORS)
        attribute->tensors = tensors;
    else
        attribute->graphs = graphs;
    return message_close(&message, "the attribute");
}

static status value_read(struct importer *importer, const struct frame *frame,
                         const struct attribute_fields *fields, struct attribute *out_attribute)
{
    struct attribute_form form = {0};
    STATUS_TRY(form_find(fields, &form));
    *out_attribute = (struct attribute){.name = fields->name, .kind = form.kind};
    if (form.kind >= ATTRIBUTE_INTEGERS)
        return plural_read(importer, frame, form.field, fields->message, out_attribute);
    return last_read(importer, frame, form.field, fields->message, out_attribute);
}

// An attribute that the function was called with. A graph cannot be in two places.
static status given_take(struct call *call, uint32_t index, struct attribute *out_attribute)
{
    *out_attribute = call->given.items[index];
    if (out_attribute->kind != ATTRIBUTE_GRAPH && out_attribute->kind != ATTRIBUTE_GRAPHS)
        return STATUS_OK;
    if (call->graph_used[index])
        return status_make(STATUS_UNSUPPORTED, "a graph that a function puts in twice");
    call->graph_used[index] = true;
    return STATUS_OK;
}

static status default_find(struct importer *importer, const struct frame *frame, struct view name,
                           struct attribute *out_attribute, bool *out_there)
{
    *out_there = false;
    for (uint32_t i = 0; i < frame->call->default_count; i++) {
        struct attribute_fields fields;
        STATUS_TRY(onnx_import_attribute_fields_read(frame->call->defaults[i], &fields));
        if (!view_equal(fields.name, name))
            continue;
        *out_there = true;
        STATUS_TRY(import_charge(importer, fields.message.size));
        return value_read(importer, frame, &fields, out_attribute);
    }
    return STATUS_OK;
}

// The attribute that the function was called with, or its default.
static status reference_read(struct importer *importer, const struct frame *frame,
                             struct view reference, struct attribute *out_attribute,
                             bool *out_there)
{
    if (frame->call == NULL)
        return status_make(STATUS_DATA, "it refers to attribute '%.*s' of a function, outside one",
                           VIEW_ARGUMENTS(reference));
    const struct attributes given = frame->call->given;
    for (uint32_t i = 0; i < given.count; i++) {
        if (view_equal(given.items[i].name, reference))
            return given_take(frame->call, i, out_attribute);
    }
    return default_find(importer, frame, reference, out_attribute, out_there);
}

status import_attribute(struct importer *importer, const struct frame *frame, struct view message,
                        struct attribute *out_attribute, bool *out_there)
{
    *out_there = true;
    struct attribute_fields fields;
    STATUS_TRY(onnx_import_attribute_fields_read(message, &fields));
    if (fields.name.size == 0)
        return status_make(STATUS_DATA, "an attribute has no name");
    *out_attribute = (struct attribute){0};
    const status failure =
        fields.reference.size > 0
            ? reference_read(importer, frame, fields.reference, out_attribute, out_there)
            : value_read(importer, frame, &fields, out_attribute);
    out_attribute->name = fields.name;
    return status_within(failure, "attribute '%.*s'", VIEW_ARGUMENTS(fields.name));
}
