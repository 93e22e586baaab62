// Changes ONNX models field by field, so that they stay models: numbers become
// interesting ones, operators others, fields come twice or not at all. Bytes
// changed anywhere would mostly break a length, and the importer would see
// nothing else.

#ifndef OPSCOPE_TESTS_ONNX_MUTATOR_H
#define OPSCOPE_TESTS_ONNX_MUTATOR_H

#include <stdlib.h>

#include "base/bytes.h"
#include "network/operators.h"
#include "wire/protobuf.h"

// libFuzzer's own; not there when seeds are replayed.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum message_kind {
    KIND_NONE, // not a message
    KIND_MODEL,
    KIND_GRAPH,
    KIND_NODE,
    KIND_ATTRIBUTE,
    KIND_TENSOR,
    KIND_SPARSE,
    KIND_VALUE,
    KIND_TYPE,
    KIND_TENSOR_TYPE,
    KIND_SHAPE,
    KIND_DIMENSION,
    KIND_OPSET,
    KIND_FUNCTION,
};

struct kind_of_field {
    enum message_kind outer;
    uint32_t field;
    enum message_kind inner;
};

static const struct kind_of_field KINDS[] = {
    {KIND_MODEL, 7, KIND_GRAPH},       {KIND_MODEL, 8, KIND_OPSET},
    {KIND_MODEL, 25, KIND_FUNCTION},   {KIND_GRAPH, 1, KIND_NODE},
    {KIND_GRAPH, 5, KIND_TENSOR},      {KIND_GRAPH, 15, KIND_SPARSE},
    {KIND_GRAPH, 11, KIND_VALUE},      {KIND_GRAPH, 12, KIND_VALUE},
    {KIND_GRAPH, 13, KIND_VALUE},      {KIND_NODE, 5, KIND_ATTRIBUTE},
    {KIND_ATTRIBUTE, 5, KIND_TENSOR},  {KIND_ATTRIBUTE, 6, KIND_GRAPH},
    {KIND_ATTRIBUTE, 22, KIND_SPARSE}, {KIND_ATTRIBUTE, 14, KIND_TYPE},
    {KIND_SPARSE, 1, KIND_TENSOR},     {KIND_SPARSE, 2, KIND_TENSOR},
    {KIND_VALUE, 2, KIND_TYPE},        {KIND_TYPE, 1, KIND_TENSOR_TYPE},
    {KIND_TYPE, 4, KIND_VALUE},        {KIND_TYPE, 9, KIND_VALUE},
    {KIND_TENSOR_TYPE, 2, KIND_SHAPE}, {KIND_SHAPE, 1, KIND_DIMENSION},
    {KIND_FUNCTION, 7, KIND_NODE},     {KIND_FUNCTION, 11, KIND_ATTRIBUTE},
    {KIND_FUNCTION, 9, KIND_OPSET},
};

static enum message_kind kind_inside(enum message_kind outer, uint32_t field)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (KINDS[i].outer == outer && KINDS[i].field == field)
            return KINDS[i].inner;
    }
    return KIND_NONE;
}

struct mutation {
    unsigned seed;
    uint64_t at;     // fields seen so far
    uint64_t target; // the field to change
};

static void put_field(struct bytes *out, const struct protobuf_field *field, struct view payload)
{
    unsigned char *start = bytes_reserve(out, PROTOBUF_HEADER_MOST + payload.size);
    unsigned char *end = protobuf_put_tag(start, field->number, field->type);
    if (field->type == PROTOBUF_BYTES)
        end = protobuf_put_bytes(start, field->number, payload);
    else if (field->type == PROTOBUF_VARINT)
        end = varint_put(end, field->value);
    const size_t fixed = field->type == PROTOBUF_FIXED32 ? 4 : 8;
    if (field->type == PROTOBUF_FIXED32 || field->type == PROTOBUF_FIXED64) {
        memcpy(end, &field->value, fixed);
        end += fixed;
    }
    out->size += (size_t)(end - start);
}

static uint64_t interesting(unsigned *seed)
{
    static const uint64_t NUMBERS[] = {0,          1,
                                       2,          3,
                                       4,          5,
                                       7,          8,
                                       9,          11,
                                       13,         16,
                                       17,         21,
                                       22,         64,
                                       255,        1u << 16,
                                       1u << 31,   UINT32_MAX,
                                       1ull << 40, 1ull << 61,
                                       1ull << 62, 1ull << 63,
                                       -1ull,      -2ull,
                                       -3ull,      -4ull,
                                       INT64_MAX,  0x3f800000,
                                       0x7fc00000, 0xff800000,
                                       1u << 20,   1000000007ull};
    return NUMBERS[(unsigned)rand_r(seed) % (sizeof NUMBERS / sizeof *NUMBERS)];
}

static struct view other_operator(unsigned *seed)
{
    size_t count = 0;
    while (operator_at(count) != NULL)
        count++;
    return view_of(operator_at((size_t)rand_r(seed) % count)->name);
}

// Eight or four bytes of a tensor become an interesting number.
static void change_bytes(struct view payload, char *copy, unsigned *seed)
{
    memcpy(copy, payload.data, payload.size);
    const size_t width = rand_r(seed) % 2 == 0 ? 8 : 4;
    if (payload.size < width || rand_r(seed) % 3 == 0) {
        if (payload.size > 0)
            copy[(size_t)rand_r(seed) % payload.size] = (char)rand_r(seed);
        return;
    }
    const uint64_t number = interesting(seed);
    memcpy(copy + (size_t)rand_r(seed) % (payload.size / width) * width, &number, width);
}

static void change_field(struct mutation *mutation, enum message_kind kind,
                         struct protobuf_field *field, struct view payload, struct bytes *out)
{
    enum { OP_TYPE = 4 };
    const unsigned choice = (unsigned)rand_r(&mutation->seed) % 8;
    if (choice == 0) // left out
        return;
    if (choice == 1) // there twice
        put_field(out, field, payload);
    if (field->type != PROTOBUF_BYTES) {
        field->value = interesting(&mutation->seed);
        put_field(out, field, payload);
    } else if (kind == KIND_NODE && field->number == OP_TYPE) {
        put_field(out, field, other_operator(&mutation->seed));
    } else if (kind_inside(kind, field->number) == KIND_NONE && payload.size > 0) {
        char *copy = malloc(payload.size);
        change_bytes(payload, copy, &mutation->seed);
        put_field(out, field, (struct view){copy, payload.size});
        free(copy);
    } else {
        put_field(out, field, payload);
    }
}

static void change_message(struct mutation *mutation, enum message_kind kind, struct view message,
                           struct bytes *out)
{
    struct protobuf_reader reader = protobuf_read(message);
    struct protobuf_field field = {0};
    while (protobuf_next(&reader, &field)) {
        const bool chosen = mutation->at++ == mutation->target;
        struct bytes inner = {0};
        struct view payload = field.type == PROTOBUF_BYTES ? field.bytes : VIEW_LITERAL("");
        const enum message_kind inside = kind_inside(kind, field.number);
        if (field.type == PROTOBUF_BYTES && inside != KIND_NONE) {
            change_message(mutation, inside, payload, &inner);
            payload = bytes_view(&inner);
        }
        if (chosen)
            change_field(mutation, kind, &field, payload, out);
        else
            put_field(out, &field, payload);
        bytes_free(&inner);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, most);
    const struct view model = {(const char *)data, size};
    struct mutation mutation = {seed, 0, UINT64_MAX};
    struct bytes out = {0};
    change_message(&mutation, KIND_MODEL, model, &out);
    for (unsigned times = 1 + (unsigned)rand_r(&mutation.seed) % 3; times > 0; times--) {
        struct bytes changed = {0};
        const uint64_t fields = mutation.at;
        mutation.at = 0;
        mutation.target = (uint64_t)rand_r(&mutation.seed) % (fields + 1);
        change_message(&mutation, KIND_MODEL, bytes_view(&out), &changed);
        bytes_free(&out);
        out = changed;
    }
    if (out.size == 0 || out.size > most) {
        bytes_free(&out);
        return LLVMFuzzerMutate(data, size, most);
    }
    memcpy(data, out.data, out.size);
    size = out.size;
    bytes_free(&out);
    return size;
}

#endif
