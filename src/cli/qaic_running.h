// What the parts of qaic-runner share: a run, its inputs, and what is kept of its inferences.

#ifndef OPSCOPE_CLI_QAIC_RUNNING_H
#define OPSCOPE_CLI_QAIC_RUNNING_H

#include <pthread.h>

#include "device/host.h"
#include "formats/qaic/statistics.h"
#include "options.h"
#include "qaic_feeds.h"
#include "runtime/runtime.h"
#include "runtime/sampling.h"

enum profiling_type {
    TYPE_STATS = 1,
    TYPE_TRACE = 2,
    TYPE_LATENCY = 4,
    TYPE_RAW = 8,
    TYPE_TRACE_STREAM = 16,
    TYPE_LATENCY_STREAM = 32,
    TYPES_SAMPLED = TYPE_STATS | TYPE_TRACE | TYPE_LATENCY | TYPE_RAW,
    TYPES_STREAMED = TYPE_TRACE_STREAM | TYPE_LATENCY_STREAM,
};

enum { FIGURE_GROUPS = 4 }; // of threads, that the use of is told

// Time that the device took for an inference, and waited for the host's doorbells; with -ddr-stats
// its traffic, and with counters of that how much of the time each group of threads worked: NAN
// where it is not known.
struct device_figures {
    double execution_us, input_wait_us, output_wait_us;
    double traffic_mb, bandwidth_gb;
    double use_percent[FIGURE_GROUPS];
};

// A specialization, as it is run.
struct loaded {
    struct qaic_collected collected;
    struct sim_result *times; // modelled
    struct device_pair *kept;
    struct device_figures figures; // modelled: all its inferences are alike
};

struct sample {
    struct runtime_inference inference;
    size_t part;             // the specialization that it was of
    struct sim_times *tasks; // measured, in cycles of the target's clock; NULL: not asked for
    uint64_t end;            // of the last of them
};

// An output that grows while inferences go on.
struct stream {
    struct output *output;
    uint64_t reported; // periods
};

// Of one activation.
struct activation_run {
    struct sampling_state state;
    uint32_t resumed; // where the run went on for samples; 0: it did not
    uint32_t limit;   // inferences that the run has without that; UINT32_MAX: until its time
    uint32_t done;    // inferences
    struct sample *samples;
    size_t sample_count, sample_capacity;
    struct host_span **spans; // by part and task, of the inference at hand; NULL: not asked for
    struct sampling_state stream_state;
    uint32_t *streamed; // indexes, in order
    size_t streamed_count, streamed_capacity;
    struct stream latency, trace;
};

struct running {
    const struct arguments *arguments;
    struct qaic_program program;
    struct loaded *parts;            // by part of the program
    struct choice_program *programs; // the same, for the runtime
    struct runtime *runtime;
    struct qaic_feeds feeds;
    bool measured;  // statistics of the device are this machine's times
    unsigned types; // bits of profiling_type
    const char *folder;
    const char *outputs;                 // where they go; NULL: nowhere
    unsigned first_output, output_count; // of which iterations
    unsigned iterations;                 // of an activation; UINT32_MAX: any number
    uint64_t time_ns;                    // 0: not limited
    unsigned activations, set_size, threads;
    struct sampling sampling;
    unsigned reporting_ms;
    unsigned live_ms;            // between lines of statistics while it runs; 0: none
    uint64_t live_reported;      // periods
    struct activation_run *runs; // by activation
    pthread_mutex_t lock;        // of what is kept of inferences
    uint64_t begun, ended;       // the run as a whole, ns
};

// Fills what stands on the command line, and checks the folder that samples go to.
status qaic_options_read(struct running *running);

struct device_figures qaic_device_figures(const struct running *running,
                                          const struct sample *sample);

// Finds those that are modelled; inputs must have been read.
void qaic_device_model(struct running *running);

// Streams of an activation: opened before the run, closed after it. `add` is called under the lock.
status qaic_streams_open(const struct running *running, uint32_t activation);
void qaic_streams_add(const struct running *running, const struct sample *sample);
status qaic_streams_close(const struct running *running, uint32_t activation, status result);

// All files of the samples.
status qaic_samples_write(const struct running *running);

// One line on what was done until `ended`, and all statistics at the end.
void qaic_run_print_count(const struct running *running, uint64_t ended);
void qaic_run_print(const struct running *running);

// Says where the run went on for samples that were due after it.
void qaic_run_say_resumed(const struct running *running);

// Says which samples were asked for and are not there; the exit code.
int qaic_run_check(const struct running *running);

#endif
