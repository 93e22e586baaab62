// Reductions along axes.

#include "axes.h"
#include "network/operator_tables.h"

static bool keeps_dimensions(const struct inference *inference)
{
    return attribute_integer(inference->node->attributes, "keepdims", 1) != 0;
}

static void remove_axes(const struct shape *shape, const bool *axes, bool keep,
                        struct shape *out_shape)
{
    struct shape result = {0};
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (!axes[i])
            result.dims[result.rank++] = shape->dims[i];
        else if (keep)
            result.dims[result.rank++] = 1;
    }
    *out_shape = result;
}

// The result when the axes are not known yet: their number may give the rank.
static void infer_unknown_axes(struct inference *inference, const struct value_type *input)
{
    inference_set_unranked(inference, 0, input->element);
    if (!input->ranked || !keeps_dimensions(inference))
        return;
    struct shape shape = {.rank = input->shape.rank};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = SHAPE_UNKNOWN;
    inference_set(inference, 0, input->element, &shape);
}

static status onnx_reduce_infer_reduction(struct inference *inference)
{
    const struct value_type *input;
    STATUS_TRY(inference_need_tensor(inference, 0, &input));
    const bool given = inference->input_count > 1 && inference->inputs[1] != NULL &&
                       inference->inputs[1]->kind == VALUE_TENSOR;
    if (given)
        STATUS_TRY(inference_check_element(inference, 1,
                                           ELEMENT_BIT(ELEMENT_I64) | ELEMENT_BIT(ELEMENT_I32)));
    if (!input->ranked || (given && inference->known[1] == NULL)) {
        infer_unknown_axes(inference, input);
        return STATUS_OK;
    }
    bool axes[SHAPE_RANK_MOST];
    STATUS_TRY(axes_read(inference->node->attributes, given ? inference->known[1] : NULL,
                         input->shape.rank, axes));
    struct shape shape;
    remove_axes(&input->shape, axes, keeps_dimensions(inference), &shape);
    inference_set(inference, 0, input->element, &shape);
    return STATUS_OK;
}

static status onnx_reduce_infer_number(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    return onnx_reduce_infer_reduction(inference);
}

static status infer_number_or_bool(struct inference *inference)
{
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC | ELEMENT_BIT(ELEMENT_BOOL)));
    return onnx_reduce_infer_reduction(inference);
}

static status infer_arg(struct inference *inference)
{
    const struct value_type *input;
    STATUS_TRY(inference_need_tensor(inference, 0, &input));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    inference_set_unranked(inference, 0, ELEMENT_I64);
    if (!input->ranked)
        return STATUS_OK;
    uint32_t axis;
    STATUS_TRY(shape_axis(attribute_integer(inference->node->attributes, "axis", 0),
                          input->shape.rank, &axis));
    if (input->shape.dims[axis] == 0)
        return status_make(STATUS_DATA, "no elements to choose from along the axis");
    bool axes[SHAPE_RANK_MOST] = {0};
    axes[axis] = true;
    struct shape shape;
    remove_axes(&input->shape, axes, keeps_dimensions(inference), &shape);
    inference_set(inference, 0, ELEMENT_I64, &shape);
    return STATUS_OK;
}

static status infer_cumulative(struct inference *inference)
{
    const struct value_type *axis;
    STATUS_TRY(inference_need_tensor(inference, 1, &axis));
    STATUS_TRY(inference_check_element(inference, 0, ELEMENTS_NUMERIC));
    STATUS_TRY(
        inference_check_element(inference, 1, ELEMENT_BIT(ELEMENT_I32) | ELEMENT_BIT(ELEMENT_I64)));
    uint64_t count = 1;
    if (axis->ranked && shape_known(&axis->shape))
        STATUS_TRY(shape_elements(&axis->shape, &count));
    if (count != 1)
        return status_make(STATUS_DATA, "the axis is not one number");
    return inference_same_as_first(inference);
}

// Steps on every input element, and on every result.
static void onnx_reduce_measure(const struct inference *inference, struct work *work, uint64_t each,
                                uint64_t last)
{
    work->flops = each * shape_count(&inference->inputs[0]->shape) + last * work->elements;
}

static void measure_plain(const struct inference *inference, struct work *work)
{
    onnx_reduce_measure(inference, work, 1, 0);
}

static void onnx_reduce_measure_mean(const struct inference *inference, struct work *work)
{
    onnx_reduce_measure(inference, work, 1, 1);
}

static void measure_two_steps(const struct inference *inference, struct work *work)
{
    onnx_reduce_measure(inference, work, 2, 0);
}

static void measure_l2(const struct inference *inference, struct work *work)
{
    onnx_reduce_measure(inference, work, 2, 1);
}

static void measure_log_sum(const struct inference *inference, struct work *work)
{
    onnx_reduce_measure(inference, work, 1, 4);
}

// Maximum, difference, exponential, sum; a logarithm and an addition.
static void measure_log_sum_exp(const struct inference *inference, struct work *work)
{
    onnx_reduce_measure(inference, work, 7, 5);
}

#define REDUCTION(...)                                                                             \
    {                                                                                              \
        .class = OPERATOR_REDUCTION, .exact = OPERATOR_INPUT(1), .inputs = {1, 2},                 \
        .outputs = {1, 1}, .price = PRICED_AS_REDUCTION, __VA_ARGS__                               \
    }

static const struct operator_definition DEFINITIONS[] = {
    {.name = "ArgMax",
     .class = OPERATOR_REDUCTION,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_arg,
     .measure = measure_plain,
     .price = PRICED_AS_REDUCTION},
    {.name = "ArgMin",
     .class = OPERATOR_REDUCTION,
     .inputs = {1, 1},
     .outputs = {1, 1},
     .infer = infer_arg,
     .measure = measure_plain,
     .price = PRICED_AS_REDUCTION},
    {.name = "CumSum",
     .exact = OPERATOR_INPUT(1),
     .class = OPERATOR_REDUCTION,
     .inputs = {2, 2},
     .outputs = {1, 1},
     .flops = 1,
     .infer = infer_cumulative,
     .price = PRICED_AS_REDUCTION},
    REDUCTION(.name = "ReduceL1", .infer = onnx_reduce_infer_number, .measure = measure_two_steps),
    REDUCTION(.name = "ReduceL2", .infer = onnx_reduce_infer_number, .measure = measure_l2),
    REDUCTION(.name = "ReduceLogSum", .infer = onnx_reduce_infer_number,
              .measure = measure_log_sum),
    REDUCTION(.name = "ReduceLogSumExp", .infer = onnx_reduce_infer_number,
              .measure = measure_log_sum_exp),
    REDUCTION(.name = "ReduceMax", .sort = SORT_CHOICE, .infer = infer_number_or_bool,
              .measure = measure_plain),
    REDUCTION(.name = "ReduceMean", .infer = onnx_reduce_infer_number,
              .measure = onnx_reduce_measure_mean, .function = COMPUTES_REDUCE_MEAN),
    REDUCTION(.name = "ReduceMin", .sort = SORT_CHOICE, .infer = infer_number_or_bool,
              .measure = measure_plain),
    REDUCTION(.name = "ReduceProd", .infer = onnx_reduce_infer_number, .measure = measure_plain),
    REDUCTION(.name = "ReduceSum", .infer = onnx_reduce_infer_number, .measure = measure_plain),
    REDUCTION(.name = "ReduceSumSquare", .infer = onnx_reduce_infer_number,
              .measure = measure_two_steps),
};

const struct operator_table ONNX_REDUCE_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
