// Sequences of tensors, and values that may be absent.

#include <inttypes.h>

#include "lists.h"
#include "network/operator_tables.h"

static const struct shape SCALAR = {0};

// The sequence that input `index` is; of unknown elements where its type is not known.
static status need_sequence(const struct inference *inference, uint32_t index,
                            struct value_type *out_type)
{
    *out_type = (struct value_type){.kind = VALUE_SEQUENCE};
    const struct value_type *type = inference->inputs[index];
    if (type->kind == VALUE_TENSOR)
        return status_make(STATUS_DATA, "input %" PRIu32 " is a tensor, not a sequence", index);
    if (type->kind == VALUE_UNKNOWN && inference->building == NULL)
        return status_make(STATUS_DATA, "input %" PRIu32 " is an optional that is empty", index);
    if (type->kind == VALUE_SEQUENCE)
        *out_type = *type;
    out_type->optional = false;
    return STATUS_OK;
}

static status check_position(const struct inference *inference, uint32_t index)
{
    if (index >= inference->input_count || inference->inputs[index] == NULL)
        return STATUS_OK;
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, index, &type));
    if (type->ranked && shape_known(&type->shape) && shape_count(&type->shape) != 1)
        return status_make(STATUS_DATA, "input %" PRIu32 " is not one position", index);
    return inference_check_element(inference, index, LIST_INDEX_ELEMENTS);
}

// What holds of every item when one more is added.
static status onnx_sequence_add_item(struct value_type *sequence, const struct value_type *item,
                                     bool first)
{
    if (sequence->element == ELEMENT_NONE)
        sequence->element = item->element;
    else if (item->element != ELEMENT_NONE && item->element != sequence->element)
        return status_make(STATUS_DATA, "a sequence of %s and %s", element_name(sequence->element),
                           element_name(item->element));
    if (first) {
        sequence->ranked = item->ranked;
        sequence->shape = item->shape;
        return STATUS_OK;
    }
    sequence->ranked = sequence->ranked && item->ranked && sequence->shape.rank == item->shape.rank;
    for (uint32_t i = 0; sequence->ranked && i < item->shape.rank; i++) {
        if (sequence->shape.dims[i] != item->shape.dims[i])
            sequence->shape.dims[i] = SHAPE_UNKNOWN;
    }
    return STATUS_OK;
}

static status infer_construct(struct inference *inference)
{
    struct value_type sequence = {.kind = VALUE_SEQUENCE};
    for (uint32_t i = 0; i < inference->input_count; i++) {
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, i, &type));
        STATUS_TRY(onnx_sequence_add_item(&sequence, type, i == 0));
    }
    inference->outputs[0] = sequence;
    return STATUS_OK;
}

static status infer_empty(struct inference *inference)
{
    const int64_t element = attribute_integer(inference->node->attributes, "dtype", ELEMENT_F32);
    if (element <= ELEMENT_NONE || element >= ELEMENT_COUNT)
        return status_make(STATUS_DATA, "dtype %" PRId64 " is unknown", element);
    inference->outputs[0] =
        (struct value_type){.kind = VALUE_SEQUENCE, .element = (enum element)element};
    return STATUS_OK;
}

static status infer_at(struct inference *inference)
{
    struct value_type sequence;
    STATUS_TRY(need_sequence(inference, 0, &sequence));
    STATUS_TRY(check_position(inference, 1));
    sequence.kind = VALUE_TENSOR;
    inference->outputs[0] = sequence;
    return STATUS_OK;
}

static status infer_erase(struct inference *inference)
{
    STATUS_TRY(check_position(inference, 1));
    return need_sequence(inference, 0, &inference->outputs[0]);
}

static status infer_insert(struct inference *inference)
{
    struct value_type sequence;
    STATUS_TRY(need_sequence(inference, 0, &sequence));
    const struct value_type *item;
    STATUS_TRY(inference_need_tensor(inference, 1, &item));
    STATUS_TRY(check_position(inference, 2));
    STATUS_TRY(onnx_sequence_add_item(&sequence, item, false));
    inference->outputs[0] = sequence;
    return STATUS_OK;
}

static status infer_length(struct inference *inference)
{
    struct value_type sequence;
    STATUS_TRY(need_sequence(inference, 0, &sequence));
    inference_set(inference, 0, ELEMENT_I64, &SCALAR);
    return STATUS_OK;
}

static status onnx_sequence_infer_split(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    const bool given = inference->input_count > 1 && inference->inputs[1] != NULL;
    const struct value_type *split;
    if (given) {
        STATUS_TRY(inference_need_tensor(inference, 1, &split));
        STATUS_TRY(inference_check_element(inference, 1, LIST_INDEX_ELEMENTS));
        if (split->ranked && split->shape.rank > 1)
            return status_make(STATUS_DATA, "input 1 has rank %" PRIu32 " instead of 0 or 1",
                               split->shape.rank);
    }
    struct value_type sequence = {.kind = VALUE_SEQUENCE, .element = type->element};
    if (type->ranked) {
        const struct attributes attributes = inference->node->attributes;
        uint32_t axis;
        STATUS_TRY(shape_axis(attribute_integer(attributes, "axis", 0), type->shape.rank, &axis));
        const bool keeps = given || attribute_integer(attributes, "keepdims", 1) != 0;
        sequence.ranked = true;
        for (uint32_t i = 0; i < type->shape.rank; i++) {
            if (i != axis)
                sequence.shape.dims[sequence.shape.rank++] = type->shape.dims[i];
            else if (keeps)
                sequence.shape.dims[sequence.shape.rank++] = given ? SHAPE_UNKNOWN : 1;
        }
    }
    inference->outputs[0] = sequence;
    return STATUS_OK;
}

static status onnx_sequence_infer_concat(struct inference *inference)
{
    struct value_type sequence;
    STATUS_TRY(need_sequence(inference, 0, &sequence));
    const struct attributes attributes = inference->node->attributes;
    if (!attribute_given(attributes, "axis"))
        return status_make(STATUS_DATA, "attribute 'axis' is missing");
    const bool stacks = attribute_integer(attributes, "new_axis", 0) != 0;
    inference_set_unranked(inference, 0, sequence.element);
    if (!sequence.ranked)
        return STATUS_OK;
    const struct shape *item = &sequence.shape;
    const uint32_t rank = item->rank + (stacks ? 1 : 0);
    if (rank > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "rank %" PRIu32 " is more than %d", rank, SHAPE_RANK_MOST);
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(attributes, "axis", 0), rank, &axis));
    struct shape shape = {.rank = rank};
    for (uint32_t i = 0, from = 0; i < rank; i++) {
        shape.dims[i] = i == axis ? SHAPE_UNKNOWN : item->dims[from];
        from += i == axis && stacks ? 0 : 1;
    }
    inference_set(inference, 0, sequence.element, &shape);
    return STATUS_OK;
}

// Optionals ----------------------------------------------------------------------

static status infer_optional(struct inference *inference)
{
    struct value_type type = {.kind = VALUE_UNKNOWN};
    const struct attribute *given =
        attribute_find(inference->node->attributes, "type", ATTRIBUTE_TYPE);
    if (inference->input_count > 0 && inference->inputs[0] != NULL)
        type = *inference->inputs[0];
    else if (given != NULL)
        type = *given->type;
    type.optional = true;
    inference->outputs[0] = type;
    return STATUS_OK;
}

static status infer_get_element(struct inference *inference)
{
    if (inference->inputs[0]->kind == VALUE_UNKNOWN && inference->building == NULL)
        return status_make(STATUS_DATA, "the optional is empty");
    inference->outputs[0] = *inference->inputs[0];
    inference->outputs[0].optional = false;
    return STATUS_OK;
}

static status infer_has_element(struct inference *inference)
{
    inference_set(inference, 0, ELEMENT_BOOL, &SCALAR);
    return STATUS_OK;
}

#define OTHER(...)                                                                                 \
    {                                                                                              \
        .class = OPERATOR_OTHER, .outputs = {1, 1}, .price = PRICED_AS_OTHER, __VA_ARGS__          \
    }

static const struct operator_definition ITEMS[] = {
    OTHER(.name = "SequenceConstruct", .inputs = {1, UINT16_MAX}, .infer = infer_construct),
    OTHER(.name = "SequenceEmpty", .inputs = {0, 0}, .infer = infer_empty),
    OTHER(.name = "SequenceAt", .exact = OPERATOR_INPUT(1), .inputs = {2, 2}, .infer = infer_at),
    OTHER(.name = "SequenceErase", .exact = OPERATOR_INPUT(1), .inputs = {1, 2},
          .infer = infer_erase),
    OTHER(.name = "SequenceInsert", .exact = OPERATOR_INPUT(2), .inputs = {2, 3},
          .infer = infer_insert),
    OTHER(.name = "SequenceLength", .inputs = {1, 1}, .infer = infer_length),
    {.name = "SplitToSequence",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_MOVEMENT,
     .inputs = {1, 2},
     .outputs = {1, 1},
     .infer = onnx_sequence_infer_split,
     .price = PRICED_AS_MOVEMENT},
    {.name = "ConcatFromSequence",
     .class = OPERATOR_MOVEMENT,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = onnx_sequence_infer_concat,
     .price = PRICED_AS_MOVEMENT},
    OTHER(.name = "Optional", .inputs = {0, 1}, .infer = infer_optional),
    OTHER(.name = "OptionalGetElement", .inputs = {1, 1}, .infer = infer_get_element),
    OTHER(.name = "OptionalHasElement", .inputs = {0, 1}, .infer = infer_has_element),
};

const struct operator_table ONNX_SEQUENCE_OPERATORS = OPERATOR_TABLE(ITEMS);
