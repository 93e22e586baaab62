// Calculates what depends on constants alone, however large: weights that are
// transposed, cast or scaled before they are used. For a processor, what is the same is
// computed once. What nothing reads is left out.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
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

struct fill {
    uint64_t elements;
    uint32_t node;
};

static int by_size(const void *left, const void *right)
{
    const struct fill *a = left;
    const struct fill *b = right;
    const int order = sort_compare(b->elements, a->elements);
    return order != 0 ? order : sort_compare(a->node, b->node);
}

// What is filled with one element, the largest first: the others lie in the same memory.
static status fold_fills(struct network *network, const struct network_graph *graph)
{
    struct fill *fills = memory_allocate_zeroed((size_t)graph->node_count + 1, sizeof *fills);
    size_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        if (node->definition->function != COMPUTES_FILL || node->outputs[0] == NETWORK_NONE ||
            compiler_fold_is_known(network, node))
            continue;
        const struct value_type *type = &network_value(network, node->outputs[0])->type;
        if (value_type_static(type))
            fills[count++] = (struct fill){shape_count(&type->shape), graph->nodes[i]};
    }
    if (count > 0)
        sort_items(fills, count, sizeof *fills, by_size);
    status result = STATUS_OK;
    for (size_t i = 0; i < count && result == STATUS_OK; i++)
        result = network_fold_node(network, fills[i].node, FOLD_ELEMENTS_MOST);
    free(fills);
    return result;
}

status pass_fold(struct plan *plan)
{
    struct network *network = plan->network;
    struct network_graph *graph = network_graph(network, 0);
    uint32_t kept = 0;
    STATUS_TRY(fold_fills(network, graph));
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
