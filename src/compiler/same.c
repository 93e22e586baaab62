#include "same.h"

#include <stdlib.h>

#include "base/memory.h"
#include "network/operators.h"

enum { LOOKS_MOST = 64 }; // nodes with one input in common that are looked at

struct joiner {
    struct network *network;
    uint32_t *first; // by value: the last node found that reads it before all else, NETWORK_NONE
    uint32_t *next;  // by node: the one found before it
    uint32_t *stand; // by value: what is read instead
    bool *result;    // by value: of the network
};

static bool same_constant(const struct constant *a, const struct constant *b)
{
    if (a == b)
        return true;
    return a->tensor.element == b->tensor.element && a->tensor.element != ELEMENT_TEXT &&
           a->packed == b->packed && a->bytes == b->bytes &&
           shape_equal(&a->tensor.shape, &b->tensor.shape) &&
           (a->tensor.data == b->tensor.data || a->bytes == 0 ||
            memcmp(a->tensor.data, b->tensor.data, a->bytes) == 0);
}

static bool same_list(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_attribute(const struct attribute *a, const struct attribute *b)
{
    if (!view_equal(a->name, b->name) || a->kind != b->kind || a->count != b->count)
        return false;
    switch (a->kind) {
    case ATTRIBUTE_INTEGER:
        return a->integer == b->integer;
    case ATTRIBUTE_REAL:
        return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    case ATTRIBUTE_TEXT:
        return view_equal(a->text, b->text);
    case ATTRIBUTE_TENSOR:
        return same_constant(a->tensor, b->tensor);
    case ATTRIBUTE_INTEGERS:
        return same_list(a->integers, b->integers, a->count * sizeof *a->integers);
    case ATTRIBUTE_REALS:
        return same_list(a->reals, b->reals, a->count * sizeof *a->reals);
    default: // rare
        return false;
    }
}

static bool same_value(const struct joiner *joiner, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    if (a == NETWORK_NONE || b == NETWORK_NONE)
        return false;
    const struct constant *left = network_value(joiner->network, a)->constant;
    const struct constant *right = network_value(joiner->network, b)->constant;
    return left != NULL && right != NULL && same_constant(left, right);
}

static bool same_node(const struct joiner *joiner, const struct network_node *a,
                      const struct network_node *b)
{
    if (a->definition != b->definition || a->version != b->version ||
        a->input_count != b->input_count || a->output_count != b->output_count ||
        a->attributes.count != b->attributes.count)
        return false;
    for (uint32_t i = 0; i < a->attributes.count; i++) {
        if (!same_attribute(&a->attributes.items[i], &b->attributes.items[i]))
            return false;
    }
    for (uint32_t i = 0; i < a->input_count; i++) {
        if (!same_value(joiner, a->inputs[i], b->inputs[i]))
            return false;
    }
    for (uint32_t i = 0; i < a->output_count; i++) {
        if ((a->outputs[i] == NETWORK_NONE) != (b->outputs[i] == NETWORK_NONE))
            return false;
    }
    return true;
}

// The first input that is no constant; NETWORK_NONE: all are.
static uint32_t leading_input(const struct network *network, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] != NETWORK_NONE &&
            network_value(network, node->inputs[i])->constant == NULL)
            return node->inputs[i];
    }
    return NETWORK_NONE;
}

static void read_instead(struct joiner *joiner, struct network_node *node)
{
    bool other = false;
    for (uint32_t i = 0; i < node->input_count; i++)
        other = other ||
                (node->inputs[i] != NETWORK_NONE && joiner->stand[node->inputs[i]] != NETWORK_NONE);
    if (!other)
        return;
    uint32_t *inputs = arena_allocate(&joiner->network->arena, node->input_count * sizeof *inputs);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const uint32_t value = node->inputs[i];
        inputs[i] = value != NETWORK_NONE && joiner->stand[value] != NETWORK_NONE
                        ? joiner->stand[value]
                        : value;
    }
    node->inputs = inputs;
}

static bool may_be_joined(const struct joiner *joiner, const struct network_node *node)
{
    if (node->definition->random || node->definition->reads_graph ||
        node->definition->class == OPERATOR_CONTROL)
        return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE && joiner->result[node->outputs[i]])
            return false;
    }
    return true;
}

static void join_node(struct joiner *joiner, uint32_t id)
{
    struct network_node *node = network_node(joiner->network, id);
    read_instead(joiner, node);
    const uint32_t leading = leading_input(joiner->network, node);
    if (leading == NETWORK_NONE || !may_be_joined(joiner, node))
        return;
    uint32_t other = joiner->first[leading];
    for (uint32_t i = 0; other != NETWORK_NONE && i < LOOKS_MOST; i++) {
        const struct network_node *earlier = network_node(joiner->network, other);
        if (same_node(joiner, earlier, node)) {
            for (uint32_t j = 0; j < node->output_count; j++) {
                if (node->outputs[j] != NETWORK_NONE)
                    joiner->stand[node->outputs[j]] = earlier->outputs[j];
            }
            return;
        }
        other = joiner->next[other];
    }
    joiner->next[id] = joiner->first[leading];
    joiner->first[leading] = id;
}

static uint32_t *list_of_none(size_t count)
{
    uint32_t *list = memory_allocate((count + 1) * sizeof *list);
    memset(list, 0xff, (count + 1) * sizeof *list);
    return list;
}

void same_join(struct network *network)
{
    const size_t values = network->values.count;
    struct joiner joiner = {network, list_of_none(values), list_of_none(network->nodes.count),
                            list_of_none(values), memory_allocate_zeroed(values + 1, sizeof(bool))};
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i] != NETWORK_NONE)
            joiner.result[graph->outputs[i]] = true;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        join_node(&joiner, graph->nodes[i]);
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        if (network_node(network, i)->graph != 0)
            read_instead(&joiner, network_node(network, i));
    }
    free(joiner.first);
    free(joiner.next);
    free(joiner.stand);
    free(joiner.result);
}
