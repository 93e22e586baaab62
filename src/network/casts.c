#include "casts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "operators.h"

uint32_t *casts_count_readers(const struct network *network)
{
    uint32_t *readers = memory_allocate_zeroed((size_t)network->values.count + 1, sizeof *readers);
    for (uint32_t i = 0; i < network->graphs.count; i++) {
        const struct network_graph *graph = network_graph(network, i);
        for (uint32_t j = 0; j < graph->output_count; j++)
            readers[graph->outputs[j]]++;
        for (uint32_t j = 0; j < graph->node_count; j++) {
            const struct network_node *node = network_node(network, graph->nodes[j]);
            for (uint32_t k = 0; k < node->input_count; k++) {
                if (node->inputs[k] != NETWORK_NONE)
                    readers[node->inputs[k]]++;
            }
        }
    }
    return readers;
}

static bool has_readers(const struct network_node *node, const uint32_t *readers, uint32_t count)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE && node->outputs[i] < count &&
            readers[node->outputs[i]] > 0)
            return true;
    }
    return false;
}

// A cast to a new value.
static bool is_new(const struct network_node *node, uint32_t before_count)
{
    return node->output_count == 1 && node->outputs[0] != NETWORK_NONE &&
           node->outputs[0] >= before_count && node->definition->function == COMPUTES_CAST;
}

// Leaves out of a graph what was read before and is no longer, constants of the old element and
// what made them, and casts that were of no use.
static void drop_left_over(struct network *network, struct network_graph *graph,
                           const uint32_t *before, uint32_t before_count, uint32_t *readers)
{
    uint32_t first = graph->node_count;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        if (has_readers(node, readers, network->values.count) ||
            !(is_new(node, before_count) || has_readers(node, before, before_count)) ||
            node->definition->class == OPERATOR_CONTROL) {
            graph->nodes[--first] = graph->nodes[i];
            continue;
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != NETWORK_NONE)
                readers[node->inputs[j]]--;
        }
    }
    graph->nodes += first;
    graph->node_count -= first;
}

static status enter_graph(struct network *network, uint32_t id, const uint32_t *casts,
                          size_t cast_count)
{
    struct network_graph *graph = network_graph(network, id);
    uint32_t *nodes =
        arena_allocate(&network->arena, (graph->node_count + cast_count + 1) * sizeof *nodes);
    uint32_t count = graph->node_count;
    if (count > 0)
        memcpy(nodes, graph->nodes, count * sizeof *nodes);
    for (size_t i = 0; i < cast_count; i++) {
        if (network_node(network, casts[i])->graph == id)
            nodes[count++] = casts[i];
    }
    graph->nodes = nodes;
    graph->node_count = count;
    return network_sort(network, id);
}

// What is known already is calculated before the network runs.
static void count_casts(struct network *network, const uint32_t *casts, size_t cast_count)
{
    uint32_t *readers = casts_count_readers(network);
    for (size_t i = 0; i < cast_count; i++) {
        const uint32_t to = network_node(network, casts[i])->outputs[0];
        network->conversion.casts +=
            readers[to] > 0 && network_value(network, to)->constant == NULL;
    }
    free(readers);
}

status casts_enter(struct network *network, const uint32_t *casts, size_t cast_count,
                   const uint32_t *before, uint32_t before_count)
{
    for (uint32_t i = 0; i < network->graphs.count; i++)
        STATUS_TRY(enter_graph(network, i, casts, cast_count));
    uint32_t *readers = casts_count_readers(network);
    // Inner graphs were added after those around them.
    for (uint32_t i = network->graphs.count; i-- > 0;)
        drop_left_over(network, network_graph(network, i), before, before_count, readers);
    free(readers);
    count_casts(network, casts, cast_count);
    return STATUS_OK;
}
