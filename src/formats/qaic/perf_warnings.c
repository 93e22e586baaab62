#include "perf_warnings.h"

#include <stdlib.h>

#include "base/memory.h"
#include "collect.h"

enum {
    SHARE_LEAST = 100, // what takes less than 1/100 of the time has no line
    UNEVEN = 125,      // per cent of the average from which a core has too much
};

struct cores {
    uint64_t *compute; // cycles, by core: of each engine the lane that has most to do
    uint32_t count;
    uint64_t *busy;        // cycles by lane
    uint64_t *conversions; // cycles of tasks that only lay out elements, by lane
    uint32_t lanes;
    uint32_t conversion_count;
    uint32_t d32_count; // of them, to and from D32
    uint32_t slowest;   // task of them
};

static double share(const struct sim_result *times, uint64_t cycles)
{
    return 100 * (double)cycles / (double)times->end;
}

static uint64_t length_of(const struct sim_result *times, uint32_t task)
{
    return times->tasks[task].end - times->tasks[task].start;
}

static void count_task(struct cores *cores, const struct program *program,
                       const struct target *target, const struct sim_result *times, uint32_t index)
{
    const struct program_task *task = &program->tasks[index];
    uint32_t core;
    if (task->kind != PROGRAM_TASK_COMPUTE || !qaic_collect_core(program, target, index, &core) ||
        core >= cores->count)
        return;
    const uint32_t lane = target_lane(target, task->engine, task->unit, task->lane);
    cores->busy[lane] += length_of(times, index);
    if (task->cost.kind != COST_MOVEMENT)
        return;
    cores->conversions[lane] += length_of(times, index);
    cores->d32_count += qaic_collect_lays_out(program, index);
    if (cores->conversion_count++ == 0 ||
        length_of(times, index) > length_of(times, cores->slowest))
        cores->slowest = index;
}

static void add_up(struct cores *cores, const struct target *target)
{
    for (uint32_t e = 0; e < target->engine_count; e++) {
        const struct target_engine *engine = &target->engines[e];
        for (uint32_t core = 0; core < cores->count && engine->per == TARGET_PER_CORE; core++) {
            const uint64_t *busy = &cores->busy[target_lane(target, e, core, 0)];
            uint64_t most = 0;
            for (uint32_t lane = 0; lane < engine->count; lane++)
                most = busy[lane] > most ? busy[lane] : most;
            cores->compute[core] += most;
        }
    }
}

static void find_idle(const struct cores *cores, struct bytes *to)
{
    uint32_t idle = 0;
    for (uint32_t i = 0; i < cores->count; i++)
        idle += cores->compute[i] == 0;
    if (idle > 0)
        bytes_append_format(to,
                            "idle-cores: %u of %u cores have nothing to compute: fewer cores "
                            "(-aic-num-cores=%u) leave them to other instances\n",
                            idle, cores->count, cores->count - idle);
}

static void find_imbalance(const struct cores *cores, const struct sim_result *times,
                           struct bytes *to)
{
    uint64_t sum = 0;
    uint32_t working = 0, most = 0;
    for (uint32_t i = 0; i < cores->count; i++) {
        sum += cores->compute[i];
        working += cores->compute[i] > 0;
        most = cores->compute[i] > cores->compute[most] ? i : most;
    }
    if (working < 2)
        return;
    const uint64_t average = sum / working;
    const uint64_t longest = cores->compute[most];
    if (longest * 100 > average * UNEVEN && (longest - average) * SHARE_LEAST >= times->end)
        bytes_append_format(to,
                            "imbalance: core %u computes %.2f times as long as the %u cores that "
                            "work do on average: %.1f %% of the time\n",
                            most, (double)longest / (double)average, working,
                            share(times, longest - average));
}

static void find_conversions(const struct cores *cores, const struct program *program,
                             const struct sim_result *times, struct bytes *to)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < cores->lanes; i++)
        longest = cores->conversions[i] > longest ? cores->conversions[i] : longest;
    if (longest == 0 || longest * SHARE_LEAST < times->end)
        return;
    const uint32_t group = program->tasks[cores->slowest].group;
    bytes_append_format(
        to,
        "layout: %u tasks only lay out elements anew, %u of them to or from D32: %.1f %% of the "
        "time, most for '%s'\n",
        cores->conversion_count, cores->d32_count, share(times, longest),
        group != PROGRAM_NONE ? program_text(program, program->groups[group].name) : "");
}

static uint64_t bytes_of(const struct program *program, const uint32_t *values, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct program_value *value = &program->values[values[i]];
        uint64_t own = value->rank == PROGRAM_NONE ? 0 : element_size((enum element)value->element);
        for (uint32_t d = 0; value->rank != PROGRAM_NONE && d < value->rank; d++)
            own *= (uint64_t)(value->dims[d] > 0 ? value->dims[d] : 0);
        bytes += own;
    }
    return bytes;
}

// How long the device takes when inputs and outputs are there; 0: not known.
static double device_seconds(const struct program *program, const struct target *target)
{
    struct sim_result *alone;
    const struct sim_options options = {.rules = COST_RULES_BEST, .unlinked = true};
    const status failure = sim_run_with(program, target, &options, &alone);
    if (failure != STATUS_OK) {
        status_free(failure);
        return 0;
    }
    const double seconds = (double)alone->end / (double)target->clock;
    sim_result_free(alone);
    return seconds;
}

// Both ways of the link work at a time, and the device while they do.
static void find_host(const struct program *program, const struct target *target, struct bytes *to)
{
    if (target->link.rate <= 0)
        return;
    const uint64_t in = bytes_of(program, program->inputs, program->input_count);
    const uint64_t out = bytes_of(program, program->outputs, program->output_count);
    const double link = (double)(in > out ? in : out) / target->link.rate;
    const double device = device_seconds(program, target);
    if (link > device)
        bytes_append_format(to,
                            "host-bound: %s take %.1f us on the link to the host, the device "
                            "%.1f us\n",
                            in > out ? "inputs" : "outputs", 1e6 * link, 1e6 * device);
}

void qaic_perf_warnings_find(const struct program *program, const struct target *target,
                             const struct sim_result *times, struct bytes *to)
{
    struct cores cores = {.count = target->core_count, .lanes = target->lane_count};
    cores.compute = memory_allocate_zeroed((size_t)cores.count + 1, sizeof *cores.compute);
    cores.busy = memory_allocate_zeroed((size_t)cores.lanes + 1, sizeof *cores.busy);
    cores.conversions = memory_allocate_zeroed((size_t)cores.lanes + 1, sizeof *cores.conversions);
    if (times->end > 0) {
        for (uint32_t i = 0; i < program->task_count; i++)
            count_task(&cores, program, target, times, i);
        add_up(&cores, target);
        find_idle(&cores, to);
        find_imbalance(&cores, times, to);
        find_conversions(&cores, program, times, to);
        find_host(program, target, to);
    }
    free(cores.compute);
    free(cores.busy);
    free(cores.conversions);
}
