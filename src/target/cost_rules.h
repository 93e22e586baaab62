// The sets of rules, one file each.

#ifndef OPSCOPE_TARGET_COST_RULES_H
#define OPSCOPE_TARGET_COST_RULES_H

#include <stdio.h>

#include "cost.h"

uint64_t cost_torq_cycles(const struct target *target, enum cost_rules rules,
                          const struct target_engine *engine, const struct cost_request *request);
uint64_t cost_torq_bound(const struct target *target, const struct target_engine *engine,
                         const struct cost_request *request);
uint64_t cost_host_cycles(const struct target *target, const struct cost_request *request);
uint64_t cost_host_bound(const struct target *target, const struct cost_request *request);

#endif
