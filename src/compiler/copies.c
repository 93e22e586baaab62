// Copies of nodes that undo a narrowing: an integer that several nodes read as a
// real is scaled back by each of them, so that integers are what goes through
// memory. Nodes that only hand on a value leave the graph first: they would stand
// between the two.

#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"

static bool is_copied(const struct network_node *node)
{
    return node->definition->scaling == SCALES_BACK && node->graph == 0;
}

static uint32_t copy_node(struct plan *plan, uint32_t original)
{
    struct network *network = plan->network;
    const uint32_t id = network_node_add(network, 0);
    const uint32_t output = network_value_add(
        network, network_value(network, network_node(network, original)->outputs[0])->name);
    struct network_value *value = network_value(network, output);
    value->type = network_value(network, network_node(network, original)->outputs[0])->type;
    value->producer = id;
    uint32_t *outputs = arena_allocate(&network->arena, sizeof *outputs);
    *outputs = output;
    struct network_node *node = network_node(network, id);
    *node = *network_node(network, original);
    node->outputs = outputs;
    plan_stands_for(plan, original);
    return id;
}

// Makes an input of a node the result of a copy of its own.
static void use_copy(struct plan *plan, uint32_t reader, uint32_t input, uint32_t copy)
{
    struct network_node *node = network_node(plan->network, reader);
    uint32_t *inputs = arena_allocate(&plan->network->arena, node->input_count * sizeof *inputs);
    memcpy(inputs, node->inputs, node->input_count * sizeof *inputs);
    inputs[input] = network_node(plan->network, copy)->outputs[0];
    node->inputs = inputs;
}

struct order {
    uint32_t *nodes;
    size_t count;
    size_t capacity;
};

static void order_add(struct order *order, uint32_t node)
{
    order->nodes = memory_grow(order->nodes, order->count, &order->capacity, sizeof *order->nodes);
    order->nodes[order->count++] = node;
}

// A copy stands right before its reader; the first reader keeps the original.
static void copy_inputs(struct plan *plan, uint32_t reader, bool *taken, struct order *order)
{
    const uint32_t count = network_node(plan->network, reader)->input_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = network_node(plan->network, reader)->inputs[i];
        if (value == NETWORK_NONE)
            continue;
        const uint32_t maker = network_value(plan->network, value)->producer;
        if (maker == NETWORK_NONE || maker >= plan->first_copy ||
            !is_copied(network_node(plan->network, maker)))
            continue;
        if (taken[value]) {
            const uint32_t copy = copy_node(plan, maker);
            use_copy(plan, reader, i, copy);
            order_add(order, copy);
        }
        taken[value] = true;
    }
}

static bool is_handed_on(const struct network *network, const struct network_node *node)
{
    if (node->definition->function != COMPUTES_IDENTITY || node->graph != 0 ||
        node->input_count != 1 || node->output_count != 1 || node->inputs[0] == NETWORK_NONE ||
        node->outputs[0] == NETWORK_NONE)
        return false;
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i] == node->outputs[0])
            return false;
    }
    return true;
}

// `same` has for each value the one that it is the same as, or itself. Returns
// whether some value of the list is another one's.
static bool replace(struct arena *arena, const uint32_t *same, const uint32_t **values,
                    uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++)
        found |= (*values)[i] != NETWORK_NONE && same[(*values)[i]] != (*values)[i];
    if (!found)
        return false;
    uint32_t *replaced = arena_allocate(arena, count * sizeof *replaced);
    for (uint32_t i = 0; i < count; i++)
        replaced[i] = (*values)[i] != NETWORK_NONE ? same[(*values)[i]] : NETWORK_NONE;
    *values = replaced;
    return true;
}

static void leave_out_identities(struct plan *plan)
{
    struct network *network = plan->network;
    struct network_graph *graph = network_graph(network, 0);
    uint32_t *same = memory_allocate(((size_t)network->values.count + 1) * sizeof *same);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < network->values.count; i++)
        same[i] = i;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        if (is_handed_on(network, node))
            same[node->outputs[0]] = same[node->inputs[0]];
        else
            graph->nodes[kept++] = graph->nodes[i];
    }
    graph->node_count = kept;
    for (uint32_t i = 0; i < network->nodes.count; i++) {
        struct network_node *node = network_node(network, i);
        replace(&network->arena, same, &node->inputs, node->input_count);
    }
    for (uint32_t i = 1; i < network->graphs.count; i++) {
        struct network_graph *inner = network_graph(network, i);
        const uint32_t *outputs = inner->outputs;
        if (replace(&network->arena, same, &outputs, inner->output_count))
            memcpy(inner->outputs, outputs, inner->output_count * sizeof *outputs);
    }
    free(same);
}

void pass_copy(struct plan *plan)
{
    leave_out_identities(plan);
    struct network_graph *graph = network_graph(plan->network, 0);
    bool *taken = memory_allocate_zeroed((size_t)plan->network->values.count + 1, sizeof *taken);
    struct order order = {0};
    for (uint32_t i = 0; i < graph->node_count; i++) {
        copy_inputs(plan, graph->nodes[i], taken, &order);
        order_add(&order, graph->nodes[i]);
    }
    if (plan->copy_count > 0) {
        graph->nodes = arena_allocate(&plan->network->arena, order.count * sizeof *graph->nodes);
        memcpy(graph->nodes, order.nodes, order.count * sizeof *graph->nodes);
        graph->node_count = (uint32_t)order.count;
    }
    free(order.nodes);
    free(taken);
}
