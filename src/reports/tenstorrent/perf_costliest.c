// The operations that cost the most.

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "perf.h"

struct costly_op {
    const struct perf_op *op;
    double cost;
};

static double cost_of(const struct perf *perf, const struct perf_op *op)
{
    const double time = op->kind == PERF_HOST ? op->host_time.value : op->time.value;
    return time + perf_gap_open(perf, op);
}

static int compare_costs(const void *left, const void *right)
{
    const struct costly_op *a = left;
    const struct costly_op *b = right;
    if (a->cost != b->cost)
        return (a->cost < b->cost) - (a->cost > b->cost);
    return (a->op->id > b->op->id) - (a->op->id < b->op->id);
}

const struct perf_op **perf_costliest(const struct perf *perf, size_t most, size_t *out_count)
{
    struct costly_op *costly = memory_allocate_zeroed(perf->count + 1, sizeof *costly);
    const struct perf_op **chosen = memory_allocate_zeroed(perf->count + 1, sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_SIGNPOST)
            costly[count++] = (struct costly_op){&perf->ops[i], cost_of(perf, &perf->ops[i])};
    }
    if (most < SIZE_MAX && count > 0)
        sort_items(costly, count, sizeof *costly, compare_costs);
    for (size_t i = 0; i < count; i++)
        chosen[i] = costly[i].op;
    free(costly);
    *out_count = count < most ? count : most;
    return chosen;
}
