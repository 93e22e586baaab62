#include "reschedule.h"

#include <stdlib.h>

#include "base/memory.h"

// From the first start on, ns.
struct again {
    uint64_t start, end;
};

// Of the last piece of a lane.
struct lane_end {
    uint64_t recorded, again;
};

struct rescheduling {
    const struct dependence *dependence;
    const struct reschedule_rules *rules;
    struct again *nodes;
    struct lane_end *lanes; // by track, of copies and of all else; NULL: edges say it
};

static uint64_t lasting(const struct rescheduling *state, uint32_t node)
{
    const struct dependence_node *item = &state->dependence->nodes[node];
    return state->rules->lasts != NULL ? state->rules->lasts(state->rules->context, node)
                                       : item->end - item->start;
}

static bool copies(const struct rescheduling *state, uint32_t node)
{
    return dependence_is_copy(&state->dependence->parts[state->dependence->nodes[node].part]);
}

static bool holds(const struct rescheduling *state, uint32_t node,
                  const struct dependence_edge *edge)
{
    if (edge->kind == DEPENDENCE_DROPPED)
        return false;
    if (edge->kind == DEPENDENCE_ASSUMED || edge->kind == DEPENDENCE_WAY) {
        if (state->rules->no_assumed)
            return false;
    }
    if (edge->kind == DEPENDENCE_FLOW || edge->kind == DEPENDENCE_WAY ||
        !state->rules->overlap_copies)
        return true;
    const bool copy = copies(state, node);
    if (edge->kind == DEPENDENCE_LANE)
        return copies(state, edge->from) == copy;
    return !copy && !copies(state, edge->from);
}

static uint64_t again_lag(const struct rescheduling *state, uint32_t node, uint32_t edge)
{
    const struct dependence *dependence = state->dependence;
    const struct dependence_edge *item = &dependence->edges[edge];
    if (item->kind == DEPENDENCE_WAY && state->rules->carries != NULL)
        return state->rules->carries(state->rules->context, item->from);
    if (state->rules->no_gaps && item->kind != DEPENDENCE_WAY)
        return 0;
    if (item->launches && dependence->nodes[node].bound != edge) {
        const uint64_t seen = dependence->nodes[node].start - dependence_released(dependence, item);
        return seen < dependence->launch ? seen : dependence->launch;
    }
    return dependence_lag(dependence, node, edge);
}

static uint64_t again_start(const struct rescheduling *state, uint32_t node)
{
    const struct dependence_node *item = &state->dependence->nodes[node];
    uint64_t start = item->bound == DEPENDENCE_NONE && !state->rules->no_gaps
                         ? dependence_gap(state->dependence, node)
                         : 0;
    for (uint32_t e = item->first_edge; e < item[1].first_edge; e++) {
        const struct dependence_edge *edge = &state->dependence->edges[e];
        if (!holds(state, node, edge))
            continue;
        const struct again *from = &state->nodes[edge->from];
        const uint64_t released =
            (edge->from_start ? from->start : from->end) + again_lag(state, node, e);
        start = released > start ? released : start;
    }
    return start;
}

static struct lane_end *lane_of(const struct rescheduling *state, uint32_t node)
{
    return &state->lanes[2 * (size_t)state->dependence->nodes[node].track + copies(state, node)];
}

static void reschedule_nodes(struct rescheduling *state, uint64_t *out_length)
{
    uint64_t length = 0;
    for (uint32_t i = 0; i < state->dependence->node_count; i++) {
        const struct dependence_node *item = &state->dependence->nodes[i];
        struct lane_end *lane = state->lanes != NULL ? lane_of(state, i) : NULL;
        uint64_t start = again_start(state, i);
        if (lane != NULL && lane->recorded <= item->start && lane->again > start)
            start = lane->again;
        const uint64_t end = start + lasting(state, i);
        state->nodes[i] = (struct again){start, end};
        if (lane != NULL)
            *lane = (struct lane_end){item->end, end};
        length = end > length ? end : length;
    }
    *out_length = length;
}

status reschedule(const struct dependence *dependence, const struct reschedule_rules *rules,
                  uint64_t *out_length)
{
    struct spool spool = SPOOL_EMPTY;
    struct rescheduling state = {.dependence = dependence, .rules = rules};
    char *data;
    status result =
        spool_make_room(&spool, ((size_t)dependence->node_count + 1) * sizeof *state.nodes, &data);
    if (result == STATUS_OK) {
        state.nodes = (struct again *)(void *)data;
        // Between copies and the rest the order of a lane no longer says what comes before what.
        if (rules->overlap_copies)
            state.lanes = memory_allocate_zeroed(2 * (size_t)dependence->profile->tracks.count + 2,
                                                 sizeof *state.lanes);
        reschedule_nodes(&state, out_length);
        free(state.lanes);
    }
    spool_free(&spool);
    return result;
}
