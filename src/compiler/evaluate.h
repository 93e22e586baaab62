// How long a job takes by itself: emitted without its kernels, and given to the evaluator. Or all
// of them together.

#ifndef OPSCOPE_COMPILER_EVALUATE_H
#define OPSCOPE_COMPILER_EVALUATE_H

#include "plan.h"

struct evaluation;

struct evaluation *evaluation_create(struct plan *plan);
void evaluation_free(struct evaluation *evaluation);

// Cycles of the group, or of the chain that it begins, with the tiles that it has.
uint64_t evaluate_job(struct evaluation *evaluation, uint32_t group);

// Cycles of all groups, as they are cut and placed; UINT64_MAX where that cannot be told.
uint64_t evaluate_plan(struct plan *plan);

#endif
