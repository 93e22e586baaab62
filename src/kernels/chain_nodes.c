#include "chain_nodes.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"

// What can be a step of a chain.
struct known {
    enum chain_operation operation;
    uint32_t operands; // values that are computed with; the others are parameters
};

static const struct known KNOWN[OPERATOR_FUNCTIONS] = {
    [COMPUTES_ADD] = {CHAIN_ADD, 2},
    [COMPUTES_SUBTRACT] = {CHAIN_SUBTRACT, 2},
    [COMPUTES_MULTIPLY] = {CHAIN_MULTIPLY, 2},
    [COMPUTES_DIVIDE] = {CHAIN_DIVIDE, 2},
    [COMPUTES_RELU] = {CHAIN_CLIP, 1},
    [COMPUTES_CLIP] = {CHAIN_CLIP, 1},
    [COMPUTES_LEAKY_RELU] = {CHAIN_LEAKY, 1},
    [COMPUTES_HARD_SIGMOID] = {CHAIN_HARD, 1},
    [COMPUTES_HARD_SWISH] = {CHAIN_HARD_SWISH, 1},
    [COMPUTES_QUANTIZE] = {CHAIN_QUANTIZE, 1},
    [COMPUTES_DEQUANTIZE] = {CHAIN_LINEAR, 1},
    [COMPUTES_SIGMOID] = {CHAIN_SIGMOID, 1},
    [COMPUTES_TANH] = {CHAIN_TANH, 1},
    [COMPUTES_ERF] = {CHAIN_ERF, 1},
    [COMPUTES_EXP] = {CHAIN_EXP, 1},
    [COMPUTES_SQUARE_ROOT] = {CHAIN_SQRT, 1},
    [COMPUTES_ABSOLUTE] = {CHAIN_ABSOLUTE, 1},
    [COMPUTES_NEGATE] = {CHAIN_NEGATE, 1},
    [COMPUTES_RECIPROCAL] = {CHAIN_RECIPROCAL, 1},
    [COMPUTES_POWER] = {CHAIN_SQUARE, 1},
};

bool chain_nodes_has_step(enum operator_function function)
{
    return KNOWN[function].operands > 0;
}

static const struct known *chain_nodes_find_known(const struct network_node *node)
{
    const enum operator_function function = node->definition->function;
    return chain_nodes_has_step(function) ? &KNOWN[function] : NULL;
}

static const struct constant *constant_of(const struct network *network,
                                          const struct network_node *node, uint32_t input)
{
    if (input >= node->input_count || node->inputs[input] == NETWORK_NONE)
        return NULL;
    return network_value(network, node->inputs[input])->constant;
}

static bool is_absent(const struct network_node *node, uint32_t input)
{
    return input >= node->input_count || node->inputs[input] == NETWORK_NONE;
}

// A parameter that is one number; `fallback` when it is left out.
static bool chain_nodes_read_number(const struct network *network, const struct network_node *node,
                                    uint32_t input, float fallback, float *out_number)
{
    *out_number = fallback;
    if (is_absent(node, input))
        return true;
    const struct constant *constant = constant_of(network, node, input);
    if (constant == NULL || constant->tensor.element == ELEMENT_TEXT ||
        tensor_count(&constant->tensor) != 1)
        return false;
    *out_number = (float)constant_real(constant, 0);
    return true;
}

static enum element chain_nodes_element_of(const struct network *network, uint32_t value)
{
    const struct network_value *item = network_value(network, value);
    return item->constant != NULL ? item->constant->tensor.element : item->type.element;
}

static bool is_byte(enum element element)
{
    return element == ELEMENT_U8 || element == ELEMENT_I8;
}

static bool is_quantized(const struct network *network, const struct network_node *node,
                         bool quantizes)
{
    float scale, zero;
    const uint32_t whole = quantizes ? node->outputs[0] : node->inputs[0];
    const uint32_t real = quantizes ? node->inputs[0] : node->outputs[0];
    return is_byte(chain_nodes_element_of(network, whole)) &&
           chain_nodes_element_of(network, real) == ELEMENT_F32 && !is_absent(node, 1) &&
           chain_nodes_read_number(network, node, 1, 1, &scale) && scale > 0 &&
           isfinite(1 / scale) && chain_nodes_element_of(network, node->inputs[1]) == ELEMENT_F32 &&
           chain_nodes_read_number(network, node, 2, 0, &zero) &&
           attribute_integer(node->attributes, "block_size", 0) == 0;
}

// Which of the powers it is that are steps, if it is one.
static bool read_power(const struct network *network, const struct network_node *node,
                       struct chain_step *step)
{
    float exponent;
    if (is_absent(node, 1) || chain_nodes_element_of(network, node->inputs[1]) != ELEMENT_F32 ||
        !chain_nodes_read_number(network, node, 1, 1, &exponent))
        return false;
    step->operation = exponent == 3 ? CHAIN_CUBE : CHAIN_SQUARE;
    return exponent == 2 || exponent == 3;
}

// Fills in the numbers of a step.
static bool read_step(const struct network *network, const struct network_node *node,
                      struct chain_step *step)
{
    const struct attributes attributes = node->attributes;
    switch (step->operation) {
    case CHAIN_CLIP:
        step->a = 0;
        step->b = INFINITY;
        if (node->definition->function == COMPUTES_RELU)
            return true;
        if (node->version < 11) {
            step->a = (float)attribute_real(attributes, "min", -FLT_MAX);
            step->b = (float)attribute_real(attributes, "max", FLT_MAX);
            return step->a <= step->b;
        }
        return chain_nodes_read_number(network, node, 1, -FLT_MAX, &step->a) &&
               chain_nodes_read_number(network, node, 2, FLT_MAX, &step->b) && step->a <= step->b;
    case CHAIN_SQUARE:
        return read_power(network, node, step);
    case CHAIN_LEAKY:
        step->a = (float)attribute_real(attributes, "alpha", 0.01);
        return true;
    case CHAIN_HARD:
        step->a = (float)attribute_real(attributes, "alpha", 0.2);
        step->b = (float)attribute_real(attributes, "beta", 0.5);
        return true;
    case CHAIN_LINEAR:
        return chain_nodes_read_number(network, node, 1, 1, &step->a) &&
               chain_nodes_read_number(network, node, 2, 0, &step->b);
    case CHAIN_QUANTIZE: {
        const enum element element = chain_nodes_element_of(network, node->outputs[0]);
        if (!chain_nodes_read_number(network, node, 1, 1, &step->a) ||
            !chain_nodes_read_number(network, node, 2, 0, &step->b))
            return false;
        step->low = (float)element_lowest(element) - step->b;
        step->high = (float)element_highest(element) - step->b;
        return true;
    }
    default:
        return true;
    }
}

// Operators of the first sets said otherwise how they broadcast.
static bool chain_nodes_is_old(const struct network_node *node, const struct known *known)
{
    return known->operands == 2 && (attribute_given(node->attributes, "axis") ||
                                    attribute_given(node->attributes, "broadcast"));
}

static bool has_operands(const struct network *network, const struct network_node *node,
                         const struct known *known)
{
    if (node->output_count != 1 || node->outputs[0] == NETWORK_NONE ||
        !value_type_static(&network_value(network, node->outputs[0])->type))
        return false;
    for (uint32_t i = 0; i < known->operands; i++) {
        if (is_absent(node, i))
            return false;
    }
    return true;
}

bool chain_nodes_knows(const struct network *network, const struct network_node *node)
{
    const struct known *known = chain_nodes_find_known(node);
    if (known == NULL || chain_nodes_is_old(node, known) || !has_operands(network, node, known))
        return false;
    if (known->operation == CHAIN_QUANTIZE || known->operation == CHAIN_LINEAR)
        return is_quantized(network, node, known->operation == CHAIN_QUANTIZE);
    for (uint32_t i = 0; i < known->operands; i++) {
        if (chain_nodes_element_of(network, node->inputs[i]) != ELEMENT_F32)
            return false;
    }
    struct chain_step step = {.operation = known->operation};
    return chain_nodes_element_of(network, node->outputs[0]) == ELEMENT_F32 &&
           read_step(network, node, &step);
}

void chain_nodes_start(struct chain_nodes *nodes, const struct network *network,
                       const struct shape *places, enum chain_layout layout)
{
    *nodes = (struct chain_nodes){.network = network, .places = *places, .layout = layout};
}

static uint32_t find_step(const struct chain_nodes *nodes, uint32_t value)
{
    for (uint32_t i = 0; i < nodes->chain.step_count; i++) {
        if (nodes->values[i] == value)
            return i;
    }
    return UINT32_MAX;
}

static uint32_t chain_nodes_read_value(struct chain_nodes *nodes, uint32_t value,
                                       enum element element, uint64_t period)
{
    const uint32_t input = chain_add_input(&nodes->chain, element, period);
    if (input == UINT32_MAX)
        return UINT32_MAX;
    nodes->inputs[input] = value;
    const uint32_t step = chain_add_step(
        &nodes->chain, (struct chain_step){.operation = CHAIN_READ, .left = (uint8_t)input});
    if (step != UINT32_MAX)
        nodes->values[step] = value;
    return step;
}

bool chain_nodes_input(struct chain_nodes *nodes, uint32_t value, enum element element)
{
    return chain_nodes_read_value(nodes, value, element, 0) != UINT32_MAX;
}

// After how many places the elements of a tensor of this shape repeat themselves; 0: they
// do not; UINT64_MAX: not in this way.
static uint64_t period_of(const struct chain_nodes *nodes, const struct shape *shape)
{
    const struct shape *places = &nodes->places;
    const uint64_t count = shape_count(shape);
    if (count == 1)
        return 1;
    if (shape_equal(shape, places))
        return 0;
    if (shape->rank > places->rank)
        return UINT64_MAX;
    const uint32_t missing = places->rank - shape->rank;
    if (nodes->layout == CHAIN_CHANNELS_LAST) {
        const bool channels = missing <= 1 && (uint64_t)places->dims[1] == count &&
                              shape->dims[1 - missing] == places->dims[1];
        return channels ? count : UINT64_MAX;
    }
    bool open = true; // no dimension of length 1 has been met from the end
    for (uint32_t i = shape->rank; i-- > 0;) {
        const int64_t length = places->dims[i + missing];
        if (shape->dims[i] != 1 && (shape->dims[i] != length || !open))
            return UINT64_MAX;
        open = open && shape->dims[i] == length;
    }
    return count;
}

static uint32_t chain_nodes_operand(struct chain_nodes *nodes, uint32_t value)
{
    const uint32_t found = find_step(nodes, value);
    if (found != UINT32_MAX)
        return found;
    const struct network_value *item = network_value(nodes->network, value);
    const struct shape *shape =
        item->constant != NULL ? &item->constant->tensor.shape : &item->type.shape;
    if (item->constant == NULL && !value_type_static(&item->type))
        return UINT32_MAX;
    const uint64_t period = period_of(nodes, shape);
    if (period == UINT64_MAX ||
        (item->constant != NULL && period == 0 && nodes->layout == CHAIN_CHANNELS_LAST))
        return UINT32_MAX;
    return chain_nodes_read_value(nodes, value, chain_nodes_element_of(nodes->network, value),
                                  period);
}

bool chain_nodes_add(struct chain_nodes *nodes, const struct network_node *node)
{
    const struct known *known = chain_nodes_find_known(node);
    if (!chain_nodes_knows(nodes->network, node) ||
        !shape_equal(&network_value(nodes->network, node->outputs[0])->type.shape, &nodes->places))
        return false;
    struct chain_step step = {.operation = known->operation};
    uint32_t operands[2] = {0};
    for (uint32_t i = 0; i < known->operands; i++) {
        operands[i] = chain_nodes_operand(nodes, node->inputs[i]);
        if (operands[i] == UINT32_MAX)
            return false;
    }
    step.left = (uint8_t)operands[0];
    step.right = (uint8_t)operands[1];
    if (!read_step(nodes->network, node, &step))
        return false;
    const uint32_t index = chain_add_step(&nodes->chain, step);
    if (index == UINT32_MAX)
        return false;
    nodes->values[index] = node->outputs[0];
    nodes->chain.result = chain_nodes_element_of(nodes->network, node->outputs[0]);
    return true;
}

// A step with the one `made` and what is read; UINT32_MAX: there is no room for it, or for that.
static uint32_t add_step_of(struct chain_nodes *nodes, enum chain_operation operation,
                            uint32_t made, uint32_t read)
{
    if (read == UINT32_MAX)
        return UINT32_MAX;
    const uint32_t step = chain_add_step(
        &nodes->chain,
        (struct chain_step){.operation = operation, .left = (uint8_t)made, .right = (uint8_t)read});
    if (step != UINT32_MAX)
        nodes->chain.result = ELEMENT_F32;
    return step;
}

bool chain_nodes_add_value(struct chain_nodes *nodes, uint32_t value)
{
    const uint32_t made = nodes->chain.step_count - 1;
    const uint32_t sum = nodes->values[made];
    const uint32_t step = add_step_of(nodes, CHAIN_ADD, made, chain_nodes_operand(nodes, value));
    if (step == UINT32_MAX)
        return false;
    nodes->values[made] = NETWORK_NONE;
    nodes->values[step] = sum;
    return true;
}

void chain_nodes_rename(struct chain_nodes *nodes, uint32_t value, const struct shape *places)
{
    nodes->values[nodes->chain.step_count - 1] = value;
    nodes->places = *places;
}

// A step with the value made last and a new input that is no value.
static bool add_step_with_input(struct chain_nodes *nodes, enum chain_operation operation,
                                uint64_t period)
{
    const uint32_t made = nodes->chain.step_count - 1;
    const uint32_t read = chain_nodes_read_value(nodes, NETWORK_NONE, ELEMENT_F32, period);
    const uint32_t step = add_step_of(nodes, operation, made, read);
    if (step == UINT32_MAX)
        return false;
    nodes->values[step] = NETWORK_NONE;
    return true;
}

bool chain_nodes_scale(struct chain_nodes *nodes, uint64_t period)
{
    return add_step_with_input(nodes, CHAIN_MULTIPLY, period) &&
           add_step_with_input(nodes, CHAIN_ADD, period);
}

bool chain_nodes_finish(struct chain_nodes *nodes)
{
    return chain_finish(&nodes->chain);
}
