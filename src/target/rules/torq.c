// Torq's prices: the published arithmetic where there is one, and this project's own
// estimates from the widths of the data paths.

#include <inttypes.h>
#include <math.h>

#include "price.h"

static const char PUBLIC_RULES[] = "by the published rules";

// Transfers -------------------------------------------------------------------------------

static const struct price_key TRANSFER_KEYS[] = {
    {"bytes_per_cycle", PRICE_RATE, "8", "width of the bus"},
    {"efficiency", PRICE_SHARE, "1", "part of it that data gets"},
    {"mtu", PRICE_NUMBER, NULL, "a burst is 2^mtu beats and costs 1.5 more"},
    {"setup", PRICE_CYCLES, "0", "cycles before the first byte; not under public rules"},
    {0},
};

struct transfer {
    double rate;  // bytes a cycle
    double width; // at most
    uint64_t setup;
    bool counts_elements; // under public rules
};

static bool torq_is_local(const struct target *target, uint32_t memory)
{
    return memory != TARGET_NONE && target->memories[memory].local;
}

// A burst of 2^mtu beats costs one and a half more.
static status prepare_transfer(struct target *target, const struct target_engine *engine,
                               void **out_rates)
{
    struct transfer *transfer = arena_allocate(&target->arena, sizeof *transfer);
    const struct price_kind *kind = &PRICE_TORQ_TRANSFER;
    const double width = price_number(target, engine, kind, "bytes_per_cycle");
    const double rate = width * price_number(target, engine, kind, "efficiency");
    const bool bursts = price_text(target, engine, kind, "mtu") != NULL;
    const double beats = exp2(price_number(target, engine, kind, "mtu"));
    *transfer = (struct transfer){
        .rate = bursts ? rate * beats / (beats + 1.5) : rate,
        .width = width,
        .setup = (uint64_t)price_number(target, engine, kind, "setup"),
        .counts_elements = torq_is_local(target, engine->from) && torq_is_local(target, engine->to),
    };
    *out_rates = transfer;
    return STATUS_OK;
}

// The published rules take the number of elements for that of bytes where data moves between
// local memories.
static uint64_t amount_of(const struct transfer *transfer, enum cost_rules rules,
                          const struct cost_request *request)
{
    const bool elements =
        rules == COST_RULES_PUBLIC && transfer->counts_elements && request->outputs > 0;
    return elements ? request->outputs : request->bytes;
}

static uint64_t setup_of(const struct transfer *transfer, enum cost_rules rules)
{
    return rules == COST_RULES_PUBLIC ? 0 : transfer->setup;
}

static uint64_t torq_transfer_cycles(const void *rates, enum cost_rules rules,
                                     const struct cost_request *request)
{
    const struct transfer *transfer = rates;
    return price_sum(setup_of(transfer, rules),
                     price_at_rate(amount_of(transfer, rules, request), transfer->rate));
}

static uint64_t torq_rules_to_integer(double cycles)
{
    return cycles < 0x1p63 ? (uint64_t)floor(cycles) : UINT64_MAX / 2;
}

static uint64_t transfer_bound(const void *rates, const struct cost_request *request)
{
    const struct transfer *transfer = rates;
    return torq_rules_to_integer((double)request->bytes / transfer->width);
}

static void explain_transfer(const void *rates, enum cost_rules rules,
                             const struct cost_request *request, struct cost_explanation *out)
{
    const struct transfer *transfer = rates;
    const uint64_t amount = amount_of(transfer, rules, request);
    price_term(out, "setup", setup_of(transfer, rules), "before the first byte");
    price_term(out, "bytes", price_at_rate(amount, transfer->rate),
               "%" PRIu64 " bytes at %.6g a cycle of a bus of %.6g", amount, transfer->rate,
               transfer->width);
}

const struct price_kind PRICE_TORQ_TRANSFER = {
    .name = "torq-transfer",
    .summary = "setup + bytes / (width x efficiency x bursts)",
    .keys = TRANSFER_KEYS,
    .prepare = prepare_transfer,
    .cycles = torq_transfer_cycles,
    .bound = transfer_bound,
    .explain = explain_transfer,
};

// Slices ----------------------------------------------------------------------------------

static const struct price_key SLICE_KEYS[] = {
    {"inputs_per_cycle", PRICE_RATE, "64", "bytes of data that the multipliers take"},
    {"weights_per_cycle", PRICE_RATE, "4", "weights that each of them meets"},
    {"results_per_cycle", PRICE_RATE, "16", "elements that leave the activation unit"},
    {0},
};

struct slice {
    uint64_t inputs;
    uint64_t weights;
    uint64_t results;
    double peak; // MACs a cycle
};

static status prepare_slice(struct target *target, const struct target_engine *engine,
                            void **out_rates)
{
    struct slice *slice = arena_allocate(&target->arena, sizeof *slice);
    const struct price_kind *kind = &PRICE_TORQ_SLICE;
    const double inputs = price_number(target, engine, kind, "inputs_per_cycle");
    const double weights = price_number(target, engine, kind, "weights_per_cycle");
    *slice = (struct slice){
        .inputs = (uint64_t)inputs,
        .weights = (uint64_t)weights,
        .results = (uint64_t)price_number(target, engine, kind, "results_per_cycle"),
        .peak = inputs * weights,
    };
    *out_rates = slice;
    return STATUS_OK;
}

// How many elements of the data path take part in a cycle. The multipliers are
// 8 bits wide: a wider input or weight takes several; a bf16 takes two.
static uint64_t inputs_per_cycle(const struct slice *slice, const struct cost_request *request)
{
    const uint64_t input = price_divide_up(request->input_bits, 8);
    const uint64_t weight = request->is_float != 0 ? 1 : price_divide_up(request->weight_bits, 8);
    const uint64_t lanes = slice->inputs / (input > 0 ? input : 1) / (weight > 0 ? weight : 1);
    return lanes > 0 ? lanes : 1;
}

struct slice_parts {
    uint64_t rounds;   // of the data path
    uint64_t channels; // rounds of weights
    uint64_t inner;
    uint64_t work;
    uint64_t results;
    uint64_t store;
};

static uint64_t torq_at_least_one(uint64_t number)
{
    return number > 0 ? number : 1;
}

static bool torq_is_product(const struct cost_request *request)
{
    return request->kind == COST_CONVOLUTION || request->kind == COST_MATMUL ||
           request->kind == COST_DEPTHWISE;
}

static struct slice_parts slice_parts(const struct slice *slice, const struct cost_request *request)
{
    const uint64_t inputs = inputs_per_cycle(slice, request);
    struct slice_parts parts = {.channels = 1, .inner = 1};
    if (torq_is_product(request)) {
        parts.rounds = price_divide_up(request->outputs, inputs);
        parts.channels = request->kind == COST_DEPTHWISE
                             ? request->channels
                             : price_divide_up(request->channels, slice->weights);
        parts.inner = request->inner;
    } else {
        const bool reads = request->kind == COST_POOLING || request->kind == COST_REDUCTION;
        const uint64_t steps = reads ? request->inner : torq_at_least_one(request->inner);
        parts.rounds = price_divide_up(price_product(request->outputs, steps), inputs);
    }
    parts.work = price_product(price_product(parts.rounds, parts.channels), parts.inner);
    parts.results = price_product(request->outputs, torq_at_least_one(request->channels));
    parts.store = price_divide_up(parts.results, slice->results);
    return parts;
}

static uint64_t slice_cycles(const void *rates, enum cost_rules rules,
                             const struct cost_request *request)
{
    const struct slice_parts parts = slice_parts(rates, request);
    (void)rules;
    return parts.work > parts.store ? parts.work : parts.store;
}

static uint64_t slice_bound(const void *rates, const struct cost_request *request)
{
    const struct slice *slice = rates;
    return torq_is_product(request) ? torq_rules_to_integer((double)request->macs / slice->peak)
                                    : 0;
}

static void explain_slice(const void *rates, enum cost_rules rules,
                          const struct cost_request *request, struct cost_explanation *out)
{
    const struct slice *slice = rates;
    const struct slice_parts parts = slice_parts(slice, request);
    (void)rules;
    if (torq_is_product(request))
        price_alternative(out, "products", parts.work,
                          "%" PRIu64 " rounds of %" PRIu64 " places x %" PRIu64
                          " of channels x %" PRIu64 " products",
                          parts.rounds, inputs_per_cycle(slice, request), parts.channels,
                          parts.inner);
    else
        price_alternative(out, "inputs", parts.work, "%" PRIu64 " rounds of %" PRIu64 " elements",
                          parts.rounds, inputs_per_cycle(slice, request));
    price_alternative(out, "results", parts.store,
                      "%" PRIu64 " elements leave, %" PRIu64 " a cycle", parts.results,
                      slice->results);
}

const struct price_kind PRICE_TORQ_SLICE = {
    .name = "torq-slice",
    .summary = "the longer of rounds of the data path and of results that leave it",
    .keys = SLICE_KEYS,
    .prepare = prepare_slice,
    .cycles = slice_cycles,
    .bound = slice_bound,
    .explain = explain_slice,
};

// The RISC-V core and the host --------------------------------------------------------------

static const struct price_key CSS_KEYS[] = {
    {"fixed_cycles", PRICE_CYCLES, "8000", "of any program, under public rules"},
    {"start_cycles", PRICE_CYCLES, "0", "cycles before the first step"},
    {"steps_per_cycle", PRICE_RATE, "1", "elements, each as often as there are operators"},
    {0},
};

static const struct price_key HOST_KEYS[] = {
    {"start_cycles", PRICE_CYCLES, "0", "cycles before the first step"},
    {"macs_per_cycle", PRICE_RATE, "1", "where the work is counted in MACs"},
    {"steps_per_cycle", PRICE_RATE, "1", "elements, each as often as there are operators"},
    {"bytes_per_cycle", PRICE_RATE, "1", "read and written"},
    {0},
};

struct processor {
    uint64_t fixed;
    uint64_t start;
    double macs;
    double steps;
    double bytes;
};

static status prepare_processor(struct target *target, const struct target_engine *engine,
                                const struct price_kind *kind, void **out_rates)
{
    struct processor *processor = arena_allocate(&target->arena, sizeof *processor);
    *processor = (struct processor){
        .fixed = (uint64_t)price_number(target, engine, kind, "fixed_cycles"),
        .start = (uint64_t)price_number(target, engine, kind, "start_cycles"),
        .macs = price_number(target, engine, kind, "macs_per_cycle"),
        .steps = price_number(target, engine, kind, "steps_per_cycle"),
        .bytes = price_number(target, engine, kind, "bytes_per_cycle"),
    };
    *out_rates = processor;
    return STATUS_OK;
}

static status prepare_css(struct target *target, const struct target_engine *engine,
                          void **out_rates)
{
    return prepare_processor(target, engine, &PRICE_TORQ_CSS, out_rates);
}

static status prepare_host(struct target *target, const struct target_engine *engine,
                           void **out_rates)
{
    return prepare_processor(target, engine, &PRICE_TORQ_HOST, out_rates);
}

static uint64_t steps_of(const struct cost_request *request)
{
    return price_product(request->outputs, torq_at_least_one(request->inner));
}

static uint64_t css_cycles(const void *rates, enum cost_rules rules,
                           const struct cost_request *request)
{
    const struct processor *css = rates;
    if (rules == COST_RULES_PUBLIC)
        return css->fixed;
    return price_sum(css->start, price_at_rate(steps_of(request), css->steps));
}

static uint64_t css_bound(const void *rates, const struct cost_request *request)
{
    (void)rates;
    (void)request;
    return 0;
}

static void explain_css(const void *rates, enum cost_rules rules,
                        const struct cost_request *request, struct cost_explanation *out)
{
    const struct processor *css = rates;
    if (rules == COST_RULES_PUBLIC) {
        price_term(out, "program", css->fixed, "any program, %s", PUBLIC_RULES);
        return;
    }
    price_term(out, "start", css->start, "before the first step");
    price_term(out, "steps", price_at_rate(steps_of(request), css->steps),
               "%" PRIu64 " steps at %.6g a cycle", steps_of(request), css->steps);
}

const struct price_kind PRICE_TORQ_CSS = {
    .name = "torq-css",
    .summary = "start + steps / rate; the same for any program under public rules",
    .keys = CSS_KEYS,
    .prepare = prepare_css,
    .cycles = css_cycles,
    .bound = css_bound,
    .explain = explain_css,
    .flat = true,
};

static uint64_t host_compute(const struct processor *host, const struct cost_request *request)
{
    return request->macs > 0 ? price_at_rate(request->macs, host->macs)
                             : price_at_rate(steps_of(request), host->steps);
}

static uint64_t host_cycles(const void *rates, enum cost_rules rules,
                            const struct cost_request *request)
{
    const struct processor *host = rates;
    if (rules == COST_RULES_PUBLIC)
        return 0; // the published model does not count the host
    const uint64_t compute = host_compute(host, request);
    const uint64_t move = price_at_rate(request->bytes, host->bytes);
    return price_sum(host->start, compute > move ? compute : move);
}

static uint64_t host_bound(const void *rates, const struct cost_request *request)
{
    const struct processor *host = rates;
    return torq_rules_to_integer((double)request->macs / host->macs);
}

static void explain_host(const void *rates, enum cost_rules rules,
                         const struct cost_request *request, struct cost_explanation *out)
{
    const struct processor *host = rates;
    if (rules == COST_RULES_PUBLIC) {
        price_term(out, "host", 0, "not counted %s", PUBLIC_RULES);
        return;
    }
    const bool macs = request->macs > 0;
    price_term(out, "start", host->start, "before the first step");
    price_alternative(out, macs ? "macs" : "steps", host_compute(host, request),
                      "%" PRIu64 " %s at %.6g a cycle", macs ? request->macs : steps_of(request),
                      macs ? "MACs" : "steps", macs ? host->macs : host->steps);
    price_alternative(out, "bytes", price_at_rate(request->bytes, host->bytes),
                      "%" PRIu64 " bytes at %.6g a cycle", request->bytes, host->bytes);
}

const struct price_kind PRICE_TORQ_HOST = {
    .name = "torq-host",
    .summary = "start + the longer of computing and moving; nothing under public rules",
    .keys = HOST_KEYS,
    .prepare = prepare_host,
    .cycles = host_cycles,
    .bound = host_bound,
    .explain = explain_host,
    .flat = true,
    .free = true,
};
