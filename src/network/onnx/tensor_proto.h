// ONNX's messages for values: TensorProto, SparseTensorProto, SequenceProto and
// OptionalProto, in models and in files of their own.
//
// Numbers that lie in the file as they lie in memory stay where they are; those
// spelled one by one are decoded. The count of elements always fits the data.

#ifndef OPSCOPE_NETWORK_ONNX_TENSOR_PROTO_H
#define OPSCOPE_NETWORK_ONNX_TENSOR_PROTO_H

#include "base/bytes.h"
#include "external.h"
#include "network/tensor.h"
#include "network/value_type.h"

struct tensor_proto_reader {
    struct arena *arena;              // for what is decoded
    struct external_files *externals; // NULL: all data must lie in the message
    uint64_t dense_left;              // bytes that sparse tensors may still unfold to
};

// Bytes that the sparse tensors of a file of `size` bytes may unfold to.
uint64_t tensor_proto_dense_most(size_t size);

// The constant lives as long as the message, the arena and the external files.
// Failures name the tensor.
status tensor_proto_read(struct tensor_proto_reader *reader, struct view message,
                         struct view *out_name, struct constant *out_constant);

// A SparseTensorProto with all its elements; its name is that of its values.
status tensor_proto_read_sparse(struct tensor_proto_reader *reader, struct view message,
                                struct view *out_name, struct constant *out_constant);

// The message of a file of its own: a SequenceProto or an OptionalProto where
// `type` says so, else a TensorProto. The datum owns all it holds. `type` may be
// NULL.
status tensor_proto_read_datum(struct view message, const struct value_type *type,
                               struct datum **out_datum);

// Appends a TensorProto: the numbers as raw_data (4-bit ones two to a byte), texts
// as string_data. `name` may be empty.
void tensor_proto_write(struct bytes *bytes, struct view name, const struct tensor *tensor);

// Appends the message for a value of `type`, as tensor_proto_read_datum reads it.
void tensor_proto_write_datum(struct bytes *bytes, struct view name, const struct value_type *type,
                              const struct datum *datum);

#endif
