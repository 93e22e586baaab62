#include "patterns.h"

struct matcher {
    const struct network *network;
    const uint32_t *readers;
    struct pattern *pattern;
};

// The node of the main graph that makes a value, if it computes this; its
// result counts as part of the pattern.
static const struct network_node *made_by(struct matcher *matcher, uint32_t value,
                                          enum operator_function function)
{
    if (value == NETWORK_NONE)
        return NULL;
    const uint32_t id = network_value(matcher->network, value)->producer;
    if (id == NETWORK_NONE || matcher->pattern->count == PATTERN_NODES_MOST)
        return NULL;
    const struct network_node *node = network_node(matcher->network, id);
    if (node->graph != 0 || node->output_count != 1 || node->definition->function != function)
        return NULL;
    for (uint32_t i = 0; i < matcher->pattern->count; i++) {
        if (matcher->pattern->nodes[i] == id)
            return node;
    }
    matcher->pattern->nodes[matcher->pattern->count++] = id;
    return node;
}

// Either input of a node of two, made by a node that computes this; the other one goes
// to `out_other`.
static const struct network_node *patterns_either(struct matcher *matcher,
                                                  const struct network_node *node,
                                                  enum operator_function function,
                                                  uint32_t *out_other)
{
    if (node->input_count != 2)
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const struct network_node *found = made_by(matcher, node->inputs[i], function);
        if (found != NULL) {
            *out_other = node->inputs[1 - i];
            return found;
        }
    }
    return NULL;
}

static bool patterns_is_constant(const struct matcher *matcher, uint32_t value)
{
    return value != NETWORK_NONE && network_value(matcher->network, value)->constant != NULL;
}

// x - mean(x)
static const struct network_node *match_centred(struct matcher *matcher, uint32_t value)
{
    const struct network_node *sub = made_by(matcher, value, COMPUTES_SUBTRACT);
    if (sub == NULL)
        return NULL;
    const struct network_node *mean = made_by(matcher, sub->inputs[1], COMPUTES_REDUCE_MEAN);
    return mean != NULL && mean->inputs[0] == sub->inputs[0] ? sub : NULL;
}

// d / sqrt(mean(d^2) + e)
static bool match_normalized(struct matcher *matcher, const struct network_node *div)
{
    const struct network_node *root = made_by(matcher, div->inputs[1], COMPUTES_SQUARE_ROOT);
    uint32_t epsilon;
    const struct network_node *sum =
        root != NULL ? made_by(matcher, root->inputs[0], COMPUTES_ADD) : NULL;
    const struct network_node *mean =
        sum != NULL ? patterns_either(matcher, sum, COMPUTES_REDUCE_MEAN, &epsilon) : NULL;
    if (mean == NULL || !patterns_is_constant(matcher, epsilon))
        return false;
    const struct network_node *square = made_by(matcher, mean->inputs[0], COMPUTES_POWER);
    if (square == NULL)
        square = made_by(matcher, mean->inputs[0], COMPUTES_MULTIPLY);
    return square != NULL && square->inputs[0] == div->inputs[0] &&
           match_centred(matcher, div->inputs[0]) != NULL;
}

// (d / sqrt(mean(d^2) + e)) * scale + bias
static bool match_layernorm(struct matcher *matcher, const struct network_node *add)
{
    uint32_t bias;
    uint32_t scale;
    if (add->definition->function != COMPUTES_ADD)
        return false;
    const struct network_node *mul = patterns_either(matcher, add, COMPUTES_MULTIPLY, &bias);
    const struct network_node *div =
        mul != NULL ? patterns_either(matcher, mul, COMPUTES_DIVIDE, &scale) : NULL;
    return div != NULL && patterns_is_constant(matcher, bias) &&
           patterns_is_constant(matcher, scale) && match_normalized(matcher, div);
}

// 1 + erf(x / sqrt(2)); gives x.
static uint32_t match_erf(struct matcher *matcher, const struct network_node *add)
{
    uint32_t one;
    const struct network_node *erf = patterns_either(matcher, add, COMPUTES_ERF, &one);
    if (erf == NULL || !patterns_is_constant(matcher, one))
        return NETWORK_NONE;
    const struct network_node *scaled = made_by(matcher, erf->inputs[0], COMPUTES_DIVIDE);
    if (scaled == NULL)
        scaled = made_by(matcher, erf->inputs[0], COMPUTES_MULTIPLY);
    return scaled != NULL && patterns_is_constant(matcher, scaled->inputs[1]) ? scaled->inputs[0]
                                                                              : NETWORK_NONE;
}

// (x * (1 + erf(x / sqrt(2)))) * 0.5
static bool match_gelu(struct matcher *matcher, const struct network_node *mul)
{
    uint32_t half;
    uint32_t x;
    if (mul->definition->function != COMPUTES_MULTIPLY)
        return false;
    const struct network_node *product = patterns_either(matcher, mul, COMPUTES_MULTIPLY, &half);
    if (product == NULL || !patterns_is_constant(matcher, half))
        return false;
    const struct network_node *add = patterns_either(matcher, product, COMPUTES_ADD, &x);
    return add != NULL && match_erf(matcher, add) == x;
}

// softmax(q k * s + m) v
static bool match_attention(struct matcher *matcher, const struct network_node *product)
{
    if (product->definition->function != COMPUTES_MATMUL)
        return false;
    const struct network_node *softmax = made_by(matcher, product->inputs[0], COMPUTES_SOFTMAX);
    if (softmax == NULL)
        return false;
    uint32_t value = softmax->inputs[0];
    const struct network_node *mask = made_by(matcher, value, COMPUTES_ADD);
    if (mask != NULL)
        value = mask->inputs[0];
    const struct network_node *scaled = made_by(matcher, value, COMPUTES_DIVIDE);
    if (scaled == NULL)
        scaled = made_by(matcher, value, COMPUTES_MULTIPLY);
    if (scaled != NULL)
        value = scaled->inputs[0];
    return made_by(matcher, value, COMPUTES_MATMUL) != NULL;
}

static const struct {
    const char *name;
    bool (*match)(struct matcher *matcher, const struct network_node *end);
} PATTERNS[] = {
    {"layernorm", match_layernorm},
    {"gelu", match_gelu},
    {"attention", match_attention},
};

static uint32_t patterns_readers_inside(const struct matcher *matcher, uint32_t value)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < matcher->pattern->count; i++) {
        const struct network_node *node =
            network_node(matcher->network, matcher->pattern->nodes[i]);
        for (uint32_t j = 0; j < node->input_count; j++)
            count += node->inputs[j] == value;
    }
    return count;
}

// All but the end (node 0) are read by the pattern alone, and all shapes are known.
static bool patterns_is_closed(const struct matcher *matcher)
{
    for (uint32_t i = 0; i < matcher->pattern->count; i++) {
        const uint32_t value =
            network_node(matcher->network, matcher->pattern->nodes[i])->outputs[0];
        if (!value_type_static(&network_value(matcher->network, value)->type))
            return false;
        if (i > 0 && matcher->readers[value] != patterns_readers_inside(matcher, value))
            return false;
    }
    return true;
}

bool pattern_find(const struct network *network, const uint32_t *readers, uint32_t node,
                  struct pattern *out_pattern)
{
    struct matcher matcher = {network, readers, out_pattern};
    for (size_t i = 0; i < sizeof PATTERNS / sizeof *PATTERNS; i++) {
        *out_pattern = (struct pattern){.name = PATTERNS[i].name, .nodes = {node}, .count = 1};
        if (PATTERNS[i].match(&matcher, network_node(network, node)) &&
            patterns_is_closed(&matcher))
            return true;
    }
    return false;
}
