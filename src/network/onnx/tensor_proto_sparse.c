// Sparse tensors, unfolded: nothing here computes on them as they are.

#include <inttypes.h>

#include "message.h"
#include "tensor_proto.h"
#include "type_proto.h"

enum { DENSE_FREE = 64 << 20, DENSE_FOR_EACH_BYTE = 64 };

uint64_t tensor_proto_dense_most(size_t size)
{
    return DENSE_FREE + (uint64_t)size * DENSE_FOR_EACH_BYTE;
}

struct sparse_fields {
    struct view values;
    struct view indices;
    struct shape shape;
};

static status tensor_proto_sparse_fields_read(struct view bytes, struct sparse_fields *fields)
{
    enum { VALUES = 1, INDICES = 2, DIMS = 3 };
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number == VALUES)
            fields->values = message_bytes(&message);
        else if (message.field.number == INDICES)
            fields->indices = message_bytes(&message);
        else if (message.field.number == DIMS)
            STATUS_TRY(type_proto_dimensions(&message, &fields->shape));
    }
    return message_close(&message, "a sparse tensor");
}

// Where value `index` goes: its index is one number, or one for each dimension.
static status tensor_proto_sparse_place_of(const struct constant *indices,
                                           const struct shape *shape, uint64_t count,
                                           uint64_t index, uint64_t *out_place)
{
    if (indices->tensor.shape.rank == 1) {
        const int64_t place = constant_integer(indices, index);
        *out_place = (uint64_t)place;
        if (place < 0 || (uint64_t)place >= count)
            return status_make(STATUS_DATA, "index %" PRId64 " of %" PRIu64 " elements", place,
                               count);
        return STATUS_OK;
    }
    uint64_t place = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const int64_t along = constant_integer(indices, index * shape->rank + i);
        if (along < 0 || along >= shape->dims[i])
            return status_make(STATUS_DATA, "index %" PRId64 " of dimension %" PRId64, along,
                               shape->dims[i]);
        place = place * (uint64_t)shape->dims[i] + (uint64_t)along;
    }
    *out_place = place;
    return STATUS_OK;
}

static status check_parts(const struct sparse_fields *fields, const struct constant *values,
                          const struct constant *indices)
{
    const struct shape *of_values = &values->tensor.shape;
    const struct shape *of_indices = &indices->tensor.shape;
    if (indices->tensor.element != ELEMENT_I64)
        return status_make(STATUS_DATA, "indices of %s instead of i64",
                           element_name(indices->tensor.element));
    if (of_values->rank != 1 || of_indices->rank == 0 || of_indices->rank > 2 ||
        of_indices->dims[0] != of_values->dims[0] ||
        (of_indices->rank == 2 && of_indices->dims[1] != (int64_t)fields->shape.rank))
        return status_make(STATUS_DATA, "values and indices do not fit together");
    return STATUS_OK;
}

static status unfold(struct tensor_proto_reader *reader, const struct sparse_fields *fields,
                     const struct constant *values, const struct constant *indices,
                     struct constant *dense)
{
    const enum element element = values->tensor.element;
    const size_t width = element_size(element);
    uint64_t count;
    uint64_t size;
    STATUS_TRY(shape_elements(&fields->shape, &count));
    if (__builtin_mul_overflow(count, (uint64_t)width, &size) || size > reader->dense_left) {
        char text[SHAPE_TEXT_MOST];
        return status_make(STATUS_LIMIT, "a sparse tensor of shape %s is too large to be unfolded",
                           shape_text(&fields->shape, text));
    }
    reader->dense_left -= size;
    char *data = arena_allocate(reader->arena, size + 1);
    memset(data, 0, size + 1);
    const uint64_t given = tensor_count(&values->tensor);
    for (uint64_t i = 0; i < given; i++) {
        uint64_t place;
        STATUS_TRY(tensor_proto_sparse_place_of(indices, &fields->shape, count, i, &place));
        if (values->packed)
            data[place] = (char)constant_integer(values, i);
        else
            memcpy(data + place * width, (const char *)values->tensor.data + i * width, width);
    }
    *dense = (struct constant){.tensor = {element, fields->shape, data}, .bytes = size};
    return STATUS_OK;
}

static status tensor_proto_sparse_parts_read(struct tensor_proto_reader *reader,
                                             const struct sparse_fields *fields,
                                             struct view *out_name, struct constant *dense)
{
    struct constant values;
    struct constant indices;
    struct view unused;
    STATUS_TRY(tensor_proto_read(reader, fields->values, out_name, &values));
    STATUS_TRY(tensor_proto_read(reader, fields->indices, &unused, &indices));
    STATUS_TRY(check_parts(fields, &values, &indices));
    return unfold(reader, fields, &values, &indices, dense);
}

status tensor_proto_read_sparse(struct tensor_proto_reader *reader, struct view message,
                                struct view *out_name, struct constant *out_constant)
{
    *out_name = VIEW_LITERAL("");
    struct sparse_fields fields = {0};
    STATUS_TRY(tensor_proto_sparse_fields_read(message, &fields));
    const status failure = tensor_proto_sparse_parts_read(reader, &fields, out_name, out_constant);
    return status_within(failure, "sparse tensor '%.*s'", VIEW_ARGUMENTS(*out_name));
}
