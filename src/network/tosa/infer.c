#include "infer.h"

#include <inttypes.h>

const struct value_type *tosa_declared(const struct inference *inference, uint32_t index)
{
    return &network_value(inference->network, inference->node->outputs[index])->type;
}

enum element tosa_declared_element(const struct inference *inference, uint32_t index,
                                   enum element fallback)
{
    if (inference->network == NULL || index >= inference->output_count)
        return fallback;
    const enum element declared = tosa_declared(inference, index)->element;
    return declared == ELEMENT_NONE ? fallback : element_carrier(declared);
}

static status tosa_infer_set_type(struct inference *inference, uint32_t index,
                                  const struct value_type *type)
{
    if (index >= inference->output_count)
        return STATUS_OK;
    inference->outputs[index] = *type;
    if (inference->building == NULL)
        return STATUS_OK;
    struct value_type declared = *tosa_declared(inference, index);
    declared.element = element_carrier(declared.element);
    const status failure = value_type_merge(type, &declared, &inference->outputs[index]);
    if (failure == STATUS_OK)
        return STATUS_OK;
    const status named = status_make(status_code_of(failure), "result %" PRIu32 ": %s", index,
                                     status_message(failure));
    status_free(failure);
    return named;
}

status tosa_set(struct inference *inference, uint32_t index, enum element element,
                const struct shape *shape)
{
    const struct value_type type = value_type_tensor(element, shape);
    return tosa_infer_set_type(inference, index, &type);
}

status tosa_set_unranked(struct inference *inference, uint32_t index, enum element element)
{
    const struct value_type type = value_type_unranked(element);
    return tosa_infer_set_type(inference, index, &type);
}

status tosa_set_like(struct inference *inference, uint32_t index, enum element element,
                     const struct value_type *type)
{
    if (!type->ranked)
        return tosa_set_unranked(inference, index, element);
    return tosa_set(inference, index, element, &type->shape);
}

status tosa_need(const struct inference *inference, uint32_t index, uint32_t set, uint32_t rank,
                 const struct value_type **out_type)
{
    STATUS_TRY(inference_need_tensor(inference, index, out_type));
    STATUS_TRY(inference_check_element(inference, index, set));
    const struct value_type *type = *out_type;
    if (rank != TOSA_ANY_RANK && type->ranked && type->shape.rank != rank)
        return status_make(STATUS_DATA,
                           "input %" PRIu32 " has %" PRIu32 " dimensions instead of %" PRIu32,
                           index, type->shape.rank, rank);
    for (uint32_t i = 0; type->ranked && i < type->shape.rank; i++) {
        if (type->shape.dims[i] > TOSA_LENGTH_MOST)
            return status_make(STATUS_LIMIT, "input %" PRIu32 " has a dimension of %" PRId64, index,
                               type->shape.dims[i]);
    }
    return STATUS_OK;
}

status tosa_need_single(const struct inference *inference, uint32_t index, uint32_t set)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, index, set, TOSA_ANY_RANK, &type));
    if (!type->ranked || !shape_known(&type->shape) || shape_count(&type->shape) == 1)
        return STATUS_OK;
    return status_make(STATUS_DATA, "input %" PRIu32 " is not a single number", index);
}

status tosa_lengths(const struct inference *inference, const char *name, uint32_t count,
                    int64_t least, int64_t *out_items)
{
    const int64_t *items = NULL;
    const uint32_t given = attribute_integers(inference->node->attributes, name, &items);
    if (given != count)
        return status_make(STATUS_DATA,
                           "attribute '%s' has %" PRIu32 " numbers instead of %" PRIu32, name,
                           given, count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i] < least || items[i] > TOSA_LENGTH_MOST)
            return status_make(STATUS_DATA, "attribute '%s' cannot be %" PRId64, name, items[i]);
        out_items[i] = items[i];
    }
    return STATUS_OK;
}

status tosa_axis(const struct inference *inference, uint32_t rank, uint32_t *out_axis)
{
    if (!attribute_given(inference->node->attributes, "axis"))
        return status_make(STATUS_DATA, "attribute 'axis' is missing");
    return shape_axis(attribute_integer(inference->node->attributes, "axis", 0), rank, out_axis);
}

status tosa_choice(const struct inference *inference, const char *name, const char *first,
                   const char *second)
{
    const struct view text = attribute_text(inference->node->attributes, name, first);
    if (view_is(text, first) || view_is(text, second))
        return STATUS_OK;
    return status_make(STATUS_DATA, "attribute '%s' cannot be '%.*s'", name, VIEW_ARGUMENTS(text));
}

status tosa_broadcast(const struct inference *inference, uint32_t from, uint32_t to,
                      struct value_type *out_type)
{
    *out_type = (struct value_type){.kind = VALUE_TENSOR, .ranked = true};
    for (uint32_t i = from; i < to; i++) {
        const struct value_type *type;
        STATUS_TRY(tosa_need(inference, i, TOSA_ANY, TOSA_ANY_RANK, &type));
        if (out_type->element == ELEMENT_NONE)
            out_type->element = type->element;
        else if (type->element != ELEMENT_NONE && type->element != out_type->element)
            return status_make(STATUS_DATA, "inputs of %s and %s", element_name(out_type->element),
                               element_name(type->element));
        if (!type->ranked)
            out_type->ranked = false;
        else if (out_type->ranked)
            STATUS_TRY(shape_broadcast(&out_type->shape, &type->shape, &out_type->shape));
    }
    return STATUS_OK;
}

status tosa_same_length(const char *what, int64_t a, int64_t b)
{
    if (a == b || a == SHAPE_UNKNOWN || b == SHAPE_UNKNOWN)
        return STATUS_OK;
    return status_make(STATUS_DATA, "%s are %" PRId64 ", but also %" PRId64, what, a, b);
}
