// Softmax, LogSoftmax and Hardmax.

#include <inttypes.h>

#include "network/operator_tables.h"

// Before version 13 the axis says where the shape is split in two, which may be
// after the last dimension.
static status infer_softmax(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    STATUS_TRY(inference_same_as_first(inference));
    const struct value_type *input = &inference->outputs[0];
    if (!input->ranked)
        return STATUS_OK;
    const bool splits = inference->node->version < 13;
    const int64_t given = attribute_integer(inference->node->attributes, "axis", splits ? 1 : -1);
    const int64_t rank = input->shape.rank;
    const int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || (splits ? axis > rank : axis >= rank))
        return status_make(STATUS_DATA, "axis %" PRId64 " of a tensor with %" PRId64 " dimensions",
                           given, rank);
    return STATUS_OK;
}

// FLOPs: maximum, difference, exponential, sum, and a division (or a difference).

#define SOFTMAX(...)                                                                               \
    {                                                                                              \
        .class = OPERATOR_NORMALIZATION, .inputs = {1, 1}, .outputs = {1, 1},                      \
        .price = PRICED_AS_NORMALIZATION, .tiling = TILED_BUT_AXIS, __VA_ARGS__                    \
    }

static const struct operator_definition DEFINITIONS[] = {
    SOFTMAX(.name = "Hardmax", .flops = 1, .infer = infer_softmax),
    SOFTMAX(.name = "LogSoftmax", .flops = 8, .infer = infer_softmax),
    SOFTMAX(.name = "Softmax", .flops = 8, .infer = infer_softmax, .function = COMPUTES_SOFTMAX),
};

const struct operator_table ONNX_SOFTMAX_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
