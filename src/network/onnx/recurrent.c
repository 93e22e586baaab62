#include "recurrent.h"

#include <inttypes.h>

#include "common.h"
#include "network/operator_tables.h"

enum recurrent_kind recurrent_kind_of(struct view type)
{
    if (view_is(type, "LSTM"))
        return RECURRENT_LSTM;
    return view_is(type, "GRU") ? RECURRENT_GRU : RECURRENT_RNN;
}

static const struct named_function {
    const char *name;
    enum recurrent_function function;
    bool takes_alpha;
    bool takes_beta;
    double alpha; // unless given
    double beta;
    uint32_t flops; // as of the operators of these names
} FUNCTIONS[] = {
    {"Relu", RECURRENT_RELU, false, false, 0, 0, 1},
    {"Tanh", RECURRENT_TANH, false, false, 0, 0, 4},
    {"Sigmoid", RECURRENT_SIGMOID, false, false, 0, 0, 4},
    {"Affine", RECURRENT_AFFINE, true, true, 1, 0, 2},
    {"LeakyRelu", RECURRENT_LEAKY_RELU, true, false, 0.01, 0, 2},
    {"ThresholdedRelu", RECURRENT_THRESHOLDED_RELU, true, false, 1, 0, 1},
    {"ScaledTanh", RECURRENT_SCALED_TANH, true, true, 1, 1, 6},
    {"HardSigmoid", RECURRENT_HARD_SIGMOID, true, true, 0.2, 0.5, 4},
    {"Elu", RECURRENT_ELU, true, false, 1, 0, 6},
    {"Softsign", RECURRENT_SOFTSIGN, false, false, 0, 0, 3},
    {"Softplus", RECURRENT_SOFTPLUS, false, false, 0, 0, 9},
};

static const struct named_function *onnx_recurrent_find_function(struct view name)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        if (view_is_ignoring_case(name, FUNCTIONS[i].name))
            return &FUNCTIONS[i];
    }
    return NULL;
}

// The numbers of an attribute, taken one after another by the functions that need one.
struct numbers {
    const double *items;
    uint32_t count;
    uint32_t next;
};

static double onnx_recurrent_take_number(struct numbers *numbers, bool takes, double fallback)
{
    if (!takes || numbers->next >= numbers->count)
        return fallback;
    return numbers->items[numbers->next++];
}

static status parse_activations(struct attributes attributes, struct recurrent *recurrent)
{
    static const char *const usual[][RECURRENT_ACTIVATIONS_MOST] = {
        [RECURRENT_RNN] = {"Tanh"},
        [RECURRENT_GRU] = {"Sigmoid", "Tanh"},
        [RECURRENT_LSTM] = {"Sigmoid", "Tanh", "Tanh"},
    };
    const struct attribute *given = attribute_find(attributes, "activations", ATTRIBUTE_TEXTS);
    const uint32_t count = recurrent->activations * recurrent->directions;
    if (given != NULL && given->count != 0 && given->count != count)
        return status_make(STATUS_DATA,
                           "attribute activations has %" PRIu32 " items instead of %" PRIu32,
                           given->count, count);
    struct numbers alphas = {0};
    struct numbers betas = {0};
    alphas.count = attribute_reals(attributes, "activation_alpha", &alphas.items);
    betas.count = attribute_reals(attributes, "activation_beta", &betas.items);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = i % recurrent->activations;
        const struct view name = given != NULL && given->count > 0
                                     ? given->texts[i]
                                     : view_of(usual[recurrent->kind][place]);
        const struct named_function *function = onnx_recurrent_find_function(name);
        if (function == NULL)
            return status_make(STATUS_DATA, "there is no activation '%.*s'", VIEW_ARGUMENTS(name));
        recurrent->functions[i / recurrent->activations][place] = (struct recurrent_activation){
            function->function,
            onnx_recurrent_take_number(&alphas, function->takes_alpha, function->alpha),
            onnx_recurrent_take_number(&betas, function->takes_beta, function->beta),
            function->flops};
    }
    return STATUS_OK;
}

status recurrent_parse(enum recurrent_kind kind, struct attributes attributes,
                       struct recurrent *out_recurrent)
{
    static const uint32_t gates[] = {
        [RECURRENT_RNN] = 1, [RECURRENT_GRU] = 3, [RECURRENT_LSTM] = 4};
    static const uint32_t activations[] = {
        [RECURRENT_RNN] = 1, [RECURRENT_GRU] = 2, [RECURRENT_LSTM] = 3};
    const struct view direction = attribute_text(attributes, "direction", "forward");
    const bool both = view_is(direction, "bidirectional");
    if (!both && !view_is(direction, "forward") && !view_is(direction, "reverse"))
        return status_make(STATUS_DATA, "attribute direction is '%.*s'", VIEW_ARGUMENTS(direction));
    const int64_t layout = attribute_integer(attributes, "layout", 0);
    if (layout != 0 && layout != 1)
        return status_make(STATUS_DATA, "attribute layout is %" PRId64, layout);
    *out_recurrent = (struct recurrent){
        .kind = kind,
        .gates = gates[kind],
        .activations = activations[kind],
        .directions = both ? 2 : 1,
        .reverse = view_is(direction, "reverse"),
        .batch_first = layout == 1,
        .input_forget = attribute_integer(attributes, "input_forget", 0) != 0,
        .linear_before_reset = attribute_integer(attributes, "linear_before_reset", 0) != 0,
        .clip = attribute_real(attributes, "clip", 0),
    };
    if (out_recurrent->clip < 0)
        return status_make(STATUS_DATA, "attribute clip is %g", out_recurrent->clip);
    return parse_activations(attributes, out_recurrent);
}

// Types and shapes ----------------------------------------------------------------

enum { INPUT_X, INPUT_W, INPUT_R, INPUT_B, INPUT_LENGTHS, INPUT_H, INPUT_C, INPUT_P };

// The length of a dimension that any of two inputs tells.
static int64_t recurrent_either(int64_t a, int64_t b)
{
    return a != SHAPE_UNKNOWN ? a : b;
}

static int64_t length_of(const struct inference *inference, uint32_t index, uint32_t dimension)
{
    const struct value_type *type = common_ranked(inference, index);
    return type != NULL && dimension < type->shape.rank ? type->shape.dims[dimension]
                                                        : SHAPE_UNKNOWN;
}

static int64_t times(int64_t factor, int64_t length)
{
    return length == SHAPE_UNKNOWN || length > INT64_MAX / 16 ? SHAPE_UNKNOWN : factor * length;
}

static status onnx_recurrent_check_inputs(const struct inference *inference,
                                          const struct recurrent *recurrent, int64_t batch,
                                          int64_t hidden)
{
    const int64_t d = recurrent->directions;
    const int64_t gates = recurrent->gates;
    const int64_t width = length_of(inference, INPUT_X, 2);
    const struct shape state = recurrent->batch_first ? (struct shape){3, {batch, d, hidden}}
                                                      : (struct shape){3, {d, batch, hidden}};
    const struct shape any = {3, {SHAPE_UNKNOWN, SHAPE_UNKNOWN, SHAPE_UNKNOWN}};
    STATUS_TRY(common_check_shape(inference, INPUT_X, &any));
    STATUS_TRY(common_check_shape(inference, INPUT_W,
                                  &(struct shape){3, {d, times(gates, hidden), width}}));
    STATUS_TRY(common_check_shape(inference, INPUT_R,
                                  &(struct shape){3, {d, times(gates, hidden), hidden}}));
    STATUS_TRY(
        common_check_shape(inference, INPUT_B, &(struct shape){2, {d, times(2 * gates, hidden)}}));
    STATUS_TRY(common_check_vector(inference, INPUT_LENGTHS, batch));
    STATUS_TRY(common_check_shape(inference, INPUT_H, &state));
    STATUS_TRY(common_check_shape(inference, INPUT_C, &state));
    return common_check_shape(inference, INPUT_P, &(struct shape){2, {d, times(3, hidden)}});
}

static status infer_recurrent(struct inference *inference)
{
    const struct attributes attributes = inference->node->attributes;
    struct recurrent recurrent;
    STATUS_TRY(recurrent_parse(recurrent_kind_of(inference->node->type), attributes, &recurrent));
    enum element element;
    enum element others;
    STATUS_TRY(common_element(inference, INPUT_X, INPUT_LENGTHS, ELEMENTS_FLOAT, &element));
    STATUS_TRY(common_element(inference, INPUT_H, INPUT_P + 1, ELEMENTS_FLOAT, &others));
    if (others != ELEMENT_NONE && element != ELEMENT_NONE && others != element)
        return status_make(STATUS_DATA, "states of %s and an input of %s", element_name(others),
                           element_name(element));
    STATUS_TRY(inference_check_element(inference, INPUT_LENGTHS, ELEMENT_BIT(ELEMENT_I32)));
    const int64_t hidden = length_of(inference, INPUT_R, 2);
    const int64_t wanted = attribute_integer(attributes, "hidden_size", hidden);
    if (hidden != SHAPE_UNKNOWN && wanted != hidden)
        return status_make(STATUS_DATA,
                           "attribute hidden_size is %" PRId64 ", but the weights are for %" PRId64,
                           wanted, hidden);
    if (wanted < 0 && wanted != SHAPE_UNKNOWN)
        return status_make(STATUS_DATA, "attribute hidden_size is %" PRId64, wanted);
    const uint32_t batch_at = recurrent.batch_first ? 0 : 1;
    const int64_t batch = recurrent_either(length_of(inference, INPUT_X, batch_at),
                                           length_of(inference, INPUT_H, batch_at));
    const int64_t steps = length_of(inference, INPUT_X, 1 - batch_at);
    const int64_t d = recurrent.directions;
    STATUS_TRY(onnx_recurrent_check_inputs(inference, &recurrent, batch, wanted));
    const struct shape y = recurrent.batch_first ? (struct shape){4, {batch, steps, d, wanted}}
                                                 : (struct shape){4, {steps, d, batch, wanted}};
    const struct shape state = recurrent.batch_first ? (struct shape){3, {batch, d, wanted}}
                                                     : (struct shape){3, {d, batch, wanted}};
    inference_set(inference, 0, element, &y);
    inference_set(inference, 1, element, &state);
    inference_set(inference, 2, element, &state);
    return STATUS_OK;
}

// What the activations of one hidden number take: the gates of an LSTM use the first
// function three times (but for a coupled forget gate, which is 1 - input), those of a
// GRU twice.
static uint64_t activation_flops(const struct recurrent *recurrent, uint32_t direction)
{
    const struct recurrent_activation *functions = recurrent->functions[direction];
    uint64_t flops = 0;
    for (uint32_t i = 0; i < recurrent->activations; i++)
        flops += functions[i].flops;
    if (recurrent->kind == RECURRENT_LSTM)
        flops += functions[0].flops + (recurrent->input_forget ? 1 : functions[0].flops);
    if (recurrent->kind == RECURRENT_GRU)
        flops += functions[0].flops;
    return flops;
}

// Both products for every step; for every hidden number of a step the sums of each gate
// (with the other product, and with both biases where there are any), two comparisons
// where it is clipped, the activations, and what joins the gates: 4 in an LSTM (and 2 for
// each of 3 peepholes), 5 in a GRU.
static void measure_recurrent(const struct inference *inference, struct work *work)
{
    struct recurrent recurrent;
    const enum recurrent_kind kind = recurrent_kind_of(inference->node->type);
    const status failure = recurrent_parse(kind, inference->node->attributes, &recurrent);
    if (failure != STATUS_OK) {
        status_free(failure);
        return;
    }
    const struct shape *x = &inference->inputs[INPUT_X]->shape;
    const uint64_t hidden = (uint64_t)inference->inputs[INPUT_R]->shape.dims[2];
    const uint64_t numbers = (uint64_t)x->dims[0] * (uint64_t)x->dims[1] * hidden;
    const bool biased = inference->input_count > INPUT_B && inference->inputs[INPUT_B] != NULL;
    const bool peeps = inference->input_count > INPUT_P && inference->inputs[INPUT_P] != NULL;
    static const uint64_t joins[] = {
        [RECURRENT_RNN] = 0, [RECURRENT_GRU] = 5, [RECURRENT_LSTM] = 4};
    const uint64_t gate = (biased ? UINT64_C(3) : 1) + (recurrent.clip > 0 ? 2 : 0);
    const uint64_t others = recurrent.gates * gate + joins[kind] + (peeps ? 6 : 0);
    for (uint32_t direction = 0; direction < recurrent.directions; direction++) {
        work->macs += numbers * recurrent.gates * ((uint64_t)x->dims[2] + hidden);
        work->flops += numbers * (others + activation_flops(&recurrent, direction));
    }
    work->flops += 2 * work->macs;
}

static const struct operator_definition DEFINITIONS[] = {
    {.name = "RNN",
     .class = OPERATOR_RECURRENT,
     .inputs = {3, 6},
     .outputs = {0, 2},
     .infer = infer_recurrent,
     .measure = measure_recurrent,
     .price = PRICED_AS_RECURRENCE},
    {.name = "GRU",
     .class = OPERATOR_RECURRENT,
     .inputs = {3, 6},
     .outputs = {0, 2},
     .infer = infer_recurrent,
     .measure = measure_recurrent,
     .price = PRICED_AS_RECURRENCE},
    {.name = "LSTM",
     .class = OPERATOR_RECURRENT,
     .inputs = {3, 8},
     .outputs = {0, 3},
     .infer = infer_recurrent,
     .measure = measure_recurrent,
     .price = PRICED_AS_RECURRENCE},
};

const struct operator_table ONNX_RECURRENT_OPERATORS = OPERATOR_TABLE(DEFINITIONS);
