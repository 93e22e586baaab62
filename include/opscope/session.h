// Runs compiled programs: opens a program container (programqpc.bin, or the folder that it lies in)
// or a program file (.opx), infers, and tells how long inferences took. Numbers are computed on
// this machine; what the simulated device would take is modelled, and called so. For C11 and later,
// and C++11 and later. It is libopscope-session, a library of its own: what computes comes with it.
//
// A session may be used by several threads at a time, but for opening and freeing it.

#ifndef OPSCOPE_SESSION_H
#define OPSCOPE_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include <opscope/result.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct opscope_session;

// What is 0 is as usual.
struct opscope_session_options {
    uint32_t activations; // copies of the program that run side by side (1)
    uint32_t set_size;    // inferences of one that are under way at most (10)
    uint32_t threads;     // of one, in a benchmark: they prepare and finish inferences (4)
    uint32_t reserved;
};

// `options` may be NULL. Of several specializations it is the first that runs. Fails for a program
// of another compiler, which has nothing that can be run.
int opscope_session_open_sized(const char *path, const struct opscope_session_options *options,
                               size_t options_size, struct opscope_session **out_session,
                               char *message, size_t size);

static inline int opscope_session_open(const char *path,
                                       const struct opscope_session_options *options,
                                       struct opscope_session **out_session, char *message,
                                       size_t size)
{
    return opscope_session_open_sized(path, options, sizeof *options, out_session, message, size);
}

// Accepts NULL.
void opscope_session_free(struct opscope_session *session);

// Inputs and outputs -----------------------------------------------------------------

enum opscope_session_side { OPSCOPE_SESSION_INPUTS, OPSCOPE_SESSION_OUTPUTS };

// How many there are; 0 for a side that is none.
uint32_t opscope_session_port_count(const struct opscope_session *session, uint32_t side);

struct opscope_session_port {
    const char *name;    // belongs to the session, as do the next two
    const char *element; // "f32", "f16", "i8", "i64" ...
    const int64_t *dims;
    uint32_t rank;
    uint32_t constant; // not 0: compiled in, or it stays on the device: it takes and gives no bytes
    uint64_t bytes;    // of the elements, one after the other
};

// OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND.
int opscope_session_get_port_sized(const struct opscope_session *session, uint32_t side,
                                   uint32_t index, struct opscope_session_port *out_port,
                                   size_t size);

static inline int opscope_session_get_port(const struct opscope_session *session, uint32_t side,
                                           uint32_t index, struct opscope_session_port *out_port)
{
    return opscope_session_get_port_sized(session, side, index, out_port, sizeof *out_port);
}

// Inferences of a batch, as the container says; 1 where it says nothing.
uint32_t opscope_session_batch(const struct opscope_session *session);

// What an inference takes on the simulated device: modelled, never measured. 0: not known.
uint64_t opscope_session_modelled_ns(const struct opscope_session *session);

// Inferences -------------------------------------------------------------------------

// Nanoseconds, measured on this machine.
struct opscope_session_times {
    uint64_t total;       // from the call to its return, but for what follows
    uint64_t queue;       // until there was room for it
    uint64_t preparation; // of the inputs
    uint64_t waiting;     // for the device
    uint64_t execution;
    uint64_t finishing; // of the outputs
};

// One inference. `inputs` has the elements of every input (NULL for a constant), `outputs` room for
// those of every output, as the ports say. `out_times` may be NULL.
int opscope_session_run_sized(struct opscope_session *session, const void *const *inputs,
                              void *const *outputs, struct opscope_session_times *out_times,
                              size_t times_size, char *message, size_t size);

static inline int opscope_session_run(struct opscope_session *session, const void *const *inputs,
                                      void *const *outputs, struct opscope_session_times *out_times,
                                      char *message, size_t size)
{
    return opscope_session_run_sized(session, inputs, outputs, out_times, sizeof *out_times,
                                     message, size);
}

struct opscope_session_benchmark {
    uint64_t inferences; // of all activations
    uint64_t ns;         // of the whole
    uint32_t batch;
    uint32_t reserved;
};

// Runs `inferences` on each activation, or where that is 0 as many as `seconds` take. All read the
// same `inputs`, random ones where they are NULL. They do not count for the metrics.
int opscope_session_run_benchmark_sized(struct opscope_session *session, const void *const *inputs,
                                        uint64_t inferences, uint32_t seconds,
                                        struct opscope_session_benchmark *out_benchmark,
                                        size_t benchmark_size, char *message, size_t size);

static inline int opscope_session_run_benchmark(struct opscope_session *session,
                                                const void *const *inputs, uint64_t inferences,
                                                uint32_t seconds,
                                                struct opscope_session_benchmark *out_benchmark,
                                                char *message, size_t size)
{
    return opscope_session_run_benchmark_sized(session, inputs, inferences, seconds, out_benchmark,
                                               sizeof *out_benchmark, message, size);
}

// Metrics ----------------------------------------------------------------------------

// Of the total times of all inferences by opscope_session_run so far, in nanoseconds. A percentile
// is one of them: the least that so many percent keep to.
struct opscope_session_metrics {
    uint64_t inferences;
    uint64_t least, most, sum;
    double mean;
    uint64_t p25, p50, p75, p90, p99, p999;
};

// OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND where nothing was inferred.
int opscope_session_get_metrics_sized(struct opscope_session *session,
                                      struct opscope_session_metrics *out_metrics, size_t size);

static inline int opscope_session_get_metrics(struct opscope_session *session,
                                              struct opscope_session_metrics *out_metrics)
{
    return opscope_session_get_metrics_sized(session, out_metrics, sizeof *out_metrics);
}

// Forgets the times so far.
void opscope_session_reset_metrics(struct opscope_session *session);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
