#include "buffer_plan.h"

#include <stdlib.h>

#include "base/gaps.h"
#include "base/memory.h"

struct planner {
    struct buffer_plan *plan;
    struct gaps gaps;
};

// Bytes that a value takes in the plan; 0: it has no place there.
static uint64_t planned_size(const struct network *network, const struct lifetimes *lifetimes,
                             uint32_t value_id)
{
    const struct network_value *value = network_value(network, value_id);
    if (lifetimes->last[value_id] == NETWORK_NONE || value->constant != NULL ||
        !value_type_static(&value->type) || value->type.element == ELEMENT_TEXT)
        return 0;
    uint64_t count;
    const status failure = shape_elements(&value->type.shape, &count);
    const uint64_t most = UINT64_MAX / 32;
    if (failure != STATUS_OK || count > most) {
        status_free(failure);
        return 0;
    }
    const uint64_t size = count * element_size(value->type.element);
    return (size + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
}

static void buffer_plan_place_outputs(struct planner *planner, const struct network *network,
                                      const struct lifetimes *lifetimes,
                                      const struct network_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] == NETWORK_NONE)
            continue;
        const uint64_t size = planned_size(network, lifetimes, node->outputs[i]);
        // A sum that overflows belongs to a network that cannot run anyway.
        if (size == 0 || size > (UINT64_MAX >> 1) - planner->gaps.end)
            continue;
        planner->plan->sizes[node->outputs[i]] = size;
        planner->plan->offsets[node->outputs[i]] = gaps_take(&planner->gaps, size);
    }
}

static void buffer_plan_free_ended(struct planner *planner, const struct graph_lifetimes *lists,
                                   uint32_t place)
{
    for (uint32_t i = lists->starts[place]; i < lists->starts[place + 1]; i++) {
        const uint64_t offset = planner->plan->offsets[lists->values[i]];
        if (offset != BUFFER_PLAN_NOWHERE)
            gaps_give_back(&planner->gaps, offset, planner->plan->sizes[lists->values[i]]);
    }
}

struct buffer_plan *buffer_plan_make(const struct network *network,
                                     const struct lifetimes *lifetimes)
{
    const size_t values = network->values.count;
    struct buffer_plan *plan = memory_allocate_zeroed(1, sizeof *plan);
    plan->offsets = memory_allocate(values * sizeof *plan->offsets);
    plan->sizes = memory_allocate_zeroed(values + 1, sizeof *plan->sizes);
    memset(plan->offsets, 0xff, values * sizeof *plan->offsets);
    struct planner planner = {.plan = plan};
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        buffer_plan_place_outputs(&planner, network, lifetimes,
                                  network_node(network, graph->nodes[i]));
        buffer_plan_free_ended(&planner, &lifetimes->graphs[0], i);
    }
    plan->size = planner.gaps.end;
    gaps_free(&planner.gaps);
    return plan;
}

void buffer_plan_free(struct buffer_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->offsets);
    free(plan->sizes);
    free(plan);
}
