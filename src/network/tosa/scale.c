// Operators between types: casts, rescaling of integers, lookup tables.

#include "infer.h"
#include "network/operator_tables.h"

// A result of the input's shape, of the element that the file declares.
static status set_declared(struct inference *inference, const struct value_type *type, uint32_t set)
{
    const enum element declared = tosa_declared_element(inference, 0, ELEMENT_NONE);
    if (declared == ELEMENT_NONE)
        return status_make(STATUS_DATA, "the result's element type is not declared");
    if ((set & ELEMENT_BIT(declared)) == 0)
        return status_make(STATUS_DATA, "the result cannot be of %s", element_name(declared));
    return tosa_set_like(inference, 0, declared, type);
}

static status tosa_scale_infer_cast(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, TOSA_ANY, TOSA_ANY_RANK, &type));
    if (inference->network != NULL && element_is_block(tosa_declared(inference, 0)->element)) {
        inference->outputs[0] = *type;
        inference->outputs[0].element = tosa_declared(inference, 0)->element;
        return STATUS_OK;
    }
    return set_declared(inference, type, TOSA_ANY);
}

// One number for all channels, or one for each.
static status tosa_scale_check_channels(const struct inference *inference, uint32_t index,
                                        bool per_channel, const struct value_type *input)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, index, TOSA_INTEGERS, TOSA_ANY_RANK, &type));
    if (!per_channel)
        return tosa_need_single(inference, index, TOSA_INTEGERS);
    if (!type->ranked || !input->ranked)
        return STATUS_OK;
    if (type->shape.rank != 1 || input->shape.rank == 0)
        return status_make(STATUS_DATA, "scales of channels must be lists");
    return tosa_same_length("channels", type->shape.dims[0],
                            input->shape.dims[input->shape.rank - 1]);
}

static status infer_rescale(struct inference *inference)
{
    const struct value_type *type;
    STATUS_TRY(tosa_need(inference, 0, TOSA_INTEGERS, TOSA_ANY_RANK, &type));
    const struct attributes attributes = inference->node->attributes;
    const bool per_channel = attribute_integer(attributes, "per_channel", 0) != 0;
    STATUS_TRY(tosa_scale_check_channels(inference, 1, per_channel, type));
    STATUS_TRY(tosa_scale_check_channels(inference, 2, per_channel, type));
    STATUS_TRY(tosa_need_single(inference, 3, TOSA_INTEGERS));
    STATUS_TRY(tosa_need_single(inference, 4, TOSA_INTEGERS));
    const struct view mode = attribute_text(attributes, "rounding_mode", "SINGLE_ROUND");
    if (!view_is(mode, "SINGLE_ROUND") && !view_is(mode, "DOUBLE_ROUND") &&
        !view_is(mode, "INEXACT_ROUND"))
        return status_make(STATUS_DATA, "attribute 'rounding_mode' cannot be '%.*s'",
                           VIEW_ARGUMENTS(mode));
    return set_declared(inference, type, TOSA_INTEGERS);
}

// 256 entries for 8 bits, 513 for 16, between which the operator interpolates.
static status infer_table(struct inference *inference)
{
    const struct value_type *type;
    const struct value_type *table;
    STATUS_TRY(tosa_need(inference, 0, ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_I16),
                         TOSA_ANY_RANK, &type));
    STATUS_TRY(
        tosa_need(inference, 1, ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_I16), 1, &table));
    if (type->element != ELEMENT_NONE && table->element != ELEMENT_NONE &&
        type->element != table->element)
        return status_make(STATUS_DATA, "a table of %s for %s", element_name(table->element),
                           element_name(type->element));
    const bool wide = type->element == ELEMENT_I16;
    if (table->ranked)
        STATUS_TRY(tosa_same_length("entries", wide ? 513 : 256, table->shape.dims[0]));
    return tosa_set_like(inference, 0, wide ? ELEMENT_I32 : ELEMENT_I8, type);
}

// An entry of 8 bits is taken as it is; between those of 16 bits lie a
// difference, two products and a sum.
static void measure_table(const struct inference *inference, struct work *work)
{
    work->flops = inference->inputs[0]->element == ELEMENT_I16 ? 4 * work->elements : 0;
}

static status infer_apply_scale(struct inference *inference)
{
    const uint32_t wide = ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_I48);
    struct value_type shape = {.kind = VALUE_TENSOR, .ranked = true};
    for (uint32_t i = 0; i < 3; i++) {
        const struct value_type *type;
        STATUS_TRY(
            tosa_need(inference, i, i == 2 ? ELEMENT_BIT(ELEMENT_I8) : wide, TOSA_ANY_RANK, &type));
        shape.ranked = shape.ranked && type->ranked;
        if (shape.ranked)
            STATUS_TRY(shape_broadcast(&shape.shape, &type->shape, &shape.shape));
    }
    return tosa_set_like(inference, 0, ELEMENT_I32, &shape);
}

#define SCALE(...)                                                                                 \
    {                                                                                              \
        .class = OPERATOR_ELEMENTWISE, .outputs = {1, 1}, .price = PRICED_AS_ELEMENTS, __VA_ARGS__ \
    }

static const struct operator_definition ITEMS[] = {
    SCALE(.name = "tosa.cast", .sort = SORT_UNARY, .inputs = {1, 1}, .infer = tosa_scale_infer_cast,
          .tiling = TILED_AS_ELEMENTS, .function = COMPUTES_CAST),
    SCALE(.name = "tosa.rescale", .sort = SORT_SCALE, .inputs = {5, 5}, .flops = 6,
          .infer = infer_rescale, .tiling = TILED_AS_RESCALE),
    {.name = "tosa.table",
     .sort = SORT_CURVE,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {2, 2},
     .outputs = {1, 1},
     .infer = infer_table,
     .measure = measure_table,
     .tiling = TILED_AS_FIRST,
     .price = PRICED_AS_TABLE},
    SCALE(.name = "tosa.apply_scale", .sort = SORT_SCALE, .inputs = {3, 3}, .flops = 2,
          .infer = infer_apply_scale, .tiling = TILED_AS_ELEMENTS),
};

const struct operator_table TOSA_SCALE_OPERATORS = OPERATOR_TABLE(ITEMS);
