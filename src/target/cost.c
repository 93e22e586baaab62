#include "cost.h"

#include "cost_rules.h"

static uint64_t price(const struct target *target, enum cost_rules rules, uint32_t engine,
                      const struct cost_request *request)
{
    switch (target->rules) {
    case TARGET_RULES_TORQ:
        return cost_torq_cycles(target, rules, &target->engines[engine], request);
    case TARGET_RULES_HOST:
        return cost_host_cycles(target, request);
    }
    return 0;
}

// The published rules charge the same for anything on these.
static bool is_flat(const struct target *target, enum cost_rules rules, uint32_t engine)
{
    const enum target_engine_kind kind = target->engines[engine].kind;
    return target->rules == TARGET_RULES_TORQ && rules == COST_RULES_PUBLIC &&
           (kind == TARGET_CSS || kind == TARGET_HOST);
}

uint64_t cost_cycles(const struct target *target, enum cost_rules rules, uint32_t engine,
                     const struct cost_request *request)
{
    if (request->kind == COST_NOTHING)
        return 0;
    if (request->kind == COST_FIXED && !is_flat(target, rules, engine))
        return request->cycles;
    const uint64_t cycles = price(target, rules, engine, request);
    const bool free = rules == COST_RULES_PUBLIC && target->engines[engine].kind == TARGET_HOST;
    return cycles > 0 || free ? cycles : 1;
}

uint64_t cost_bound(const struct target *target, uint32_t engine,
                    const struct cost_request *request)
{
    switch (target->rules) {
    case TARGET_RULES_TORQ:
        return cost_torq_bound(target, &target->engines[engine], request);
    case TARGET_RULES_HOST:
        return cost_host_bound(target, request);
    }
    return 0;
}
