#include "price.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "target/text.h"

const struct price_kind *const PRICE_KINDS[] = {
    &PRICE_LINEAR,
    &PRICE_ARRAY,
    &PRICE_LANES,
    &PRICE_FIXED,
    &PRICE_TABLE,
    &PRICE_TORQ_TRANSFER,
    &PRICE_TORQ_SLICE,
    &PRICE_TORQ_KERNELS,
    &PRICE_TORQ_CSS,
    &PRICE_TORQ_HOST,
    NULL,
};

const struct price_kind *price_kind_named(struct view name)
{
    for (size_t i = 0; PRICE_KINDS[i] != NULL; i++) {
        if (view_is(name, PRICE_KINDS[i]->name))
            return PRICE_KINDS[i];
    }
    return NULL;
}

const struct price_key *price_key_named(const struct price_kind *kind, struct view name)
{
    for (const struct price_key *key = kind->keys; key->name != NULL; key++) {
        if (view_is(name, key->name))
            return key;
    }
    return NULL;
}

// Settings ----------------------------------------------------------------------------

static const struct target_setting *setting_of(const struct target *target,
                                               const struct target_engine *engine, const char *key)
{
    const size_t size = strlen(engine->name);
    for (uint32_t i = 0; i < target->setting_count; i++) {
        const char *name = target->settings[i].name;
        if (strncmp(name, engine->name, size) == 0 && name[size] == '.' &&
            strcmp(name + size + 1, key) == 0)
            return &target->settings[i];
    }
    return NULL;
}

double price_number(const struct target *target, const struct target_engine *engine,
                    const struct price_kind *kind, const char *key)
{
    const struct target_setting *setting = setting_of(target, engine, key);
    if (setting != NULL)
        return setting->number;
    const struct price_key *known = price_key_named(kind, view_of(key));
    double number = 0;
    if (known != NULL && known->fallback != NULL)
        target_value_number(view_of(known->fallback), UNIT_ANY, &number);
    return number;
}

const char *price_text(const struct target *target, const struct target_engine *engine,
                       const struct price_kind *kind, const char *key)
{
    const struct target_setting *setting = setting_of(target, engine, key);
    if (setting != NULL)
        return setting->text;
    const struct price_key *known = price_key_named(kind, view_of(key));
    return known != NULL ? known->fallback : NULL;
}

// Arithmetic --------------------------------------------------------------------------

uint64_t price_at_rate(uint64_t amount, double per_cycle)
{
    const double cycles = per_cycle > 0 ? ceil((double)amount / per_cycle) : (double)amount;
    return cycles < 0x1p63 ? (uint64_t)cycles : UINT64_MAX / 2;
}

uint64_t price_divide_up(uint64_t number, uint64_t by)
{
    return by == 0 ? number : number / by + (number % by != 0);
}

uint64_t price_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > UINT64_MAX / 2 ? UINT64_MAX / 2
                                                                              : product;
}

uint64_t price_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t price_steps(const struct cost_request *request)
{
    if (request->macs > 0)
        return request->macs;
    return price_product(request->outputs, request->inner > 0 ? request->inner : 1);
}

// Names -------------------------------------------------------------------------------

static struct price_rate price_rate_of(struct target *target, struct view name, double rate)
{
    char text[100];
    const char *kept = arena_copy(&target->arena, name).data;
    struct price_rate item = {.name = kept, .rate = rate};
    item.functions[0] = cost_function(name);
    snprintf(text, sizeof text, "%s", kept);
    text[0] = (char)toupper((unsigned char)text[0]);
    item.functions[1] = cost_function(view_of(text));
    snprintf(text, sizeof text, "tosa.%s", kept);
    item.functions[2] = cost_function(view_of(text));
    snprintf(text, sizeof text, "layout.%s", kept);
    item.functions[3] = cost_function(view_of(text));
    return item;
}

struct price_rates price_rates_read(struct target *target, const char *text)
{
    struct price_rates rates = {0};
    struct view rest = view_of(text != NULL ? text : "");
    struct view word;
    // A pair is at least "a:1" with a blank after it.
    rates.items = arena_allocate(&target->arena, (rest.size / 4 + 1) * sizeof *rates.items);
    while (target_value_word(&rest, &word)) {
        struct view name;
        double rate;
        if (target_value_pair(word, &name, &rate))
            rates.items[rates.count++] = price_rate_of(target, name, rate);
    }
    return rates;
}

const struct price_rate *price_rates_named(const struct price_rates *rates, const char *name)
{
    for (uint32_t i = 0; i < rates->count; i++) {
        if (strcmp(rates->items[i].name, name) == 0)
            return &rates->items[i];
    }
    return NULL;
}

const struct price_rate *price_rates_of_function(const struct price_rates *rates, uint32_t function)
{
    for (uint32_t i = 0; i < rates->count && function != 0; i++) {
        for (uint32_t k = 0; k < PRICE_SPELLINGS; k++) {
            if (rates->items[i].functions[k] == function)
                return &rates->items[i];
        }
    }
    return NULL;
}

double price_rates_most(const struct price_rates *rates)
{
    double most = 0;
    for (uint32_t i = 0; i < rates->count; i++)
        most = rates->items[i].rate > most ? rates->items[i].rate : most;
    return most;
}

double price_rates_least(const struct price_rates *rates)
{
    double least = rates->count > 0 ? rates->items[0].rate : 0;
    for (uint32_t i = 0; i < rates->count; i++)
        least = rates->items[i].rate < least ? rates->items[i].rate : least;
    return least;
}

const char *price_work(uint32_t cost_kind)
{
    static const char *const WORDS[COST_KINDS] = {
        [COST_NOTHING] = "nothing",
        [COST_FIXED] = "fixed",
        [COST_TRANSFER] = "transfer",
        [COST_CONVOLUTION] = "convolution",
        [COST_DEPTHWISE] = "depthwise",
        [COST_MATMUL] = "matmul",
        [COST_POOLING] = "pooling",
        [COST_REDUCTION] = "reduction",
        [COST_ELEMENTWISE] = "elementwise",
        [COST_TABLE] = "table",
        [COST_MOVEMENT] = "movement",
        [COST_RECURRENT] = "recurrent",
        [COST_OTHER] = "other",
    };
    return cost_kind < COST_KINDS ? WORDS[cost_kind] : "other";
}

const char *price_element(const struct cost_request *request)
{
    static const char *const FLOATS[] = {"f8", "f16", "f32", "f64"};
    static const char *const INTEGERS[] = {"i8", "i16", "i32", "i64"};
    const uint32_t bits = request->input_bits;
    const uint32_t index = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    if (request->is_float != 0 && bits <= 4)
        return "f4";
    return request->is_float != 0 ? FLOATS[index] : INTEGERS[index];
}

// Terms -------------------------------------------------------------------------------

static void add_term(struct cost_explanation *out, const char *name, uint64_t cycles,
                     bool alternative, const char *how, va_list arguments)
{
    if (out->term_count == COST_TERMS_MOST)
        return;
    struct cost_term *term = &out->terms[out->term_count++];
    term->cycles = cycles;
    term->alternative = alternative;
    snprintf(term->name, sizeof term->name, "%s", name);
    vsnprintf(term->how, sizeof term->how, how, arguments);
}

void price_term(struct cost_explanation *out, const char *name, uint64_t cycles, const char *how,
                ...)
{
    va_list arguments;
    va_start(arguments, how);
    add_term(out, name, cycles, false, how, arguments);
    va_end(arguments);
}

void price_alternative(struct cost_explanation *out, const char *name, uint64_t cycles,
                       const char *how, ...)
{
    va_list arguments;
    va_start(arguments, how);
    add_term(out, name, cycles, true, how, arguments);
    va_end(arguments);
}
