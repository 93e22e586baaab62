// Prices of the `host` target: measured times first, plain rates where nothing
// was measured, never less than the highest rates that were seen.

#include "cost_host.h"

#include <inttypes.h>
#include <math.h>

#include "cost_rules.h"
#include "settings.h"

const char *const COST_HOST_SETTINGS[] = {
    "start_cycles",
    "macs_per_cycle",
    "integer_macs_per_cycle",
    "steps_per_cycle",
    "fused_steps_per_cycle",
    "bytes_per_cycle",
    "peak_macs_per_cycle",
    "peak_bytes_per_cycle",
    "spread",
    "threads",
    "bandwidth_l1",
    "bandwidth_l2",
    "bandwidth_l3",
    "bandwidth_dram",
    "cache_l1",
    "cache_l2",
    "cache_l3",
    NULL,
};

static uint64_t at_least_one(uint64_t number)
{
    return number > 0 ? number : 1;
}

struct cost_host_place cost_host_place(const struct cost_request *request)
{
    const uint64_t outputs = at_least_one(request->outputs);
    const uint64_t channels = at_least_one(request->channels);
    const uint64_t inner = at_least_one(request->inner);
    const uint64_t kernel = at_least_one(request->kernel);
    const uint64_t groups = at_least_one(request->groups);
    switch ((enum cost_kind)request->kind) {
    case COST_CONVOLUTION:
        return (struct cost_host_place){4,
                                        {outputs, channels, at_least_one(inner / kernel), kernel}};
    case COST_DEPTHWISE:
        return (struct cost_host_place){3, {outputs, channels, inner}};
    case COST_MATMUL:
        return (struct cost_host_place){4,
                                        {at_least_one(outputs / groups), channels, inner, groups}};
    case COST_RECURRENT:
        return (struct cost_host_place){3, {outputs, channels, at_least_one(inner / channels)}};
    case COST_REDUCTION:
        return (struct cost_host_place){2, {outputs * inner, at_least_one(request->run)}};
    case COST_POOLING:
        return (struct cost_host_place){2, {outputs, at_least_one(request->kernel)}};
    default:
        return (struct cost_host_place){2, {outputs, at_least_one(request->run)}};
    }
}

const char *cost_host_element(const struct cost_request *request)
{
    static const char *const FLOATS[] = {"f8", "f16", "f32", "f64"};
    static const char *const INTEGERS[] = {"i8", "i16", "i32", "i64"};
    const uint32_t bits = request->input_bits;
    const uint32_t index = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    return request->is_float != 0 ? FLOATS[index] : INTEGERS[index];
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

static bool time_of(const struct target *target, uint32_t function,
                    const struct cost_request *request, double *out_cycles)
{
    const struct cost_host_place place = cost_host_place(request);
    const char *element = cost_host_element(request);
    if (cost_host_model_time(target->model, function, element, request->variant, &place,
                             out_cycles))
        return true;
    // How the operands lie matters less than what is computed.
    const uint32_t plain = request->variant == COST_APART_SPREAD ? COST_APART : COST_PLAIN;
    return request->variant != COST_APART &&
           cost_host_model_time(target->model, function, element, plain, &place, out_cycles);
}

// A function of several steps takes longer than the one that stands in for it.
static double steps_more(const struct cost_request *request)
{
    return request->kind == COST_ELEMENTWISE && request->inner > 1 ? (double)request->inner : 1;
}

static bool measured_time(const struct target *target, const struct cost_request *request,
                          double *out_cycles)
{
    if (time_of(target, request->function, request, out_cycles))
        return true;
    for (size_t i = 0; i < STANDINS_MOST && STANDINS[request->kind][i] != NULL; i++) {
        const char *name = STANDINS[request->kind][i];
        const uint32_t function = cost_function(view_of(name));
        if (time_of(target, function, request, out_cycles)) {
            *out_cycles *= steps_more(request);
            return true;
        }
    }
    return false;
}

// By the smallest cache that holds all that is read and written.
static double bandwidth(const struct cost_host_rates *rates, uint64_t bytes)
{
    uint32_t i = 0;
    while (i < COST_HOST_CACHES && (double)bytes > rates->caches[i])
        i++;
    return rates->bandwidths[i];
}

static double time_by_rates(const struct cost_host_rates *rates, const struct cost_request *request)
{
    const double steps = (double)request->outputs * (double)at_least_one(request->inner);
    const double compute =
        request->macs > 0
            ? (double)request->macs / (request->is_float != 0 ? rates->macs : rates->integer_macs)
            : steps / rates->steps;
    return rates->start + fmax(compute, (double)request->bytes / bandwidth(rates, request->bytes));
}

static double bound(const struct cost_host_rates *rates, const struct cost_request *request)
{
    return fmax(rates->peak_macs > 0 ? (double)request->macs / rates->peak_macs : 0,
                rates->peak_bytes > 0 ? (double)request->bytes / rates->peak_bytes : 0);
}

static uint64_t whole(double cycles)
{
    return cycles < 1e18 ? (uint64_t)cycles : (uint64_t)1e18;
}

uint64_t cost_host_cycles(const struct target *target, const struct cost_request *request)
{
    const struct cost_host_rates *rates = cost_host_model_rates(target->model);
    double cycles;
    if (request->kind >= COST_KINDS)
        return 0;
    if (!measured_time(target, request, &cycles))
        cycles = time_by_rates(rates, request);
    cycles += (double)request->cycles / rates->fused_steps;
    // Rounded to the nearest, but never below what is possible.
    return whole(fmax(round(cycles), ceil(fmax(rates->start, bound(rates, request)))));
}

uint64_t cost_host_bound(const struct target *target, const struct cost_request *request)
{
    return whole(bound(cost_host_model_rates(target->model), request));
}
