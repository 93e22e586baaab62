// Values in files of their own, as test data and inputs come.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "message.h"
#include "tensor_proto.h"
#include "tensor_proto_fields.h"

// How deep sequences and optionals may lie inside one another.
enum { NESTING_MOST = 8 };

// The datum outlives the message: texts are copied too.
static status datum_of_constant(const struct constant *constant, struct datum **out_datum)
{
    const struct tensor *tensor = &constant->tensor;
    struct datum *datum;
    STATUS_TRY(datum_tensor(tensor->element, &tensor->shape, &datum));
    constant_unpack(constant, datum->tensor.data);
    struct view *texts = datum->tensor.data;
    for (uint64_t i = 0; tensor->element == ELEMENT_TEXT && i < tensor_count(tensor); i++)
        texts[i] = arena_copy(&datum->texts, texts[i]);
    *out_datum = datum;
    return STATUS_OK;
}

typedef status (*constant_reader)(struct tensor_proto_reader *reader, struct view message,
                                  struct view *out_name, struct constant *out_constant);

static status tensor_proto_datum_tensor_read(struct view message, constant_reader read,
                                             struct datum **out_datum)
{
    struct arena arena = {0};
    struct tensor_proto_reader reader = {&arena, NULL, tensor_proto_dense_most(message.size)};
    struct view name;
    struct constant constant;
    status failure = read(&reader, message, &name, &constant);
    if (failure == STATUS_OK)
        failure = datum_of_constant(&constant, out_datum);
    arena_free(&arena);
    return failure;
}

// Items of a message while they are read.
struct datum_list {
    struct datum **items;
    size_t count;
    size_t capacity;
};

static void list_free(struct datum_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        datum_release(list->items[i]);
    free(list->items);
}

static status items_read(struct view bytes, unsigned depth, struct datum_list *list);

static status sequence_read(struct view bytes, unsigned depth, struct datum **out_datum)
{
    struct datum_list list = {0};
    const status failure = items_read(bytes, depth, &list);
    if (failure != STATUS_OK) {
        list_free(&list);
        return failure;
    }
    *out_datum = datum_sequence(list.items, list.count);
    free(list.items);
    return STATUS_OK;
}

static status optional_read(struct view bytes, unsigned depth, struct datum **out_datum)
{
    struct datum_list list = {0};
    status failure = items_read(bytes, depth, &list);
    if (failure == STATUS_OK && list.count > 1)
        failure = status_make(STATUS_DATA, "an optional with %zu values", list.count);
    if (failure == STATUS_OK)
        *out_datum = list.count == 1 ? datum_keep(list.items[0]) : datum_nothing();
    list_free(&list);
    return failure;
}

static status item_read(struct message *message, unsigned depth, struct datum **out_datum)
{
    const struct view bytes = message_bytes(message);
    switch (message->field.number) {
    case ITEM_TENSOR:
        return tensor_proto_datum_tensor_read(bytes, tensor_proto_read, out_datum);
    case ITEM_SPARSE_TENSOR:
        return tensor_proto_datum_tensor_read(bytes, tensor_proto_read_sparse, out_datum);
    case ITEM_SEQUENCE:
        return sequence_read(bytes, depth, out_datum);
    case ITEM_OPTIONAL:
        return optional_read(bytes, depth, out_datum);
    default:
        return status_make(STATUS_UNSUPPORTED, "a map, which is not supported");
    }
}

static status items_read(struct view bytes, unsigned depth, struct datum_list *list)
{
    if (depth == NESTING_MOST)
        return status_make(STATUS_LIMIT, "values inside one another more than %d deep",
                           NESTING_MOST);
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number < ITEM_TENSOR || message.field.number > ITEM_OPTIONAL)
            continue;
        struct datum *item = NULL;
        STATUS_TRY(status_within(item_read(&message, depth + 1, &item), "item %zu", list->count));
        list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
        list->items[list->count++] = item;
    }
    return message_close(&message, "the value");
}

status tensor_proto_read_datum(struct view message, const struct value_type *type,
                               struct datum **out_datum)
{
    if (type != NULL && type->optional)
        return optional_read(message, 0, out_datum);
    if (type != NULL && type->kind == VALUE_SEQUENCE)
        return sequence_read(message, 0, out_datum);
    return tensor_proto_datum_tensor_read(message, tensor_proto_read, out_datum);
}
