// Types as ONNX declares them: TypeProto and ValueInfoProto.

#ifndef OPSCOPE_NETWORK_ONNX_TYPE_PROTO_H
#define OPSCOPE_NETWORK_ONNX_TYPE_PROTO_H

#include "base/arena.h"
#include "message.h"
#include "network/value_type.h"

// The element of a number of TensorProto.DataType; ELEMENT_NONE for 0. Fails for
// numbers of elements that are not known here.
status type_proto_element(uint64_t data_type, enum element *out_element);

// `*out_symbols` is NULL, or SHAPE_RANK_MOST names from `arena`. Fails for maps,
// sparse tensors, and sequences of anything but tensors.
status type_proto_read(struct view message, struct arena *arena, struct value_type *out_type,
                       const struct view **out_symbols);

// Appends the lengths of a field `dims`, which are numbers.
status type_proto_dimensions(struct message *message, struct shape *shape);

struct value_info {
    struct view name;
    struct value_type type; // VALUE_UNKNOWN when the file gives none
    const struct view *symbols;
};

// Failures name the value.
status value_info_read(struct view message, struct arena *arena, struct value_info *out_info);

#endif
