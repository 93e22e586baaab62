#include "run_sim.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "calibrated.h"
#include "device/sim_device.h"
#include "network/tensor_digest.h"
#include "network_run.h"
#include "wire/json.h"

struct simulation {
    const struct program *program;
    const struct target *target;
    struct device *device;
    struct digest digest;
};

// Reporting -----------------------------------------------------------------------------

static const char *digest_of(const struct simulation *simulation)
{
    return device_network(simulation->device) != NULL ? "times and outputs" : "times";
}

static void run_sim_print_report(const struct simulation *simulation)
{
    char time[FIGURES_ROOM], rate[FIGURES_ROOM], tasks[FIGURES_ROOM];
    const struct target *target = simulation->target;
    const uint64_t cycles = sim_device_times(simulation->device)->end;
    printf("modelled   %s  (%" PRIu64 " cycles at %g MHz) by the rules of %s\n",
           figures_time(cycles, target->clock, time), cycles, (double)target->clock / 1e6,
           target->name);
    calibrated_print(target, "remark     ");
    printf("digest     %016" PRIx64 "  of %s\n", digest_finish(&simulation->digest),
           digest_of(simulation));
    printf("evaluated  %s tasks, %s a second on this machine\n",
           figures_count(simulation->program->task_count, tasks),
           figures_short((uint64_t)sim_device_tasks_per_second(simulation->device), rate));
}

static void run_sim_write_report(const struct simulation *simulation, struct json_writer *json)
{
    char digest[17];
    const struct target *target = simulation->target;
    const uint64_t cycles = sim_device_times(simulation->device)->end;
    snprintf(digest, sizeof digest, "%016" PRIx64, digest_finish(&simulation->digest));
    json_text(json, "device", view_of("sim"));
    json_text(json, "target", view_of(target->name));
    json_real(json, "modelled_ms", (double)cycles * 1e3 / (double)target->clock);
    json_uint(json, "cycles", cycles);
    json_uint(json, "clock_hz", target->clock);
    calibrated_json(json, target);
    json_text(json, "digest", view_of(digest));
    json_text(json, "digest_of", view_of(digest_of(simulation)));
    json_uint(json, "tasks", simulation->program->task_count);
    json_real(json, "tasks_per_second", sim_device_tasks_per_second(simulation->device));
}

static void run_sim_report_json(void *context, struct json_writer *json)
{
    const struct simulation *simulation = context;
    if (json != NULL)
        run_sim_write_report(simulation, json);
    else
        run_sim_print_report(simulation);
}

static status report_alone(const struct simulation *simulation, bool as_json)
{
    if (!as_json) {
        run_sim_print_report(simulation);
        return STATUS_OK;
    }
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    run_sim_write_report(simulation, &json);
    json_close(&json);
    return output_close(output);
}

// Running -------------------------------------------------------------------------------

static status run_sim_compute_outputs(void *context, struct datum *const *inputs,
                                      size_t input_count, struct datum **out_outputs)
{
    const struct simulation *simulation = context;
    return device_run(simulation->device, inputs, input_count, out_outputs);
}

static status finish_digest(void *context, struct datum *const *outputs, uint32_t count)
{
    struct simulation *simulation = context;
    simulation->digest = digest_start();
    sim_digest(simulation->program, sim_device_times(simulation->device), &simulation->digest);
    for (uint32_t i = 0; i < count; i++)
        datum_digest(&simulation->digest, outputs[i]);
    return STATUS_OK;
}

static status run_with_numbers(const struct arguments *arguments, struct simulation *simulation)
{
    struct network_run run = {.command = "run",
                              .network = device_network(simulation->device),
                              .context = simulation,
                              .compute = run_sim_compute_outputs,
                              .check = finish_digest,
                              .report = run_sim_report_json,
                              .untimed = true};
    return network_run(arguments, &run);
}

static status run_without_numbers(const struct arguments *arguments, struct simulation *simulation)
{
    unsigned iterations;
    STATUS_TRY(arguments_number(arguments, "iterations", 1, &iterations));
    for (unsigned i = 0; i < iterations; i++)
        STATUS_TRY(device_run(simulation->device, NULL, 0, NULL));
    STATUS_TRY(finish_digest(simulation, NULL, 0));
    return report_alone(simulation, arguments_flag(arguments, "json"));
}

status run_sim_check(const struct arguments *arguments)
{
    unsigned iterations;
    size_t given;
    STATUS_TRY(arguments_number(arguments, "iterations", 1, &iterations));
    if (arguments_values(arguments, "input", &given), given > 0)
        return status_make(STATUS_USAGE, "run: --timing-only computes nothing: leave out --input");
    if (arguments_values(arguments, "output", &given), given > 0)
        return status_make(STATUS_USAGE, "run: --timing-only computes nothing: leave out --output");
    return STATUS_OK;
}

status run_sim(const struct arguments *arguments, struct device *device,
               const struct program *program, const struct target *target)
{
    struct simulation simulation = {.program = program, .target = target, .device = device};
    return device_network(device) != NULL ? run_with_numbers(arguments, &simulation)
                                          : run_without_numbers(arguments, &simulation);
}
