#include "cost.h"

#include "target/rules/price.h"

// Cycles of an engine's clock as cycles of the target's.
static uint64_t cost_convert(const struct target *target, const struct target_engine *engine,
                             uint64_t cycles, bool up)
{
    if (engine->clock == target->clock || engine->clock == 0)
        return cycles;
    const unsigned __int128 product = (unsigned __int128)cycles * target->clock;
    const unsigned __int128 whole = product / engine->clock + (up && product % engine->clock != 0);
    return whole < UINT64_MAX / 2 ? (uint64_t)whole : UINT64_MAX / 2;
}

static bool cost_is_flat(const struct price_kind *kind, enum cost_rules rules)
{
    return kind->flat && rules == COST_RULES_PUBLIC;
}

uint64_t cost_cycles(const struct target *target, enum cost_rules rules, uint32_t engine,
                     const struct cost_request *request)
{
    const struct target_engine *own = &target->engines[engine];
    if (request->kind == COST_NOTHING)
        return 0;
    if (request->kind == COST_FIXED && !cost_is_flat(own->price, rules))
        return request->cycles;
    const uint64_t cycles =
        cost_convert(target, own, own->price->cycles(own->rates, rules, request), true);
    const bool free = own->price->free && rules == COST_RULES_PUBLIC;
    return cycles > 0 || free ? cycles : 1;
}

bool cost_names_kernels(const struct target *target, uint32_t engine)
{
    const struct price_kind *price = target->engines[engine].price; // NULL: of its stages
    return price != NULL && price->kernel != NULL;
}

const char *cost_kernel(const struct target *target, uint32_t engine,
                        const struct cost_request *request)
{
    const struct target_engine *own = &target->engines[engine];
    return cost_names_kernels(target, engine) ? own->price->kernel(own->rates, request) : NULL;
}

const char *cost_refusal(const struct target *target, uint32_t engine,
                         const struct cost_request *request)
{
    const struct target_engine *own = &target->engines[engine];
    const bool asks = own->price != NULL && own->price->refusal != NULL;
    return asks ? own->price->refusal(own->rates, request) : NULL;
}

uint64_t cost_bound(const struct target *target, uint32_t engine,
                    const struct cost_request *request)
{
    const struct target_engine *own = &target->engines[engine];
    return cost_convert(target, own, own->price->bound(own->rates, request), false);
}

void cost_explain(const struct target *target, enum cost_rules rules, uint32_t engine,
                  const struct cost_request *request, struct cost_explanation *out)
{
    const struct target_engine *own = &target->engines[engine];
    *out = (struct cost_explanation){.price = own->price->name};
    out->cycles = cost_cycles(target, rules, engine, request);
    out->bound = cost_bound(target, engine, request);
    if (request->kind == COST_NOTHING || request->kind == COST_FIXED) {
        price_term(out, "given", out->cycles, "the work itself says so");
        out->engine_cycles = out->cycles;
        return;
    }
    own->price->explain(own->rates, rules, request, out);
    out->engine_cycles = own->price->cycles(own->rates, rules, request);
}
