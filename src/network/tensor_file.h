// Tensors in files, told apart by the extension of the name:
//     .npy   numpy's (docs/formats/tensors.md)
//     .bin   (or .raw) the elements alone, little endian, row-major
//     .pb    ONNX's TensorProto, SequenceProto or OptionalProto

#ifndef OPSCOPE_NETWORK_TENSOR_FILE_H
#define OPSCOPE_NETWORK_TENSOR_FILE_H

#include "tensor.h"
#include "value_type.h"

// Whether the name has one of the extensions.
bool tensor_file_named(struct view path);

// `type` says what the value should be: .bin needs all of it, .pb whether it is a
// tensor or a sequence, and whether it may be empty. What the file says instead
// is not refused here. Failures name the file.
status tensor_file_read(const char *path, const struct value_type *type, struct datum **out_datum);

// `name` is what a .pb calls the value; `type` says whether it is an optional. `append`
// writes after what the file holds, as numpy.save to an open file does.
// Fails for what the format cannot hold.
status tensor_file_write(const char *path, bool append, struct view name,
                         const struct value_type *type, const struct datum *datum);

// An input as users write it: a literal ("1x3xf32=1", tensor_text.h), a file
// ("@x.npy", "x.pb"), or raw elements of a given type ("4xf32=@x.bin").
// `type` is what the network expects.
status tensor_file_read_input(struct view text, const struct value_type *type,
                              struct datum **out_datum);

#endif
