#include "lists.h"

#include <inttypes.h>

status list_attribute(struct attributes attributes, const char *attribute, struct list *out_list)
{
    *out_list = (struct list){0};
    if (!attribute_given(attributes, attribute))
        return STATUS_OK;
    const int64_t *items = NULL;
    const uint32_t count = attribute_integers(attributes, attribute, &items);
    if (count > LIST_MOST)
        return status_make(STATUS_DATA,
                           "attribute '%s' has %" PRIu32 " items, at most %d make sense", attribute,
                           count, LIST_MOST);
    *out_list = (struct list){.given = true, .known = true, .sized = true, .count = count};
    for (uint32_t i = 0; i < count; i++)
        out_list->items[i] = items[i];
    return STATUS_OK;
}

status list_check_element(const struct inference *inference, uint32_t index)
{
    const uint32_t more = inference->node->version < 6 ? ELEMENTS_NUMERIC : 0;
    return inference_check_element(inference, index, LIST_INDEX_ELEMENTS | more);
}

int64_t list_item(const struct constant *constant, uint64_t index)
{
    if (!element_is_float(constant->tensor.element))
        return constant_integer(constant, index);
    const double real = constant_real(constant, index);
    return real > -0x1p62 && real < 0x1p62 ? (int64_t)real : INT64_MAX;
}

status list_of_constant(const struct constant *constant, uint32_t index, struct list *out_list)
{
    *out_list = (struct list){0};
    const uint64_t count = tensor_count(&constant->tensor);
    if (constant->tensor.shape.rank > 1)
        return status_make(STATUS_DATA, "input %" PRIu32 " is not a list of integers", index);
    if (count > LIST_MOST)
        return status_make(STATUS_DATA,
                           "input %" PRIu32 " has %" PRIu64 " items, at most %d make sense", index,
                           count, LIST_MOST);
    out_list->given = out_list->known = out_list->sized = true;
    out_list->count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++)
        out_list->items[i] = list_item(constant, i);
    return STATUS_OK;
}

status list_infer(const struct inference *inference, const char *attribute, uint32_t index,
                  struct list *out_list)
{
    if (index >= inference->input_count || inference->inputs[index] == NULL) {
        *out_list = (struct list){0};
        return attribute == NULL ? STATUS_OK
                                 : list_attribute(inference->node->attributes, attribute, out_list);
    }
    *out_list = (struct list){.given = true};
    const struct value_type *type;
    STATUS_TRY(inference_need_tensor(inference, index, &type));
    STATUS_TRY(list_check_element(inference, index));
    if (inference->known[index] != NULL)
        return list_of_constant(inference->known[index], index, out_list);
    if (!type->ranked || type->shape.rank > 1)
        return STATUS_OK;
    const int64_t count = type->shape.rank == 0 ? 1 : type->shape.dims[0];
    if (count > LIST_MOST)
        return status_make(STATUS_DATA,
                           "input %" PRIu32 " has %" PRId64 " items, at most %d make sense", index,
                           count, LIST_MOST);
    out_list->sized = count >= 0;
    out_list->count = count >= 0 ? (uint32_t)count : 0;
    return STATUS_OK;
}

status list_axes(const struct list *list, uint32_t rank, uint32_t axes[SHAPE_RANK_MOST])
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t axis;
        STATUS_TRY(shape_axis(list->items[i], rank, &axis));
        if ((seen >> axis & 1) != 0)
            return status_make(STATUS_DATA, "axis %" PRId64 " is given twice", list->items[i]);
        seen |= UINT32_C(1) << axis;
        axes[i] = axis;
    }
    return STATUS_OK;
}

status list_scalar(const struct inference *inference, uint32_t index, int64_t *out_value,
                   bool *out_known)
{
    uint32_t count;
    STATUS_TRY(inference_integers(inference, index, 1, out_value, &count, out_known));
    if (*out_known && count != 1)
        return status_make(STATUS_DATA, "input %" PRIu32 " is empty, not one integer", index);
    return STATUS_OK;
}

status list_same_elements(const struct inference *inference, uint32_t first, uint32_t second)
{
    const struct value_type *a = inference_tensor(inference, first);
    const struct value_type *b = inference_tensor(inference, second);
    if (a == NULL || b == NULL || a->element == ELEMENT_NONE || b->element == ELEMENT_NONE ||
        a->element == b->element)
        return STATUS_OK;
    return status_make(STATUS_DATA, "input %" PRIu32 " is of %s, input %" PRIu32 " of %s", first,
                       element_name(a->element), second, element_name(b->element));
}
