// Counters of a core's threads: what the recipes of -aic-pmu-recipe ask for, worked out from the
// program and the times of its tasks. What codes the vendor's recipes stand for is not public, so
// the counters have names of their own; events that are given by their codes have names where those
// are public, and no values.

#ifndef OPSCOPE_FORMATS_QAIC_COUNTERS_H
#define OPSCOPE_FORMATS_QAIC_COUNTERS_H

#include "collect.h"
#include "device/sim.h"
#include "raw_stats.h"

enum { QAIC_RECIPES = 5 };

#define QAIC_COUNTER_ACTIVE "ActivePCycles" // cycles in which a thread has an operation under way

// "AxiRd" ... in the order of the vendor's documents.
const char *qaic_recipe_name(unsigned recipe);

// Which counters a recipe asks for, as bits; 0: there is no such recipe. Level 100 has all.
unsigned qaic_recipe_counters(struct view name);
unsigned qaic_counters_all(void);

// For the caller to free: for each thread, each of the counters. `counters` are bits.
struct qaic_raw_counter *qaic_counters_model(const struct qaic_collected *collected,
                                             const struct program *program,
                                             const struct target *target,
                                             const struct sim_result *times, unsigned counters,
                                             size_t *out_count);

// What an event is called in the vendor's manuals, and for which of its cores; NULL: not public.
const char *qaic_event_name(int32_t code);

#endif
