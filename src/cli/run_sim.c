#include "run_sim.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "base/monotonic.h"
#include "device/host.h"
#include "device/sim.h"
#include "network/tensor_digest.h"
#include "network_run.h"
#include "paths.h"
#include "profile/file.h"
#include "program/verify.h"
#include "units.h"
#include "wire/json.h"

struct simulation {
    const char *path; // of the program
    const struct program *program;
    const struct target *target;
    enum cost_rules rules;
    struct host_device *host; // computes; NULL: only times are wanted
    struct sim_result *times;
    struct digest digest;
    uint64_t evaluations;
    uint64_t evaluating_ns;
};

static status evaluate(struct simulation *simulation)
{
    const uint64_t start = monotonic_ns();
    sim_result_free(simulation->times);
    simulation->times = NULL;
    STATUS_TRY(
        sim_run(simulation->program, simulation->target, simulation->rules, &simulation->times));
    simulation->evaluating_ns += monotonic_ns() - start;
    simulation->evaluations++;
    return STATUS_OK;
}

// Reporting -----------------------------------------------------------------------------

static double tasks_per_second(const struct simulation *simulation)
{
    const double tasks = (double)simulation->program->task_count * (double)simulation->evaluations;
    return simulation->evaluating_ns > 0 ? tasks * 1e9 / (double)simulation->evaluating_ns : 0;
}

static const char *digest_of(const struct simulation *simulation)
{
    return simulation->host != NULL ? "times and outputs" : "times";
}

static void print_report(const struct simulation *simulation)
{
    char time[FIGURES_ROOM], rate[FIGURES_ROOM], tasks[FIGURES_ROOM];
    const struct target *target = simulation->target;
    printf("modelled   %s  (%" PRIu64 " cycles at %g MHz) by the rules of %s\n",
           figures_time(simulation->times->end, target->clock, time), simulation->times->end,
           (double)target->clock / 1e6, target->name);
    printf("digest     %016" PRIx64 "  of %s\n", digest_finish(&simulation->digest),
           digest_of(simulation));
    printf("evaluated  %s tasks, %s a second on this machine\n",
           figures_count(simulation->program->task_count, tasks),
           figures_short((uint64_t)tasks_per_second(simulation), rate));
}

static void write_report(const struct simulation *simulation, struct json_writer *json)
{
    char digest[17];
    const struct target *target = simulation->target;
    snprintf(digest, sizeof digest, "%016" PRIx64, digest_finish(&simulation->digest));
    json_text(json, "device", view_of("sim"));
    json_text(json, "target", view_of(target->name));
    json_real(json, "modelled_ms", (double)simulation->times->end * 1e3 / (double)target->clock);
    json_uint(json, "cycles", simulation->times->end);
    json_uint(json, "clock_hz", target->clock);
    json_text(json, "digest", view_of(digest));
    json_text(json, "digest_of", view_of(digest_of(simulation)));
    json_uint(json, "tasks", simulation->program->task_count);
    json_real(json, "tasks_per_second", tasks_per_second(simulation));
}

static void report(void *context, struct json_writer *json)
{
    const struct simulation *simulation = context;
    if (json != NULL)
        write_report(simulation, json);
    else
        print_report(simulation);
}

static status report_alone(const struct simulation *simulation, bool as_json)
{
    if (!as_json) {
        print_report(simulation);
        return STATUS_OK;
    }
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    write_report(simulation, &json);
    json_close(&json);
    return output_close(output);
}

// Running -------------------------------------------------------------------------------

static status compute(void *context, struct datum *const *inputs, size_t input_count,
                      struct datum **out_outputs)
{
    struct simulation *simulation = context;
    STATUS_TRY(evaluate(simulation));
    return host_device_run(simulation->host, inputs, input_count, out_outputs);
}

static status finish_digest(void *context, struct datum *const *outputs, uint32_t count)
{
    struct simulation *simulation = context;
    simulation->digest = digest_start();
    sim_digest(simulation->program, simulation->times, &simulation->digest);
    for (uint32_t i = 0; i < count; i++)
        datum_digest(&simulation->digest, outputs[i]);
    return STATUS_OK;
}

static status run_with_numbers(const struct arguments *arguments, struct simulation *simulation)
{
    struct host_options options = {0};
    STATUS_TRY(arguments_number(arguments, "threads", 0, &options.threads));
    STATUS_TRY(status_within(
        host_device_create(simulation->program, simulation->target, &options, &simulation->host),
        "%s", simulation->path));
    struct network_run run = {.command = "run",
                              .network = host_device_network(simulation->host),
                              .context = simulation,
                              .compute = compute,
                              .check = finish_digest,
                              .report = report,
                              .untimed = true};
    return network_run(arguments, &run);
}

static status run_without_numbers(const struct arguments *arguments, struct simulation *simulation)
{
    struct verify_counts counts;
    unsigned iterations;
    size_t given;
    STATUS_TRY(arguments_number(arguments, "iterations", 1, &iterations));
    if (arguments_values(arguments, "input", &given), given > 0)
        return status_make(STATUS_USAGE, "run: --timing-only computes nothing: leave out --input");
    if (arguments_values(arguments, "output", &given), given > 0)
        return status_make(STATUS_USAGE, "run: --timing-only computes nothing: leave out --output");
    STATUS_TRY(status_within(program_verify(simulation->program, simulation->target, &counts), "%s",
                             simulation->path));
    for (unsigned i = 0; i < iterations; i++)
        STATUS_TRY(evaluate(simulation));
    STATUS_TRY(finish_digest(simulation, NULL, 0));
    return report_alone(simulation, arguments_flag(arguments, "json"));
}

static status write_profile(const struct simulation *simulation, const char *path)
{
    struct profile *profile = profile_create();
    profile_fact_add(profile, "device", VIEW_LITERAL("sim: times are modelled"));
    status result =
        sim_profile(simulation->program, simulation->target, simulation->times, profile);
    if (result == STATUS_OK)
        result = profile_finish(profile);
    if (result == STATUS_OK)
        result = profile_save(profile, path);
    profile_free(profile);
    return result;
}

static status simulate(const struct arguments *arguments, struct simulation *simulation)
{
    const char *path = arguments_value(arguments, "profile");
    STATUS_TRY(units_rules(arguments, "rules", &simulation->rules));
    if (path != NULL)
        STATUS_TRY(paths_check("run", path, &simulation->path, 1));
    STATUS_TRY(arguments_flag(arguments, "timing-only") ? run_without_numbers(arguments, simulation)
                                                        : run_with_numbers(arguments, simulation));
    return path != NULL ? write_profile(simulation, path) : STATUS_OK;
}

status run_sim(const struct arguments *arguments, const struct program *program,
               const struct target *target)
{
    size_t count;
    struct simulation simulation = {
        .path = arguments_words(arguments, &count)[0], .program = program, .target = target};
    const status result = simulate(arguments, &simulation);
    host_device_free(simulation.host);
    sim_result_free(simulation.times);
    return result;
}
