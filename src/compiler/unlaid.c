#include "unlaid.h"

#include <stdlib.h>

#include "group.h"

struct plan_unlaid {
    struct plan_group *groups;
    uint32_t group_count;
    uint32_t *nodes; // of the network's graph
    uint32_t node_count;
    // By node and by value; those that are added later are used by nobody when things are again as
    // they were.
    struct ends {
        const uint32_t *inputs, *outputs;
    } * ends;
    uint32_t *producers;
    uint32_t end_count, producer_count;
};

void unlaid_keep(struct plan *plan)
{
    const struct network *network = plan->network;
    const struct network_graph *graph = network_graph(network, 0);
    struct plan_unlaid *unlaid = arena_allocate(&plan->arena, sizeof *unlaid);
    *unlaid = (struct plan_unlaid){.groups = plan->groups,
                                   .group_count = plan->group_count,
                                   .nodes = graph->nodes,
                                   .node_count = graph->node_count,
                                   .end_count = network->nodes.count,
                                   .producer_count = network->values.count};
    unlaid->ends =
        arena_allocate(&plan->arena, ((size_t)unlaid->end_count + 1) * sizeof *unlaid->ends);
    unlaid->producers = arena_allocate(&plan->arena, ((size_t)unlaid->producer_count + 1) *
                                                         sizeof *unlaid->producers);
    for (uint32_t i = 0; i < unlaid->end_count; i++) {
        const struct network_node *node = network_node(network, i);
        unlaid->ends[i] = (struct ends){node->inputs, node->outputs};
    }
    for (uint32_t i = 0; i < unlaid->producer_count; i++)
        unlaid->producers[i] = network_value(network, i)->producer;
    plan->unlaid = unlaid;
}

static bool has_tiles(const struct plan *plan, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t k = 0; k < node->input_count + node->output_count; k++) {
            const uint32_t value =
                k < node->input_count ? node->inputs[k] : node->outputs[k - node->input_count];
            if (value != NETWORK_NONE && plan->tiled[value])
                return true;
        }
    }
    return false;
}

// Those that were there before stand in the same order, with others between them. What lays values
// out may do so anywhere, and a view lies in either way.
static bool move_groups(const struct plan *plan, struct plan_unlaid *unlaid)
{
    bool moved = false;
    uint32_t old = 0;
    for (uint32_t i = 0; i < plan->group_count && old < unlaid->group_count; i++) {
        const struct plan_group *group = &plan->groups[i];
        struct plan_group *before = &unlaid->groups[old];
        if (group->nodes != before->nodes)
            continue;
        old++;
        if (group->engine == before->engine || group->engine == TARGET_NONE ||
            group_is_alias(plan, group) || !has_tiles(plan, group))
            continue;
        before->engine = group->engine;
        before->reason = group->reason;
        moved = true;
    }
    return moved;
}

static void forget_tiles(struct plan *plan)
{
    free(plan->stored);
    free(plan->swapped);
    free(plan->shard_ids);
    free(plan->tiled);
    free(plan->packed);
    plan->stored = plan->swapped = plan->tiled = plan->packed = NULL;
    plan->shard_ids = NULL;
    plan->place_count = plan->shard_count = 0;
    plan->tile_count = 0;
}

bool unlaid_return(struct plan *plan)
{
    struct network *network = plan->network;
    struct network_graph *graph = network_graph(network, 0);
    struct plan_unlaid *unlaid = plan->unlaid;
    if (unlaid == NULL || !move_groups(plan, unlaid))
        return false;
    for (uint32_t i = 0; i < unlaid->end_count; i++) {
        struct network_node *node = network_node(network, i);
        node->inputs = unlaid->ends[i].inputs;
        node->outputs = unlaid->ends[i].outputs;
    }
    for (uint32_t i = 0; i < unlaid->producer_count; i++)
        network_value(network, i)->producer = unlaid->producers[i];
    graph->nodes = unlaid->nodes;
    graph->node_count = unlaid->node_count;
    plan->groups = unlaid->groups;
    plan->group_count = unlaid->group_count;
    forget_tiles(plan);
    plan_find_images(plan);
    return true;
}
