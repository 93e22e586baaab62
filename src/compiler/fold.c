// Calculates what depends on constants alone, however large: weights that are
// transposed, cast or scaled before they are used.

#include "compiler.h"

// What a fold may take, so that a network cannot unfold into more memory than
// the machine has.
#define FOLD_ELEMENTS_MOST (UINT64_C(1) << 28)

// An integer weight that is scaled back to a real stays an integer: an engine
// takes it as it is.
static bool stays(const struct network_node *node)
{
    return view_is(node->type, "DequantizeLinear");
}

static bool is_known(const struct network *network, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE &&
            network_value(network, node->outputs[i])->constant == NULL)
            return false;
    }
    return node->output_count > 0;
}

status pass_fold(struct plan *plan)
{
    struct network *network = plan->network;
    struct network_graph *graph = network_graph(network, 0);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        if (!is_known(network, node) && !stays(node))
            STATUS_TRY(network_fold_node(network, graph->nodes[i], FOLD_ELEMENTS_MOST));
        if (!is_known(network, node))
            graph->nodes[kept++] = graph->nodes[i];
    }
    graph->node_count = kept;
    return STATUS_OK;
}
