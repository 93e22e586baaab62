// `opscope run PROGRAM`: runs a compiled program on this machine.

#include <stdio.h>

#include "analysis/modelled.h"
#include "calibrated.h"
#include "commands.h"
#include "limits.h"
#include "device/device.h"
#include "device/sim.h"
#include "base/figures.h"
#include "ledger_text.h"
#include "network_run.h"
#include "paths.h"
#include "recording.h"
#include "run_sim.h"
#include "target/target.h"
#include "units.h"

struct running {
    const struct arguments *arguments;
    const char *path; // of the program
    const struct program *program;
    const struct target *target;
    const struct device_kind *kind;
    struct device_options options;
    const char *profile; // NULL: none is wanted
    bool captured;       // by whoever started us: nobody here asked for an account
    struct recorder *recorder;
};

struct measured {
    const struct program *program;
    const struct target *target;
    struct device *device;
    const struct network_run *run;
};

static status run_compute_outputs(void *context, struct datum *const *inputs, size_t input_count,
                                  struct datum **out_outputs)
{
    const struct measured *measured = context;
    return device_run(measured->device, inputs, input_count, out_outputs);
}

// What was modelled, beside what was measured.
static void report_modelled(const struct measured *measured, const struct sim_result *times,
                            struct json_writer *json)
{
    const struct target *target = measured->target;
    char time[FIGURES_ROOM];
    if (json != NULL) {
        json_real(json, "modelled_ms", (double)times->end * 1e3 / (double)target->clock);
        calibrated_json(json, target);
        return;
    }
    printf("modelled for %s: %s\n", target->name, figures_time(times->end, target->clock, time));
    calibrated_print(target, "  ");
}

static bool is_priced(const struct measured *measured, const struct sim_result *times)
{
    struct modelled *modelled = modelled_create(measured->program, measured->target, times);
    const bool priced = modelled->unknown_groups == 0;
    modelled_free(modelled);
    return priced;
}

// Only where both are times of this machine, and of all that runs.
static void run_report_json(void *context, struct json_writer *json)
{
    const struct measured *measured = context;
    struct sim_result *times = NULL;
    if (json == NULL && measured->run->iterations < 2)
        return;
    const status failure = sim_run(measured->program, measured->target, COST_RULES_BEST, &times);
    if (failure == STATUS_OK && is_priced(measured, times))
        report_modelled(measured, times, json);
    status_free(failure);
    sim_result_free(times);
}

static status run_loaded(const struct running *running, struct device *device)
{
    if (!running->kind->measures)
        return run_sim(running->arguments, device, running->program, running->target);
    struct network_run run = {
        .command = "run", .network = device_network(device), .compute = run_compute_outputs};
    struct measured measured = {
        .program = running->program, .target = running->target, .device = device, .run = &run};
    run.context = &measured;
    run.report = target_is_processor(running->target) ? run_report_json : NULL;
    return network_run(running->arguments, &run);
}

static status run_on_device(const struct running *running)
{
    struct device *device;
    STATUS_TRY(status_within(
        device_load(running->kind, running->program, running->target, &running->options, &device),
        "%s", running->path));
    if (running->recorder != NULL)
        device_profile(device, running->recorder);
    const status result = run_loaded(running, device);
    device_free(device);
    // Constants were read while it ran.
    const status changed = input_check(running->program->source_file);
    return changed != STATUS_OK ? status_first(changed, result) : result;
}

static int print_account(const struct arguments *arguments, const struct profile *account)
{
    if (arguments_flag(arguments, "json"))
        ledger_warn(account);
    else
        ledger_print(stdout, account);
    return ledger_exit(account);
}

static status run_measured(struct running *running, int *out_exit)
{
    char process[256];
    struct profile *account;
    snprintf(process, sizeof process, "%s, run on this machine", running->target->name);
    STATUS_TRY(recording_start("run", running->profile, process, &running->recorder));
    const status run = run_on_device(running);
    const status result = status_first(run, recording_stop(&account));
    if (result == STATUS_OK && !running->captured)
        *out_exit = print_account(running->arguments, account);
    profile_free(account);
    return result;
}

static status run_modelled(struct running *running)
{
    running->recorder = recorder_create(running->profile);
    const status result = run_on_device(running);
    if (result == STATUS_OK)
        return recorder_finish(running->recorder, NULL);
    recorder_drop(running->recorder);
    return result;
}

static status run_profiled(struct running *running, int *out_exit)
{
    char place[4096];
    running->captured = running->profile == NULL &&
                        recording_is_captured("run", running->target->name, place, sizeof place);
    if (running->captured)
        running->profile = place;
    if (running->profile == NULL)
        return run_on_device(running);
    STATUS_TRY(paths_check("run", running->profile, &running->path, 1));
    return running->kind->measures ? run_measured(running, out_exit) : run_modelled(running);
}

static status choose_device(struct running *running)
{
    const struct arguments *arguments = running->arguments;
    const char *device = arguments_value(arguments, "device");
    running->kind = device_kind_find(device != NULL ? device : "host");
    if (running->kind == NULL)
        return status_make(STATUS_USAGE, "run: --device=%s: expected host or sim", device);
    if (!running->kind->measures)
        return STATUS_OK;
    if (arguments_flag(arguments, "timing-only"))
        return status_make(STATUS_USAGE, "run: --timing-only is for --device sim: the device host "
                                         "measures what it computes");
    if (arguments_value(arguments, "rules") != NULL)
        return status_make(STATUS_USAGE, "run: --rules is for --device sim: the device host "
                                         "measures what it computes");
    return STATUS_OK;
}

static status run_read_options(struct running *running)
{
    const struct arguments *arguments = running->arguments;
    struct device_options *options = &running->options;
    running->profile = arguments_value(arguments, "profile");
    options->timing_only = arguments_flag(arguments, "timing-only");
    if (!running->kind->measures)
        STATUS_TRY(units_rules(arguments, "rules", &options->rules));
    return options->timing_only ? run_sim_check(arguments)
                                : arguments_number(arguments, "threads", 0, &options->threads);
}

static status run_program(struct running *running, int *out_exit)
{
    struct target *target;
    STATUS_TRY(choose_device(running));
    STATUS_TRY(status_within(target_parse("its target", running->program->target_text, &target),
                             "%s", running->path));
    running->target = target;
    status result = run_read_options(running);
    if (result == STATUS_OK)
        result = run_profiled(running, out_exit);
    target_free(target);
    return result;
}

static status run_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "run: give one program, as 'opscope compile' writes it");
    struct program *program;
    STATUS_TRY(program_open(words[0], &program));
    struct running running = {.arguments = arguments, .path = words[0], .program = program};
    const status result = run_program(&running, out_exit);
    program_free(program);
    return result;
}

static const struct option OPTIONS[] = {
    NETWORK_RUN_OPTIONS,
    {"device", 0, OPTION_ONE, "host|sim",
     "measured times of this machine (host), or modelled ones"},
    {"timing-only", 0, OPTION_FLAG, NULL, "of sim: times without numbers"},
    {"rules", 0, OPTION_ONE, "best|public", "of sim: how work is priced; public: as published"},
    {"profile", 0, OPTION_ONE, "FILE",
     "every task and action of the run, measured or modelled (.prof)"},
    LIMITS_OPTIONS,
    {0},
};

const struct command COMMAND_RUN = {
    .name = "run",
    .usage = "PROGRAM [--device host|sim] [--input VALUE]... [--output FILE]...",
    .summary = "run a compiled program with real numbers, and measure or model its time",
    .details =
        "Tasks run on memories of the target's sizes; those that the program lets overlap do,\n"
        "on at most --threads workers. Times are this machine's: they say nothing about\n"
        "the target. With --device sim the outputs are the same and the times those of the\n"
        "target's cost rules; the digest is the same on every run and machine, and for any\n"
        "number of threads. Inputs and outputs as for 'opscope infer'.",
    .examples = "  opscope compile model.onnx --target torq-sl2610 -o model.opx\n"
                "  opscope run model.opx --input @input_0.npy --output @out.npy\n"
                "  opscope run model.opx --profile run.prof && opscope overview run.prof\n"
                "  opscope run model.opx --device sim --timing-only",
    .options = OPTIONS,
    .run = run_command,
};
