#include "buffer_plan.h"

#include <stdlib.h>

#include "base/memory.h"

// Free pieces below the end of the plan, in order of address; neighbours are merged.
struct gap {
    uint64_t from;
    uint64_t to;
};

struct planner {
    struct buffer_plan *plan;
    struct gap *gaps;
    size_t gap_count;
    size_t gap_capacity;
};

// The smallest gap that is large enough, else the end of the plan.
static uint64_t take(struct planner *planner, uint64_t size)
{
    size_t best = planner->gap_count;
    for (size_t i = 0; i < planner->gap_count; i++) {
        const uint64_t length = planner->gaps[i].to - planner->gaps[i].from;
        if (length >= size && (best == planner->gap_count ||
                               length < planner->gaps[best].to - planner->gaps[best].from))
            best = i;
    }
    if (best == planner->gap_count) {
        const uint64_t offset = planner->plan->size;
        planner->plan->size += size;
        return offset;
    }
    const uint64_t offset = planner->gaps[best].from;
    planner->gaps[best].from += size;
    if (planner->gaps[best].from == planner->gaps[best].to) {
        planner->gap_count--;
        memmove(planner->gaps + best, planner->gaps + best + 1,
                (planner->gap_count - best) * sizeof *planner->gaps);
    }
    return offset;
}

static void give_back(struct planner *planner, uint64_t from, uint64_t to)
{
    size_t at = 0;
    while (at < planner->gap_count && planner->gaps[at].from < from)
        at++;
    const bool joins_left = at > 0 && planner->gaps[at - 1].to == from;
    const bool joins_right = at < planner->gap_count && planner->gaps[at].from == to;
    if (joins_left && joins_right) {
        planner->gaps[at - 1].to = planner->gaps[at].to;
        planner->gap_count--;
        memmove(planner->gaps + at, planner->gaps + at + 1,
                (planner->gap_count - at) * sizeof *planner->gaps);
    } else if (joins_left) {
        planner->gaps[at - 1].to = to;
    } else if (joins_right) {
        planner->gaps[at].from = from;
    } else {
        planner->gaps = memory_grow(planner->gaps, planner->gap_count, &planner->gap_capacity,
                                    sizeof *planner->gaps);
        memmove(planner->gaps + at + 1, planner->gaps + at,
                (planner->gap_count - at) * sizeof *planner->gaps);
        planner->gaps[at] = (struct gap){from, to};
        planner->gap_count++;
    }
}

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

static void place_outputs(struct planner *planner, const struct network *network,
                          const struct lifetimes *lifetimes, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] == NETWORK_NONE)
            continue;
        const uint64_t size = planned_size(network, lifetimes, node->outputs[i]);
        // A sum that overflows belongs to a network that cannot run anyway.
        if (size == 0 || size > (UINT64_MAX >> 1) - planner->plan->size)
            continue;
        planner->plan->sizes[node->outputs[i]] = size;
        planner->plan->offsets[node->outputs[i]] = take(planner, size);
    }
}

static void free_ended(struct planner *planner, const struct graph_lifetimes *lists, uint32_t place)
{
    for (uint32_t i = lists->starts[place]; i < lists->starts[place + 1]; i++) {
        const uint64_t offset = planner->plan->offsets[lists->values[i]];
        if (offset != BUFFER_PLAN_NOWHERE)
            give_back(planner, offset, offset + planner->plan->sizes[lists->values[i]]);
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
        place_outputs(&planner, network, lifetimes, network_node(network, graph->nodes[i]));
        free_ended(&planner, &lifetimes->graphs[0], i);
    }
    free(planner.gaps);
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
