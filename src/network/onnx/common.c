#include "common.h"

#include <inttypes.h>

status common_element(const struct inference *inference, uint32_t from, uint32_t to, uint32_t set,
                      enum element *out_element)
{
    *out_element = ELEMENT_NONE;
    for (uint32_t i = from; i < to && i < inference->input_count; i++) {
        if (inference->inputs[i] == NULL)
            continue;
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, i, &type));
        STATUS_TRY(inference_check_element(inference, i, set));
        if (*out_element == ELEMENT_NONE)
            *out_element = type->element;
        else if (type->element != ELEMENT_NONE && type->element != *out_element)
            return status_make(STATUS_DATA, "input %" PRIu32 " is of %s, not of %s", i,
                               element_name(type->element), element_name(*out_element));
    }
    return STATUS_OK;
}

const struct value_type *common_ranked(const struct inference *inference, uint32_t index)
{
    const struct value_type *type = inference_tensor(inference, index);
    return type != NULL && type->ranked ? type : NULL;
}

status common_check_shape(const struct inference *inference, uint32_t index,
                          const struct shape *shape)
{
    const struct value_type *type = common_ranked(inference, index);
    if (type == NULL)
        return STATUS_OK;
    bool fits = type->shape.rank == shape->rank;
    for (uint32_t d = 0; fits && d < shape->rank; d++)
        fits = shape->dims[d] == SHAPE_UNKNOWN || type->shape.dims[d] == SHAPE_UNKNOWN ||
               shape->dims[d] == type->shape.dims[d];
    if (fits)
        return STATUS_OK;
    char got[SHAPE_TEXT_MOST];
    char wanted[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "input %" PRIu32 " is %s instead of %s", index,
                       shape_text(&type->shape, got), shape_text(shape, wanted));
}

status common_check_vector(const struct inference *inference, uint32_t index, int64_t length)
{
    return common_check_shape(inference, index, &(struct shape){1, {length}});
}

status common_check_rank(const struct inference *inference, uint32_t index, uint32_t least)
{
    const struct value_type *type = common_ranked(inference, index);
    if (type == NULL || type->shape.rank >= least)
        return STATUS_OK;
    return status_make(STATUS_DATA,
                       "input %" PRIu32 " has %" PRIu32 " dimensions instead of at least %" PRIu32,
                       index, type->shape.rank, least);
}
