// A start, then so many bytes a cycle: transfers and communication.

#include <inttypes.h>
#include <math.h>

#include "price.h"

static const struct price_key KEYS[] = {
    {"setup", PRICE_CYCLES, "0", "cycles before the first byte"},
    {"bytes_per_cycle", PRICE_RATE, NULL, "bytes a cycle"},
    {"rate", PRICE_BANDWIDTH, NULL,
     "the same as bytes a second; else what the port gives one user"},
    {0},
};

struct linear {
    uint64_t setup;
    double bytes; // a cycle
};

static double rules_linear_rate_of(const struct target *target, const struct target_engine *engine)
{
    const double bytes = price_number(target, engine, &PRICE_LINEAR, "bytes_per_cycle");
    if (bytes > 0)
        return bytes;
    double rate = price_number(target, engine, &PRICE_LINEAR, "rate");
    if (rate == 0 && engine->port != TARGET_NONE)
        rate = target->ports[engine->port].per_user;
    return rate / (double)engine->clock;
}

static status rules_linear_prepare(struct target *target, const struct target_engine *engine,
                                   void **out_rates)
{
    struct linear *linear = arena_allocate(&target->arena, sizeof *linear);
    *linear = (struct linear){
        .setup = (uint64_t)price_number(target, engine, &PRICE_LINEAR, "setup"),
        .bytes = rules_linear_rate_of(target, engine),
    };
    *out_rates = linear;
    return linear->bytes > 0
               ? STATUS_OK
               : status_make(STATUS_DATA,
                             "engine '%s' has no rate: give it bytes_per_cycle, rate = 10 GB/s, or "
                             "a port that has one",
                             engine->name);
}

static uint64_t rules_linear_cycles_of(const void *rates, enum cost_rules rules,
                                       const struct cost_request *request)
{
    const struct linear *linear = rates;
    (void)rules;
    return price_sum(linear->setup, price_at_rate(request->bytes, linear->bytes));
}

static uint64_t rules_linear_bound_of(const void *rates, const struct cost_request *request)
{
    const struct linear *linear = rates;
    const double cycles = floor((double)request->bytes / linear->bytes);
    return cycles < 0x1p63 ? (uint64_t)cycles : UINT64_MAX / 2;
}

static void rules_linear_explain(const void *rates, enum cost_rules rules,
                                 const struct cost_request *request, struct cost_explanation *out)
{
    const struct linear *linear = rates;
    (void)rules;
    price_term(out, "setup", linear->setup, "before the first byte");
    price_term(out, "bytes", price_at_rate(request->bytes, linear->bytes),
               "%" PRIu64 " bytes at %.6g a cycle", request->bytes, linear->bytes);
}

const struct price_kind PRICE_LINEAR = {
    .name = "linear",
    .summary = "setup + bytes / rate",
    .keys = KEYS,
    .prepare = rules_linear_prepare,
    .cycles = rules_linear_cycles_of,
    .bound = rules_linear_bound_of,
    .explain = rules_linear_explain,
};
