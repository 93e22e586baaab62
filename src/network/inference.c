// What the `infer` functions of operators share.

#include <inttypes.h>

#include "operators.h"

const uint32_t ELEMENTS_FLOAT = ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_BF16) |
                                ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F64);
const uint32_t ELEMENTS_INTEGER = ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_U8) |
                                  ELEMENT_BIT(ELEMENT_I16) | ELEMENT_BIT(ELEMENT_U16) |
                                  ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_U32) |
                                  ELEMENT_BIT(ELEMENT_I64) | ELEMENT_BIT(ELEMENT_U64);
const uint32_t ELEMENTS_NUMERIC =
    ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_BF16) | ELEMENT_BIT(ELEMENT_F32) |
    ELEMENT_BIT(ELEMENT_F64) | ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_U8) |
    ELEMENT_BIT(ELEMENT_I16) | ELEMENT_BIT(ELEMENT_U16) | ELEMENT_BIT(ELEMENT_I32) |
    ELEMENT_BIT(ELEMENT_U32) | ELEMENT_BIT(ELEMENT_I64) | ELEMENT_BIT(ELEMENT_U64);
const uint32_t ELEMENTS_ANY = ~ELEMENT_BIT(ELEMENT_NONE);

const struct value_type *inference_tensor(const struct inference *inference, uint32_t index)
{
    if (index >= inference->input_count || inference->inputs[index] == NULL ||
        inference->inputs[index]->kind != VALUE_TENSOR)
        return NULL;
    return inference->inputs[index];
}

static const struct value_type UNKNOWN_TENSOR = {.kind = VALUE_TENSOR};

status inference_need_tensor(const struct inference *inference, uint32_t index,
                             const struct value_type **out_type)
{
    *out_type = &UNKNOWN_TENSOR;
    if (index >= inference->input_count || inference->inputs[index] == NULL)
        return status_make(STATUS_DATA, "input %" PRIu32 " is left out", index);
    const struct value_type *type = inference->inputs[index];
    if (type->kind == VALUE_SEQUENCE)
        return status_make(STATUS_DATA, "input %" PRIu32 " is a sequence, not a tensor", index);
    if (type->kind == VALUE_UNKNOWN && inference->building == NULL)
        return status_make(STATUS_DATA, "input %" PRIu32 " is an optional that is empty", index);
    if (type->kind == VALUE_TENSOR)
        *out_type = type;
    return STATUS_OK;
}

status inference_check_element(const struct inference *inference, uint32_t index, uint32_t set)
{
    const struct value_type *type = inference_tensor(inference, index);
    if (type == NULL || type->element == ELEMENT_NONE || (set & ELEMENT_BIT(type->element)) != 0)
        return STATUS_OK;
    return status_make(STATUS_DATA, "input %" PRIu32 " cannot be of %s", index,
                       element_name(type->element));
}

status inference_integers(const struct inference *inference, uint32_t index, uint32_t most,
                          int64_t *out_items, uint32_t *out_count, bool *out_known)
{
    *out_known = false;
    *out_count = 0;
    if (index >= inference->input_count || inference->inputs[index] == NULL)
        return STATUS_OK;
    const struct constant *constant = inference->known[index];
    if (constant == NULL)
        return STATUS_OK;
    if (constant->tensor.shape.rank > 1 || !element_is_integer(constant->tensor.element))
        return status_make(STATUS_DATA, "input %" PRIu32 " is not a list of integers", index);
    const uint64_t count = tensor_count(&constant->tensor);
    if (count > most)
        return status_make(
            STATUS_DATA, "input %" PRIu32 " has %" PRIu64 " items, at most %" PRIu32 " make sense",
            index, count, most);
    for (uint64_t i = 0; i < count; i++)
        out_items[i] = constant_integer(constant, i);
    *out_count = (uint32_t)count;
    *out_known = true;
    return STATUS_OK;
}

void inference_set(struct inference *inference, uint32_t index, enum element element,
                   const struct shape *shape)
{
    if (index < inference->output_count)
        inference->outputs[index] = value_type_tensor(element, shape);
}

void inference_set_unranked(struct inference *inference, uint32_t index, enum element element)
{
    if (index < inference->output_count)
        inference->outputs[index] = value_type_unranked(element);
}

status inference_same_as_first(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, 0, &type));
    inference->outputs[0] = *type;
    inference->outputs[0].optional = false;
    return STATUS_OK;
}

// The element that all inputs share, and their common shape.
static status broadcast_inputs(const struct inference *inference, struct value_type *out_type)
{
    struct value_type result = {.kind = VALUE_TENSOR, .ranked = true};
    for (uint32_t i = 0; i < inference->input_count; i++) {
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, i, &type));
        if (result.element == ELEMENT_NONE)
            result.element = type->element;
        else if (type->element != ELEMENT_NONE && type->element != result.element)
            return status_make(STATUS_DATA, "inputs of %s and %s", element_name(result.element),
                               element_name(type->element));
        if (!type->ranked)
            result.ranked = false;
        else if (result.ranked)
            STATUS_TRY(shape_broadcast(&result.shape, &type->shape, &result.shape));
    }
    *out_type = result;
    return STATUS_OK;
}

status inference_broadcast(struct inference *inference)
{
    return broadcast_inputs(inference, &inference->outputs[0]);
}

status inference_broadcast_bool(struct inference *inference)
{
    STATUS_TRY(broadcast_inputs(inference, &inference->outputs[0]));
    inference->outputs[0].element = ELEMENT_BOOL;
    return STATUS_OK;
}
