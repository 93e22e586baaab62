// An array of multipliers that works on blocks of places, channels and products: what does
// not fill a block costs as much as what does.

#include <inttypes.h>
#include <math.h>

#include "price.h"
#include "target/text.h"

enum { DIMENSIONS = 3 };

static const struct price_key KEYS[] = {
    {"setup", PRICE_CYCLES, "0", "cycles before a task"},
    {"quantum", PRICE_SHAPE, "1x1x1", "places x channels x products of a block"},
    {"macs", PRICE_LIST, "default:1", "MACs a cycle by element (i8:4096 f16:2048), or default"},
    {"fill", PRICE_CYCLES, "0", "cycles until the first block leaves the array"},
    {"drain", PRICE_CYCLES, "0", "cycles after the last block"},
    {"results_per_cycle", PRICE_RATE, NULL,
     "elements that leave it; left out: places x channels of a block"},
    {0},
};

struct array {
    uint64_t setup, fill, drain;
    uint64_t quantum[DIMENSIONS]; // places, channels, products
    struct price_rates macs;
    double results; // elements a cycle
    double most;    // MACs a cycle
};

static status array_prepare(struct target *target, const struct target_engine *engine,
                            void **out_rates)
{
    struct array *array = arena_allocate(&target->arena, sizeof *array);
    *array = (struct array){
        .setup = (uint64_t)price_number(target, engine, &PRICE_ARRAY, "setup"),
        .fill = (uint64_t)price_number(target, engine, &PRICE_ARRAY, "fill"),
        .drain = (uint64_t)price_number(target, engine, &PRICE_ARRAY, "drain"),
        .quantum = {1, 1, 1},
        .macs = price_rates_read(target, price_text(target, engine, &PRICE_ARRAY, "macs")),
        .results = price_number(target, engine, &PRICE_ARRAY, "results_per_cycle"),
    };
    target_value_shape(view_of(price_text(target, engine, &PRICE_ARRAY, "quantum")), array->quantum,
                       DIMENSIONS);
    if (array->results == 0)
        array->results = (double)array->quantum[0] * (double)array->quantum[1];
    array->most = price_rates_most(&array->macs);
    *out_rates = array;
    return STATUS_OK;
}

// Its own rate; else that of the next wider element of its sort; else the default; else the
// slowest.
static double array_rate_of(const struct array *array, const struct cost_request *request,
                            const char **out_name)
{
    static const char *const FLOATS[] = {"f4", "f8", "f16", "bf16", "f32", "f64", NULL};
    static const char *const INTEGERS[] = {"i4", "i8", "u8", "i16", "u16", "i32", "i64", NULL};
    const char *const *names = request->is_float != 0 ? FLOATS : INTEGERS;
    const char *own = price_element(request);
    bool reached = false;
    for (size_t i = 0; names[i] != NULL; i++) {
        reached = reached || strcmp(names[i], own) == 0;
        const struct price_rate *rate = reached ? price_rates_named(&array->macs, names[i]) : NULL;
        if (rate != NULL) {
            *out_name = rate->name;
            return rate->rate;
        }
    }
    const struct price_rate *rest = price_rates_named(&array->macs, "default");
    *out_name = rest != NULL ? "default" : "the slowest";
    return rest != NULL ? rest->rate : price_rates_least(&array->macs);
}

struct parts {
    bool products;
    uint64_t blocks[DIMENSIONS];
    uint64_t work;
    uint64_t results; // elements
    uint64_t leave;   // cycles until all of them have left
};

static bool array_is_product(const struct cost_request *request)
{
    return request->kind == COST_CONVOLUTION || request->kind == COST_DEPTHWISE ||
           request->kind == COST_MATMUL || request->kind == COST_RECURRENT;
}

static uint64_t array_at_least_one(uint64_t number)
{
    return number > 0 ? number : 1;
}

static struct parts array_parts_of(const struct array *array, const struct cost_request *request)
{
    const char *name;
    struct parts parts = {.products = array_is_product(request)};
    if (!parts.products) {
        parts.results = price_steps(request);
        parts.leave = price_at_rate(parts.results, array->results);
        return parts;
    }
    const uint64_t groups = array_at_least_one(request->groups);
    const uint64_t channels = array_at_least_one(request->channels);
    const bool apart = request->kind == COST_DEPTHWISE;
    parts.blocks[0] = price_product(
        groups, price_divide_up(price_divide_up(request->outputs, groups), array->quantum[0]));
    parts.blocks[1] = apart ? channels : price_divide_up(channels, array->quantum[1]);
    parts.blocks[2] = price_divide_up(array_at_least_one(request->inner), array->quantum[2]);
    const double each = (double)array->quantum[0] * (double)array->quantum[1] *
                        (double)array->quantum[2] / array_rate_of(array, request, &name);
    const double blocks =
        (double)parts.blocks[0] * (double)parts.blocks[1] * (double)parts.blocks[2];
    const double cycles = ceil(blocks * each);
    parts.work = cycles < 0x1p63 ? (uint64_t)cycles : UINT64_MAX / 2;
    parts.results = price_product(request->outputs, channels);
    parts.leave = price_at_rate(parts.results, array->results);
    return parts;
}

static uint64_t array_cycles_of(const void *rates, enum cost_rules rules,
                                const struct cost_request *request)
{
    const struct array *array = rates;
    const struct parts parts = array_parts_of(array, request);
    (void)rules;
    const uint64_t longer = parts.work > parts.leave ? parts.work : parts.leave;
    return price_sum(array->setup + array->fill + array->drain, longer);
}

static uint64_t array_bound_of(const void *rates, const struct cost_request *request)
{
    const struct array *array = rates;
    const double cycles = array_is_product(request)
                              ? floor((double)request->macs / array->most)
                              : floor((double)price_steps(request) / array->results);
    return cycles < 0x1p63 ? (uint64_t)cycles : UINT64_MAX / 2;
}

static void array_explain(const void *rates, enum cost_rules rules,
                          const struct cost_request *request, struct cost_explanation *out)
{
    const struct array *array = rates;
    const struct parts parts = array_parts_of(array, request);
    const char *name;
    const double rate = array_rate_of(array, request, &name);
    (void)rules;
    price_term(out, "setup", array->setup, "before a task");
    price_term(out, "fill", array->fill, "until the first block leaves the array");
    if (parts.products)
        price_alternative(out, "products", parts.work,
                          "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " blocks of %" PRIu64 "x%" PRIu64
                          "x%" PRIu64 " MACs at %.6g a cycle (%s)",
                          parts.blocks[0], parts.blocks[1], parts.blocks[2], array->quantum[0],
                          array->quantum[1], array->quantum[2], rate, name);
    price_alternative(out, "results", parts.leave, "%" PRIu64 " %s leave it, %.6g a cycle",
                      parts.results, parts.products ? "elements" : "steps", array->results);
    price_term(out, "drain", array->drain, "after the last block");
}

const struct price_kind PRICE_ARRAY = {
    .name = "array",
    .summary = "setup + fill + blocks of products / MACs a cycle + drain",
    .keys = KEYS,
    .prepare = array_prepare,
    .cycles = array_cycles_of,
    .bound = array_bound_of,
    .explain = array_explain,
};
