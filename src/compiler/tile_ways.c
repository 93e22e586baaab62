// Several ways to keep values near, of which the evaluator's word is taken: what looks best group
// by group need not be best for all of them.

#include <stdlib.h>

#include "base/memory.h"
#include "evaluate.h"
#include "tile.h"

// In order: the first of two that take equally long is taken.
static const struct {
    bool rows_only;
    bool chains;
    bool slides;
    bool deep;
} WAYS[] = {
    {.rows_only = true},
    {.rows_only = false},
    {.chains = true},
    {.chains = true, .slides = true},
    {.chains = true, .slides = true, .deep = true},
};

enum { WAYS_COUNT = sizeof WAYS / sizeof *WAYS };

static status try_way(struct plan *plan, const struct plan_group *groups, uint32_t way)
{
    memcpy(plan->groups, groups, plan->group_count * sizeof *groups);
    free(plan->stored);
    free(plan->swapped);
    plan->stored = plan->swapped = NULL;
    plan->place_count = 0;
    plan->tile_count = 0;
    plan->rows_only = WAYS[way].rows_only;
    plan->chains = WAYS[way].chains;
    plan->slides = WAYS[way].slides;
    plan->deep = WAYS[way].deep;
    return tile_resident(plan);
}

static bool all_placed(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->group_count; i++) {
        if (plan->groups[i].engine == TARGET_NONE)
            return false;
    }
    return true;
}

status tile_ways(struct plan *plan)
{
    if (plan->group_count == 0)
        return tile_resident(plan);
    const size_t bytes = ((size_t)plan->group_count + 1) * sizeof *plan->groups;
    struct plan_group *groups = memory_allocate(bytes);
    memcpy(groups, plan->groups, plan->group_count * sizeof *groups);
    status failure = STATUS_OK;
    uint64_t least = UINT64_MAX;
    uint32_t best = WAYS_COUNT - 1;
    for (uint32_t way = 0; way < WAYS_COUNT && failure == STATUS_OK; way++) {
        failure = try_way(plan, groups, way);
        const uint64_t time =
            failure == STATUS_OK && all_placed(plan) ? evaluate_plan(plan) : UINT64_MAX;
        if (time < least) {
            least = time;
            best = way;
        }
    }
    if (failure == STATUS_OK && best + 1 != WAYS_COUNT)
        failure = try_way(plan, groups, best);
    free(groups);
    return failure;
}
