#include "lifetimes.h"

#include <stdlib.h>

#include "base/memory.h"

static void set_home(const struct network *network, struct lifetimes *lifetimes, uint32_t id)
{
    const struct network_graph *graph = network_graph(network, id);
    for (uint32_t i = 0; i < graph->input_count; i++)
        lifetimes->home[graph->inputs[i]] = id;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        for (uint32_t j = 0; j < node->output_count; j++) {
            if (node->outputs[j] != NETWORK_NONE)
                lifetimes->home[node->outputs[j]] = id;
        }
    }
}

static void mark_read(struct lifetimes *lifetimes, uint32_t value, uint32_t graph, uint32_t place)
{
    if (value == NETWORK_NONE)
        return;
    lifetimes->read[value] = true;
    if (lifetimes->home[value] == graph)
        lifetimes->last[value] = place;
}

static void mark_node(const struct network *network, struct lifetimes *lifetimes,
                      const struct network_node *node, uint32_t graph, uint32_t place);

// Whatever a graph inside node `place` of `graph` reads counts as read by it.
static void mark_inside(const struct network *network, struct lifetimes *lifetimes, uint32_t inner,
                        uint32_t graph, uint32_t place)
{
    const struct network_graph *inside = network_graph(network, inner);
    for (uint32_t i = 0; i < inside->node_count; i++)
        mark_node(network, lifetimes, network_node(network, inside->nodes[i]), graph, place);
    for (uint32_t i = 0; i < inside->output_count; i++)
        mark_read(lifetimes, inside->outputs[i], graph, place);
}

static void mark_node(const struct network *network, struct lifetimes *lifetimes,
                      const struct network_node *node, uint32_t graph, uint32_t place)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        mark_read(lifetimes, node->inputs[i], graph, place);
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const struct attribute *attribute = &node->attributes.items[i];
        if (attribute->kind == ATTRIBUTE_GRAPH)
            mark_inside(network, lifetimes, attribute->graph, graph, place);
        for (uint32_t j = 0; attribute->kind == ATTRIBUTE_GRAPHS && j < attribute->count; j++)
            mark_inside(network, lifetimes, attribute->graphs[j], graph, place);
    }
}

static void mark_graph(const struct network *network, struct lifetimes *lifetimes, uint32_t id)
{
    const struct network_graph *graph = network_graph(network, id);
    for (uint32_t i = 0; i < graph->node_count; i++)
        mark_node(network, lifetimes, network_node(network, graph->nodes[i]), id, i);
    for (uint32_t i = 0; i < graph->output_count; i++)
        mark_read(lifetimes, graph->outputs[i], id, NETWORK_NONE);
}

static void list_own(const struct network_graph *graph, const struct network *network,
                     struct graph_lifetimes *lists)
{
    size_t count = graph->input_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        count += network_node(network, graph->nodes[i])->output_count;
    lists->own = memory_allocate_zeroed(count + 1, sizeof *lists->own);
    for (uint32_t i = 0; i < graph->input_count; i++)
        lists->own[lists->own_count++] = graph->inputs[i];
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        for (uint32_t j = 0; j < node->output_count; j++) {
            if (node->outputs[j] != NETWORK_NONE)
                lists->own[lists->own_count++] = node->outputs[j];
        }
    }
}

// Sorts the values of a graph by the node after which they end.
static void list_ends(const struct lifetimes *lifetimes, uint32_t nodes,
                      struct graph_lifetimes *lists)
{
    lists->starts = memory_allocate_zeroed((size_t)nodes + 2, sizeof *lists->starts);
    lists->values = memory_allocate_zeroed((size_t)lists->own_count + 1, sizeof *lists->values);
    for (uint32_t i = 0; i < lists->own_count; i++) {
        const uint32_t last = lifetimes->last[lists->own[i]];
        if (last != NETWORK_NONE)
            lists->starts[last + 1]++;
    }
    for (uint32_t i = 0; i < nodes; i++)
        lists->starts[i + 1] += lists->starts[i];
    uint32_t *next = memory_allocate_zeroed((size_t)nodes + 1, sizeof *next);
    memcpy(next, lists->starts, nodes * sizeof *next);
    for (uint32_t i = 0; i < lists->own_count; i++) {
        const uint32_t last = lifetimes->last[lists->own[i]];
        if (last != NETWORK_NONE)
            lists->values[next[last]++] = lists->own[i];
    }
    free(next);
}

struct lifetimes *lifetimes_find(const struct network *network)
{
    const size_t values = network->values.count;
    struct lifetimes *lifetimes = memory_allocate_zeroed(1, sizeof *lifetimes);
    lifetimes->graph_count = network->graphs.count;
    lifetimes->graphs =
        memory_allocate_zeroed((size_t)lifetimes->graph_count + 1, sizeof *lifetimes->graphs);
    lifetimes->read = memory_allocate_zeroed(values + 1, sizeof *lifetimes->read);
    lifetimes->last = memory_allocate(values * sizeof *lifetimes->last);
    lifetimes->home = memory_allocate(values * sizeof *lifetimes->home);
    memset(lifetimes->last, 0xff, values * sizeof *lifetimes->last);
    memset(lifetimes->home, 0xff, values * sizeof *lifetimes->home);
    for (uint32_t i = 0; i < lifetimes->graph_count; i++)
        set_home(network, lifetimes, i);
    for (uint32_t i = 0; i < lifetimes->graph_count; i++)
        mark_graph(network, lifetimes, i);
    for (uint32_t i = 0; i < lifetimes->graph_count; i++) {
        const struct network_graph *graph = network_graph(network, i);
        list_own(graph, network, &lifetimes->graphs[i]);
        list_ends(lifetimes, graph->node_count, &lifetimes->graphs[i]);
    }
    return lifetimes;
}

void lifetimes_free(struct lifetimes *lifetimes)
{
    if (lifetimes == NULL)
        return;
    for (uint32_t i = 0; i < lifetimes->graph_count; i++) {
        free(lifetimes->graphs[i].starts);
        free(lifetimes->graphs[i].values);
        free(lifetimes->graphs[i].own);
    }
    free(lifetimes->graphs);
    free(lifetimes->read);
    free(lifetimes->last);
    free(lifetimes->home);
    free(lifetimes);
}
