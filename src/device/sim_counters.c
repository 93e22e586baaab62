#include "sim_counters.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "program/location.h"

enum {
    RANK_MEMORY = 1 << 22, // after all lanes
    RANK_BANDWIDTH = 1 << 23,
};

// Something comes into use or goes out of it.
struct change {
    uint64_t time;
    uint64_t amount;
    bool ends;
};

struct changes {
    struct change *items;
    size_t count;
    size_t capacity;
};

static void add_change(struct changes *changes, uint64_t time, uint64_t amount, bool ends)
{
    changes->items =
        memory_grow(changes->items, changes->count, &changes->capacity, sizeof *changes->items);
    changes->items[changes->count++] = (struct change){time, amount, ends};
}

static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left;
    const struct change *b = right;
    return (a->time > b->time) - (a->time < b->time);
}

static void sim_counters_add_sample(struct profile *profile, uint32_t track, uint64_t time,
                                    uint64_t level)
{
    const struct event event = {.kind = EVENT_COUNTER, .start = time, .end = time, .track = track};
    struct bytes values = {0};
    value_add_uint(&values, 0, level);
    profile_track(profile, track)->ledger.expected++;
    profile_event_add(profile, &event, bytes_view(&values));
    bytes_free(&values);
}

// One sample for each time at which the level is another one afterwards.
static void add_samples(struct profile *profile, uint32_t track, struct changes *changes)
{
    if (changes->count > 0)
        sort_items(changes->items, changes->count, sizeof *changes->items, compare_changes);
    uint64_t level = 0;
    uint64_t shown = UINT64_MAX;
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        level += change->ends ? 0 - change->amount : change->amount; // may pass through 0
        if (i + 1 < changes->count && changes->items[i + 1].time == change->time)
            continue;
        if (level != shown)
            sim_counters_add_sample(profile, track, change->time, level);
        shown = level;
    }
}

static uint32_t sim_counters_add_counter(const struct sim_counters *counters, enum target_per per,
                                         uint32_t of, const char *name, const char *unit,
                                         int32_t rank)
{
    struct track track = {.parent = describing_parent(counters->tracks, per, of),
                          .name = profile_string(counters->profile, view_of(name)),
                          .clock = counters->clock,
                          .kind = TRACK_COUNTER,
                          .provenance = PROVENANCE_MODELLED,
                          .rank = rank,
                          .unit = profile_string(counters->profile, view_of(unit))};
    describing_place(counters->target, per, of, &track.device, &track.core);
    return profile_track_add(counters->profile, &track);
}

// Memory ------------------------------------------------------------------------

// When each moment begins and ends; `count` of them.
static struct sim_times *moments_of(const struct sim_counters *counters, size_t *out_count)
{
    const struct program *program = counters->program;
    const struct sim_result *result = counters->result;
    size_t most = (size_t)program->action_count + 1;
    for (uint32_t i = 0; i < program->action_count; i++) {
        if (program->actions[i].kind == PROGRAM_ACTION_JOB_START)
            most += program->jobs[program->actions[i].subject].step_count;
    }
    struct sim_times *moments = memory_allocate_zeroed(most, sizeof *moments);
    size_t count = 0;
    for (uint32_t i = 0; i < program->action_count; i++) {
        moments[count++] = result->actions[i];
        if (program->actions[i].kind != PROGRAM_ACTION_JOB_START)
            continue;
        const struct program_job *job = &program->jobs[program->actions[i].subject];
        memcpy(&moments[count], &result->steps[job->first_step], job->step_count * sizeof *moments);
        count += job->step_count;
    }
    *out_count = count;
    return moments;
}

static bool takes_memory(const struct program_buffer *buffer)
{
    return buffer->kind != PROGRAM_BUFFER_PIPELINE && buffer->alias == PROGRAM_NONE &&
           buffer->size > 0;
}

// The operator that first works with each buffer; 0: none.
static uint32_t *owners_of(const struct sim_counters *counters)
{
    const struct program *program = counters->program;
    uint32_t *owners = memory_allocate_zeroed((size_t)program->buffer_count + 1, sizeof *owners);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const uint32_t group = program_task_group(program, i);
        for (uint32_t k = 0; k < task->operand_count && group != PROGRAM_NONE; k++) {
            const uint32_t buffer = program->operands[task->first_operand + k].buffer;
            if (owners[buffer] == 0)
                owners[buffer] = counters->owners[group];
        }
    }
    return owners;
}

// A moment after the last one is the end.
static uint64_t sim_counters_time_of(const struct sim_counters *counters,
                                     const struct sim_times *moments, size_t count, uint32_t moment,
                                     bool end)
{
    if (moment >= count)
        return counters->result->end;
    return end ? moments[moment].end : moments[moment].start;
}

static bool target_has(const struct target *target, const struct program_buffer *buffer)
{
    return buffer->memory < target->memory_count &&
           buffer->unit < target_units(target, target->memories[buffer->memory].per);
}

// Adds lifetimes; `units` get their changes.
static void add_lifetimes(const struct sim_counters *counters, struct changes *units)
{
    const struct program *program = counters->program;
    size_t count;
    struct sim_times *moments = moments_of(counters, &count);
    uint32_t *owners = owners_of(counters);
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        if (!takes_memory(buffer) || !target_has(counters->target, buffer))
            continue;
        const uint32_t unit = target_memory_unit(counters->target, buffer->memory, buffer->unit);
        const uint64_t from = sim_counters_time_of(counters, moments, count, buffer->from, false);
        const uint64_t to = sim_counters_time_of(counters, moments, count, buffer->to, true);
        add_change(&units[unit], from, buffer->size, false);
        add_change(&units[unit], to > from ? to : from, buffer->size, true);
        const struct target_memory *memory = &counters->target->memories[buffer->memory];
        struct buffer_lifetime lifetime = {
            .memory = profile_string(counters->profile, view_of(memory->name)),
            .owner = owners[i],
            .clock = counters->clock,
            .address = buffer->address,
            .size = buffer->size,
            .from = from,
            .to = to > from ? to : from};
        describing_place(counters->target, memory->per, buffer->unit, &lifetime.device,
                         &lifetime.core);
        profile_buffer_add(counters->profile, &lifetime);
    }
    free(moments);
    free(owners);
}

static void sim_counters_add_memory(const struct sim_counters *counters, uint32_t memory,
                                    struct changes *units)
{
    const struct target_memory *item = &counters->target->memories[memory];
    char name[96];
    snprintf(name, sizeof name, "%s in use", item->name);
    for (uint32_t i = 0; i < target_units(counters->target, item->per); i++) {
        struct changes *changes = &units[target_memory_unit(counters->target, memory, i)];
        if (changes->count > 0)
            add_samples(counters->profile,
                        sim_counters_add_counter(counters, item->per, i, name, "bytes",
                                                 RANK_MEMORY + (int32_t)memory),
                        changes);
        free(changes->items);
    }
}

void sim_counters_memory(const struct sim_counters *counters)
{
    struct changes *units =
        memory_allocate_zeroed((size_t)counters->target->memory_unit_count + 1, sizeof *units);
    add_lifetimes(counters, units);
    for (uint32_t i = 0; i < counters->target->memory_count; i++)
        sim_counters_add_memory(counters, i, units);
    free(units);
}

// Bandwidth ----------------------------------------------------------------------

static uint64_t bytes_a_second(uint64_t bytes, uint64_t cycles, uint64_t clock)
{
    return cycles == 0 ? 0 : (uint64_t)((__uint128_t)bytes * clock / cycles);
}

static void sim_counters_add_transfer(const struct sim_counters *counters, struct changes *changes,
                                      uint64_t bytes, const struct sim_times *times)
{
    if (times->end == times->start)
        return;
    const uint64_t rate = bytes_a_second(bytes, times->end - times->start, counters->target->clock);
    add_change(changes, times->start, rate, false);
    add_change(changes, times->end, rate, true);
}

static void add_bandwidth(const struct sim_counters *counters, uint32_t engine)
{
    const struct program *program = counters->program;
    const struct sim_result *result = counters->result;
    struct changes changes = {0};
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (task->engine == engine)
            sim_counters_add_transfer(counters, &changes, task->cost.bytes, &result->tasks[i]);
    }
    for (uint32_t i = 0; i < program->stage_count; i++) {
        const struct program_stage *stage = &program->stages[i];
        if (stage->engine == engine)
            sim_counters_add_transfer(
                counters, &changes, stage->cost.bytes,
                &(struct sim_times){result->stages[i].times.start + result->stages[i].awaited,
                                    result->stages[i].times.end});
    }
    char name[96];
    snprintf(name, sizeof name, "%s bandwidth", counters->target->engines[engine].name);
    if (changes.count > 0)
        add_samples(counters->profile,
                    sim_counters_add_counter(counters, TARGET_PER_MACHINE, 0, name, "bytes/s",
                                             RANK_BANDWIDTH + (int32_t)engine),
                    &changes);
    free(changes.items);
}

void sim_counters_bandwidth(const struct sim_counters *counters)
{
    for (uint32_t i = 0; i < counters->target->engine_count; i++) {
        const enum target_role role = counters->target->engines[i].role;
        if (role == TARGET_ROLE_TRANSFER || role == TARGET_ROLE_COMMUNICATION)
            add_bandwidth(counters, i);
    }
}
