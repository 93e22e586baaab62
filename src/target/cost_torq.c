// Torq's prices: the published arithmetic where there is one, and this project's
// own estimates from the widths of the data paths.

#include <math.h>

#include "cost_rules.h"
#include "settings.h"

const char *const COST_TORQ_SETTINGS[] = {
    "bytes_per_cycle", "efficiency",       "mtu",
    "setup",           "inputs_per_cycle", "weights_per_cycle",
    "fixed_cycles",    "start_cycles",     "results_per_cycle",
    "steps_per_cycle", "macs_per_cycle",   NULL,
};

static double setting(const struct target *target, const struct target_engine *engine,
                      const char *key, double fallback)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", engine->name, key);
    return target_number(target, name, fallback);
}

static uint64_t divide_up(uint64_t number, uint64_t by)
{
    return by == 0 ? number : number / by + (number % by != 0);
}

static uint64_t at_rate(uint64_t amount, double per_cycle)
{
    const double cycles = per_cycle > 0 ? ceil((double)amount / per_cycle) : (double)amount;
    return cycles < 0x1p63 ? (uint64_t)cycles : UINT64_MAX / 2; // room for what is added
}

// A burst of 2^mtu beats costs one and a half more.
static double dma_rate(const struct target *target, const struct target_engine *engine)
{
    const double rate =
        setting(target, engine, "bytes_per_cycle", 8) * setting(target, engine, "efficiency", 1);
    const double mtu = setting(target, engine, "mtu", -1);
    return mtu < 0 ? rate : rate * exp2(mtu) / (exp2(mtu) + 1.5);
}

// How many elements of the data path take part in a cycle. The multipliers are
// 8 bits wide: a wider input or weight takes several; a bf16 takes two.
static uint64_t inputs_per_cycle(const struct target *target, const struct target_engine *engine,
                                 const struct cost_request *request)
{
    const uint64_t width = (uint64_t)setting(target, engine, "inputs_per_cycle", 64);
    const uint64_t input = divide_up(request->input_bits, 8);
    const uint64_t weight = request->is_float != 0 ? 1 : divide_up(request->weight_bits, 8);
    const uint64_t lanes = width / (input > 0 ? input : 1) / (weight > 0 ? weight : 1);
    return lanes > 0 ? lanes : 1;
}

static uint64_t slice_cycles(const struct target *target, const struct target_engine *engine,
                             const struct cost_request *request)
{
    const uint64_t inputs = inputs_per_cycle(target, engine, request);
    const uint64_t weights = (uint64_t)setting(target, engine, "weights_per_cycle", 4);
    const uint64_t results = (uint64_t)setting(target, engine, "results_per_cycle", 16);
    const uint64_t store =
        divide_up(request->outputs * (request->channels > 0 ? request->channels : 1), results);
    uint64_t work;
    switch ((enum cost_kind)request->kind) {
    case COST_CONVOLUTION:
    case COST_MATMUL:
        work = divide_up(request->outputs, inputs) * divide_up(request->channels, weights) *
               request->inner;
        break;
    case COST_DEPTHWISE:
        work = divide_up(request->outputs, inputs) * request->channels * request->inner;
        break;
    case COST_POOLING:
    case COST_REDUCTION:
        work = divide_up(request->outputs * request->inner, inputs);
        break;
    default:
        work = divide_up(request->outputs * (request->inner > 0 ? request->inner : 1), inputs);
        break;
    }
    return work > store ? work : store;
}

static uint64_t css_cycles(const struct target *target, const struct target_engine *engine,
                           enum cost_rules rules, const struct cost_request *request)
{
    if (rules == COST_RULES_PUBLIC)
        return (uint64_t)setting(target, engine, "fixed_cycles", 8000);
    const uint64_t steps = request->outputs * (request->inner > 0 ? request->inner : 1);
    return (uint64_t)setting(target, engine, "start_cycles", 0) +
           at_rate(steps, setting(target, engine, "steps_per_cycle", 1));
}

static uint64_t host_cycles(const struct target *target, const struct target_engine *engine,
                            enum cost_rules rules, const struct cost_request *request)
{
    if (rules == COST_RULES_PUBLIC)
        return 0; // the published model does not count the host
    const uint64_t steps = request->outputs * (request->inner > 0 ? request->inner : 1);
    const uint64_t compute =
        request->macs > 0 ? at_rate(request->macs, setting(target, engine, "macs_per_cycle", 1))
                          : at_rate(steps, setting(target, engine, "steps_per_cycle", 1));
    const uint64_t move = at_rate(request->bytes, setting(target, engine, "bytes_per_cycle", 1));
    return (uint64_t)setting(target, engine, "start_cycles", 0) + (compute > move ? compute : move);
}

// The published rules take the number of elements for that of bytes where data
// moves between local memories.
static uint64_t transfer_cycles(const struct target *target, const struct target_engine *engine,
                                enum cost_rules rules, const struct cost_request *request)
{
    if (rules != COST_RULES_PUBLIC)
        return (uint64_t)setting(target, engine, "setup", 0) +
               at_rate(request->bytes, dma_rate(target, engine));
    const bool elements = engine->kind == TARGET_CDMA && request->outputs > 0;
    return at_rate(elements ? request->outputs : request->bytes, dma_rate(target, engine));
}

uint64_t cost_torq_cycles(const struct target *target, enum cost_rules rules,
                          const struct target_engine *engine, const struct cost_request *request)
{
    switch (engine->kind) {
    case TARGET_DMA_IN:
    case TARGET_DMA_OUT:
    case TARGET_CDMA:
        return transfer_cycles(target, engine, rules, request);
    case TARGET_SLICE:
        return slice_cycles(target, engine, request);
    case TARGET_CSS:
        return css_cycles(target, engine, rules, request);
    default:
        return host_cycles(target, engine, rules, request);
    }
}

uint64_t cost_torq_bound(const struct target *target, const struct target_engine *engine,
                         const struct cost_request *request)
{
    switch (engine->kind) {
    case TARGET_SLICE: {
        const double peak = setting(target, engine, "inputs_per_cycle", 64) *
                            setting(target, engine, "weights_per_cycle", 4);
        return (uint64_t)floor((double)request->macs / peak);
    }
    case TARGET_DMA_IN:
    case TARGET_DMA_OUT:
    case TARGET_CDMA:
        return (uint64_t)floor((double)request->bytes /
                               setting(target, engine, "bytes_per_cycle", 8));
    case TARGET_HOST:
        return (uint64_t)floor((double)request->macs /
                               setting(target, engine, "macs_per_cycle", 1));
    default:
        return 0;
    }
}
