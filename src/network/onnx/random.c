// Operators that draw random numbers.

#include <inttypes.h>

#include "network/operator_tables.h"

// The element that the attribute `dtype` names, or `fallback`.
static status element_of_attribute(const struct inference *inference, uint32_t set,
                                   enum element fallback, enum element *out_element)
{
    const int64_t type = attribute_integer(inference->node->attributes, "dtype", fallback);
    *out_element = ELEMENT_NONE;
    if (type == ELEMENT_NONE)
        return STATUS_OK;
    if (type < 0 || type >= ELEMENT_COUNT || (set & ELEMENT_BIT((enum element)type)) == 0)
        return status_make(STATUS_DATA, "dtype %" PRId64 " makes no sense", type);
    *out_element = (enum element)type;
    return STATUS_OK;
}

static status onnx_random_infer_shape(struct inference *inference)
{
    const int64_t *dims = NULL;
    const uint32_t rank = attribute_integers(inference->node->attributes, "shape", &dims);
    if (rank > SHAPE_RANK_MOST)
        return status_make(STATUS_LIMIT, "%" PRIu32 " dimensions, at most %d are supported", rank,
                           SHAPE_RANK_MOST);
    struct shape shape = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return status_make(STATUS_DATA, "a dimension of %" PRId64, dims[i]);
        shape.dims[i] = dims[i];
    }
    uint64_t count;
    STATUS_TRY(shape_elements(&shape, &count));
    enum element element;
    STATUS_TRY(element_of_attribute(inference, ELEMENTS_FLOAT, ELEMENT_F32, &element));
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

static status like(struct inference *inference, uint32_t set)
{
    STATUS_TRY(inference_same_as_first(inference));
    enum element element;
    STATUS_TRY(element_of_attribute(inference, set, inference->outputs[0].element, &element));
    inference->outputs[0].element = element;
    return STATUS_OK;
}

static status infer_like(struct inference *inference)
{
    return like(inference, ELEMENTS_FLOAT);
}

static status infer_bernoulli(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    return like(inference, ELEMENTS_NUMERIC | ELEMENT_BIT(ELEMENT_BOOL));
}

static status infer_multinomial(struct inference *inference)
{
    const struct value_type *input;
    STATUS_TRY(inference_need_tensor(inference, 0, &input));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    enum element element;
    STATUS_TRY(element_of_attribute(inference, ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_I64),
                                    ELEMENT_I32, &element));
    const int64_t samples = attribute_integer(inference->node->attributes, "sample_size", 1);
    if (samples < 0)
        return status_make(STATUS_DATA, "%" PRId64 " samples", samples);
    if (!input->ranked) {
        inference_set_unranked(inference, 0, element);
        return STATUS_OK;
    }
    if (input->shape.rank != 2 || input->shape.dims[1] == 0)
        return status_make(STATUS_DATA, "the input is not batches x classes");
    const struct shape shape = {2, {input->shape.dims[0], samples}};
    inference_set(inference, 0, element, &shape);
    return STATUS_OK;
}

static status check_scalar(const struct inference *inference, uint32_t index, uint32_t set)
{
    const struct value_type *type = inference_tensor(inference, index);
    STATUS_TRY(inference_check_element(inference, index, set));
    uint64_t count = 1;
    if (type != NULL && type->ranked && shape_known(&type->shape))
        STATUS_TRY(shape_elements(&type->shape, &count));
    if (count != 1)
        return status_make(STATUS_DATA, "input %" PRIu32 " is not one number", index);
    return STATUS_OK;
}

// The mask is of bools since version 10.
static status infer_dropout(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    STATUS_TRY(check_scalar(inference, 1, ELEMENTS_FLOAT));
    STATUS_TRY(check_scalar(inference, 2, ELEMENT_BIT(ELEMENT_BOOL)));
    STATUS_TRY(inference_same_as_first(inference));
    if (inference->output_count > 1) {
        inference->outputs[1] = inference->outputs[0];
        if (inference->node->version >= 10)
            inference->outputs[1].element = ELEMENT_BOOL;
    }
    return STATUS_OK;
}

// A draw, a multiplication and a comparison for each element that is drawn for; the
// mask costs nothing more.
static void measure_dropout(const struct inference *inference, struct work *work)
{
    work->flops = 2 * shape_count(&inference->inputs[0]->shape);
}

// A running sum for each sample, exponentials once.
static void measure_multinomial(const struct inference *inference, struct work *work)
{
    const uint64_t classes = (uint64_t)inference->inputs[0]->shape.dims[1];
    work->flops = 6 * shape_count(&inference->inputs[0]->shape) + work->elements * (4 + classes);
}

#define ELEMENTWISE(...)                                                                           \
    {                                                                                              \
        .class = OPERATOR_ELEMENTWISE, .inputs = {1, 1}, .outputs = {1, 1}, .random = true,        \
        .price = PRICED_AS_ELEMENTS, __VA_ARGS__                                                   \
    }
#define OTHER(...)                                                                                 \
    {                                                                                              \
        .class = OPERATOR_OTHER, .outputs = {1, 1}, .random = true, .price = PRICED_AS_OTHER,      \
        __VA_ARGS__                                                                                \
    }

static const struct operator_definition DEFINITIONS[] = {
    ELEMENTWISE(.name = "Bernoulli", .flops = 5, .infer = infer_bernoulli),
    {.name = "Dropout",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_ELEMENTWISE,
     .inputs = {1, 3},
     .outputs = {1, 2},
     .random = true,
     .infer = infer_dropout,
     .measure = measure_dropout,
     .price = PRICED_AS_ELEMENTS},
    OTHER(.name = "Multinomial", .inputs = {1, 1}, .infer = infer_multinomial,
          .measure = measure_multinomial),
    OTHER(.name = "RandomNormal", .inputs = {0, 0}, .flops = 6, .infer = onnx_random_infer_shape),
    ELEMENTWISE(.name = "RandomNormalLike", .flops = 6, .infer = infer_like),
    OTHER(.name = "RandomUniform", .inputs = {0, 0}, .flops = 6, .infer = onnx_random_infer_shape),
    ELEMENTWISE(.name = "RandomUniformLike", .flops = 6, .infer = infer_like),
};

const struct operator_table ONNX_RANDOM_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
