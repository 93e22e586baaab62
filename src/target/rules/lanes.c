// Elements a cycle, by what is done with them: vector units.

#include <inttypes.h>
#include <math.h>

#include "price.h"

static const struct price_key KEYS[] = {
    {"setup", PRICE_CYCLES, "0", "cycles before the first element"},
    {"rate", PRICE_LIST, "default:1",
     "elements a cycle by operator (add), kind of work (pooling) or default"},
    {"bytes_per_cycle", PRICE_RATE, NULL, "read and written; left out: no limit"},
    {0},
};

struct lanes {
    uint64_t setup;
    double bytes; // a cycle; 0: no limit
    struct price_rates rates;
    double fallback;
    double most;
};

static status rules_lanes_prepare(struct target *target, const struct target_engine *engine,
                                  void **out_rates)
{
    struct lanes *lanes = arena_allocate(&target->arena, sizeof *lanes);
    *lanes = (struct lanes){
        .setup = (uint64_t)price_number(target, engine, &PRICE_LANES, "setup"),
        .bytes = price_number(target, engine, &PRICE_LANES, "bytes_per_cycle"),
        .rates = price_rates_read(target, price_text(target, engine, &PRICE_LANES, "rate")),
    };
    const struct price_rate *rest = price_rates_named(&lanes->rates, "default");
    // What nobody thought of is not faster than anything that is listed.
    lanes->fallback = rest != NULL ? rest->rate : price_rates_least(&lanes->rates);
    lanes->most = price_rates_most(&lanes->rates);
    *out_rates = lanes;
    return STATUS_OK;
}

static double rules_lanes_rate_of(const struct lanes *lanes, const struct cost_request *request,
                                  const char **out_name)
{
    const struct price_rate *rate = price_rates_of_function(&lanes->rates, request->function);
    if (rate == NULL)
        rate = price_rates_named(&lanes->rates, price_work(request->kind));
    *out_name = rate != NULL ? rate->name : "default";
    return rate != NULL ? rate->rate : lanes->fallback;
}

struct parts {
    uint64_t work;
    uint64_t move;
};

static struct parts rules_lanes_parts_of(const struct lanes *lanes,
                                         const struct cost_request *request)
{
    const char *name;
    return (struct parts){
        .work = price_at_rate(price_steps(request), rules_lanes_rate_of(lanes, request, &name)),
        .move = lanes->bytes > 0 ? price_at_rate(request->bytes, lanes->bytes) : 0,
    };
}

static uint64_t rules_lanes_cycles_of(const void *rates, enum cost_rules rules,
                                      const struct cost_request *request)
{
    const struct lanes *lanes = rates;
    const struct parts parts = rules_lanes_parts_of(lanes, request);
    (void)rules;
    return price_sum(lanes->setup, parts.work > parts.move ? parts.work : parts.move);
}

static uint64_t rules_lanes_bound_of(const void *rates, const struct cost_request *request)
{
    const struct lanes *lanes = rates;
    const double cycles = floor((double)price_steps(request) / lanes->most);
    return cycles < 0x1p63 ? (uint64_t)cycles : UINT64_MAX / 2;
}

static void rules_lanes_explain(const void *rates, enum cost_rules rules,
                                const struct cost_request *request, struct cost_explanation *out)
{
    const struct lanes *lanes = rates;
    const struct parts parts = rules_lanes_parts_of(lanes, request);
    const char *name;
    const double rate = rules_lanes_rate_of(lanes, request, &name);
    (void)rules;
    price_term(out, "setup", lanes->setup, "before the first element");
    price_alternative(out, "elements", parts.work, "%" PRIu64 " %s at %.6g a cycle (%s)",
                      price_steps(request), request->macs > 0 ? "MACs" : "steps", rate, name);
    if (lanes->bytes > 0)
        price_alternative(out, "bytes", parts.move, "%" PRIu64 " bytes at %.6g a cycle",
                          request->bytes, lanes->bytes);
}

const struct price_kind PRICE_LANES = {
    .name = "lanes",
    .summary = "setup + elements / rate of the operator",
    .keys = KEYS,
    .prepare = rules_lanes_prepare,
    .cycles = rules_lanes_cycles_of,
    .bound = rules_lanes_bound_of,
    .explain = rules_lanes_explain,
};
