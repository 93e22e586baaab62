// Calculates what depends on constants alone, however large: weights that are
// transposed, cast or scaled before they are used. For a processor, what is the same is
// computed once. What nothing reads is left out.

#include <stdlib.h>

#include "compiler.h"
#include "group.h"
#include "same.h"

// What a fold may take, so that a network cannot unfold into more memory than
// the machine has.
#define FOLD_ELEMENTS_MOST (UINT64_C(1) << 28)

// An integer weight that is scaled back to a real stays an integer: an engine
// takes it as it is. A processor's kernels take the real.
static bool fold_node_stays(const struct plan *plan, const struct network_node *node)
{
    return node->definition->scaling == SCALES_BACK && !target_is_processor(plan->target);
}

static bool compiler_fold_is_known(const struct network *network, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE &&
            network_value(network, node->outputs[i])->constant == NULL)
            return false;
    }
    return node->output_count > 0;
}

static bool compiler_fold_is_read(const struct network_node *node, const uint32_t *readers)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE && readers[node->outputs[i]] > 0)
            return true;
    }
    return false;
}

// From the end: a node that only unread nodes read is unread as well.
static void drop_unread(struct network *network)
{
    struct network_graph *graph = network_graph(network, 0);
    uint32_t *readers = group_count_readers(network);
    uint32_t kept = graph->node_count;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        if (compiler_fold_is_read(node, readers)) {
            graph->nodes[--kept] = graph->nodes[i];
            continue;
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != NETWORK_NONE)
                readers[node->inputs[j]]--;
        }
    }
    memmove(graph->nodes, graph->nodes + kept, (graph->node_count - kept) * sizeof *graph->nodes);
    graph->node_count -= kept;
    free(readers);
}

status pass_fold(struct plan *plan)
{
    struct network *network = plan->network;
    struct network_graph *graph = network_graph(network, 0);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        if (!compiler_fold_is_known(network, node) && !fold_node_stays(plan, node))
            STATUS_TRY(network_fold_node(network, graph->nodes[i], FOLD_ELEMENTS_MOST));
        if (!compiler_fold_is_known(network, node))
            graph->nodes[kept++] = graph->nodes[i];
    }
    graph->node_count = kept;
    if (target_is_processor(plan->target))
        same_join(network);
    drop_unread(network);
    return STATUS_OK;
}
