// What qaic-runner says of a run.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "qaic_running.h"

struct spread {
    double sum, squares, least, most;
    unsigned count;
};

static void spread_add(struct spread *spread, double figure)
{
    if (isnan(figure))
        return;
    spread->least = spread->count == 0 || figure < spread->least ? figure : spread->least;
    spread->most = spread->count == 0 || figure > spread->most ? figure : spread->most;
    spread->sum += figure;
    spread->squares += figure * figure;
    spread->count++;
}

static void print_spread(const char *name, const struct spread *spread)
{
    const double mean = spread->sum / spread->count;
    const double variance = spread->squares / spread->count - mean * mean;
    const double figures[] = {mean, spread->least, spread->most, sqrt(variance > 0 ? variance : 0)};
    printf("%-17s", name);
    for (unsigned i = 0; i < 4; i++) {
        char text[64] = "N/A";
        if (spread->count > 0)
            snprintf(text, sizeof text, "%.3f", figures[i]);
        strcat(text, i < 3 ? "," : "");
        printf("%-15s", text);
    }
    printf("\n");
}

// What is known of all inferences, by figure.
struct device_spreads {
    struct spread execution, input, output, traffic, bandwidth, use[FIGURE_GROUPS];
};

static void spreads_add(struct device_spreads *spreads, const struct device_figures *figures)
{
    spread_add(&spreads->execution, figures->execution_us);
    spread_add(&spreads->input, figures->input_wait_us);
    spread_add(&spreads->output, figures->output_wait_us);
    spread_add(&spreads->traffic, figures->traffic_mb);
    spread_add(&spreads->bandwidth, figures->bandwidth_gb);
    for (unsigned i = 0; i < FIGURE_GROUPS; i++)
        spread_add(&spreads->use[i], figures->use_percent[i]);
}

// Rows that are there where they were asked for while compiling, called as SDK 1.21 calls them.
static void print_asked(const struct running *running, const struct device_spreads *spreads)
{
    const struct qaic_network *network = running->program.network;
    for (uint32_t i = 0; i < network->group_count && i < FIGURE_GROUPS; i++) {
        const struct view name = network->group_names[i];
        const struct view called = view_is(name, "DMAIssue") ? VIEW_LITERAL("DMA") : name;
        char text[64];
        snprintf(text, sizeof text, "%.*sActivePct,", (int)(called.size < 40 ? called.size : 40),
                 called.data);
        if (spreads->use[i].count > 0)
            print_spread(text, &spreads->use[i]);
    }
    if (spreads->traffic.count > 0) {
        print_spread("DDRTrafficMB,", &spreads->traffic);
        print_spread("DDRBandwidthGBPerSec,", &spreads->bandwidth);
    }
}

// Those that were sampled, where they are measured; modelled ones of a specialization are alike.
static void print_device(const struct running *running)
{
    struct device_spreads spreads = {0};
    for (unsigned i = 0; i < running->activations; i++) {
        const struct activation_run *run = &running->runs[i];
        const size_t count = running->measured ? run->sample_count : run->done;
        for (size_t k = 0; k < count; k++) {
            const struct sample any = {.part = qaic_feeds_at(&running->feeds, (unsigned)k)->part};
            const struct device_figures figures =
                qaic_device_figures(running, running->measured ? &run->samples[k] : &any);
            spreads_add(&spreads, &figures);
        }
    }
    printf("Device Performance: \n%-17s%-15s%-15s%-15s%-15s\n", "Metric,", "Avg,", "Min,", "Max,",
           "Std");
    print_spread("ExecTimeUs,", &spreads.execution);
    print_spread("InputWaitTimeUs,", &spreads.input);
    print_spread("OutputWaitTimeUs,", &spreads.output);
    print_asked(running, &spreads);
    printf("(durations are this machine's; %s)\n",
           running->measured ? "so are those of the device"
                             : "the device is simulated: its figures are modelled");
}

static uint64_t count_done(const struct running *running)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < running->activations; i++)
        count += running->runs[i].done;
    return count;
}

void qaic_run_print_count(const struct running *running, uint64_t ended)
{
    const uint64_t count = count_done(running);
    const double us = (double)(ended - running->begun) / 1e3;
    const int batch = running->program.network->batch_size;
    printf("InferenceCnt %" PRIu64 " TotalDuration %.0fus BatchSize %d Inf/Sec %.3f\n", count, us,
           batch, us > 0 ? (double)count * 1e6 / us * batch : 0);
}

void qaic_run_print(const struct running *running)
{
    printf(" ---- Stats ----\n");
    qaic_run_print_count(running, running->ended);
    if (running->program.network->stats_level >= QAIC_LEVEL_THREADS)
        print_device(running);
}

void qaic_run_say_resumed(const struct running *running)
{
    for (unsigned i = 0; i < running->activations; i++) {
        const struct activation_run *run = &running->runs[i];
        if (run->done > run->limit)
            fprintf(stderr,
                    "qaic-runner: the delay of %" PRIu64 " ms is longer than %" PRIu32
                    " inferences take: activation %u went on to %" PRIu32 "\n",
                    running->sampling.delay_ns / 1000000, run->limit, i, run->done);
    }
}

int qaic_run_check(const struct running *running)
{
    int exit = EXIT_DONE;
    for (unsigned i = 0; i < running->activations && (running->types & TYPES_SAMPLED) != 0; i++) {
        const struct activation_run *run = &running->runs[i];
        const uint32_t asked = running->sampling.samples;
        if (run->sample_count == asked || (asked == UINT32_MAX && run->sample_count > 0))
            continue;
        char of[32] = "";
        if (asked != UINT32_MAX)
            snprintf(of, sizeof of, " of %" PRIu32, asked);
        fprintf(stderr,
                "qaic-runner: %zu%s samples were taken: activation %u had %" PRIu32
                " inferences, and sampling starts at %" PRIu32 "; raise --num-iter\n",
                run->sample_count, of, i, run->done, running->sampling.start_iteration);
        if (run->sample_count == 0)
            exit = EXIT_LOSS;
    }
    return exit;
}
