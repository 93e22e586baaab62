// Losses, optimizers and gradients.

#include <inttypes.h>

#include "network/operator_tables.h"

#define INDICES (ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_I64))
#define REALS (ELEMENT_BIT(ELEMENT_F32) | ELEMENT_BIT(ELEMENT_F64))

static status take_reduction(const struct inference *inference, bool *out_reduced)
{
    const struct view reduction = attribute_text(inference->node->attributes, "reduction", "mean");
    *out_reduced = !view_is(reduction, "none");
    if (!*out_reduced || view_is(reduction, "mean") || view_is(reduction, "sum"))
        return STATUS_OK;
    return status_make(STATUS_DATA, "attribute reduction is '%.*s'", (int)reduction.size,
                       reduction.data);
}

// Scores are batch, classes, others...; targets the same without the classes.
static status onnx_training_check_targets(const struct shape *scores, const struct shape *targets)
{
    bool fits = scores->rank >= 2 && targets->rank + 1 == scores->rank;
    for (uint32_t d = 0; fits && d < targets->rank; d++) {
        const int64_t a = targets->dims[d], b = scores->dims[d == 0 ? 0 : d + 1];
        fits = a == b || a == SHAPE_UNKNOWN || b == SHAPE_UNKNOWN;
    }
    if (fits)
        return STATUS_OK;
    char first[SHAPE_TEXT_MOST], second[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "targets of [%s] for scores of [%s]",
                       shape_text(targets, first), shape_text(scores, second));
}

static status check_class_weights(const struct inference *inference,
                                  const struct value_type *scores)
{
    const struct value_type *weights = inference_tensor(inference, 2);
    if (weights == NULL || !weights->ranked)
        return STATUS_OK;
    const int64_t classes = scores->ranked ? scores->shape.dims[1] : SHAPE_UNKNOWN;
    const int64_t given = weights->shape.dims[0];
    if (weights->shape.rank == 1 &&
        (given == classes || given == SHAPE_UNKNOWN || classes == SHAPE_UNKNOWN))
        return STATUS_OK;
    char text[SHAPE_TEXT_MOST];
    return status_make(STATUS_DATA, "weights of [%s] for %" PRId64 " classes",
                       shape_text(&weights->shape, text), classes);
}

static status infer_loss(struct inference *inference)
{
    const struct value_type *scores, *targets;
    STATUS_TRY(inference_need_tensor(inference, 0, &scores));
    STATUS_TRY(inference_need_tensor(inference, 1, &targets));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_FLOAT));
    STATUS_TRY(inference_check_element(inference, 1, INDICES));
    STATUS_TRY(inference_check_element(inference, 2, ELEMENTS_FLOAT));
    bool reduced = true;
    STATUS_TRY(take_reduction(inference, &reduced));
    if (scores->ranked && targets->ranked)
        STATUS_TRY(onnx_training_check_targets(&scores->shape, &targets->shape));
    STATUS_TRY(check_class_weights(inference, scores));
    const struct shape scalar = {0};
    if (reduced)
        inference_set(inference, 0, scores->element, &scalar);
    else if (targets->ranked)
        inference_set(inference, 0, scores->element, &targets->shape);
    else
        inference_set_unranked(inference, 0, scores->element);
    if (inference->output_count > 1 && scores->ranked)
        inference_set(inference, 1, scores->element, &scores->shape);
    else if (inference->output_count > 1)
        inference_set_unranked(inference, 1, scores->element);
    return STATUS_OK;
}

// Negated, weighted and summed: 3 for each target. A softmax before it: 8 for each
// score (maximum, difference, exponential, sum, difference).
static void measure_loss(const struct inference *inference, struct work *work)
{
    work->flops = 3 * shape_count(&inference->inputs[1]->shape);
}

static void measure_softmax_loss(const struct inference *inference, struct work *work)
{
    measure_loss(inference, work);
    work->flops += 8 * shape_count(&inference->inputs[0]->shape);
}

// Rate and step, then groups of as many tensors each: what is optimized, its
// gradients, and what the optimizer remembers (`groups` in all).
static status infer_optimizer(struct inference *inference, uint32_t groups)
{
    const uint32_t tensors = inference->input_count - 2;
    const uint32_t each = tensors / groups;
    if (tensors % groups != 0 || inference->output_count != each * (groups - 1))
        return status_make(STATUS_DATA,
                           "%" PRIu32 " tensors in and %" PRIu32 " out: groups of %" PRIu32
                           " in and %" PRIu32 " out were expected",
                           tensors, inference->output_count, groups, groups - 1);
    STATUS_TRY(inference_check_element(inference, 0, REALS));
    STATUS_TRY(inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_I64)));
    for (uint32_t i = 0; i < 2; i++) {
        const struct value_type *type = inference_tensor(inference, i);
        if (type != NULL && value_type_static(type) && shape_count(&type->shape) != 1)
            return status_make(STATUS_DATA, "input %" PRIu32 " is not a single number", i);
    }
    for (uint32_t i = 0; i < each; i++) {
        struct value_type merged = {.kind = VALUE_TENSOR};
        for (uint32_t g = 0; g < groups; g++) {
            const uint32_t index = 2 + g * each + i;
            const struct value_type *type;
            STATUS_TRY(inference_need_tensor(inference, index, &type));
            STATUS_TRY(inference_check_element(inference, index, REALS));
            STATUS_TRY(value_type_merge(&merged, type, &merged));
        }
        for (uint32_t g = 0; g + 1 < groups; g++)
            inference->outputs[g * each + i] = merged;
    }
    return STATUS_OK;
}

static status infer_three_groups(struct inference *inference)
{
    const struct view mode = attribute_text(inference->node->attributes, "mode", "standard");
    if (!view_is(mode, "standard") && !view_is(mode, "nesterov"))
        return status_make(STATUS_DATA, "attribute mode is '%.*s'", (int)mode.size, mode.data);
    return infer_optimizer(inference, 3);
}

static status infer_adam(struct inference *inference)
{
    return infer_optimizer(inference, 4);
}

// `steps` for each number that is optimized, of which every group of outputs has as many.
static void measure_optimizer(struct work *work, uint32_t groups_out, uint64_t steps)
{
    work->flops = steps * (work->elements / groups_out);
}

static void measure_adagrad(const struct inference *inference, struct work *work)
{
    (void)inference;
    measure_optimizer(work, 2, 9);
}

static void measure_adam(const struct inference *inference, struct work *work)
{
    (void)inference;
    measure_optimizer(work, 3, 15);
}

static void measure_momentum(const struct inference *inference, struct work *work)
{
    const struct view mode = attribute_text(inference->node->attributes, "mode", "standard");
    measure_optimizer(work, 2, view_is(mode, "nesterov") ? 9 : 7);
}

static uint32_t count_texts(const struct inference *inference, const char *name)
{
    const struct attribute *attribute =
        attribute_find(inference->node->attributes, name, ATTRIBUTE_TEXTS);
    return attribute == NULL ? 0 : attribute->count;
}

static status infer_gradient(struct inference *inference)
{
    const uint32_t xs = count_texts(inference, "xs"), zs = count_texts(inference, "zs");
    if (xs + zs != inference->input_count || xs != inference->output_count)
        return status_make(STATUS_DATA,
                           "attributes xs and zs name %" PRIu32 " and %" PRIu32
                           " tensors; there are %" PRIu32 " inputs and %" PRIu32 " outputs",
                           xs, zs, inference->input_count, inference->output_count);
    for (uint32_t i = 0; i < xs; i++) {
        const struct value_type *type;
        STATUS_TRY(inference_need_tensor(inference, i, &type));
        STATUS_TRY(inference_check_element(inference, i, ELEMENTS_FLOAT));
        inference->outputs[i] = *type;
    }
    return STATUS_OK;
}

static const struct operator_definition DEFINITIONS[] = {
    {.name = "NegativeLogLikelihoodLoss",
     .class = OPERATOR_REDUCTION,
     .inputs = {2, 3},
     .outputs = {1, 1},
     .infer = infer_loss,
     .measure = measure_loss,
     .price = PRICED_AS_REDUCTION},
    {.name = "SoftmaxCrossEntropyLoss",
     .class = OPERATOR_REDUCTION,
     .inputs = {2, 3},
     .outputs = {1, 2},
     .infer = infer_loss,
     .measure = measure_softmax_loss,
     .price = PRICED_AS_REDUCTION},
    {.name = "Adagrad",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_OTHER,
     .inputs = {5, UINT16_MAX},
     .outputs = {2, UINT16_MAX},
     .infer = infer_three_groups,
     .measure = measure_adagrad,
     .price = PRICED_AS_OTHER},
    {.name = "Adam",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_OTHER,
     .inputs = {6, UINT16_MAX},
     .outputs = {3, UINT16_MAX},
     .infer = infer_adam,
     .measure = measure_adam,
     .price = PRICED_AS_OTHER},
    {.name = "Momentum",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_OTHER,
     .inputs = {5, UINT16_MAX},
     .outputs = {2, UINT16_MAX},
     .infer = infer_three_groups,
     .measure = measure_momentum,
     .price = PRICED_AS_OTHER},
    {.name = "Gradient",
     .class = OPERATOR_OTHER,
     .inputs = {1, UINT16_MAX},
     .outputs = {1, UINT16_MAX},
     .infer = infer_gradient,
     .price = PRICED_AS_OTHER,
     .reads_graph = true},
};

const struct operator_table ONNX_TRAINING_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
