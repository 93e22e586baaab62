// A network of one made-up node, to find out how long its kernel takes here.

#ifndef OPSCOPE_DEVICE_PROBE_H
#define OPSCOPE_DEVICE_PROBE_H

#include "network/operators.h"
#include "target/cost.h"

enum { PROBE_INPUTS_MOST = 12, PROBE_ATTRIBUTES_MOST = 8, PROBE_OUTPUTS_MOST = 3 };

struct probe {
    struct network *network;
    uint32_t node;
    uint32_t inputs[PROBE_INPUTS_MOST];
    uint32_t input_count;
    uint32_t outputs[PROBE_OUTPUTS_MOST];
    uint32_t output_count;
    uint32_t given[PROBE_INPUTS_MOST]; // inputs that are no constants
    uint32_t given_count;
    struct attribute attributes[PROBE_ATTRIBUTES_MOST];
    uint32_t attribute_count;
    double low, high; // bounds of the random numbers that fill tensors
};

void probe_start(struct probe *probe, const char *operator);
void probe_free(struct probe *probe);

// The next input: computed before, or constant. Numbers are random.
void probe_input(struct probe *probe, enum element element, uint32_t rank, const uint64_t *dims);
void probe_constant(struct probe *probe, enum element element, uint32_t rank, const uint64_t *dims);
void probe_integers(struct probe *probe, uint32_t count, const int64_t *items);
void probe_absent(struct probe *probe);

void probe_set_integer(struct probe *probe, const char *name, int64_t number);
void probe_set_integers(struct probe *probe, const char *name, uint32_t count,
                        const int64_t *items);
void probe_set_text(struct probe *probe, const char *name, const char *text);

// What computes a network of one node as it would inside a larger one, and how many
// nanoseconds that takes.
struct probe_engine {
    status (*open)(struct network *network, unsigned threads, void **out_context);
    status (*run)(void *context, struct datum *const *inputs, size_t input_count,
                  struct datum **out_outputs, uint64_t *out_ns);
    void (*close)(void *context);
};

struct probe_budget {
    const struct probe_engine *engine;
    unsigned threads;
    unsigned runs_least, runs_most;
    uint64_t ns;         // of all runs together, undisturbed, when there were enough
    uint64_t macs_most;  // larger ones are left out
    uint64_t bytes_most; // that are read and written; the same
    // Walked over before each run, so that the caches hold little but the inputs:
    // all of it before large work, the start of it before small work.
    uint8_t *scrub;
    uint64_t scrub_least, scrub_most;
};

struct probe_result {
    struct cost_request request;
    bool left_out; // too large
    uint64_t least;
    double spread; // median / least - 1
};

// Infers, runs and times it.
status probe_run(struct probe *probe, const struct probe_budget *budget,
                 struct probe_result *out_result);

#endif
