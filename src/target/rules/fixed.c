// The same for any work: a fixed-function unit, or one whose time nobody knows better.

#include <inttypes.h>

#include "price.h"

static const struct price_key KEYS[] = {
    {"cycles", PRICE_CYCLES, "1", "of any task"},
    {0},
};

static status fixed_prepare(struct target *target, const struct target_engine *engine,
                            void **out_rates)
{
    uint64_t *cycles = arena_allocate(&target->arena, sizeof *cycles);
    *cycles = (uint64_t)price_number(target, engine, &PRICE_FIXED, "cycles");
    *out_rates = cycles;
    return STATUS_OK;
}

static uint64_t fixed_cycles_of(const void *rates, enum cost_rules rules,
                                const struct cost_request *request)
{
    (void)rules;
    (void)request;
    return *(const uint64_t *)rates;
}

// Nothing is known that would take less.
static uint64_t fixed_bound_of(const void *rates, const struct cost_request *request)
{
    (void)rates;
    (void)request;
    return 0;
}

static void fixed_explain(const void *rates, enum cost_rules rules,
                          const struct cost_request *request, struct cost_explanation *out)
{
    price_term(out, "cycles", fixed_cycles_of(rates, rules, request), "of any task");
}

const struct price_kind PRICE_FIXED = {
    .name = "fixed",
    .summary = "the same for any work",
    .keys = KEYS,
    .prepare = fixed_prepare,
    .cycles = fixed_cycles_of,
    .bound = fixed_bound_of,
    .explain = fixed_explain,
};
