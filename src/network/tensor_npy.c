#include "tensor_npy.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "wire/npy.h"

struct type_name {
    const char *name;
    enum element element;
};

static const struct type_name TYPES[] = {
    {"f4", ELEMENT_F32}, {"f8", ELEMENT_F64},   {"f2", ELEMENT_F16},        {"i1", ELEMENT_I8},
    {"i2", ELEMENT_I16}, {"i4", ELEMENT_I32},   {"i8", ELEMENT_I64},        {"u1", ELEMENT_U8},
    {"u2", ELEMENT_U16}, {"u4", ELEMENT_U32},   {"u8", ELEMENT_U64},        {"b1", ELEMENT_BOOL},
    {"c8", ELEMENT_C64}, {"c16", ELEMENT_C128}, {"bfloat16", ELEMENT_BF16}, {"V2", ELEMENT_BF16},
    {"?", ELEMENT_BOOL}, {"e", ELEMENT_F16},    {"f", ELEMENT_F32},         {"d", ELEMENT_F64},
};

static enum element element_of_type(struct view type)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (view_is(type, TYPES[i].name))
            return TYPES[i].element;
    }
    return ELEMENT_NONE;
}

static status tensor_npy_shape_of(const struct npy_header *header, struct shape *out_shape)
{
    if (header->rank > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "%u dimensions: at most %d are supported", header->rank,
                           SHAPE_RANK_MOST);
    *out_shape = (struct shape){.rank = header->rank};
    for (unsigned i = 0; i < header->rank; i++) {
        if (header->dims[i] > INT64_MAX)
            return status_make(STATUS_DATA, "dimension %u is too large", i);
        out_shape->dims[i] = (int64_t)header->dims[i];
    }
    return STATUS_OK;
}

// Numbers within an element whose bytes are in the file's order: complex ones are two.
static size_t swapped_size(enum element element)
{
    const size_t size = element_size(element);
    return element == ELEMENT_C64 || element == ELEMENT_C128 ? size / 2 : size;
}

static void swap_bytes(unsigned char *data, uint64_t bytes, size_t size)
{
    for (uint64_t at = 0; at + size <= bytes; at += size) {
        for (size_t i = 0; i < size / 2; i++) {
            const unsigned char kept = data[at + i];
            data[at + i] = data[at + size - 1 - i];
            data[at + size - 1 - i] = kept;
        }
    }
}

// Copies a tensor whose first index runs fastest: walks the rows of the result and
// keeps the place in the source along.
static void copy_columns(const struct tensor *tensor, const char *from)
{
    const struct shape *shape = &tensor->shape;
    const size_t size = element_size(tensor->element);
    uint64_t strides[SHAPE_RANK_MOST] = {0};
    int64_t at[SHAPE_RANK_MOST] = {0};
    uint64_t stride = 1;
    for (uint32_t i = 0; i < shape->rank; i++) {
        strides[i] = stride;
        stride *= (uint64_t)shape->dims[i];
    }
    const uint64_t count = tensor_count(tensor);
    uint64_t source = 0;
    char *to = tensor->data;
    for (uint64_t done = 0; done < count; done++, to += size) {
        memcpy(to, from + source * size, size);
        for (uint32_t i = shape->rank; i-- > 0;) {
            source += strides[i];
            if (++at[i] < shape->dims[i])
                break;
            source -= strides[i] * (uint64_t)at[i];
            at[i] = 0;
        }
    }
}

static void tensor_npy_copy_items(const struct tensor *tensor, const struct npy_header *header,
                                  const char *from)
{
    const uint64_t bytes = tensor_bytes(tensor);
    if (bytes == 0)
        return;
    if (header->fortran_order)
        copy_columns(tensor, from);
    else
        memcpy(tensor->data, from, bytes);
    if (header->big_endian)
        swap_bytes(tensor->data, bytes, swapped_size(tensor->element));
    tensor_tidy_bools(tensor);
}

status tensor_npy_read(struct view bytes, struct datum **out_datum)
{
    struct npy_header header;
    struct shape shape;
    uint64_t count;
    STATUS_TRY(npy_header_read(bytes, &header));
    const enum element element = element_of_type(header.type);
    if (element == ELEMENT_NONE)
        return status_make(STATUS_UNSUPPORTED, "elements of type '%.*s' are not supported",
                           VIEW_ARGUMENTS(header.type));
    STATUS_TRY(tensor_npy_shape_of(&header, &shape));
    STATUS_TRY(shape_elements(&shape, &count));
    const uint64_t there = bytes.size - header.size;
    if (count > there / element_size(element))
        return status_make(STATUS_DATA,
                           "%" PRIu64 " elements of %zu bytes do not fit the %" PRIu64
                           " bytes after the header",
                           count, element_size(element), there);
    STATUS_TRY(datum_tensor(element, &shape, out_datum));
    tensor_npy_copy_items(&(*out_datum)->tensor, &header, bytes.data + header.size);
    return STATUS_OK;
}

static const char *tensor_npy_type_of(enum element element)
{
    static const char *const types[ELEMENT_COUNT] = {
        [ELEMENT_F32] = "<f4",        [ELEMENT_U8] = "|u1",     [ELEMENT_I8] = "|i1",
        [ELEMENT_U16] = "<u2",        [ELEMENT_I16] = "<i2",    [ELEMENT_I32] = "<i4",
        [ELEMENT_I64] = "<i8",        [ELEMENT_BOOL] = "|b1",   [ELEMENT_F16] = "<f2",
        [ELEMENT_F64] = "<f8",        [ELEMENT_U32] = "<u4",    [ELEMENT_U64] = "<u8",
        [ELEMENT_C64] = "<c8",        [ELEMENT_C128] = "<c16",  [ELEMENT_BF16] = "|V2",
        [ELEMENT_F8E4M3FN] = "|V1",   [ELEMENT_F8E5M2] = "|V1", [ELEMENT_F8E4M3FNUZ] = "|V1",
        [ELEMENT_F8E5M2FNUZ] = "|V1", [ELEMENT_U4] = "|u1",     [ELEMENT_I4] = "|i1",
        [ELEMENT_I48] = "<i8",
    };
    return types[element_carrier(element)];
}

status tensor_npy_write(struct output *output, const struct tensor *tensor)
{
    const char *type = tensor_npy_type_of(tensor->element);
    if (type == NULL)
        return status_make(STATUS_UNSUPPORTED, ".npy holds no elements of type %s",
                           element_name(tensor->element));
    uint64_t dims[SHAPE_RANK_MOST];
    for (uint32_t i = 0; i < tensor->shape.rank; i++)
        dims[i] = (uint64_t)tensor->shape.dims[i];
    struct bytes header = {0};
    npy_header_append(&header, type, dims, tensor->shape.rank);
    output_write(output, header.data, header.size);
    output_write(output, tensor->data, tensor_bytes(tensor));
    bytes_free(&header);
    return STATUS_OK;
}
