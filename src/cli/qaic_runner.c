// `qaic-runner --test-data=DIR`: runs a program for Cloud AI 100, by the runner's name and flags.
//
// Numbers are computed on this machine; the device's statistics are what the simulated card
// models, and every file says so.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "commands.h"
#include "device/choice.h"
#include "formats/qaic/collect.h"
#include "network/tensor_file.h"
#include "formats/qaic/specializations.h"
#include "qaic_feeds.h"
#include "reports/qaic/opstats.h"

enum { ITERATIONS_USUAL = 40 };

enum profiling_type { TYPE_STATS = 1, TYPE_TRACE = 2, TYPE_LATENCY = 4, TYPE_RAW = 8 };

struct iteration {
    uint64_t started, ended; // ns of this machine
    size_t part;             // the specialization that it was of
};

// A specialization, as it is run.
struct loaded {
    struct qaic_collected collected;
    struct sim_result *times;
    struct device_pair *kept;
};

struct running {
    const struct arguments *arguments;
    struct qaic_program program;
    struct loaded *parts;            // by part of the program
    struct choice_program *programs; // the same, for the device
    struct device *device;
    struct qaic_feeds feeds;
    unsigned types; // bits of profiling_type
    const char *folder;
    const char *outputs;                 // where they go; NULL: nowhere
    unsigned first_output, output_count; // of which iterations
    unsigned iterations, samples, start_iteration, delay_ms;
    struct iteration *done;
    unsigned done_count;
    unsigned first_sample, sampled; // index of the first, and how many
};

// Options ------------------------------------------------------------------------------

static status read_count(const struct arguments *arguments, const char *name, unsigned *number)
{
    const char *text = arguments_value(arguments, name);
    uint64_t given = *number;
    if (text != NULL && (!view_to_u64(view_of(text), &given) || given > 1000000000))
        return status_make(STATUS_USAGE, "qaic-runner: --%s %s: expected a number", name, text);
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
                 {"raw_device_stats", TYPE_RAW}};
    size_t count;
    const char *const *given = arguments_values(arguments, "aic-profiling-type", &count);
    for (size_t i = 0; i < count; i++) {
        const unsigned before = *types;
        for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; k++) {
            if (strcmp(given[i], NAMES[k].name) == 0)
                *types |= NAMES[k].bit;
        }
        if (*types == before)
            return status_make(STATUS_USAGE,
                               "qaic-runner: --aic-profiling-type=%s: there are stats, trace, "
                               "latency and raw_device_stats, each once",
                               given[i]);
    }
    return STATUS_OK;
}

static status check_folder(const char *path)
{
    if (!folder_is(path))
        return status_make(STATUS_USAGE,
                           "qaic-runner: --aic-profiling-out-dir %s: there is no such folder: make "
                           "it first",
                           path);
    if (access(path, W_OK) != 0)
        return status_make(STATUS_USAGE,
                           "qaic-runner: --aic-profiling-out-dir %s: cannot be written to", path);
    return STATUS_OK;
}

static status qaic_runner_read_options(struct running *running)
{
    const struct arguments *arguments = running->arguments;
    running->iterations = ITERATIONS_USUAL;
    running->samples = 1;
    STATUS_TRY(read_count(arguments, "num-iter", &running->iterations));
    STATUS_TRY(read_count(arguments, "aic-profiling-num-samples", &running->samples));
    STATUS_TRY(read_count(arguments, "aic-profiling-start-iter", &running->start_iteration));
    STATUS_TRY(read_count(arguments, "aic-profiling-start-delay", &running->delay_ms));
    running->output_count = 1;
    STATUS_TRY(read_count(arguments, "write-output-start-iter", &running->first_output));
    STATUS_TRY(read_count(arguments, "write-output-num-samples", &running->output_count));
    running->outputs = arguments_value(arguments, "write-output-dir");
    STATUS_TRY(qaic_runner_read_types(arguments, &running->types));
    running->folder = arguments_value(arguments, "aic-profiling-out-dir");
    running->folder = running->folder != NULL ? running->folder : ".";
    if (arguments_value(arguments, "test-data") == NULL)
        return status_make(STATUS_USAGE, "qaic-runner: say where the program is: --test-data=DIR");
    return running->types != 0 ? check_folder(running->folder) : STATUS_OK;
}

// Loading ------------------------------------------------------------------------------

static status qaic_runner_check_level(const struct running *running)
{
    const int32_t level = running->program.network->stats_level;
    const unsigned device = TYPE_STATS | TYPE_TRACE | TYPE_RAW;
    if ((running->types & device) != 0 && level < QAIC_LEVEL_THREADS)
        return status_make(STATUS_USAGE,
                           "qaic-runner: the program was compiled with -stats-level=%d, without "
                           "statistics: compile with -stats-level=%d",
                           level, QAIC_LEVEL_OPERATIONS);
    return STATUS_OK;
}

static status load_part(struct running *running, size_t index)
{
    const struct qaic_part *part = &running->program.parts[index];
    struct loaded *loaded = &running->parts[index];
    struct choice_program *program = &running->programs[index];
    program->program = part->program;
    STATUS_TRY(qaic_collect(part->program, running->program.target, &loaded->collected));
    loaded->collected.network->ddr_stats = part->network->ddr_stats;
    if (running->program.retained)
        STATUS_TRY(qaic_retained_find(part->program, &loaded->kept, &program->kept_count));
    program->kept = loaded->kept;
    return sim_run(part->program, running->program.target, COST_RULES_BEST, &loaded->times);
}

static status load(struct running *running)
{
    const struct device_options options = {0};
    STATUS_TRY(
        qaic_program_open(arguments_value(running->arguments, "test-data"), &running->program));
    if (running->program.program == NULL)
        return status_make(STATUS_UNSUPPORTED,
                           "%s: was made by another compiler, for a card: compile the network "
                           "with this qaic-compile",
                           running->program.qpc->input->path);
    STATUS_TRY(qaic_runner_check_level(running));
    const size_t count = running->program.part_count;
    running->parts = memory_allocate_zeroed(count, sizeof *running->parts);
    running->programs = memory_allocate_zeroed(count, sizeof *running->programs);
    for (size_t i = 0; i < count; i++)
        STATUS_TRY(load_part(running, i));
    return choice_device_load(&DEVICE_HOST, running->programs, count, running->program.target,
                              &options, &running->device);
}

// Running ------------------------------------------------------------------------------

static bool is_due(const struct running *running, unsigned index, uint64_t begun)
{
    if (running->types == 0 || running->sampled == running->samples)
        return false;
    if (running->delay_ms > 0)
        return monotonic_ns() - begun >= (uint64_t)running->delay_ms * 1000000;
    return index >= running->start_iteration;
}

// A delay that is longer than the run is waited for: samples that were asked for are taken.
static bool qaic_runner_goes_on(const struct running *running, unsigned index)
{
    if (index < running->iterations)
        return true;
    return running->delay_ms > 0 && running->types != 0 && running->sampled == 0 &&
           running->samples > 0;
}

static void qaic_runner_take_sample(struct running *running, unsigned index)
{
    if (running->sampled == 0)
        running->first_sample = index;
    running->sampled++;
}

static void release_outputs(struct datum **outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        datum_release(outputs[i]);
}

static status qaic_runner_write_outputs(const struct running *running, struct datum **outputs,
                                        unsigned index)
{
    const char *folder = running->outputs;
    const size_t part = running->done[index].part;
    const struct network *network = choice_device_network(running->device, part);
    const struct network_graph *graph = network_graph(network, 0);
    if (folder == NULL || index < running->first_output ||
        index - running->first_output >= running->output_count)
        return STATUS_OK;
    STATUS_TRY(folder_make(folder));
    for (uint32_t i = 0; i < graph->output_count; i++) {
        char path[4096];
        const struct network_value *value = network_value(network, graph->outputs[i]);
        const struct view name = value->name;
        if (outputs[i] == NULL) // it stays on the device
            continue;
        const int size =
            snprintf(path, sizeof path, "%s/%.*s-inf-%u.bin", folder, VIEW_ARGUMENTS(name), index);
        if (size < 0 || (size_t)size >= sizeof path)
            return status_make(STATUS_USAGE, "qaic-runner: %s: the path is too long", folder);
        for (char *c = path + strlen(folder) + 1; *c != '\0'; c++)
            *c = *c == '/' ? '_' : *c;
        STATUS_TRY(tensor_file_write(path, false, name, &value->type, outputs[i]));
        printf("Writing file:%s\n", path);
    }
    return STATUS_OK;
}

static status qaic_runner_run_iterations(struct running *running)
{
    const struct network_graph *graph = network_graph(device_network(running->device), 0);
    struct datum **outputs =
        memory_allocate_zeroed((size_t)graph->output_count + 1, sizeof *outputs);
    const uint64_t begun = monotonic_ns();
    size_t capacity = 0;
    status result = STATUS_OK;
    for (unsigned i = 0; result == STATUS_OK && qaic_runner_goes_on(running, i); i++) {
        const bool due = is_due(running, i, begun);
        const struct qaic_feed *feed = qaic_feeds_at(&running->feeds, i);
        struct iteration one = {.started = monotonic_ns(), .part = feed->part};
        result = device_run(running->device, feed->inputs, running->feeds.input_count, outputs);
        one.ended = monotonic_ns();
        if (result != STATUS_OK)
            break;
        running->done =
            memory_grow(running->done, running->done_count, &capacity, sizeof *running->done);
        running->done[running->done_count++] = one;
        if (due)
            qaic_runner_take_sample(running, i);
        result = qaic_runner_write_outputs(running, outputs, i);
        release_outputs(outputs, graph->output_count);
    }
    free(outputs);
    return result;
}

// Files --------------------------------------------------------------------------------

// Inferences follow one another on the card's clock: ticks until the one at `index`.
static uint64_t begin_of(const struct running *running, unsigned index)
{
    uint64_t ticks = 0;
    for (unsigned i = 0; i < index; i++)
        ticks += (uint64_t)((double)running->parts[running->done[i].part].times->end *
                            QAIC_TICKS_A_SECOND / (double)running->program.target->clock) +
                 1;
    return ticks;
}

static struct qaic_raw_stats *stats_of(const struct running *running, unsigned index)
{
    const size_t own = running->done[index].part;
    const struct qaic_part *part = &running->program.parts[own];
    const int32_t level = part->network->stats_level;
    struct qaic_raw_stats *stats = qaic_stats_model(
        &running->parts[own].collected, part->program, running->program.target,
        running->parts[own].times, (uint32_t)(level > 0 ? level : 0), begin_of(running, index));
    stats->program = part->checksum;
    stats->inference = index;
    return stats;
}

static status say_path(char *path, size_t room, const struct running *running, const char *name)
{
    const int size = snprintf(path, room, "%s/aic-profiling-program-0-%s", running->folder, name);
    if (size < 0 || (size_t)size >= room)
        return status_make(STATUS_USAGE, "qaic-runner: %s: the path is too long", running->folder);
    if (access(path, F_OK) == 0)
        printf("Deleting previous file: %s\n", path);
    printf("Writing file:%s\n", path);
    return STATUS_OK;
}

// Names of networks come from the program's file, and are no paths.
static status write_raw(const struct running *running, unsigned index,
                        const struct qaic_raw_stats *stats)
{
    char path[4096], ending[256];
    const struct view name = running->program.parts[running->done[index].part].network->name;
    snprintf(ending, sizeof ending, "activation-0-inf-%u-%.*s-aiccyclecounts.bin", index,
             VIEW_ARGUMENTS(name));
    for (char *c = ending; *c != '\0'; c++)
        *c = *c == '/' ? '_' : *c;
    STATUS_TRY(say_path(path, sizeof path, running, ending));
    return qaic_raw_write(path, stats);
}

static status write_stats(const struct running *running, unsigned index,
                          const struct opstats *opstats)
{
    char path[4096];
    struct output *output;
    const struct iteration *own = &running->done[index];
    char name[64];
    snprintf(name, sizeof name, "activation-0-inf-%u.txt", index);
    STATUS_TRY(say_path(path, sizeof path, running, name));
    STATUS_TRY(output_open(path, &output));
    struct qaic_summary *summary = opstats_summarise(opstats);
    qaic_summary_write(summary, output);
    qaic_summary_free(summary);
    output_format(output,
                  "device: modelled by the simulated card\n"
                  "host: round trip %.3f us, measured on this machine\n",
                  (double)(own->ended - own->started) / 1e3);
    return output_close(output);
}

static status qaic_runner_write_trace(const struct running *running, const struct opstats *opstats)
{
    char path[4096];
    struct output *output;
    const struct opstats_trace options = {.merge_threads = true};
    STATUS_TRY(say_path(path, sizeof path, running, "trace.json"));
    STATUS_TRY(output_open(path, &output));
    opstats_trace_write(opstats, &options, output);
    return output_close(output);
}

static double device_us(const struct running *running, size_t part)
{
    return (double)running->parts[part].times->end * 1e6 / (double)running->program.target->clock;
}

static status write_latency(const struct running *running)
{
    char path[4096];
    struct output *output;
    STATUS_TRY(say_path(path, sizeof path, running, "latency.txt"));
    STATUS_TRY(output_open(path, &output));
    output_format(output,
                  "Profiling Data\nProgramId:0\nProgramName: Program:QAicGraph\n"
                  "NumSamples collected: %u Num Requested: %u\n"
                  "Sample, devInfPerSec, devExecUs, devInWaitTimeUs, devOutWaitTimeUs, "
                  "hostRoundTripUs, enqTimeUs, preProcTimeUs, submitTimeUs, execTotalUs, "
                  "exectoVcUs, execToCompleteUs, postProcUs, totalRoundtripTimeUs, queueDepth, "
                  "numInfInQueue\n",
                  running->sampled, running->samples);
    for (unsigned i = 0; i < running->sampled; i++) {
        const struct iteration *own = &running->done[running->first_sample + i];
        const double host = (double)(own->ended - own->started) / 1e3;
        const double device = device_us(running, own->part);
        output_format(output,
                      "%6u, %.3f, %.3f, N/A, N/A, %.3f, N/A, N/A, N/A, %.3f, N/A, N/A, N/A, %.3f, "
                      "0, 1\n",
                      i, device > 0 ? 1e6 / device : 0, device, host, host, host);
    }
    return output_close(output);
}

static status qaic_runner_write_sample(const struct running *running, unsigned index)
{
    struct qaic_raw_stats *stats = stats_of(running, index);
    const struct qaic_part *part = &running->program.parts[running->done[index].part];
    const struct opstats opstats = {
        .network = part->network, .stats = stats, .program = part->program};
    status result = STATUS_OK;
    if ((running->types & TYPE_RAW) != 0)
        result = write_raw(running, index, stats);
    if (result == STATUS_OK && (running->types & TYPE_STATS) != 0)
        result = write_stats(running, index, &opstats);
    if (result == STATUS_OK && (running->types & TYPE_TRACE) != 0 && index == running->first_sample)
        result = qaic_runner_write_trace(running, &opstats);
    qaic_stats_free(stats);
    return result;
}

static status write_samples(const struct running *running)
{
    for (unsigned i = 0; i < running->sampled; i++)
        STATUS_TRY(qaic_runner_write_sample(running, running->first_sample + i));
    return (running->types & TYPE_LATENCY) != 0 ? write_latency(running) : STATUS_OK;
}

// Reports ------------------------------------------------------------------------------

static void print_device(const struct running *running)
{
    double least = INFINITY, most = 0, total = 0, squares = 0;
    for (unsigned i = 0; i < running->done_count; i++) {
        const double us = device_us(running, running->done[i].part);
        least = us < least ? us : least;
        most = us > most ? us : most;
        total += us;
        squares += us * us;
    }
    const double mean = running->done_count > 0 ? total / running->done_count : 0;
    const double variance =
        running->done_count > 0 ? squares / running->done_count - mean * mean : 0;
    printf("Device Performance: \n%-15s%-15s%-15s%-15s%-15s\n%-15s%-15.3f%-15.3f%-15.3f%-15.3f\n",
           "Metric,", "Avg,", "Min,", "Max,", "Std", "ExecTimeUs,", mean,
           least < most ? least : most, most, least < most && variance > 0 ? sqrt(variance) : 0);
}

static void print_stats(const struct running *running)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < running->done_count; i++)
        sum += running->done[i].ended - running->done[i].started;
    const double us = (double)sum / 1e3;
    const int batch = running->program.network->batch_size;
    printf(" ---- Stats ----\nInferenceCnt %u TotalDuration %.0fus BatchSize %d Inf/Sec %.3f\n",
           running->done_count, us, batch, us > 0 ? running->done_count * 1e6 / us * batch : 0);
    if (running->program.network->stats_level < QAIC_LEVEL_THREADS)
        return;
    print_device(running);
    printf("(durations are this machine's; the device is simulated: ExecTimeUs is modelled)\n");
}

// What was asked for and is not there is said.
static int check_samples(const struct running *running)
{
    if (running->types == 0 || running->sampled == running->samples)
        return EXIT_DONE;
    fprintf(stderr,
            "qaic-runner: %u of %u samples were taken: the run had %u inferences, and sampling "
            "starts at %u; raise --num-iter\n",
            running->sampled, running->samples, running->done_count, running->start_iteration);
    return running->sampled == 0 ? EXIT_LOSS : EXIT_DONE;
}

static status qaic_runner_run_program(struct running *running, int *out_exit)
{
    STATUS_TRY(qaic_runner_read_options(running));
    STATUS_TRY(load(running));
    STATUS_TRY(
        qaic_feeds_read(running->arguments, running->device, &running->program, &running->feeds));
    if (running->feeds.listed && arguments_value(running->arguments, "num-iter") == NULL)
        running->iterations = (unsigned)running->feeds.count;
    STATUS_TRY(qaic_runner_run_iterations(running));
    if (running->done_count > running->iterations)
        fprintf(stderr,
                "qaic-runner: the delay of %u ms is longer than %u inferences take: it went on to "
                "%u\n",
                running->delay_ms, running->iterations, running->done_count);
    STATUS_TRY(write_samples(running));
    print_stats(running);
    *out_exit = check_samples(running);
    return STATUS_OK;
}

static void free_all(struct running *running)
{
    qaic_feeds_free(&running->feeds);
    free(running->done);
    device_free(running->device);
    for (size_t i = 0; running->programs != NULL && i < running->program.part_count; i++) {
        sim_result_free(running->parts[i].times);
        qaic_collected_free(&running->parts[i].collected);
        free(running->parts[i].kept);
    }
    free(running->parts);
    free(running->programs);
    qaic_program_free(&running->program);
}

static status qaic_runner_command(const struct arguments *arguments, int *out_exit)
{
    struct running running = {.arguments = arguments};
    const status result = qaic_runner_run_program(&running, out_exit);
    free_all(&running);
    return result;
}

static const struct option OPTIONS[] = {
    {"test-data", 't', OPTION_ONE, "DIR", "the folder with programqpc.bin"},
    {"num-iter", 'n', OPTION_ONE, "N", "inferences (40)"},
    {"input-file", 'i', OPTION_EACH, "FILE",
     "the next input: .bin, .npy; random where none is given"},
    {"aic-batch-json-input", 0, OPTION_ONE, "FILE",
     "inferences and their files: {\"IO-files\": [[{\"path\": ..., \"map-to\": ...}]]}"},
    {"aic-profiling-type", 0, OPTION_EACH, "TYPE", "stats, trace, latency or raw_device_stats"},
    {"aic-profiling-out-dir", 0, OPTION_ONE, "DIR", "where they go (.); it must be there"},
    {"aic-profiling-num-samples", 0, OPTION_ONE, "N", "inferences that are sampled (1)"},
    {"aic-profiling-start-iter", 0, OPTION_ONE, "N", "the first of them (0)"},
    {"aic-profiling-start-delay", 0, OPTION_ONE, "MS", "samples start as long after the first one"},
    {"write-output-dir", 0, OPTION_ONE, "DIR", "where outputs go; made if it is not there"},
    {"write-output-start-iter", 0, OPTION_ONE, "N",
     "the first inference whose outputs are kept (0)"},
    {"write-output-num-samples", 0, OPTION_ONE, "N", "and of how many (1)"},
    {"aic-device-id", 'd', OPTION_ONE, "N", "taken: there is one device, which is simulated"},
    {"verbose", 'v', OPTION_FLAG, NULL, "taken: what matters is said without it"},
    {0},
};

const struct command COMMAND_QAIC_RUNNER = {
    .name = "qaic-runner",
    .link = "qaic-runner",
    .usage = "--test-data=DIR [--num-iter=N] [--aic-profiling-type=TYPE]...",
    .summary = "run a program for Cloud AI 100, with the flags of its runner",
    .details = "Computes on this machine, with real numbers. The device's statistics are modelled\n"
               "by the simulated card; those of the host are measured here.",
    .examples =
        "  qaic-runner --test-data=./binaries --num-iter=100 --aic-profiling-num-samples=5 \\\n"
        "      --aic-profiling-type=raw_device_stats --aic-profiling-out-dir=./stats\n"
        "  qaic-runner -t ./binaries -n 1 --write-output-dir out",
    .options = OPTIONS,
    .run = qaic_runner_command,
};
