// Prices of a processor whose kernels were measured: measured times first, plain rates where
// nothing was measured, never less than the highest rates that were seen.

#include "table.h"

#include <inttypes.h>
#include <math.h>

#include "price.h"

static const struct price_key KEYS[] = {
    {"threads", PRICE_NUMBER, NULL, "that kernels use; for people"},
    {"spread", PRICE_NUMBER, NULL, "how far the measured times lay apart; for people"},
    {"start_cycles", PRICE_CYCLES, "0", "of calling a kernel"},
    {"macs_per_cycle", PRICE_NUMBER, "1", "of floats, where no time was measured"},
    {"integer_macs_per_cycle", PRICE_NUMBER, "1", "the same of integers"},
    {"steps_per_cycle", PRICE_NUMBER, "0.25", "the same of elements"},
    {"fused_steps_per_cycle", PRICE_NUMBER, "4",
     "of elementwise operators that are fused with another"},
    {"bytes_per_cycle", PRICE_NUMBER, "4", "the same of bytes"},
    {"cache_l1", PRICE_BYTES, NULL, "size of the nearest cache"},
    {"cache_l2", PRICE_BYTES, NULL, "of the next one"},
    {"cache_l3", PRICE_BYTES, NULL, "of the last one"},
    {"bandwidth_l1", PRICE_NUMBER, NULL, "bytes a cycle of what fits it; bytes_per_cycle"},
    {"bandwidth_l2", PRICE_NUMBER, NULL, "the same of the next one"},
    {"bandwidth_l3", PRICE_NUMBER, NULL, "the same of the last one"},
    {"bandwidth_dram", PRICE_NUMBER, NULL, "the same of memory"},
    {"peak_macs_per_cycle", PRICE_NUMBER, NULL,
     "what no estimate is better than; left out: no bound"},
    {"peak_bytes_per_cycle", PRICE_NUMBER, NULL, "the same of bytes"},
    {0},
};

static uint64_t rules_table_at_least_one(uint64_t number)
{
    return number > 0 ? number : 1;
}

struct table_place table_place(const struct cost_request *request)
{
    const uint64_t outputs = rules_table_at_least_one(request->outputs);
    const uint64_t channels = rules_table_at_least_one(request->channels);
    const uint64_t inner = rules_table_at_least_one(request->inner);
    const uint64_t kernel = rules_table_at_least_one(request->kernel);
    const uint64_t groups = rules_table_at_least_one(request->groups);
    switch ((enum cost_kind)request->kind) {
    case COST_CONVOLUTION:
        return (struct table_place){
            4, {outputs, channels, rules_table_at_least_one(inner / kernel), kernel}};
    case COST_DEPTHWISE:
        return (struct table_place){3, {outputs, channels, inner}};
    case COST_MATMUL:
        return (struct table_place){
            4, {rules_table_at_least_one(outputs / groups), channels, inner, groups}};
    case COST_RECURRENT:
        return (struct table_place){
            3, {outputs, channels, rules_table_at_least_one(inner / channels)}};
    case COST_REDUCTION:
        return (struct table_place){2, {outputs * inner, rules_table_at_least_one(request->run)}};
    case COST_POOLING:
        return (struct table_place){2, {outputs, rules_table_at_least_one(request->kernel)}};
    default:
        return (struct table_place){2, {outputs, rules_table_at_least_one(request->run)}};
    }
}

const char *table_element(const struct cost_request *request)
{
    return price_element(request);
}

enum { STANDINS_MOST = 3 };

// What stands in for an operator that was not measured: others of its kind.
static const char *const STANDINS[COST_KINDS][STANDINS_MOST] = {
    [COST_CONVOLUTION] = {"Conv", "ConvInteger"},
    [COST_DEPTHWISE] = {"Conv", "ConvInteger"},
    [COST_MATMUL] = {"MatMul", "MatMulInteger"},
    [COST_POOLING] = {"MaxPool", "AveragePool"},
    [COST_REDUCTION] = {"ReduceMean", "ReduceMax"},
    [COST_ELEMENTWISE] = {"Add", "QuantizeLinear"},
    [COST_TABLE] = {"Add", "Cast"},
    [COST_MOVEMENT] = {"Reshape", "Transpose", "Concat"},
    [COST_RECURRENT] = {"LSTM"},
    [COST_OTHER] = {"Gather"},
};

static bool rules_table_time_of(const struct table_model *model, uint32_t function,
                                const struct cost_request *request, double *out_cycles)
{
    const struct table_place place = table_place(request);
    const char *element = table_element(request);
    if (table_model_time(model, function, element, request->variant, &place, out_cycles))
        return true;
    // How the operands lie matters less than what is computed.
    const uint32_t plain = request->variant == COST_APART_SPREAD ? COST_APART : COST_PLAIN;
    return request->variant != COST_APART &&
           table_model_time(model, function, element, plain, &place, out_cycles);
}

// A function of several steps takes longer than the one that stands in for it.
static double steps_more(const struct cost_request *request)
{
    return request->kind == COST_ELEMENTWISE && request->inner > 1 ? (double)request->inner : 1;
}

static bool measured_time(const struct table_model *model, const struct cost_request *request,
                          double *out_cycles)
{
    if (rules_table_time_of(model, request->function, request, out_cycles))
        return true;
    for (size_t i = 0; i < STANDINS_MOST && STANDINS[request->kind][i] != NULL; i++) {
        const char *name = STANDINS[request->kind][i];
        const uint32_t function = cost_function(view_of(name));
        if (rules_table_time_of(model, function, request, out_cycles)) {
            *out_cycles *= steps_more(request);
            return true;
        }
    }
    return false;
}

// By the smallest cache that holds all that is read and written.
static double bandwidth(const struct table_rates *rates, uint64_t bytes)
{
    uint32_t i = 0;
    while (i < TABLE_CACHES && (double)bytes > rates->caches[i])
        i++;
    return rates->bandwidths[i];
}

static double time_by_rates(const struct table_rates *rates, const struct cost_request *request)
{
    const double steps =
        (double)request->outputs * (double)rules_table_at_least_one(request->inner);
    const double compute =
        request->macs > 0
            ? (double)request->macs / (request->is_float != 0 ? rates->macs : rates->integer_macs)
            : steps / rates->steps;
    return rates->start + fmax(compute, (double)request->bytes / bandwidth(rates, request->bytes));
}

static double bound(const struct table_rates *rates, const struct cost_request *request)
{
    return fmax(rates->peak_macs > 0 ? (double)request->macs / rates->peak_macs : 0,
                rates->peak_bytes > 0 ? (double)request->bytes / rates->peak_bytes : 0);
}

static uint64_t table_rules_to_integer(double cycles)
{
    return cycles < 1e18 ? (uint64_t)cycles : (uint64_t)1e18;
}

// The parts of a price. Rounded together to the nearest, but never below what is possible.
struct parts {
    bool measured;
    double kernel;
    double fused;
    uint64_t rounded;
    uint64_t least;
};

static struct parts rules_table_parts_of(const struct table_model *model,
                                         const struct cost_request *request)
{
    const struct table_rates *rates = table_model_rates(model);
    struct parts parts = {0};
    parts.measured = measured_time(model, request, &parts.kernel);
    if (!parts.measured)
        parts.kernel = time_by_rates(rates, request);
    parts.fused = (double)request->cycles / rates->fused_steps;
    parts.rounded = table_rules_to_integer(round(parts.kernel + parts.fused));
    parts.least = table_rules_to_integer(ceil(fmax(rates->start, bound(rates, request))));
    return parts;
}

static uint64_t rules_table_cycles_of(const void *rates, enum cost_rules rules,
                                      const struct cost_request *request)
{
    (void)rules;
    if (request->kind >= COST_KINDS)
        return 0;
    const struct parts parts = rules_table_parts_of(rates, request);
    return parts.rounded > parts.least ? parts.rounded : parts.least;
}

static uint64_t rules_table_bound_of(const void *rates, const struct cost_request *request)
{
    return table_rules_to_integer(bound(table_model_rates(rates), request));
}

static void explain_rates(const struct table_rates *rates, const struct cost_request *request,
                          uint64_t cycles, struct cost_explanation *out)
{
    const bool macs = request->macs > 0;
    price_term(out, "rates", cycles,
               "not measured: start %.6g + the longer of %" PRIu64 " %s at %.6g and %" PRIu64
               " bytes at %.6g a cycle",
               rates->start, price_steps(request), macs ? "MACs" : "steps",
               macs ? (request->is_float != 0 ? rates->macs : rates->integer_macs) : rates->steps,
               request->bytes, bandwidth(rates, request->bytes));
}

static void rules_table_explain(const void *model, enum cost_rules rules,
                                const struct cost_request *request, struct cost_explanation *out)
{
    if (request->kind >= COST_KINDS)
        return;
    const struct table_rates *rates = table_model_rates(model);
    const struct parts parts = rules_table_parts_of(model, request);
    const uint64_t fused = table_rules_to_integer(parts.fused) < parts.rounded
                               ? table_rules_to_integer(parts.fused)
                               : parts.rounded;
    (void)rules;
    if (parts.measured)
        price_term(out, "kernel", parts.rounded - fused, "between measured times of %s in %s",
                   price_work(request->kind), price_element(request));
    else
        explain_rates(rates, request, parts.rounded - fused, out);
    if (request->cycles > 0)
        price_term(out, "fused", fused, "%" PRIu64 " steps at %.6g a cycle", request->cycles,
                   rates->fused_steps);
    if (parts.least > parts.rounded)
        price_term(out, "least", parts.least - parts.rounded,
                   "up to %" PRIu64 ": a start, and the highest rates that were seen", parts.least);
}

static status rules_table_prepare(struct target *target, const struct target_engine *engine,
                                  void **out_rates)
{
    *out_rates = table_model_make(target, engine);
    return STATUS_OK;
}

static void rules_table_release(void *rates)
{
    table_model_free(rates);
}

const struct price_kind PRICE_TABLE = {
    .name = "table",
    .summary =
        "measured times (time.Conv.f32.784x64x16x9), interpolated; rates where there are none",
    .keys = KEYS,
    .is_key = table_is_time,
    .prepare = rules_table_prepare,
    .release = rules_table_release,
    .cycles = rules_table_cycles_of,
    .bound = rules_table_bound_of,
    .explain = rules_table_explain,
};
