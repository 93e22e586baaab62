// A group begins with any operator, takes what scales integers back for it, and goes on
// with the elementwise operators that its result runs through (kernels/chain_nodes.h), as
// long as nothing else reads what lies between. A result that is read twice goes on where
// both ways meet again: x sigmoid(x). Integers that were made narrow end a group: they are
// what goes through memory. Channels that are shuffled are a group, also right after they are
// joined.

#include "fuse_processor.h"

#include <stdlib.h>

#include "base/memory.h"
#include "group.h"
#include "kernels/chain_nodes.h"
#include "network/onnx/channels.h"

enum { NODES_MOST = 16, BRANCH_MOST = 6, READERS_MOST = 4, JOINED_MOST = 10 };

struct finder {
    const struct network *network;
    const uint32_t *readers;
    uint32_t *group;                  // by node
    uint32_t (*reader)[READERS_MOST]; // by value: the first nodes of the main graph that read it
    uint32_t first;                   // of the group at hand
    uint32_t count;
};

static bool is_free(const struct finder *finder, uint32_t node)
{
    return node != NETWORK_NONE && network_node(finder->network, node)->graph == 0 &&
           finder->group[node] == NETWORK_NONE;
}

static void fuse_processor_take_node(struct finder *finder, uint32_t node)
{
    finder->group[node] = finder->first;
    finder->count++;
}

static bool fuse_processor_is_scaled_back(const struct network_node *node)
{
    return node->definition->scaling == SCALES_BACK;
}

// What scales integers back for this node alone.
static void take_makers(struct finder *finder, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->input_count && finder->count < NODES_MOST; i++) {
        const uint32_t value = node->inputs[i];
        if (value == NETWORK_NONE || finder->readers[value] != 1)
            continue;
        const uint32_t maker = network_value(finder->network, value)->producer;
        if (is_free(finder, maker) &&
            fuse_processor_is_scaled_back(network_node(finder->network, maker)) &&
            chain_nodes_knows(finder->network, network_node(finder->network, maker)))
            fuse_processor_take_node(finder, maker);
    }
}

static bool fuse_processor_same_shape(const struct finder *finder, uint32_t a, uint32_t b)
{
    const struct value_type *left = &network_value(finder->network, a)->type;
    const struct value_type *right = &network_value(finder->network, b)->type;
    return value_type_static(left) && value_type_static(right) &&
           shape_equal(&left->shape, &right->shape);
}

static bool fuse_processor_follows(const struct finder *finder, uint32_t node, uint32_t value)
{
    return is_free(finder, node) && finder->count < NODES_MOST &&
           chain_nodes_knows(finder->network, network_node(finder->network, node)) &&
           fuse_processor_same_shape(finder, value,
                                     network_node(finder->network, node)->outputs[0]);
}

// From `value`, which `from` and `to` read: `from` and those after it up to `to`, when
// each is all that reads the one before.
static bool find_branch(const struct finder *finder, uint32_t value, uint32_t from, uint32_t to,
                        uint32_t *nodes, uint32_t *out_count)
{
    *out_count = 0;
    for (uint32_t node = from; node != to;) {
        if (*out_count == BRANCH_MOST || !fuse_processor_follows(finder, node, value))
            return false;
        nodes[(*out_count)++] = node;
        const uint32_t result = network_node(finder->network, node)->outputs[0];
        if (finder->readers[result] != 1)
            return false;
        node = finder->reader[result][0];
        if (node == NETWORK_NONE)
            return false;
    }
    return *out_count > 0 && fuse_processor_follows(finder, to, value);
}

static bool is_among(const uint32_t *nodes, uint32_t count, uint32_t node)
{
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i] == node)
            return true;
    }
    return false;
}

// The first node, in their order, that reads a value and is not among some nodes; NETWORK_NONE: all
// that read it are. False when not all readers are known.
static bool find_other_reader(const struct finder *finder, uint32_t value, const uint32_t *nodes,
                              uint32_t count, uint32_t *out_node)
{
    *out_node = NETWORK_NONE;
    for (uint32_t i = 0; i < finder->readers[value]; i++) {
        const uint32_t node = i < READERS_MOST ? finder->reader[value][i] : NETWORK_NONE;
        if (node == NETWORK_NONE)
            return false;
        if (!is_among(nodes, count, node) && node < *out_node)
            *out_node = node;
    }
    return true;
}

// All that reads a value, and what that makes, up to the node where all of it comes together,
// which is the last: x (1 + tanh(x + x^3)).
static bool find_joined(const struct finder *finder, uint32_t value, uint32_t *nodes,
                        uint32_t *out_count)
{
    for (*out_count = 0; *out_count < JOINED_MOST;) {
        uint32_t next;
        if (!find_other_reader(finder, value, nodes, *out_count, &next))
            return false;
        for (uint32_t i = 0; i + 1 < *out_count; i++) {
            uint32_t other;
            if (!find_other_reader(finder, network_node(finder->network, nodes[i])->outputs[0],
                                   nodes, *out_count, &other))
                return false;
            next = other < next ? other : next;
        }
        if (next == NETWORK_NONE && *out_count > 0)
            return true;
        if (next == NETWORK_NONE || !fuse_processor_follows(finder, next, value))
            return false;
        nodes[(*out_count)++] = next;
    }
    return false;
}

static bool joins_channels(const struct network_node *node)
{
    return node->definition->function == COMPUTES_CONCAT &&
           attribute_integer(node->attributes, "axis", 0) == 1;
}

// A normalization by constants right after a convolution, whose weights take it over, or where
// channels are joined, each part of which is normalized on its way.
static uint32_t take_normalization(struct finder *finder, const struct network_node *node)
{
    const struct network *network = finder->network;
    const uint32_t value = node->outputs[0];
    const uint32_t reader = finder->reader[value][0];
    if (finder->readers[value] != 1 || !is_free(finder, reader) ||
        (node->definition->function != COMPUTES_CONVOLUTION && !joins_channels(node)))
        return value;
    const struct network_node *next = network_node(network, reader);
    bool fits = next->definition->function == COMPUTES_BATCH_NORMALIZATION &&
                next->input_count == 5 && next->output_count == 1 && next->inputs[0] == value;
    for (uint32_t i = 1; fits && i < next->input_count; i++)
        fits = next->inputs[i] != NETWORK_NONE &&
               network_value(network, next->inputs[i])->constant != NULL;
    if (!fits || !fuse_processor_same_shape(finder, value, next->outputs[0]))
        return value;
    fuse_processor_take_node(finder, reader);
    return next->outputs[0];
}

// Channels that are shuffled from `first` on, each of its nodes being all that reads the one
// before.
static bool take_shuffle(struct finder *finder, uint32_t first)
{
    uint32_t ids[CHANNELS_SHUFFLE_NODES] = {first};
    const struct network_node *nodes[CHANNELS_SHUFFLE_NODES];
    for (uint32_t i = 0; i < CHANNELS_SHUFFLE_NODES; i++) {
        if (!is_free(finder, ids[i]) && !(i == 0 && finder->first == first))
            return false;
        nodes[i] = network_node(finder->network, ids[i]);
        if (i + 1 == CHANNELS_SHUFFLE_NODES)
            break;
        if (nodes[i]->output_count != 1 || nodes[i]->outputs[0] == NETWORK_NONE ||
            finder->readers[nodes[i]->outputs[0]] != 1)
            return false;
        ids[i + 1] = finder->reader[nodes[i]->outputs[0]][0];
    }
    if (channels_shuffled(finder->network, nodes) == 0)
        return false;
    for (uint32_t i = 0; i < CHANNELS_SHUFFLE_NODES; i++) {
        if (ids[i] != finder->first)
            fuse_processor_take_node(finder, ids[i]);
    }
    return true;
}

// Right after images of as many channels each are joined.
static bool take_joined_shuffle(struct finder *finder, const struct network_node *node)
{
    const uint32_t value = node->outputs[0];
    if (!joins_channels(node) || finder->readers[value] != 1 ||
        finder->reader[value][0] == NETWORK_NONE)
        return false;
    for (uint32_t i = 1; i < node->input_count; i++) {
        if (!fuse_processor_same_shape(finder, node->inputs[0], node->inputs[i]))
            return false;
    }
    return take_shuffle(finder, finder->reader[value][0]);
}

// Goes on from `value`; the value to go on from then, NETWORK_NONE at the end.
static uint32_t extend(struct finder *finder, uint32_t value)
{
    const uint32_t a = finder->reader[value][0];
    const uint32_t b = finder->reader[value][1];
    uint32_t nodes[JOINED_MOST];
    uint32_t count = 0;
    uint32_t end = a;
    if (finder->readers[value] > 2) {
        if (!find_joined(finder, value, nodes, &count))
            return NETWORK_NONE;
        end = nodes[--count];
    } else if (finder->readers[value] == 2 && a != NETWORK_NONE && b != NETWORK_NONE && a != b) {
        if (find_branch(finder, value, a, b, nodes, &count))
            end = b;
        else if (!find_branch(finder, value, b, a, nodes, &count))
            return NETWORK_NONE;
    } else if (finder->readers[value] != 1 || !fuse_processor_follows(finder, a, value)) {
        return NETWORK_NONE;
    }
    if (finder->count + count >= NODES_MOST)
        return NETWORK_NONE;
    for (uint32_t i = 0; i < count; i++)
        fuse_processor_take_node(finder, nodes[i]);
    fuse_processor_take_node(finder, end);
    const struct network_node *node = network_node(finder->network, end);
    take_makers(finder, node);
    return node->definition->scaling == SCALES_TO_INTEGER ? NETWORK_NONE : node->outputs[0];
}

static bool fuse_processor_goes_on(const struct network_node *node)
{
    return node->output_count == 1 && node->outputs[0] != NETWORK_NONE &&
           node->definition->class != OPERATOR_CONTROL &&
           node->definition->scaling != SCALES_TO_INTEGER;
}

static void start_group(struct finder *finder, uint32_t id)
{
    const struct network_node *node = network_node(finder->network, id);
    finder->first = id;
    finder->count = 0;
    fuse_processor_take_node(finder, id);
    if (node->definition->class == OPERATOR_CONTROL || take_shuffle(finder, id) ||
        (fuse_processor_goes_on(node) && take_joined_shuffle(finder, node)))
        return;
    take_makers(finder, node);
    uint32_t value = fuse_processor_goes_on(node) ? take_normalization(finder, node) : NETWORK_NONE;
    while (value != NETWORK_NONE)
        value = extend(finder, value);
}

static void find_readers(struct finder *finder)
{
    const struct network_graph *graph = network_graph(finder->network, 0);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(finder->network, graph->nodes[i]);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] == NETWORK_NONE)
                continue;
            uint32_t *readers = finder->reader[node->inputs[j]];
            uint32_t place = 0;
            while (place < READERS_MOST && readers[place] != NETWORK_NONE)
                place++;
            if (place < READERS_MOST)
                readers[place] = graph->nodes[i];
        }
    }
}

uint32_t *fuse_processor_find(const struct network *network, const uint32_t *readers)
{
    struct finder finder = {.network = network, .readers = readers};
    const size_t nodes = network->nodes.count;
    const size_t values = network->values.count;
    finder.group = memory_allocate((nodes + 1) * sizeof *finder.group);
    finder.reader = memory_allocate((values + 1) * sizeof *finder.reader);
    memset(finder.group, 0xff, (nodes + 1) * sizeof *finder.group);
    memset(finder.reader, 0xff, (values + 1) * sizeof *finder.reader);
    find_readers(&finder);
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (is_free(&finder, graph->nodes[i]) &&
            !fuse_processor_is_scaled_back(network_node(network, graph->nodes[i])))
            start_group(&finder, graph->nodes[i]);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (is_free(&finder, graph->nodes[i]))
            start_group(&finder, graph->nodes[i]);
    }
    free(finder.reader);
    return finder.group;
}
