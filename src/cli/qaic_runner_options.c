// Options of qaic-runner.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "qaic_running.h"

// As in the vendor's runner.
enum {
    ITERATIONS_USUAL = 40,
    SET_SIZE_USUAL = 10,
    THREADS_USUAL = 4,
    REPORTING_USUAL = 500,
    LIVE_USUAL = 1000,
    ACTIVATIONS_MOST = 256,
    QUEUE_MOST_INFERENCES = 65536,
};

// Options ------------------------------------------------------------------------------

// A number from `least` to `most`; `*number` stays as it is when the option was not given.
static status read_count(const struct arguments *arguments, const char *name, unsigned least,
                         unsigned most, unsigned *number)
{
    const char *text = arguments_value(arguments, name);
    uint64_t given = *number;
    if (text != NULL && (!view_to_u64(view_of(text), &given) || given < least || given > most))
        return status_make(STATUS_USAGE, "qaic-runner: --%s %s: expected a number from %u to %u",
                           name, text, least, most);
    *number = (unsigned)given;
    return STATUS_OK;
}

static status qaic_runner_read_types(const struct arguments *arguments, unsigned *types)
{
    static const struct {
        const char *name;
        unsigned bit;
    } NAMES[] = {{"stats", TYPE_STATS},
                 {"trace", TYPE_TRACE},
                 {"latency", TYPE_LATENCY},
                 {"raw_device_stats", TYPE_RAW},
                 {"trace_stream", TYPE_TRACE_STREAM},
                 {"latency_stream", TYPE_LATENCY_STREAM}};
    size_t count;
    const char *const *given = arguments_values(arguments, "aic-profiling-type", &count);
    for (size_t i = 0; i < count; i++) {
        unsigned bit = 0;
        for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; k++) {
            if (strcmp(given[i], NAMES[k].name) == 0)
                bit = NAMES[k].bit;
        }
        if (bit == 0)
            return status_make(STATUS_USAGE,
                               "qaic-runner: --aic-profiling-type=%s: there are stats, trace, "
                               "latency, trace_stream, latency_stream and raw_device_stats",
                               given[i]);
        *types |= bit;
    }
    return STATUS_OK;
}

// What older SDKs called the types.
static status read_formats(const struct arguments *arguments, unsigned *types)
{
    size_t count;
    const char *const *given = arguments_values(arguments, "aic-profiling-format", &count);
    for (size_t i = 0; i < count; i++) {
        const unsigned bit = strcmp(given[i], "ascii") == 0     ? TYPE_STATS
                             : strcmp(given[i], "json") == 0    ? TYPE_TRACE
                             : strcmp(given[i], "latency") == 0 ? TYPE_LATENCY
                                                                : 0;
        if (bit == 0)
            return status_make(STATUS_USAGE,
                               "qaic-runner: --aic-profiling-format=%s: there were ascii, json and "
                               "latency: use --aic-profiling-type",
                               given[i]);
        *types |= bit;
    }
    return STATUS_OK;
}

// Nothing is sampled without a type: what says how to would be without effect.
static void say_without_type(const struct running *running)
{
    static const char *const NAMES[] = {
        "aic-profiling-start-iter", "aic-profiling-num-samples",   "aic-profiling-start-delay",
        "aic-profiling-duration",   "aic-profiling-sampling-rate", "aic-profiling-reporting-rate",
        "aic-profiling-out-dir"};
    for (size_t i = 0; running->types == 0 && i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (arguments_value(running->arguments, NAMES[i]) != NULL)
            fprintf(stderr,
                    "qaic-runner: --%s: has no effect: nothing is profiled without "
                    "--aic-profiling-type=stats, trace, latency or raw_device_stats\n",
                    NAMES[i]);
    }
}

// How inputs are given that this runner does not read.
static status refuse_inputs(const struct arguments *arguments)
{
    static const char *const NAMES[] = {"aic-batch-input-directory", "aic-batch-input-file-list"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (arguments_value(arguments, NAMES[i]) != NULL)
            return status_make(STATUS_UNSUPPORTED,
                               "qaic-runner: --%s is not read here: name the files in a list of "
                               "--aic-batch-json-input, or give them with --input-file",
                               NAMES[i]);
    }
    return STATUS_OK;
}

static status read_live(struct running *running)
{
    unsigned period = LIVE_USUAL;
    STATUS_TRY(read_count(running->arguments, "live-reporting-period", 1, 1000000000, &period));
    running->live_ms = arguments_flag(running->arguments, "live-reporting") ? period : 0;
    return STATUS_OK;
}

static status read_rate(const struct arguments *arguments, uint32_t *every)
{
    static const char *const NAMES[] = {"full", "half", "fourth", "eighth", "sixteenth"};
    const char *text = arguments_value(arguments, "aic-profiling-sampling-rate");
    *every = 1;
    for (unsigned i = 0; text != NULL && i < sizeof NAMES / sizeof NAMES[0]; i++) {
        *every = 1U << i;
        if (strcmp(text, NAMES[i]) == 0)
            return STATUS_OK;
    }
    return text == NULL ? STATUS_OK
                        : status_make(STATUS_USAGE,
                                      "qaic-runner: --aic-profiling-sampling-rate=%s: there are "
                                      "full, half, fourth, eighth and sixteenth",
                                      text);
}

static status qaic_runner_read_sampling(struct running *running)
{
    const struct arguments *arguments = running->arguments;
    struct sampling *sampling = &running->sampling;
    unsigned delay_ms = 0, duration_ms = 0;
    running->reporting_ms = REPORTING_USUAL;
    STATUS_TRY(read_count(arguments, "aic-profiling-start-delay", 0, 1000000000, &delay_ms));
    STATUS_TRY(read_count(arguments, "aic-profiling-duration", 1, 1000000000, &duration_ms));
    // A time alone bounds samples as well.
    sampling->samples = duration_ms > 0 ? UINT32_MAX : 1;
    STATUS_TRY(
        read_count(arguments, "aic-profiling-num-samples", 1, 1000000000, &sampling->samples));
    STATUS_TRY(read_count(arguments, "aic-profiling-start-iter", 0, 1000000000,
                          &sampling->start_iteration));
    STATUS_TRY(
        read_count(arguments, "aic-profiling-reporting-rate", 500, 4000, &running->reporting_ms));
    if (running->reporting_ms % 500 != 0 || running->reporting_ms == 1500 ||
        (running->reporting_ms > 2000 && running->reporting_ms < 4000))
        return status_make(STATUS_USAGE,
                           "qaic-runner: --aic-profiling-reporting-rate=%u: there "
                           "are 500, 1000, 2000 and 4000 (ms)",
                           running->reporting_ms);
    sampling->delay_ns = (uint64_t)delay_ms * 1000000;
    sampling->duration_ns = (uint64_t)duration_ms * 1000000;
    return read_rate(arguments, &sampling->every);
}

static status check_folder(const char *path)
{
    if (access(path, F_OK) != 0)
        return status_make(STATUS_USAGE,
                           "qaic-runner: --aic-profiling-out-dir %s: there is no such folder: make "
                           "it first",
                           path);
    if (!folder_is(path))
        return status_make(STATUS_USAGE,
                           "qaic-runner: --aic-profiling-out-dir %s: is a file, and no folder",
                           path);
    if (access(path, W_OK | X_OK) != 0)
        return status_make(STATUS_USAGE,
                           "qaic-runner: --aic-profiling-out-dir %s: cannot be written to", path);
    return STATUS_OK;
}

// "0", "0:1" (in order) or "3,4" (any of them): cards are simulated, so that all are there.
static status check_devices(const char *name, const char *text)
{
    struct view rest = view_of(text != NULL ? text : "0");
    while (true) {
        uint64_t number;
        size_t size = 0;
        while (size < rest.size && rest.data[size] != ':' && rest.data[size] != ',')
            size++;
        if (!view_to_u64(view_slice(rest, 0, size), &number) || number > 1023)
            return status_make(STATUS_USAGE,
                               "qaic-runner: --%s %s: expected numbers of devices like 0, 0:1 or "
                               "0,1",
                               name, text);
        if (size == rest.size)
            return STATUS_OK;
        rest = view_slice(rest, size + 1, rest.size);
    }
}

static status read_queues(struct running *running)
{
    const struct arguments *arguments = running->arguments;
    const char *seconds = arguments_value(arguments, "time");
    unsigned limit = 0;
    running->activations = 1;
    running->set_size = SET_SIZE_USUAL;
    running->threads = THREADS_USUAL;
    running->iterations = seconds != NULL ? UINT32_MAX : ITERATIONS_USUAL;
    STATUS_TRY(read_count(arguments, "num-iter", 1, 1000000000, &running->iterations));
    STATUS_TRY(read_count(arguments, "time", 1, 1000000, &limit));
    STATUS_TRY(read_count(arguments, "aic-num-of-activations", 1, ACTIVATIONS_MOST,
                          &running->activations));
    STATUS_TRY(read_count(arguments, "set-size", 1, QUEUE_MOST_INFERENCES, &running->set_size));
    STATUS_TRY(
        read_count(arguments, "aic-threads-per-queue", 1, ACTIVATIONS_MOST, &running->threads));
    running->time_ns = (uint64_t)limit * 1000000000;
    STATUS_TRY(check_devices("aic-device-id", arguments_value(arguments, "aic-device-id")));
    return check_devices("dev-list", arguments_value(arguments, "dev-list"));
}

static status read_clock(struct running *running)
{
    const char *device = arguments_value(running->arguments, "device");
    running->measured = device != NULL && strcmp(device, "host") == 0;
    if (device != NULL && !running->measured && strcmp(device, "sim") != 0)
        return status_make(STATUS_USAGE, "qaic-runner: --device %s: there are sim and host",
                           device);
    return STATUS_OK;
}

status qaic_options_read(struct running *running)
{
    const struct arguments *arguments = running->arguments;
    size_t words;
    const char *const *word = arguments_words(arguments, &words);
    if (words > 0)
        return status_make(STATUS_USAGE, "qaic-runner: '%s' belongs to no option", word[0]);
    STATUS_TRY(read_queues(running));
    STATUS_TRY(qaic_runner_read_sampling(running));
    STATUS_TRY(read_clock(running));
    running->output_count = 1;
    STATUS_TRY(
        read_count(arguments, "write-output-start-iter", 0, 1000000000, &running->first_output));
    STATUS_TRY(
        read_count(arguments, "write-output-num-samples", 0, 1000000000, &running->output_count));
    running->outputs = arguments_value(arguments, "write-output-dir");
    STATUS_TRY(qaic_runner_read_types(arguments, &running->types));
    STATUS_TRY(read_formats(arguments, &running->types));
    say_without_type(running);
    STATUS_TRY(refuse_inputs(arguments));
    STATUS_TRY(read_live(running));
    running->folder = arguments_value(arguments, "aic-profiling-out-dir");
    running->folder = running->folder != NULL ? running->folder : ".";
    if (arguments_value(arguments, "aic-batch-json-input") != NULL &&
        arguments_value(arguments, "input-file") != NULL)
        return status_make(STATUS_USAGE, "qaic-runner: --input-file and --aic-batch-json-input "
                                         "exclude one another");
    if (arguments_value(arguments, "test-data") == NULL)
        return status_make(STATUS_USAGE, "qaic-runner: say where the program is: --test-data=DIR");
    return running->types != 0 ? check_folder(running->folder) : STATUS_OK;
}
