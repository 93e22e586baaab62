// The order in which the nodes of a graph can run.

#include <stdlib.h>

#include "base/memory.h"
#include "network.h"

enum node_state {
    NODE_UNKNOWN, // not of this graph
    NODE_WAITING,
    NODE_OPEN, // what it needs is being placed
    NODE_PLACED,
};

struct sorting {
    const struct network *network;
    uint32_t lowest;       // id of a node of the graph
    unsigned char *states; // of nodes from `lowest` on
    uint32_t span;
    // What nodes need, one node's needs after the other's; NULL while the order
    // of the file is only checked.
    uint32_t *needs;
    size_t need_count;
    size_t need_capacity;
    bool ordered; // every need was placed before the node
};

static unsigned char *state_of(struct sorting *sorting, uint32_t node)
{
    return &sorting->states[node - sorting->lowest];
}

// A value that a node of the graph, or a node inside of one, takes.
static void network_sort_require(struct sorting *sorting, uint32_t value, bool collect)
{
    if (value == NETWORK_NONE)
        return;
    const uint32_t producer = network_value(sorting->network, value)->producer;
    if (producer == NETWORK_NONE || producer < sorting->lowest ||
        producer - sorting->lowest >= sorting->span)
        return;
    const unsigned char state = *state_of(sorting, producer);
    if (state == NODE_UNKNOWN)
        return;
    if (state != NODE_PLACED)
        sorting->ordered = false;
    if (!collect)
        return;
    sorting->needs = memory_grow(sorting->needs, sorting->need_count, &sorting->need_capacity,
                                 sizeof *sorting->needs);
    sorting->needs[sorting->need_count++] = producer;
}

static void visit_node(struct sorting *sorting, const struct network_node *node, bool collect);

static void visit_graph(struct sorting *sorting, uint32_t id, bool collect)
{
    const struct network_graph *graph = network_graph(sorting->network, id);
    for (uint32_t i = 0; i < graph->node_count; i++)
        visit_node(sorting, network_node(sorting->network, graph->nodes[i]), collect);
    for (uint32_t i = 0; i < graph->output_count; i++)
        network_sort_require(sorting, graph->outputs[i], collect);
}

// Importers bound how deep graphs lie inside one another.
static void visit_node(struct sorting *sorting, const struct network_node *node, bool collect)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        network_sort_require(sorting, node->inputs[i], collect);
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const struct attribute *attribute = &node->attributes.items[i];
        if (attribute->kind == ATTRIBUTE_GRAPH)
            visit_graph(sorting, attribute->graph, collect);
        for (uint32_t k = 0; attribute->kind == ATTRIBUTE_GRAPHS && k < attribute->count; k++)
            visit_graph(sorting, attribute->graphs[k], collect);
    }
}

// Whether the nodes can run in the order they are in.
static bool in_order(struct sorting *sorting, const struct network_graph *graph)
{
    sorting->ordered = true;
    for (uint32_t i = 0; i < graph->node_count && sorting->ordered; i++) {
        visit_node(sorting, network_node(sorting->network, graph->nodes[i]), false);
        *state_of(sorting, graph->nodes[i]) = NODE_PLACED;
    }
    return sorting->ordered;
}

static status cycle(const struct sorting *sorting, uint32_t node)
{
    char text[300];
    return status_make(STATUS_DATA, "%s: the node needs its own result",
                       network_node_text(network_node(sorting->network, node), text, sizeof text));
}

// A node whose needs are being placed: sorting->needs[at, end).
struct open_node {
    uint32_t node;
    size_t start;
    size_t at;
};

static struct open_node open_node(struct sorting *sorting, uint32_t node)
{
    const struct open_node opened = {node, sorting->need_count, sorting->need_count};
    visit_node(sorting, network_node(sorting->network, node), true);
    *state_of(sorting, node) = NODE_OPEN;
    return opened;
}

// Places a node after all that it needs. Needs of the innermost open node are at
// the end of `needs`; `stack` has room for all nodes of the graph.
static status network_sort_visit(struct sorting *sorting, uint32_t node, struct open_node *stack,
                                 uint32_t *order, uint32_t *placed)
{
    size_t depth = 1;
    stack[0] = open_node(sorting, node);
    while (depth > 0) {
        struct open_node *top = &stack[depth - 1];
        if (top->at == sorting->need_count) {
            sorting->need_count = top->start;
            *state_of(sorting, top->node) = NODE_PLACED;
            order[(*placed)++] = top->node;
            depth--;
            continue;
        }
        const uint32_t wanted = sorting->needs[top->at++];
        const unsigned char state = *state_of(sorting, wanted);
        if (state == NODE_OPEN)
            return cycle(sorting, wanted);
        if (state == NODE_WAITING)
            stack[depth++] = open_node(sorting, wanted);
    }
    return STATUS_OK;
}

static void all_waiting(struct sorting *sorting, const struct network_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        *state_of(sorting, graph->nodes[i]) = NODE_WAITING;
}

static status network_sort_reorder(struct sorting *sorting, struct network_graph *graph)
{
    struct open_node *stack = memory_allocate(graph->node_count * sizeof *stack);
    uint32_t *order = memory_allocate(graph->node_count * sizeof *order);
    uint32_t placed = 0;
    status failure = STATUS_OK;
    all_waiting(sorting, graph);
    for (uint32_t i = 0; i < graph->node_count && failure == STATUS_OK; i++) {
        if (*state_of(sorting, graph->nodes[i]) == NODE_WAITING)
            failure = network_sort_visit(sorting, graph->nodes[i], stack, order, &placed);
    }
    if (failure == STATUS_OK)
        memcpy(graph->nodes, order, graph->node_count * sizeof *order);
    free(stack);
    free(order);
    free(sorting->needs);
    return failure;
}

status network_sort(struct network *network, uint32_t graph_id)
{
    struct network_graph *graph = network_graph(network, graph_id);
    if (graph->node_count == 0)
        return STATUS_OK;
    uint32_t lowest = UINT32_MAX;
    uint32_t highest = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        lowest = graph->nodes[i] < lowest ? graph->nodes[i] : lowest;
        highest = graph->nodes[i] > highest ? graph->nodes[i] : highest;
    }
    struct sorting sorting = {.network = network, .lowest = lowest, .span = highest - lowest + 1};
    sorting.states = memory_allocate_zeroed(sorting.span, 1);
    all_waiting(&sorting, graph);
    const status failure =
        in_order(&sorting, graph) ? STATUS_OK : network_sort_reorder(&sorting, graph);
    free(sorting.states);
    return failure;
}
