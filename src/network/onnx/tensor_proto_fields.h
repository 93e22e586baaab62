// Numbers of the fields of ONNX's messages for values.

#ifndef OPSCOPE_NETWORK_ONNX_TENSOR_PROTO_FIELDS_H
#define OPSCOPE_NETWORK_ONNX_TENSOR_PROTO_FIELDS_H

enum tensor_field {
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_SEGMENT = 3,
    TENSOR_FLOAT_DATA = 4,
    TENSOR_INT32_DATA = 5,
    TENSOR_STRING_DATA = 6,
    TENSOR_INT64_DATA = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9,
    TENSOR_DOUBLE_DATA = 10,
    TENSOR_UINT64_DATA = 11,
    TENSOR_EXTERNAL_DATA = 13,
    TENSOR_DATA_LOCATION = 14,
};

// Of SequenceProto, and of OptionalProto, which has at most one of the items.
enum item_field {
    ITEM_NAME = 1,
    ITEM_ELEM_TYPE = 2,
    ITEM_TENSOR = 3,
    ITEM_SPARSE_TENSOR = 4,
    ITEM_SEQUENCE = 5,
    ITEM_MAP = 6,
    ITEM_OPTIONAL = 7,
};

#endif
