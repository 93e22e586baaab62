// `opscope run PROGRAM`: runs a compiled program on this machine.

#include <stdio.h>
#include <sys/stat.h>

#include "analysis/modelled.h"
#include "calibrated.h"
#include "commands.h"
#include "device/host.h"
#include "device/sim.h"
#include "figures.h"
#include "formats/format.h"
#include "ledger_text.h"
#include "network_run.h"
#include "paths.h"
#include "recording.h"
#include "run_sim.h"
#include "target/target.h"

struct measured {
    const struct program *program;
    const struct target *target;
    struct host_device *device;
    const struct network_run *run;
};

static status compute(void *context, struct datum *const *inputs, size_t input_count,
                      struct datum **out_outputs)
{
    const struct measured *measured = context;
    return host_device_run(measured->device, inputs, input_count, out_outputs);
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
static void report(void *context, struct json_writer *json)
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

static const char *path_of(const struct arguments *arguments)
{
    size_t count;
    return arguments_words(arguments, &count)[0];
}

static status run_on(const struct arguments *arguments, const struct program *program,
                     const struct target *target)
{
    struct host_options options = {0};
    struct network_run run = {.command = "run", .compute = compute};
    struct measured measured = {.program = program, .target = target, .run = &run};
    STATUS_TRY(arguments_number(arguments, "threads", 0, &options.threads));
    STATUS_TRY(status_within(host_device_create(program, target, &options, &measured.device), "%s",
                             path_of(arguments)));
    run.network = host_device_network(measured.device);
    run.context = &measured;
    run.report = target_is_processor(target) ? report : NULL;
    const status result = network_run(arguments, &run);
    host_device_free(measured.device);
    return result;
}

// The account of what was recorded, from the file: what cannot be read there is an error now.
// A pipe or a device cannot be looked at again.
static status print_account(const struct arguments *arguments, const char *path, int *out_exit)
{
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return STATUS_OK;
    struct profile *profile = profile_create();
    const status result = format_read(path, &(struct format_options){0}, profile);
    if (result == STATUS_OK) {
        if (arguments_flag(arguments, "json"))
            ledger_warn(profile);
        else
            ledger_print(stdout, profile);
        *out_exit = ledger_exit(profile);
    }
    profile_free(profile);
    return result;
}

static status run_recorded(const struct arguments *arguments, const struct program *program,
                           const struct target *target, int *out_exit)
{
    const char *path = arguments_value(arguments, "profile");
    if (path == NULL)
        return run_on(arguments, program, target);
    const char *const program_path = path_of(arguments);
    STATUS_TRY(paths_check("run", path, &program_path, 1));
    char process[256];
    snprintf(process, sizeof process, "%s, run on this machine", target->name);
    STATUS_TRY(recording_start("run", path, process));
    const status result = run_on(arguments, program, target);
    STATUS_TRY(status_first(result, recording_stop()));
    return print_account(arguments, path, out_exit);
}

static status choose_device(const struct arguments *arguments, bool *out_modelled)
{
    const char *device = arguments_value(arguments, "device");
    *out_modelled = device != NULL && strcmp(device, "sim") == 0;
    if (device != NULL && !*out_modelled && strcmp(device, "host") != 0)
        return status_make(STATUS_USAGE, "run: --device=%s: expected host or sim", device);
    if (*out_modelled)
        return STATUS_OK;
    if (arguments_flag(arguments, "timing-only"))
        return status_make(STATUS_USAGE, "run: --timing-only is for --device sim: the device host "
                                         "measures what it computes");
    if (arguments_value(arguments, "rules") != NULL)
        return status_make(STATUS_USAGE, "run: --rules is for --device sim: the device host "
                                         "measures what it computes");
    return STATUS_OK;
}

static status run_program(const struct arguments *arguments, const struct program *program,
                          int *out_exit)
{
    struct target *target;
    bool modelled;
    STATUS_TRY(choose_device(arguments, &modelled));
    STATUS_TRY(status_within(target_parse("its target", program->target_text, &target), "%s",
                             path_of(arguments)));
    const status result = modelled ? run_sim(arguments, program, target)
                                   : run_recorded(arguments, program, target, out_exit);
    target_free(target);
    return result;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (count != 1)
        return status_make(STATUS_USAGE, "run: give one program, as 'opscope compile' writes it");
    struct program *program;
    STATUS_TRY(program_open(words[0], &program));
    const status result = run_program(arguments, program, out_exit);
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
    .run = run,
};
