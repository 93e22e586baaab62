// Builds ONNX models for unit tests, message by message.

#ifndef OPSCOPE_TESTS_ONNX_SUPPORT_H
#define OPSCOPE_TESTS_ONNX_SUPPORT_H

#include "base/bytes.h"
#include "wire/protobuf.h"

static inline void put_number(struct bytes *to, uint32_t field, uint64_t number)
{
    unsigned char *start = bytes_reserve(to, PROTOBUF_HEADER_MOST);
    to->size += (size_t)(protobuf_put_varint(start, field, number) - start);
}

static inline void put_view(struct bytes *to, uint32_t field, struct view payload)
{
    unsigned char *start = bytes_reserve(to, PROTOBUF_HEADER_MOST + payload.size);
    to->size += (size_t)(protobuf_put_bytes(start, field, payload) - start);
}

static inline void put_text(struct bytes *to, uint32_t field, const char *text)
{
    put_view(to, field, view_of(text));
}

static inline void put_float(struct bytes *to, uint32_t field, float real)
{
    unsigned char *start = bytes_reserve(to, PROTOBUF_HEADER_MOST);
    unsigned char *end = protobuf_put_tag(start, field, PROTOBUF_FIXED32);
    memcpy(end, &real, sizeof real);
    to->size += (size_t)(end - start) + sizeof real;
}

// Takes the inner message over.
static inline void put_message(struct bytes *to, uint32_t field, struct bytes inner)
{
    put_view(to, field, bytes_view(&inner));
    bytes_free(&inner);
}

// Names separated by blanks, "-" for an empty one.
static inline void put_names(struct bytes *to, uint32_t field, const char *names)
{
    struct view rest = view_of(names);
    while (rest.size > 0) {
        const size_t end = view_find(rest, ' ');
        const struct view name = view_slice(rest, 0, end);
        put_view(to, field, view_is(name, "-") ? VIEW_LITERAL("") : name);
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
}

// A NodeProto; attributes are added after.
static inline struct bytes node_of(const char *type, const char *inputs, const char *outputs,
                                   const char *name)
{
    struct bytes node = {0};
    put_names(&node, 1, inputs);
    put_names(&node, 2, outputs);
    if (*name != '\0')
        put_text(&node, 3, name);
    put_text(&node, 4, type);
    return node;
}

static inline struct bytes named(const char *name)
{
    struct bytes message = {0};
    put_text(&message, 1, name);
    return message;
}

// A ValueInfoProto of a tensor; -1 is an unknown length, -2 one called "n".
static inline struct bytes value_of(const char *name, unsigned element, unsigned rank,
                                    const int64_t *dims)
{
    struct bytes shape = {0};
    for (unsigned i = 0; i < rank; i++) {
        struct bytes dimension = {0};
        if (dims[i] >= 0)
            put_number(&dimension, 1, (uint64_t)dims[i]);
        else if (dims[i] == -2)
            put_text(&dimension, 2, "n");
        put_message(&shape, 1, dimension);
    }
    struct bytes tensor = {0};
    put_number(&tensor, 1, element);
    put_message(&tensor, 2, shape);
    struct bytes type = {0};
    put_message(&type, 1, tensor);
    struct bytes value = named(name);
    put_message(&value, 2, type);
    return value;
}

// A TensorProto without its data.
static inline struct bytes tensor_of(const char *name, unsigned element, unsigned rank,
                                     const int64_t *dims)
{
    struct bytes tensor = {0};
    for (unsigned i = 0; i < rank; i++)
        put_number(&tensor, 1, (uint64_t)dims[i]);
    put_number(&tensor, 2, element);
    put_text(&tensor, 8, name);
    return tensor;
}

static inline struct bytes opset_of(const char *domain, uint64_t version)
{
    struct bytes opset = {0};
    put_text(&opset, 1, domain);
    put_number(&opset, 2, version);
    return opset;
}

// A ModelProto; functions are added after. Takes the graph over.
static inline struct bytes model_of(struct bytes graph, uint64_t opset)
{
    struct bytes model = {0};
    put_number(&model, 1, 10);
    put_text(&model, 2, "tests");
    put_text(&model, 3, "7");
    put_message(&model, 7, graph);
    put_message(&model, 8, opset_of("", opset));
    return model;
}

enum graph_field { NODE = 1, NAME = 2, INITIALIZER = 5, INPUT = 11, OUTPUT = 12, VALUE = 13 };
enum model_field { FUNCTION = 25 };

#endif
