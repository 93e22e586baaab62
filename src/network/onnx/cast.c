// Cast and CastLike.

#include <inttypes.h>

#include "network/operator_tables.h"

// Everything but complex numbers and what ONNX does not have.
static uint32_t castable(void)
{
    return ELEMENTS_ANY &
           ~(ELEMENT_BIT(ELEMENT_C64) | ELEMENT_BIT(ELEMENT_C128) | ELEMENT_BIT(ELEMENT_I48));
}

static status cast_to(struct inference *inference, enum element element)
{
    STATUS_TRY(inference_check_element(inference, 0, castable()));
    STATUS_TRY(inference_same_as_first(inference));
    inference->outputs[0].element = element;
    return STATUS_OK;
}

// The first version names the type, as "FLOAT" or "float".
static enum element element_of_text(struct view name)
{
    static const struct {
        const char *name;
        enum element element;
    } NAMES[] = {
        {"float", ELEMENT_F32},   {"uint8", ELEMENT_U8},      {"int8", ELEMENT_I8},
        {"uint16", ELEMENT_U16},  {"int16", ELEMENT_I16},     {"int32", ELEMENT_I32},
        {"int64", ELEMENT_I64},   {"string", ELEMENT_TEXT},   {"bool", ELEMENT_BOOL},
        {"float16", ELEMENT_F16}, {"double", ELEMENT_F64},    {"uint32", ELEMENT_U32},
        {"uint64", ELEMENT_U64},  {"bfloat16", ELEMENT_BF16},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (view_is_ignoring_case(name, NAMES[i].name))
            return NAMES[i].element;
    }
    return ELEMENT_NONE;
}

static status onnx_cast_infer_cast(struct inference *inference)
{
    const struct attributes attributes = inference->node->attributes;
    const struct view name = attribute_text(attributes, "to", "");
    const int64_t to = name.size > 0 ? (int64_t)element_of_text(name)
                                     : attribute_integer(attributes, "to", ELEMENT_NONE);
    // What a conversion put in; numbers of a file mean other things.
    if (to >= ELEMENT_COUNT && to < ELEMENT_ALL && element_is_block((enum element)to) &&
        inference->network != NULL && inference->network->conversion.text.size > 0)
        return cast_to(inference, (enum element)to);
    if (to <= ELEMENT_NONE || to >= ELEMENT_COUNT ||
        (castable() & ELEMENT_BIT((enum element)to)) == 0)
        return status_make(STATUS_DATA, "attribute 'to': %" PRId64 " is no type to cast to", to);
    return cast_to(inference, (enum element)to);
}

static status infer_cast_like(struct inference *inference)
{
    const struct value_type *like;
    STATUS_TRY(inference_need_tensor(inference, 1, &like));
    STATUS_TRY(inference_check_element(inference, 1, castable()));
    return cast_to(inference, like->element);
}

static const struct operator_definition DEFINITIONS[] = {
    {.name = "Cast",
     .sort = SORT_UNARY,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = onnx_cast_infer_cast,
     .tiling = TILED_AS_ELEMENTS,
     .price = PRICED_AS_ELEMENTS,
     .function = COMPUTES_CAST},
    {.name = "CastLike",
     .sort = SORT_UNARY,
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {2, 2},
     .outputs = {1, 1},
     .infer = infer_cast_like,
     .tiling = TILED_AS_FIRST,
     .price = PRICED_AS_ELEMENTS},
};

const struct operator_table ONNX_CAST_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
