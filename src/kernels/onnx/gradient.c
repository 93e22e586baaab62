// Gradient: the operators between xs and y are run once more, then walked
// backwards, each handing the derivative of its output on to its inputs.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/core/convert.h"
#include "kernels/invoke.h"
#include "training.h"

// What is known of each value of the network on the way.
struct tape_value {
    struct datum *datum;
    double *numbers;  // of the datum
    double *gradient; // of y, by this value; NULL: y does not depend on it so far
    bool needed;
};

struct tape {
    const struct network *network;
    const struct kernel_call *call;
    struct tape_value *values; // by id
    size_t count;
};

// Derivatives of operators by their operands, for each element.
typedef double (*derivative)(double a, double b, double y);

#define DERIVATIVE(name, formula)                                                                  \
    static double name(double a, double b, double y)                                               \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        (void)y;                                                                                   \
        return formula;                                                                            \
    }

DERIVATIVE(one, 1)
DERIVATIVE(minus_one, -1)
DERIVATIVE(first_operand, a)
DERIVATIVE(second_operand, b)
DERIVATIVE(quotient_first, 1 / b)
DERIVATIVE(quotient_second, -y / b)
DERIVATIVE(result_itself, y)
DERIVATIVE(reciprocal, 1 / a)
DERIVATIVE(root, 0.5 / y)
DERIVATIVE(hyperbolic_tangent, 1 - y * y)
DERIVATIVE(logistic, y - y * y)
DERIVATIVE(rectified, a > 0 ? 1 : 0)

static const struct rule {
    const char *name;
    derivative by_first, by_second; // NULL: there is no second operand
} RULES[] = {
    {"Add", one, one},
    {"Sub", one, minus_one},
    {"Mul", second_operand, first_operand},
    {"Div", quotient_first, quotient_second},
    {"Neg", minus_one, NULL},
    {"Identity", one, NULL},
    {"Exp", result_itself, NULL},
    {"Log", reciprocal, NULL},
    {"Sqrt", root, NULL},
    {"Tanh", hyperbolic_tangent, NULL},
    {"Sigmoid", logistic, NULL},
    {"Relu", rectified, NULL},
};

static status find_rule(const struct network_node *node, const struct rule **out_rule)
{
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
        if (view_is(node->type, RULES[i].name) &&
            node->input_count == (RULES[i].by_second == NULL ? 1 : 2)) {
            *out_rule = &RULES[i];
            return STATUS_OK;
        }
    char text[128];
    return status_make(STATUS_UNSUPPORTED, "no gradient through %s",
                       network_node_text(node, text, sizeof text));
}

static double *gradient_load_numbers(const struct tensor *tensor)
{
    const uint64_t count = tensor_count(tensor);
    double *numbers = memory_allocate_zeroed((size_t)count + 1, sizeof *numbers);
    convert_row(tensor->element, tensor->data, ELEMENT_F64, numbers, count, true);
    return numbers;
}

static status gradient_set_value(struct tape *tape, uint32_t id, struct datum *datum)
{
    struct tape_value *value = &tape->values[id];
    value->datum = datum;
    if (datum->kind != DATUM_TENSOR || !convert_knows(datum->tensor.element))
        return status_make(STATUS_UNSUPPORTED, "a gradient through what is no tensor of numbers");
    value->numbers = gradient_load_numbers(&datum->tensor);
    return STATUS_OK;
}

// A value that no operator on the way computes: a constant.
static status take_constant(struct tape *tape, uint32_t id)
{
    const struct network_value *value = network_value(tape->network, id);
    if (value->constant == NULL)
        return status_make(STATUS_DATA, "'%.*s' is neither among xs and zs nor computed from them",
                           (int)value->name.size, value->name.data);
    struct datum *datum;
    STATUS_TRY(
        datum_tensor(value->constant->tensor.element, &value->constant->tensor.shape, &datum));
    constant_unpack(value->constant, datum->tensor.data);
    return gradient_set_value(tape, id, datum);
}

static status find_result(const struct tape *tape, const struct network_graph *graph,
                          uint32_t *out_id)
{
    const struct view name = attribute_text(tape->call->attributes, "y", "");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(tape->network, graph->nodes[i]);
        for (uint32_t o = 0; o < node->output_count; o++)
            if (node->outputs[o] != NETWORK_NONE &&
                view_equal(network_value(tape->network, node->outputs[o])->name, name)) {
                *out_id = node->outputs[o];
                return STATUS_OK;
            }
    }
    return status_make(STATUS_DATA, "no operator computes y, '%.*s'", (int)name.size, name.data);
}

static bool makes_needed(const struct tape *tape, const struct network_node *node)
{
    bool needed = false;
    for (uint32_t o = 0; o < node->output_count; o++)
        needed =
            needed || (node->outputs[o] != NETWORK_NONE && tape->values[node->outputs[o]].needed &&
                       tape->values[node->outputs[o]].datum == NULL);
    return needed;
}

// From the last node to the first: whatever y depends on, up to xs and zs.
static void mark_needed(struct tape *tape, const struct network_graph *graph, bool *on_the_way)
{
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const struct network_node *node = network_node(tape->network, graph->nodes[i]);
        on_the_way[i] = makes_needed(tape, node);
        for (uint32_t k = 0; on_the_way[i] && k < node->input_count; k++)
            if (node->inputs[k] != NETWORK_NONE)
                tape->values[node->inputs[k]].needed = true;
    }
}

static status gradient_compute(struct tape *tape, const struct network_node *node)
{
    const struct rule *rule;
    STATUS_TRY(find_rule(node, &rule));
    struct datum *inputs[2] = {NULL, NULL}, *outputs[1] = {NULL};
    for (uint32_t k = 0; k < node->input_count; k++) {
        const uint32_t id = node->inputs[k];
        if (id == NETWORK_NONE)
            return status_make(STATUS_DATA, "an operand is left out");
        if (tape->values[id].datum == NULL)
            STATUS_TRY(take_constant(tape, id));
        inputs[k] = tape->values[id].datum;
    }
    const kernel_function run = kernel_find(node->definition);
    if (run == NULL)
        return status_make(STATUS_UNSUPPORTED, "no kernel for '%s'", rule->name);
    const bool wanted[1] = {true};
    struct kernel_state *state = NULL;
    const status result = invoke(&(struct invocation){.network = tape->network,
                                                      .node = node,
                                                      .run = run,
                                                      .inputs = inputs,
                                                      .wanted = wanted,
                                                      .parallel = tape->call->parallel,
                                                      .state = &state},
                                 outputs);
    if (state != NULL)
        state->free(state);
    STATUS_TRY(result);
    return gradient_set_value(tape, node->outputs[0], outputs[0]);
}

// The place in an operand that belongs to place `index` of a result of shape `out`.
static uint64_t operand_place(const struct shape *operand, const struct shape *out, uint64_t index)
{
    uint64_t place = 0, distance = 1;
    for (uint32_t d = operand->rank; d-- > 0;) {
        const uint64_t length = (uint64_t)out->dims[d + out->rank - operand->rank];
        if (operand->dims[d] != 1)
            place += index % length * distance;
        index /= length;
        distance *= (uint64_t)operand->dims[d];
    }
    return place;
}

static double *gradient_of(struct tape_value *value)
{
    if (value->gradient == NULL)
        value->gradient = memory_allocate_zeroed((size_t)tensor_count(&value->datum->tensor) + 1,
                                                 sizeof *value->gradient);
    return value->gradient;
}

static status hand_back(struct tape *tape, const struct network_node *node)
{
    const struct rule *rule;
    STATUS_TRY(find_rule(node, &rule));
    const struct tape_value *y = &tape->values[node->outputs[0]];
    if (y->gradient == NULL)
        return STATUS_OK;
    struct tape_value *a = &tape->values[node->inputs[0]];
    struct tape_value *b = rule->by_second == NULL ? a : &tape->values[node->inputs[1]];
    const struct shape *shape = &y->datum->tensor.shape;
    double *a_gradient = gradient_of(a), *b_gradient = gradient_of(b);
    for (uint64_t i = 0; i < shape_count(shape); i++) {
        const uint64_t at_a = operand_place(&a->datum->tensor.shape, shape, i);
        const uint64_t at_b = operand_place(&b->datum->tensor.shape, shape, i);
        const double first = a->numbers[at_a], second = b->numbers[at_b];
        a_gradient[at_a] += y->gradient[i] * rule->by_first(first, second, y->numbers[i]);
        if (rule->by_second != NULL)
            b_gradient[at_b] += y->gradient[i] * rule->by_second(first, second, y->numbers[i]);
    }
    return STATUS_OK;
}

static status walk(struct tape *tape, bool *on_the_way)
{
    const struct kernel_call *call = tape->call;
    const struct network_graph *graph = network_graph(tape->network, call->node->graph);
    uint32_t result;
    STATUS_TRY(find_result(tape, graph, &result));
    for (uint32_t i = 0; i < call->input_count; i++) {
        const uint32_t id = call->node->inputs[i];
        if (id == NETWORK_NONE || call->data[i] == NULL)
            return status_make(STATUS_DATA, "input %" PRIu32 " is left out", i);
        if (tape->values[id].datum == NULL)
            STATUS_TRY(gradient_set_value(tape, id, datum_keep(call->data[i])));
    }
    tape->values[result].needed = true;
    mark_needed(tape, graph, on_the_way);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (on_the_way[i])
            STATUS_TRY(gradient_compute(tape, network_node(tape->network, graph->nodes[i])));

    struct tape_value *y = &tape->values[result];
    double *gradient = gradient_of(y);
    for (uint64_t i = 0; i < tensor_count(&y->datum->tensor); i++)
        gradient[i] = 1;
    for (uint32_t i = graph->node_count; i-- > 0;)
        if (on_the_way[i])
            STATUS_TRY(hand_back(tape, network_node(tape->network, graph->nodes[i])));
    return STATUS_OK;
}

static void store_gradients(struct tape *tape)
{
    const struct kernel_call *call = tape->call;
    for (uint32_t i = 0; i < call->output_count; i++) {
        struct tensor *out = kernel_output(call, i);
        if (out != NULL)
            convert_row(ELEMENT_F64, gradient_of(&tape->values[call->node->inputs[i]]),
                        out->element, out->data, tensor_count(out), true);
    }
}

status training_gradient(struct kernel_call *call)
{
    struct tape tape = {.network = call->network, .call = call};
    tape.count = call->network->values.count;
    tape.values = memory_allocate_zeroed(tape.count + 1, sizeof *tape.values);
    const struct network_graph *graph = network_graph(call->network, call->node->graph);
    bool *on_the_way = memory_allocate_zeroed((size_t)graph->node_count + 1, sizeof *on_the_way);
    const status result = walk(&tape, on_the_way);
    if (result == STATUS_OK)
        store_gradients(&tape);
    for (size_t i = 0; i < tape.count; i++) {
        datum_release(tape.values[i].datum);
        free(tape.values[i].numbers);
        free(tape.values[i].gradient);
    }
    free(tape.values);
    free(on_the_way);
    return result;
}
