#include "dependence_ways.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    BINS = 4096,         // of rates, a percent each
    STEPS_LEAST = 16,    // that must agree
    SHARE_LEAST = 5,     // one of so many must
    DISTANCE_LEAST = 50, // ns: shorter ones are too coarse to tell a rate
    NEAR = 2,            // ns that times are rounded by
};

static uint64_t distance_of(const struct dependence *dependence, const struct way_step *step)
{
    return dependence->nodes[step->node].start -
           dependence_released(dependence, &dependence->edges[step->edge]);
}

static unsigned bin_of(double rate)
{
    const double place = BINS / 2 + log(rate) * 100;
    return place < 1 ? 1 : place > BINS - 2 ? BINS - 2 : (unsigned)place;
}

// Bytes a nanosecond; 0: steps do not agree.
static double find_rate(const struct dependence *dependence, const struct way_step *steps,
                        size_t count)
{
    uint32_t *votes = memory_allocate_zeroed(BINS, sizeof *votes);
    double bytes = 0, time = 0;
    size_t voters = 0;
    unsigned best = 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t distance = distance_of(dependence, &steps[i]);
        if (distance < DISTANCE_LEAST)
            continue;
        votes[bin_of((double)steps[i].bytes / (double)distance)]++;
        voters++;
    }
    for (unsigned i = 1; i < BINS - 1; i++)
        best = votes[i] > votes[best] ? i : best;
    const uint32_t agree = votes[best - 1] + votes[best] + votes[best + 1];
    for (size_t i = 0; i < count; i++) {
        const uint64_t distance = distance_of(dependence, &steps[i]);
        const unsigned bin =
            distance < DISTANCE_LEAST ? 0 : bin_of((double)steps[i].bytes / (double)distance);
        if (bin + 1 < best || bin > best + 1)
            continue;
        bytes += (double)steps[i].bytes;
        time += (double)distance;
    }
    free(votes);
    return agree >= STEPS_LEAST && agree >= voters / SHARE_LEAST && time > 0 ? bytes / time : 0;
}

// Nothing needs to be assumed of a node whose start is explained.
static void drop_assumed(struct dependence *dependence, uint32_t node)
{
    for (uint32_t e = dependence->nodes[node].first_edge;
         e < dependence_edges_end(dependence, node); e++) {
        if (dependence->edges[e].kind == DEPENDENCE_ASSUMED)
            dependence->edges[e].kind = DEPENDENCE_DROPPED;
    }
}

void ways_settle(struct dependence *dependence, const struct way_step *steps, size_t count)
{
    const double rate = find_rate(dependence, steps, count);
    for (size_t i = 0; i < count; i++) {
        struct dependence_edge *edge = &dependence->edges[steps[i].edge];
        struct dependence_node *from = &dependence->nodes[edge->from];
        const double distance = (double)distance_of(dependence, &steps[i]);
        const double carries = rate > 0 ? (double)steps[i].bytes / rate : 0;
        const double off = distance - carries;
        const double near = carries / 100 > NEAR ? carries / 100 : NEAR;
        if (rate <= 0 || off < -near || carries > (double)UINT32_MAX) {
            edge->kind = DEPENDENCE_DROPPED;
            continue;
        }
        from->carries = (uint32_t)(carries < distance ? carries : distance);
        if (off > near || dependence_gap(dependence, steps[i].node) <= NEAR)
            continue;
        from->carries = (uint32_t)distance;
        dependence->nodes[steps[i].node].bound = steps[i].edge;
        drop_assumed(dependence, steps[i].node);
    }
}
