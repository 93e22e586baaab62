// The operations that cost the most.

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "perf.h"

static double cost_of(const struct perf_op *op)
{
    return op->time.value + op->gap.value;
}

static int compare_costs(const void *left, const void *right)
{
    const struct perf_op *a = *(const struct perf_op *const *)left;
    const struct perf_op *b = *(const struct perf_op *const *)right;
    if (cost_of(a) != cost_of(b))
        return (cost_of(a) < cost_of(b)) - (cost_of(a) > cost_of(b));
    return (a->id > b->id) - (a->id < b->id);
}

const struct perf_op **perf_costliest(const struct perf *perf, size_t most, size_t *out_count)
{
    const struct perf_op **chosen = memory_allocate_zeroed(perf->count + 1, sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_SIGNPOST)
            chosen[count++] = &perf->ops[i];
    }
    if (most < SIZE_MAX && count > 0)
        sort_items(chosen, count, sizeof *chosen, compare_costs);
    *out_count = count < most ? count : most;
    return chosen;
}
