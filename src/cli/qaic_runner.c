// `qaic-runner --test-data=DIR`: runs a program for Cloud AI 100, by the runner's name and flags.
//
// Numbers are computed on this machine; the device's statistics are what the simulated card
// models, or this machine's times where those are asked for, and every file says which.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "commands.h"
#include "formats/qaic/specializations.h"
#include "network/tensor_file.h"
#include "qaic_running.h"
#include "qaic_settings.h"

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
    if ((running->types & (TYPE_LATENCY | TYPE_LATENCY_STREAM)) != 0 && level < QAIC_LEVEL_THREADS)
        fprintf(stderr,
                "qaic-runner: the program was compiled with -stats-level=%d: columns of the device "
                "are N/A; compile with -stats-level=%d\n",
                level, QAIC_LEVEL_THREADS);
    return STATUS_OK;
}

// A card would refuse what does not fit; the simulated ones are as many as are needed.
static status check_cores(const struct running *running)
{
    const uint32_t own = running->parts[0].collected.cores / running->program.parts[0].devices;
    struct target *card;
    STATUS_TRY(target_open("aic100", &card));
    const uint32_t there = card->core_count > own ? card->core_count : own;
    target_free(card);
    if (running->activations > 1 && (uint64_t)running->activations * own > there)
        fprintf(stderr,
                "qaic-runner: %u activations of %" PRIu32 " cores do not fit a card of %" PRIu32
                ": each runs as if it had one for itself\n",
                running->activations, own, there);
    return STATUS_OK;
}

// "0:1:2" names as many devices as the program is for; more are of no use.
static status check_listed_devices(const struct running *running)
{
    const char *text = arguments_value(running->arguments, "dev-list");
    const uint32_t devices = running->parts[0].collected.devices;
    uint32_t listed = 1;
    for (const char *c = text; c != NULL && *c != '\0'; c++)
        listed += *c == ':';
    if (text == NULL || strchr(text, ',') != NULL || listed == devices)
        return STATUS_OK;
    if (listed < devices)
        return status_make(STATUS_USAGE,
                           "qaic-runner: --dev-list %s names %" PRIu32
                           ": the program is for %" PRIu32 " devices",
                           text, listed, devices);
    fprintf(stderr,
            "qaic-runner: --dev-list %s names %" PRIu32 ": the program is for %" PRIu32
            " and runs on the first\n",
            text, listed, devices);
    return STATUS_OK;
}

static status load_part(struct running *running, size_t index)
{
    const struct qaic_part *part = &running->program.parts[index];
    struct loaded *loaded = &running->parts[index];
    struct choice_program *program = &running->programs[index];
    program->program = part->program;
    if (running->program.retained)
        STATUS_TRY(qaic_retained_find(part->program, &loaded->kept, &program->kept_count));
    program->kept = loaded->kept;
    STATUS_TRY(qaic_collect(part->program, running->program.target, program->kept,
                            program->kept_count, &loaded->collected));
    const struct sim_options options = {
        .rules = COST_RULES_BEST, .kept = program->kept, .kept_count = program->kept_count};
    return sim_run_with(part->program, running->program.target, &options, &loaded->times);
}

static status load(struct running *running)
{
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
    STATUS_TRY(check_cores(running));
    STATUS_TRY(check_listed_devices(running));
    const struct runtime_options options = {.kind = &DEVICE_HOST,
                                            .activations = running->activations,
                                            .set_size = running->set_size,
                                            .threads = running->threads};
    return runtime_create(running->programs, count, running->program.target, &options,
                          &running->runtime);
}

static void prepare_spans(struct running *running, uint32_t activation)
{
    struct activation_run *run = &running->runs[activation];
    run->spans = memory_allocate_zeroed(running->program.part_count, sizeof *run->spans);
    for (size_t i = 0; i < running->program.part_count; i++) {
        const size_t tasks = running->program.parts[i].program->task_count;
        run->spans[i] = memory_allocate_zeroed(tasks + 1, sizeof **run->spans);
        host_device_span_tasks(
            host_device_of(choice_device_part(runtime_device(running->runtime, activation), i)),
            run->spans[i]);
    }
}

static void prepare_runs(struct running *running)
{
    running->runs = memory_allocate_zeroed(running->activations, sizeof *running->runs);
    for (unsigned i = 0; i < running->activations; i++) {
        running->runs[i].limit = running->iterations;
        if (running->measured)
            prepare_spans(running, i);
    }
}

// Running ------------------------------------------------------------------------------

// Which inferences are sampled is said when they are queued, in order.
static void plan_samples(struct running *running, struct activation_run *run, uint32_t index,
                         uint64_t elapsed)
{
    const struct sampling stream = {.samples = UINT32_MAX,
                                    .start_iteration = running->sampling.start_iteration,
                                    .delay_ns = running->sampling.delay_ns,
                                    .duration_ns = running->sampling.duration_ns,
                                    .every = running->sampling.every};
    if ((running->types & TYPES_SAMPLED) != 0 &&
        sampling_take(&running->sampling, &run->state, index, elapsed)) {
        run->samples = memory_grow(run->samples, run->sample_count, &run->sample_capacity,
                                   sizeof *run->samples);
        run->samples[run->sample_count++] = (struct sample){
            .inference = {.index = index}, .part = qaic_feeds_at(&running->feeds, index)->part};
    }
    if ((running->types & TYPES_STREAMED) != 0 &&
        sampling_take(&stream, &run->stream_state, index, elapsed)) {
        run->streamed = memory_grow(run->streamed, run->streamed_count, &run->streamed_capacity,
                                    sizeof *run->streamed);
        run->streamed[run->streamed_count++] = index;
    }
}

static bool has_more(void *context, uint32_t activation, uint32_t index)
{
    struct running *running = context;
    struct activation_run *run = &running->runs[activation];
    const uint64_t elapsed = monotonic_ns() - running->begun;
    pthread_mutex_lock(&running->lock);
    if (running->time_ns > 0 && elapsed >= running->time_ns && run->limit > index)
        run->limit = index > 0 ? index : 1;
    bool more = index < run->limit;
    if (!more && (running->types & TYPES_SAMPLED) != 0)
        more = sampling_goes_on(&running->sampling, &run->state, run->limit, index, elapsed,
                                &run->resumed);
    if (more)
        plan_samples(running, run, index, elapsed);
    pthread_mutex_unlock(&running->lock);
    return more;
}

static struct datum *const *inputs_of(void *context, uint32_t activation, uint32_t index)
{
    const struct running *running = context;
    (void)activation;
    return qaic_feeds_at(&running->feeds, index)->inputs;
}

static int by_index(const void *key, const void *item)
{
    const uint32_t index = *(const uint32_t *)key;
    const uint32_t other = ((const struct sample *)item)->inference.index;
    return (index > other) - (index < other);
}

static struct sample *find_sample(const struct activation_run *run, uint32_t index)
{
    return run->sample_count == 0
               ? NULL
               : bsearch(&index, run->samples, run->sample_count, sizeof *run->samples, by_index);
}

static int by_number(const void *key, const void *item)
{
    const uint32_t index = *(const uint32_t *)key, other = *(const uint32_t *)item;
    return (index > other) - (index < other);
}

static bool is_streamed(const struct activation_run *run, uint32_t index)
{
    return run->streamed_count > 0 && bsearch(&index, run->streamed, run->streamed_count,
                                              sizeof *run->streamed, by_number) != NULL;
}

// Tasks' times since the inference began, in cycles of the target's clock.
static void take_spans(const struct running *running, const struct activation_run *run,
                       uint64_t started, struct sample *sample)
{
    const size_t tasks = running->program.parts[sample->part].program->task_count;
    const uint64_t clock = running->program.target->clock;
    sample->tasks = memory_allocate_zeroed(tasks + 1, sizeof *sample->tasks);
    for (size_t i = 0; i < tasks; i++) {
        const struct host_span *span = &run->spans[sample->part][i];
        if (span->start < started)
            continue; // it was not computed by itself
        sample->tasks[i].start =
            (uint64_t)((unsigned __int128)(span->start - started) * clock / 1000000000);
        sample->tasks[i].end =
            (uint64_t)((unsigned __int128)(span->end - started) * clock / 1000000000);
        sample->end = sample->tasks[i].end > sample->end ? sample->tasks[i].end : sample->end;
    }
}

static void keep_spans(void *context, const struct runtime_inference *inference)
{
    struct running *running = context;
    struct activation_run *run = &running->runs[inference->activation];
    pthread_mutex_lock(&running->lock);
    struct sample *sample = find_sample(run, inference->index);
    if (sample != NULL)
        take_spans(running, run, inference->started, sample);
    pthread_mutex_unlock(&running->lock);
}

static status qaic_runner_write_outputs(const struct running *running,
                                        const struct runtime_inference *inference,
                                        struct datum *const *outputs)
{
    const char *folder = running->outputs;
    const size_t part = qaic_feeds_at(&running->feeds, inference->index)->part;
    const struct network *network =
        choice_device_network(runtime_device(running->runtime, inference->activation), part);
    const struct network_graph *graph = network_graph(network, 0);
    char path[4096], activation[32] = "";
    if (folder == NULL || inference->index < running->first_output ||
        inference->index - running->first_output >= running->output_count)
        return STATUS_OK;
    STATUS_TRY(folder_make(folder));
    if (running->activations > 1)
        snprintf(activation, sizeof activation, "activation-%" PRIu32 "-", inference->activation);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct network_value *value = network_value(network, graph->outputs[i]);
        const struct view name = value->name;
        if (outputs[i] == NULL) // it stays on the device
            continue;
        const int size = snprintf(path, sizeof path, "%s/%.*s-%sinf-%" PRIu32 ".bin", folder,
                                  VIEW_ARGUMENTS(name), activation, inference->index);
        if (size < 0 || (size_t)size >= sizeof path)
            return status_make(STATUS_USAGE, "qaic-runner: %s: the path is too long", folder);
        for (char *c = path + strlen(folder) + 1; *c != '\0'; c++)
            *c = *c == '/' ? '_' : *c;
        STATUS_TRY(tensor_file_write(path, false, name, &value->type, outputs[i]));
        printf("Writing file:%s\n", path);
    }
    return STATUS_OK;
}

// What was done until now, once a period. Under the lock.
static void report_live(struct running *running, uint64_t now)
{
    if (running->live_ms == 0)
        return;
    const uint64_t period = (now - running->begun) / ((uint64_t)running->live_ms * 1000000);
    if (period == running->live_reported)
        return;
    running->live_reported = period;
    qaic_run_print_count(running, now);
    fflush(stdout);
}

static status keep_inference(void *context, const struct runtime_inference *inference,
                             struct datum *const *outputs)
{
    struct running *running = context;
    struct activation_run *run = &running->runs[inference->activation];
    pthread_mutex_lock(&running->lock);
    struct sample *sample = find_sample(run, inference->index);
    if (sample != NULL)
        sample->inference = *inference;
    run->done++;
    report_live(running, inference->ended);
    if (is_streamed(run, inference->index)) {
        const struct sample one = {.inference = *inference,
                                   .part = qaic_feeds_at(&running->feeds, inference->index)->part,
                                   .end = sample != NULL ? sample->end : 0};
        qaic_streams_add(running, &one);
    }
    pthread_mutex_unlock(&running->lock);
    return qaic_runner_write_outputs(running, inference, outputs);
}

static status qaic_runner_run_iterations(struct running *running)
{
    const struct runtime_client client = {.context = running,
                                          .more = has_more,
                                          .inputs = inputs_of,
                                          .computed = running->measured ? keep_spans : NULL,
                                          .done = keep_inference};
    status result = STATUS_OK;
    running->begun = monotonic_ns();
    for (unsigned i = 0; i < running->activations && result == STATUS_OK; i++)
        result = qaic_streams_open(running, i);
    running->begun = monotonic_ns();
    if (result == STATUS_OK)
        result = runtime_run(running->runtime, &client);
    running->ended = monotonic_ns();
    for (unsigned i = 0; i < running->activations; i++)
        result = qaic_streams_close(running, i, result);
    return result;
}

// Everything ---------------------------------------------------------------------------

static void say_verbosely(const struct running *running)
{
    for (size_t i = 0; i < running->program.part_count; i++) {
        const struct qaic_network *network = running->program.parts[i].network;
        fprintf(stderr,
                "qaic-runner: %.*s: %zu inputs, %zu outputs, %" PRIu32
                " cores, statistics of level "
                "%" PRId32 "\n",
                VIEW_ARGUMENTS(network->name), network->input_count, network->output_count,
                network->cores, network->stats_level);
    }
    fprintf(
        stderr,
        "qaic-runner: %u activation%s, %u inferences of each under way, %u threads each; samples "
        "from inference %" PRIu32 " and %" PRIu64 " ms on\n",
        running->activations, running->activations == 1 ? "" : "s", running->set_size,
        running->threads, running->sampling.start_iteration, running->sampling.delay_ns / 1000000);
}

static status qaic_runner_run_program(struct running *running, int *out_exit)
{
    STATUS_TRY(qaic_options_read(running));
    qaic_say_no_effect(running->arguments, &COMMAND_QAIC_RUNNER, "--");
    STATUS_TRY(load(running));
    if (arguments_flag(running->arguments, "verbose"))
        say_verbosely(running);
    STATUS_TRY(qaic_feeds_read(running->arguments, runtime_device(running->runtime, 0),
                               &running->program, &running->feeds));
    if (running->feeds.listed && running->time_ns == 0 &&
        arguments_value(running->arguments, "num-iter") == NULL)
        running->iterations = (unsigned)running->feeds.count;
    prepare_runs(running);
    qaic_device_model(running);
    STATUS_TRY(qaic_runner_run_iterations(running));
    qaic_run_say_resumed(running);
    STATUS_TRY(qaic_samples_write(running));
    qaic_run_print(running);
    *out_exit = qaic_run_check(running);
    return STATUS_OK;
}

static void free_runs(struct running *running)
{
    for (unsigned i = 0; running->runs != NULL && i < running->activations; i++) {
        struct activation_run *run = &running->runs[i];
        for (size_t k = 0; k < run->sample_count; k++)
            free(run->samples[k].tasks);
        free(run->samples);
        for (size_t k = 0; run->spans != NULL && k < running->program.part_count; k++)
            free(run->spans[k]);
        free(run->spans);
        free(run->streamed);
    }
    free(running->runs);
}

static void free_parts(struct running *running)
{
    for (size_t i = 0; running->programs != NULL && i < running->program.part_count; i++) {
        sim_result_free(running->parts[i].times);
        qaic_collected_free(&running->parts[i].collected);
        free(running->parts[i].kept);
    }
    free(running->parts);
    free(running->programs);
}

static status qaic_runner_command(const struct arguments *arguments, int *out_exit)
{
    struct running running = {.arguments = arguments, .lock = PTHREAD_MUTEX_INITIALIZER};
    const status result = qaic_runner_run_program(&running, out_exit);
    qaic_feeds_free(&running.feeds);
    runtime_free(running.runtime);
    free_runs(&running);
    free_parts(&running);
    qaic_program_free(&running.program);
    return result;
}

// The vendor's shows its usage.
static status refuse_option(struct view option)
{
    return status_make(STATUS_NOT_FOUND, "qaic-runner: unknown option '%.*s'",
                       VIEW_ARGUMENTS(option));
}

static const struct option OPTIONS[] = {
    {"test-data", 't', OPTION_ONE, "DIR", "the folder with programqpc.bin"},
    {"num-iter", 'n', OPTION_ONE, "N", "inferences of each activation (40)"},
    {"time", 0, OPTION_ONE, "S", "run for so many seconds instead, or at most with --num-iter"},
    {"aic-num-of-activations", 'a', OPTION_ONE, "N", "copies that run at the same time (1)"},
    {"set-size", 'S', OPTION_ONE, "N", "inferences of an activation that are under way (10)"},
    {"aic-threads-per-queue", 'T', OPTION_ONE, "N",
     "threads of an activation that prepare and finish them (4)"},
    {"input-file", 'i', OPTION_EACH, "FILE",
     "the next input: .raw, .bin, .npy; random where none is given"},
    {"aic-batch-json-input", 0, OPTION_ONE, "FILE",
     "inferences and their files: {\"IO-files\": [[{\"path\": ..., \"map-to\": ...}]]}"},
    {"aic-profiling-type", 0, OPTION_EACH, "TYPE",
     "stats, trace, latency, raw_device_stats, trace_stream or latency_stream"},
    {"aic-profiling-out-dir", 0, OPTION_ONE, "DIR", "where they go (.); it must be there"},
    {"aic-profiling-num-samples", 0, OPTION_ONE, "N", "inferences that are sampled (1)"},
    {"aic-profiling-start-iter", 0, OPTION_ONE, "N", "the first that may be one of them (0)"},
    {"aic-profiling-start-delay", 0, OPTION_ONE, "MS",
     "samples start so long after the run; it goes on until there are some"},
    {"aic-profiling-duration", 0, OPTION_ONE, "MS", "and end so long after the first one"},
    {"aic-profiling-sampling-rate", 0, OPTION_ONE, "RATE",
     "full, or every second (half) to 16th (sixteenth) inference"},
    {"aic-profiling-reporting-rate", 0, OPTION_ONE, "MS",
     "how often streams are written: 500, 1000, 2000 or 4000 (500)"},
    {"write-output-dir", 0, OPTION_ONE, "DIR", "where outputs go; made if it is not there"},
    {"write-output-start-iter", 0, OPTION_ONE, "N",
     "the first inference whose outputs are kept (0)"},
    {"write-output-num-samples", 0, OPTION_ONE, "N", "and of how many (1)"},
    {"device", 0, OPTION_ONE, "CLOCK",
     "whose times the device's statistics are: sim (modelled) or host (this machine)"},
    {"aic-device-id", 'd', OPTION_ONE, "N", "a card; any is there, since it is simulated"},
    {"dev-list", 'D', OPTION_ONE, "N:N", "cards, in order, or a choice (N,N)"},
    {"live-reporting", 'l', OPTION_FLAG, NULL, "a line of statistics every period"},
    {"live-reporting-period", 'r', OPTION_ONE, "MS", "how long that is (1000)"},
    {"aic-profiling-format", 0, OPTION_EACH, "FORM",
     "of older SDKs: ascii, json and latency are types stats, trace and latency"},
    {"verbose", 'v', OPTION_FLAG, NULL, "says what is run, and where samples begin"},
    {"stats", 's', OPTION_FLAG, NULL, QAIC_NO_EFFECT ": statistics are always printed"},
    {"continue", 'c', OPTION_FLAG, NULL, QAIC_NO_EFFECT ": inferences do not fail one by one"},
    {"output-file", 'o', OPTION_EACH, "FILE",
     QAIC_NO_EFFECT ": outputs are not compared here: 'opscope check' does"},
    {"unbound-random", 0, OPTION_FLAG, NULL, QAIC_NO_EFFECT ": random inputs are bounded"},
    {"dump-input-buffers", 0, OPTION_FLAG, NULL,
     QAIC_NO_EFFECT ": inputs are those of --input-file, or random"},
    {"auto-batch-input", 0, OPTION_FLAG, NULL, QAIC_NO_EFFECT ": an inference takes a whole batch"},
    {"pre-post-processing", 'p', OPTION_ONE, "on|off",
     QAIC_NO_EFFECT ": conversions are part of the program"},
    {"aic-batch-max-memory", 0, OPTION_ONE, "MB",
     QAIC_NO_EFFECT ": inputs of a list are read when they are needed"},
    {"submit-timeout", 0, OPTION_ONE, "MS", QAIC_NO_EFFECT ": there is no card to wait for"},
    {"submit-retry-count", 0, OPTION_ONE, "N", QAIC_NO_EFFECT ": there is no card to wait for"},
    {"aic-batch-input-directory", 0, OPTION_ONE, "DIR",
     "refused: name the files in a list of --aic-batch-json-input"},
    {"aic-batch-input-file-list", 0, OPTION_ONE, "FILE", "refused: the same"},
    {0},
};

const struct command COMMAND_QAIC_RUNNER = {
    .name = "qaic-runner",
    .link = "qaic-runner",
    .usage = "--test-data=DIR [--num-iter=N] [--aic-profiling-type=TYPE]...",
    .summary = "run a program for Cloud AI 100, with the flags of its runner",
    .details =
        "Computes on this machine, with real numbers. The device's statistics are modelled\n"
        "by the simulated card (--device host: this machine's times); those of the host are\n"
        "measured here. A start delay that is longer than the run is waited for: it goes on\n"
        "until the samples are there. Exit 3: there is none. An option that it does not know is\n"
        "answered by this text, as the vendor's runner does, with exit 0.",
    .examples =
        "  qaic-runner --test-data=./binaries --num-iter=100 --aic-profiling-num-samples=5 \\\n"
        "      --aic-profiling-type=raw_device_stats --aic-profiling-out-dir=./stats\n"
        "  qaic-runner -t ./binaries -a 2 -S 4 --time 10 --aic-profiling-type=latency \\\n"
        "      --aic-profiling-num-samples=99999\n"
        "  qaic-runner -t ./binaries -n 1 --write-output-dir out",
    .options = OPTIONS,
    .refuse = refuse_option,
    .failure_exit = EXIT_FAILED,
    .run = qaic_runner_command,
};
