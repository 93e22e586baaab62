#include "sim_device.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/monotonic.h"
#include "host.h"
#include "program/verify.h"

struct sim_device {
    struct device device;
    const struct program *program;
    const struct target *target;
    struct sim_options options;
    struct host_device *host; // computes; NULL: only times are wanted
    struct sim_result *times;
    uint64_t evaluations;
    uint64_t evaluating_ns;
    struct recorder *recorder; // that nothing was put into yet; NULL: none
};

static struct sim_device *sim_of(struct device *device)
{
    return (struct sim_device *)device;
}

static void sim_device_sim_free(struct device *device)
{
    struct sim_device *sim = sim_of(device);
    host_device_free(sim->host);
    sim_result_free(sim->times);
    free(sim);
}

// What computes proves its program itself.
static status sim_device_prepare(struct sim_device *sim, const struct device_options *options)
{
    struct verify_counts counts;
    const struct host_options host = {.threads = options->threads,
                                      .state = options->state,
                                      .kept = options->kept,
                                      .kept_count = options->kept_count};
    return options->timing_only ? program_verify(sim->program, sim->target, &counts)
                                : host_device_create(sim->program, sim->target, &host, &sim->host);
}

static status sim_load(const struct program *program, const struct target *target,
                       const struct device_options *options, struct device **out_device)
{
    struct sim_device *sim = memory_allocate_zeroed(1, sizeof *sim);
    *sim = (struct sim_device){.device.kind = &DEVICE_SIM,
                               .program = program,
                               .target = target,
                               .options = {.rules = options->rules,
                                           .kept = options->kept,
                                           .kept_count = options->kept_count}};
    const status failure = sim_device_prepare(sim, options);
    if (failure != STATUS_OK) {
        sim_device_sim_free(&sim->device);
        return failure;
    }
    *out_device = &sim->device;
    return STATUS_OK;
}

static const struct network *sim_network(const struct device *device)
{
    const struct sim_device *sim = (const struct sim_device *)device;
    return sim->host != NULL ? host_device_network(sim->host) : NULL;
}

static void sim_record(struct device *device, struct recorder *recorder)
{
    sim_of(device)->recorder = recorder;
}

static status sim_device_evaluate(struct sim_device *sim)
{
    const uint64_t start = monotonic_ns();
    sim_result_free(sim->times);
    sim->times = NULL;
    STATUS_TRY(sim_run_with(sim->program, sim->target, &sim->options, &sim->times));
    sim->evaluating_ns += monotonic_ns() - start;
    sim->evaluations++;
    return STATUS_OK;
}

static status put_times(struct sim_device *sim)
{
    struct profile *profile = sim->recorder != NULL ? recorder_lock(sim->recorder) : NULL;
    if (profile == NULL)
        return STATUS_OK;
    profile_fact_add(profile, "device", VIEW_LITERAL("sim: times are modelled"));
    const status result = sim_profile(sim->program, sim->target, sim->times, profile);
    recorder_unlock(sim->recorder);
    sim->recorder = NULL;
    return result;
}

static status sim_run_once(struct device *device, struct datum *const *inputs, size_t input_count,
                           struct datum **out_outputs)
{
    struct sim_device *sim = sim_of(device);
    STATUS_TRY(sim_device_evaluate(sim));
    STATUS_TRY(put_times(sim));
    return sim->host != NULL ? host_device_run(sim->host, inputs, input_count, out_outputs)
                             : STATUS_OK;
}

const struct sim_result *sim_device_times(const struct device *device)
{
    return ((const struct sim_device *)device)->times;
}

double sim_device_tasks_per_second(const struct device *device)
{
    const struct sim_device *sim = (const struct sim_device *)device;
    const double tasks = (double)sim->program->task_count * (double)sim->evaluations;
    return sim->evaluating_ns > 0 ? tasks * 1e9 / (double)sim->evaluating_ns : 0;
}

const struct device_kind DEVICE_SIM = {
    .name = "sim",
    .load = sim_load,
    .free = sim_device_sim_free,
    .network = sim_network,
    .profile = sim_record,
    .run = sim_run_once,
};
