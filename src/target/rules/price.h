// Kinds of prices: how long an engine takes for a piece of work, one file each.
//
// A kind has a name for target files, the keys that an engine with it may have, and three
// answers: the cycles, the least that physics allows, and the terms that the cycles are made
// of. All are in cycles of the engine's own clock. A new kind is a new file and a row of
// PRICE_KINDS.

#ifndef OPSCOPE_TARGET_RULES_PRICE_H
#define OPSCOPE_TARGET_RULES_PRICE_H

#include "target/cost.h"

// What a key is given.
enum price_form {
    PRICE_NUMBER,    // anything that is not negative
    PRICE_CYCLES,    // the same
    PRICE_RATE,      // more than 0
    PRICE_SHARE,     // more than 0, at most 1
    PRICE_BYTES,     // of a memory
    PRICE_BANDWIDTH, // bytes a second, more than 0
    PRICE_SHAPE,     // 32x32x8
    PRICE_LIST,      // i8:4096 f16:2048
};

struct price_key {
    const char *name; // NULL: after the last one
    enum price_form form;
    const char *fallback; // what holds where the file says nothing; NULL: nothing does
    const char *meaning;
};

struct price_kind {
    const char *name;
    const char *summary;
    const struct price_key *keys;
    bool (*is_key)(struct view key); // further ones, whose values are numbers; or NULL
    // The numbers of one engine, taken from the target's settings once. They live in the
    // target's arena, or are given back by `release`.
    status (*prepare)(struct target *target, const struct target_engine *engine, void **out_rates);
    void (*release)(void *rates); // or NULL
    uint64_t (*cycles)(const void *rates, enum cost_rules rules,
                       const struct cost_request *request);
    uint64_t (*bound)(const void *rates, const struct cost_request *request);
    void (*explain)(const void *rates, enum cost_rules rules, const struct cost_request *request,
                    struct cost_explanation *out);
    // What the machine calls the kernel that does such work. NULL: it has no names for them.
    const char *(*kernel)(const void *rates, const struct cost_request *request);
    // Why it cannot do such work at all (cost_refusal). NULL: it can do anything.
    const char *(*refusal)(const void *rates, const struct cost_request *request);
    // Under the published rules: the same for anything, whatever a dump says it took; and
    // nothing at all.
    bool flat;
    bool free;
};

extern const struct price_kind *const PRICE_KINDS[]; // ends with NULL
extern const struct price_kind PRICE_LINEAR;
extern const struct price_kind PRICE_ARRAY;
extern const struct price_kind PRICE_LANES;
extern const struct price_kind PRICE_FIXED;
extern const struct price_kind PRICE_TABLE;
extern const struct price_kind PRICE_TORQ_TRANSFER;
extern const struct price_kind PRICE_TORQ_SLICE;
extern const struct price_kind PRICE_TORQ_KERNELS;
extern const struct price_kind PRICE_TORQ_CSS;
extern const struct price_kind PRICE_TORQ_HOST;

// NULL: there is none of that name.
const struct price_kind *price_kind_named(struct view name);
const struct price_key *price_key_named(const struct price_kind *kind, struct view name);

// What an engine's setting says, or the key's fallback; 0 where there is neither.
double price_number(const struct target *target, const struct target_engine *engine,
                    const struct price_kind *kind, const char *key);
// The same as text; NULL.
const char *price_text(const struct target *target, const struct target_engine *engine,
                       const struct price_kind *kind, const char *key);

// Arithmetic that does not wrap: what is too much is UINT64_MAX / 2, which leaves room for
// what is added.
uint64_t price_at_rate(uint64_t amount, double per_cycle);
uint64_t price_divide_up(uint64_t number, uint64_t by);
uint64_t price_product(uint64_t a, uint64_t b);
uint64_t price_sum(uint64_t a, uint64_t b);

// Elements, each as often as there are steps; MACs where the work is counted in them.
uint64_t price_steps(const struct cost_request *request);

// What names of target files stand for ------------------------------------------------

// Rates by name: "add:64 exp:8 default:16". A name is that of an operator (Add, or add for
// Add and tosa.add), of a kind of work (elementwise), or of an element (i8).
// As it is, with a large letter, TOSA's and the compiler's own.
enum { PRICE_SPELLINGS = 4 };

struct price_rate {
    const char *name;
    uint32_t functions[PRICE_SPELLINGS]; // cost_function of the ways to write it
    double rate;
};

struct price_rates {
    struct price_rate *items;
    uint32_t count;
};

struct price_rates price_rates_read(struct target *target, const char *text);

// NULL: the list does not have it.
const struct price_rate *price_rates_named(const struct price_rates *rates, const char *name);
const struct price_rate *price_rates_of_function(const struct price_rates *rates,
                                                 uint32_t function);
double price_rates_most(const struct price_rates *rates);
double price_rates_least(const struct price_rates *rates);

// "matmul", "elementwise": the word of a kind of work.
const char *price_work(uint32_t cost_kind);
// "i8", "f16": of an element's bits.
const char *price_element(const struct cost_request *request);

// Terms -------------------------------------------------------------------------------

// Adds a term to an explanation: its name, its cycles, and how they come about.
void price_term(struct cost_explanation *out, const char *name, uint64_t cycles, const char *how,
                ...) __attribute__((format(printf, 4, 5)));
// The same, one of several of which only the largest counts.
void price_alternative(struct cost_explanation *out, const char *name, uint64_t cycles,
                       const char *how, ...) __attribute__((format(printf, 4, 5)));

#endif
