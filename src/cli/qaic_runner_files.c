// Files that qaic-runner writes of the inferences that it samples. Everything of the host is
// measured; of the device it is modelled, or measured where that was asked for, and said.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "formats/qaic/counters.h"
#include "qaic_running.h"
#include "reports/qaic/opstats.h"
#include "wire/json.h"

enum { HOST_PROCESS = 18 }; // as in the vendor's traces

static const char *device_text(const struct running *running)
{
    return running->measured ? "measured on this machine, at the card's clock"
                             : "modelled by the simulated card";
}

static double us_between(uint64_t from, uint64_t to)
{
    return (double)(to - from) / 1e3;
}

// Statistics of the device --------------------------------------------------------------

static uint64_t ticks_of_ns(uint64_t ns)
{
    return (uint64_t)((unsigned __int128)ns * QAIC_TICKS_A_SECOND / 1000000000);
}

// Of the first `count` inferences that are fed, modelled.
static uint64_t feed_ticks(const struct running *running, size_t count)
{
    uint64_t ticks = 0;
    for (size_t i = 0; i < count; i++) {
        const struct loaded *part = &running->parts[running->feeds.items[i].part];
        ticks += (uint64_t)((double)part->times->end * QAIC_TICKS_A_SECOND /
                            (double)running->program.target->clock) +
                 1;
    }
    return ticks;
}

// When the inference begins on the card's clock: modelled ones follow one another. What is fed
// begins anew, or stays with the last (qaic_feeds_at).
static uint64_t base_ticks(const struct running *running, const struct sample *sample)
{
    const struct runtime_inference *inference = &sample->inference;
    const struct qaic_feeds *feeds = &running->feeds;
    if (running->measured)
        return ticks_of_ns(inference->started - running->begun);
    if (feeds->listed)
        return feed_ticks(running, feeds->count) * (inference->index / feeds->count) +
               feed_ticks(running, inference->index % feeds->count);
    const size_t last = feeds->count - 1;
    if (inference->index <= last)
        return feed_ticks(running, inference->index);
    return feed_ticks(running, last) +
           (feed_ticks(running, feeds->count) - feed_ticks(running, last)) *
               (inference->index - last);
}

static const struct qaic_part *part_of(const struct running *running, const struct sample *sample)
{
    return &running->program.parts[sample->part];
}

static struct qaic_raw_stats *stats_at(const struct running *running, const struct sample *sample,
                                       int32_t level)
{
    const struct sim_result measured = {.tasks = sample->tasks, .end = sample->end};
    const struct loaded *loaded = &running->parts[sample->part];
    const struct qaic_part *part = part_of(running, sample);
    const struct qaic_stats_request request = {
        .level = (uint32_t)(level > 0 ? level : 0),
        .ddr = part->network->ddr_stats,
        .counters = qaic_recipe_counters(running->program.recipe),
        .base = base_ticks(running, sample),
    };
    struct qaic_raw_stats *stats =
        qaic_stats_model(&loaded->collected, part->program, running->program.target,
                         running->measured ? &measured : loaded->times, &request);
    stats->measured = running->measured;
    stats->program = part->checksum;
    stats->inference = sample->inference.index;
    return stats;
}

// An inference as qaic-opstats knows it: of each device one.
struct device_stats {
    struct opstats *items;
    size_t count;
};

static struct device_stats stats_by_device(const struct running *running,
                                           const struct sample *sample)
{
    const struct qaic_part *part = part_of(running, sample);
    struct qaic_raw_stats *stats = stats_at(running, sample, part->network->stats_level);
    struct device_stats devices = {memory_allocate_zeroed(part->devices, sizeof *devices.items),
                                   part->devices};
    for (uint32_t i = 0; i < part->devices; i++) {
        const bool one = part->devices == 1;
        devices.items[i] = (struct opstats){
            .network = qaic_part_network(part, one ? 0 : i + 1),
            .stats = one ? stats
                         : qaic_stats_slice(stats, &running->parts[sample->part].collected,
                                            part->program, i),
            .program = part->program,
            .target = running->program.target,
        };
    }
    if (part->devices > 1)
        qaic_stats_free(stats);
    return devices;
}

static void device_stats_free(struct device_stats *devices)
{
    for (size_t i = 0; i < devices->count; i++)
        qaic_stats_free((struct qaic_raw_stats *)(uintptr_t)devices->items[i].stats);
    free(devices->items);
}

// The longest wait of any thread, as the vendor's runner has it.
static void find_port_waits(const struct qaic_raw_stats *stats, struct device_figures *figures)
{
    uint64_t input = 0, output = 0;
    const size_t lanes = (size_t)stats->cores * stats->threads;
    if (stats->ports == NULL)
        return;
    for (size_t i = 0; i < lanes; i++) {
        input = stats->ports[i].input_wait > input ? stats->ports[i].input_wait : input;
        output = stats->ports[i].output_wait > output ? stats->ports[i].output_wait : output;
    }
    figures->input_wait_us = (double)input * 1e6 / QAIC_TICKS_A_SECOND;
    figures->output_wait_us = (double)output * 1e6 / QAIC_TICKS_A_SECOND;
}

static void find_traffic(const struct qaic_raw_stats *stats, struct device_figures *figures)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; stats->traffic != NULL && i < stats->cores; i++)
        bytes += stats->traffic[i].read + stats->traffic[i].written;
    if (stats->traffic == NULL || !(figures->execution_us > 0))
        return;
    figures->traffic_mb = (double)bytes / 1e6;
    figures->bandwidth_gb = (double)bytes / 1e3 / figures->execution_us;
}

// Of all threads of a group, on average.
static void find_use(const struct qaic_raw_stats *stats, const struct qaic_network *network,
                     struct device_figures *figures)
{
    for (uint32_t g = 0; g < network->group_count && g < FIGURE_GROUPS; g++) {
        double active = 0, whole = 0;
        for (size_t i = 0; i < stats->counter_count; i++) {
            const struct qaic_raw_counter *counter = &stats->counters[i];
            if (network->thread_groups[counter->thread] != g ||
                strcmp(counter->name, QAIC_COUNTER_ACTIVE) != 0)
                continue;
            active += (double)counter->value;
            whole += (double)stats->thread_times[0].pcycles;
        }
        if (whole > 0)
            figures->use_percent[g] = 100 * active / whole;
    }
}

// As the summary counts it, so that both say the same.
static double execution_us(const struct qaic_raw_stats *stats)
{
    uint64_t start = UINT64_MAX, end = 0;
    const size_t lanes = (size_t)stats->cores * stats->threads;
    for (size_t i = 0; i < lanes; i++) {
        const struct qaic_raw_thread *thread = &stats->thread_times[i];
        start = thread->start < start ? thread->start : start;
        end = thread->end > end ? thread->end : end;
    }
    return end > start ? (double)(end - start) * 1e6 / QAIC_TICKS_A_SECOND : NAN;
}

static struct device_figures find_figures(const struct running *running,
                                          const struct sample *sample)
{
    struct device_figures figures = {NAN, NAN, NAN, NAN, NAN, {NAN, NAN, NAN, NAN}};
    const struct qaic_network *network = part_of(running, sample)->network;
    if (network->stats_level < QAIC_LEVEL_THREADS)
        return figures;
    // Operations are not needed for these.
    const int32_t level =
        network->stats_level < QAIC_LEVEL_PORTS ? network->stats_level : QAIC_LEVEL_PORTS;
    struct qaic_raw_stats *stats = stats_at(running, sample, level);
    figures.execution_us = execution_us(stats);
    find_port_waits(stats, &figures);
    find_traffic(stats, &figures);
    find_use(stats, network, &figures);
    qaic_stats_free(stats);
    return figures;
}

void qaic_device_model(struct running *running)
{
    for (size_t i = 0; i < running->program.part_count && !running->measured; i++) {
        const struct sample any = {.part = i};
        running->parts[i].figures = find_figures(running, &any);
    }
}

struct device_figures qaic_device_figures(const struct running *running,
                                          const struct sample *sample)
{
    return running->measured ? find_figures(running, sample) : running->parts[sample->part].figures;
}

// Paths ---------------------------------------------------------------------------------

// DIR/aic-profiling-program-N-NAME: an activation is a program of its own.
static status make_path(char *path, size_t room, const struct running *running, uint32_t activation,
                        const char *name)
{
    const int size = snprintf(path, room, "%s/aic-profiling-program-%" PRIu32 "-%s",
                              running->folder, activation, name);
    if (size < 0 || (size_t)size >= room)
        return status_make(STATUS_USAGE, "qaic-runner: %s: the path is too long", running->folder);
    if (access(path, F_OK) == 0)
        printf("Deleting previous file: %s\n", path);
    printf("Writing file:%s\n", path);
    return STATUS_OK;
}

// Latency -------------------------------------------------------------------------------

static void write_latency_head(struct output *output, uint32_t activation, const char *collected)
{
    output_format(output,
                  "Profiling Data\nProgramId:%" PRIu32 "\nProgramName: Program:BenchmarkSet\n"
                  "NumSamples collected: %s\n"
                  "Sample, devInfPerSec, devExecUs, devInWaitTimeUs, devOutWaitTimeUs, "
                  "hostRoundTripUs, enqTimeUs, preProcTimeUs, submitTimeUs, execTotalUs, "
                  "exectoVcUs, execToCompleteUs, postProcUs, totalRoundtripTimeUs, queueDepth, "
                  "numInfInQueue\n",
                  activation, collected);
}

static void write_figure(struct output *output, double figure)
{
    if (isnan(figure))
        output_text(output, ", N/A");
    else
        output_format(output, ", %.3f", figure);
}

static void write_latency_row(const struct running *running, struct output *output, uint64_t row,
                              const struct sample *sample)
{
    const struct runtime_inference *at = &sample->inference;
    const struct device_figures device = qaic_device_figures(running, sample);
    const double batch = part_of(running, sample)->network->stats_batch;
    const double figures[] = {
        device.execution_us > 0 ? 1e6 / device.execution_us * batch : NAN,
        device.execution_us,
        device.input_wait_us,
        device.output_wait_us,
        us_between(at->submitted, at->completed),
        us_between(at->enqueued, at->taken),
        us_between(at->taken, at->prepared),
        us_between(at->prepared, at->submitted),
        us_between(at->prepared, at->completed),
        us_between(at->submitted, at->started),
        us_between(at->started, at->completed),
        us_between(at->completed, at->ended),
        us_between(at->enqueued, at->ended),
    };
    output_format(output, "%6" PRIu64, row);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        write_figure(output, figures[i]);
    output_format(output, ", %" PRIu32 ", %" PRIu32 "\n", at->line_ahead, at->line_ahead + 1);
}

static status write_latency(const struct running *running, uint32_t activation)
{
    const struct activation_run *run = &running->runs[activation];
    char path[4096], collected[64];
    struct output *output;
    STATUS_TRY(make_path(path, sizeof path, running, activation, "latency.txt"));
    STATUS_TRY(output_open(path, &output));
    if (running->sampling.samples == UINT32_MAX) // as many as a time has
        snprintf(collected, sizeof collected, "%zu Num Requested: N/A", run->sample_count);
    else
        snprintf(collected, sizeof collected, "%zu Num Requested: %" PRIu32, run->sample_count,
                 running->sampling.samples);
    write_latency_head(output, activation, collected);
    for (size_t i = 0; i < run->sample_count; i++)
        write_latency_row(running, output, i, &run->samples[i]);
    return output_close(output);
}

// Traces --------------------------------------------------------------------------------

struct host_trace {
    const struct running *running;
    struct output *output;
    bool filled;
};

static struct json_writer start_event(struct host_trace *trace, const char *phase, const char *name,
                                      uint32_t activation)
{
    output_text(trace->output, trace->filled ? "," : "");
    trace->filled = true;
    struct json_writer json = json_write_lines(trace->output);
    json_open_object(&json, NULL);
    json_text(&json, "ph", view_of(phase));
    json_text(&json, "name", view_of(name));
    json_uint(&json, "pid", HOST_PROCESS);
    json_uint(&json, "tid", activation);
    return json;
}

static void write_name(struct host_trace *trace, const char *what, uint32_t activation,
                       const char *text)
{
    struct json_writer json = start_event(trace, "M", what, activation);
    json_open_object(&json, "args");
    json_text(&json, "name", view_of(text));
    json_close(&json);
    json_close(&json);
}

static void open_trace(struct host_trace *trace, uint32_t activation)
{
    char text[64];
    output_format(trace->output,
                  "{\"otherData\":{\"host\":\"measured on this machine\",\"device\":\"%s\"},\n"
                  "\"traceEvents\":[\n",
                  device_text(trace->running));
    snprintf(text, sizeof text, "Program:BenchmarkSet_%" PRIu32, activation);
    write_name(trace, "process_name", activation, "HOST_PROC");
    write_name(trace, "thread_name", activation, text);
}

// Inferences overlap: what belongs to one is held together by its id.
static void write_span(struct host_trace *trace, const struct runtime_inference *inference,
                       const char *name, uint64_t from, uint64_t to)
{
    char text[64];
    for (unsigned end = 0; end < 2; end++) {
        struct json_writer json = start_event(trace, end ? "e" : "b", name, inference->activation);
        json_text(&json, "cat", VIEW_LITERAL("host"));
        snprintf(text, sizeof text, "%" PRIu32 "-%" PRIu32, inference->activation,
                 inference->index);
        json_text(&json, "id", view_of(text));
        snprintf(text, sizeof text, "%.3f", us_between(trace->running->begun, end ? to : from));
        json_raw(&json, "ts", view_of(text));
        json_open_object(&json, "args");
        json_uint(&json, "inference", inference->index);
        json_close(&json);
        json_close(&json);
    }
}

static void write_host_spans(struct host_trace *trace, const struct runtime_inference *at)
{
    char name[64];
    snprintf(name, sizeof name, "Inference-%" PRIu32, at->index);
    write_span(trace, at, name, at->enqueued, at->ended);
    write_span(trace, at, "enqueue", at->enqueued, at->taken);
    write_span(trace, at, "preprocess", at->taken, at->prepared);
    write_span(trace, at, "submit", at->prepared, at->submitted);
    write_span(trace, at, "execToVc", at->submitted, at->started);
    write_span(trace, at, "execToComplete", at->started, at->completed);
    write_span(trace, at, "postprocess", at->completed, at->ended);
}

static void write_device_spans(const struct running *running, struct output *output,
                               const struct activation_run *run, size_t index)
{
    const struct sample *sample = &run->samples[index];
    struct device_stats devices = stats_by_device(running, sample);
    // The card's clock and the host's meet where the first sample begins.
    const double ticks = (double)(base_ticks(running, sample) - base_ticks(running, run->samples));
    const struct opstats_trace options = {
        .merge_threads = true,
        .part = true,
        .follows = true,
        .unnamed = index > 0,
        .offset_us = us_between(running->begun, run->samples[0].inference.started) +
                     ticks * 1e6 / QAIC_TICKS_A_SECOND,
    };
    opstats_trace_write(devices.items, devices.count, &options, output);
    device_stats_free(&devices);
}

static status write_trace(const struct running *running, uint32_t activation)
{
    const struct activation_run *run = &running->runs[activation];
    struct host_trace trace = {.running = running};
    char path[4096];
    STATUS_TRY(make_path(path, sizeof path, running, activation, "trace.json"));
    STATUS_TRY(output_open(path, &trace.output));
    open_trace(&trace, activation);
    for (size_t i = 0; i < run->sample_count; i++) {
        write_host_spans(&trace, &run->samples[i].inference);
        write_device_spans(running, trace.output, run, i);
    }
    output_text(trace.output, "]}\n");
    return output_close(trace.output);
}

// Streams -------------------------------------------------------------------------------

status qaic_streams_open(const struct running *running, uint32_t activation)
{
    struct activation_run *run = &running->runs[activation];
    char path[4096];
    if ((running->types & TYPE_LATENCY_STREAM) != 0) {
        STATUS_TRY(make_path(path, sizeof path, running, activation, "latency-stream.txt"));
        STATUS_TRY(output_open_growing(path, &run->latency.output));
        write_latency_head(run->latency.output, activation, "stream");
    }
    if ((running->types & TYPE_TRACE_STREAM) != 0) {
        STATUS_TRY(make_path(path, sizeof path, running, activation, "trace-stream.json"));
        STATUS_TRY(output_open_growing(path, &run->trace.output));
        struct host_trace trace = {.running = running, .output = run->trace.output};
        open_trace(&trace, activation);
    }
    return STATUS_OK;
}

// What a period brought is there when it is over.
static void report(const struct running *running, struct stream *stream, uint64_t now)
{
    const uint64_t period = (now - running->begun) / ((uint64_t)running->reporting_ms * 1000000);
    if (period == stream->reported)
        return;
    stream->reported = period;
    output_flush(stream->output); // a failure comes with the end
}

void qaic_streams_add(const struct running *running, const struct sample *sample)
{
    struct activation_run *run = &running->runs[sample->inference.activation];
    if (run->latency.output != NULL) {
        report(running, &run->latency, sample->inference.ended);
        write_latency_row(running, run->latency.output, sample->inference.index, sample);
    }
    if (run->trace.output != NULL) {
        struct host_trace trace = {running, run->trace.output, true};
        report(running, &run->trace, sample->inference.ended);
        write_host_spans(&trace, &sample->inference);
    }
}

status qaic_streams_close(const struct running *running, uint32_t activation, status result)
{
    struct activation_run *run = &running->runs[activation];
    if (run->latency.output != NULL)
        result = status_first(result, output_close(run->latency.output));
    if (run->trace.output != NULL) {
        output_text(run->trace.output, "]}\n");
        result = status_first(result, output_close(run->trace.output));
    }
    run->latency.output = run->trace.output = NULL;
    return result;
}

// Samples -------------------------------------------------------------------------------

// The path of what belongs to an inference of a device: `activation-0-inf-3ENDING`, or of several
// devices `inf-3-NETWORKENDING`, as SDK 1.21 calls them.
static status make_device_path(char *path, size_t room, const struct running *running,
                               const struct sample *sample, const struct opstats *device,
                               const char *ending)
{
    const struct runtime_inference *at = &sample->inference;
    char name[1024];
    if (device->stats->device == 0)
        snprintf(name, sizeof name, "activation-%" PRIu32 "-inf-%" PRIu32 "%s", at->activation,
                 at->index, ending);
    else
        snprintf(name, sizeof name, "inf-%" PRIu32 "-%.*s%s", at->index,
                 VIEW_ARGUMENTS(device->network->name), ending);
    return make_path(path, room, running, at->activation, name);
}

static status write_raw(const struct running *running, const struct sample *sample,
                        const struct opstats *device)
{
    char path[4096], ending[600];
    const struct view name = device->network->name;
    if (device->stats->device == 0)
        snprintf(ending, sizeof ending, "-%.*s-aiccyclecounts.bin", VIEW_ARGUMENTS(name));
    else
        snprintf(ending, sizeof ending, "-aiccyclecounts_%.*s_.bin", VIEW_ARGUMENTS(name));
    STATUS_TRY(make_device_path(path, sizeof path, running, sample, device, ending));
    return qaic_raw_write(path, device->stats);
}

static status write_stats(const struct running *running, const struct sample *sample,
                          const struct opstats *device)
{
    char path[4096];
    struct output *output;
    const struct runtime_inference *at = &sample->inference;
    STATUS_TRY(make_device_path(path, sizeof path, running, sample, device, ".txt"));
    STATUS_TRY(output_open(path, &output));
    struct qaic_summary *summary = opstats_summarise(device);
    qaic_summary_write(summary, output);
    qaic_summary_free(summary);
    output_format(output,
                  "device: %s\n"
                  "host: round trip %.3f us, measured on this machine\n"
                  "host: enqueue %.3f us, preprocess %.3f us, submit %.3f us, to the device %.3f "
                  "us, to complete %.3f us, postprocess %.3f us\n"
                  "host: %" PRIu32 " inferences in line before\n",
                  device_text(running), us_between(at->enqueued, at->ended),
                  us_between(at->enqueued, at->taken), us_between(at->taken, at->prepared),
                  us_between(at->prepared, at->submitted), us_between(at->submitted, at->started),
                  us_between(at->started, at->completed), us_between(at->completed, at->ended),
                  at->line_ahead);
    return output_close(output);
}

static status write_sample(const struct running *running, const struct sample *sample)
{
    struct device_stats devices = stats_by_device(running, sample);
    status result = STATUS_OK;
    for (size_t i = 0; i < devices.count && result == STATUS_OK; i++) {
        if ((running->types & TYPE_RAW) != 0)
            result = write_raw(running, sample, &devices.items[i]);
        if (result == STATUS_OK && (running->types & TYPE_STATS) != 0)
            result = write_stats(running, sample, &devices.items[i]);
    }
    device_stats_free(&devices);
    return result;
}

static status write_activation(const struct running *running, uint32_t activation)
{
    const struct activation_run *run = &running->runs[activation];
    for (size_t i = 0; i < run->sample_count && (running->types & (TYPE_RAW | TYPE_STATS)) != 0;
         i++)
        STATUS_TRY(write_sample(running, &run->samples[i]));
    if ((running->types & TYPE_TRACE) != 0 && run->sample_count > 0)
        STATUS_TRY(write_trace(running, activation));
    if ((running->types & TYPE_LATENCY) != 0 && run->sample_count > 0)
        STATUS_TRY(write_latency(running, activation));
    return STATUS_OK;
}

status qaic_samples_write(const struct running *running)
{
    for (unsigned i = 0; i < running->activations; i++)
        STATUS_TRY(write_activation(running, i));
    return STATUS_OK;
}
