// Where the values of the main graph lie that have known shapes: one piece of
// memory, in which values that are never alive together share their place.

#ifndef OPSCOPE_KERNELS_BUFFER_PLAN_H
#define OPSCOPE_KERNELS_BUFFER_PLAN_H

#include "lifetimes.h"

#define BUFFER_PLAN_NOWHERE UINT64_MAX

struct buffer_plan {
    uint64_t *offsets; // by value, aligned; BUFFER_PLAN_NOWHERE: not planned
    uint64_t *sizes;   // by value
    uint64_t size;     // of the whole
};

// Outputs of the graph, texts, sequences and constants are not planned.
struct buffer_plan *buffer_plan_make(const struct network *network,
                                     const struct lifetimes *lifetimes);
void buffer_plan_free(struct buffer_plan *plan);

#endif
