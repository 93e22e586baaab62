#include "value_type.h"

bool value_type_static(const struct value_type *type)
{
    return type->kind == VALUE_TENSOR && !type->optional && type->element != ELEMENT_NONE &&
           type->ranked && shape_known(&type->shape);
}

static status merge_shapes(const struct value_type *a, const struct value_type *b,
                           struct value_type *result)
{
    if (!a->ranked || !b->ranked) {
        result->ranked = a->ranked || b->ranked;
        result->shape = a->ranked ? a->shape : b->shape;
        return STATUS_OK;
    }
    bool fits = a->shape.rank == b->shape.rank;
    for (uint32_t i = 0; fits && i < a->shape.rank; i++) {
        if (a->shape.dims[i] == SHAPE_UNKNOWN)
            result->shape.dims[i] = b->shape.dims[i];
        else
            fits = b->shape.dims[i] == SHAPE_UNKNOWN || a->shape.dims[i] == b->shape.dims[i];
    }
    if (fits)
        return STATUS_OK;
    char left[SHAPE_TEXT_MOST];
    char right[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "shape %s, but also %s", shape_text(&a->shape, left),
                       shape_text(&b->shape, right));
}

status value_type_merge(const struct value_type *a, const struct value_type *b,
                        struct value_type *out_type)
{
    if (a->kind == VALUE_UNKNOWN || b->kind == VALUE_UNKNOWN) {
        *out_type = a->kind == VALUE_UNKNOWN ? *b : *a;
        return STATUS_OK;
    }
    if (a->kind != b->kind)
        return status_make(STATUS_DATA, "a tensor, but also a sequence");
    struct value_type result = *a;
    result.optional = a->optional && b->optional;
    if (a->element == ELEMENT_NONE)
        result.element = b->element;
    else if (b->element != ELEMENT_NONE && b->element != a->element)
        return status_make(STATUS_DATA, "elements are %s, but also %s", element_name(a->element),
                           element_name(b->element));
    STATUS_TRY(merge_shapes(a, b, &result));
    *out_type = result;
    return STATUS_OK;
}
