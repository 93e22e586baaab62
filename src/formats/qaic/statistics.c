#include "statistics.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "counters.h"
#include "summary.h"

enum { NOWHERE = UINT32_MAX };

static uint64_t ticks_of(const struct target *target, uint64_t cycles)
{
    return (uint64_t)((unsigned __int128)cycles * QAIC_TICKS_A_SECOND / target->clock);
}

static int by_thread(const void *left, const void *right)
{
    const struct qaic_raw_operation *a = left, *b = right;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

// Before an operation its thread waits for what it needs.
static void find_waits(struct qaic_raw_operation *items, size_t count, uint64_t base)
{
    uint64_t end = base;
    for (size_t i = 0; i < count; i++) {
        const bool same =
            i > 0 && items[i].core == items[i - 1].core && items[i].thread == items[i - 1].thread;
        end = same ? end : base;
        const uint64_t wait = items[i].start > end ? items[i].start - end : 0;
        items[i].sync = wait < UINT32_MAX ? (uint32_t)wait : UINT32_MAX;
        end = items[i].end > end ? items[i].end : end;
    }
}

static struct qaic_raw_operation operation_at(const struct target *target,
                                              const struct qaic_place *place, uint32_t number,
                                              uint64_t base, uint64_t start, uint64_t end)
{
    return (struct qaic_raw_operation){
        .core = place->core,
        .thread = place->thread,
        .group = place->group,
        .ordinal = place->ordinal,
        .task = number,
        .start = base + ticks_of(target, start),
        .end = base + ticks_of(target, end),
        .pcycles = end - start,
    };
}

// When the last task before each increment has ended, for the caller to free.
static uint64_t *find_increment_starts(const struct qaic_increments *increments,
                                       const struct sim_result *times)
{
    uint64_t *starts = memory_allocate_zeroed(increments->count + 1, sizeof *starts);
    for (size_t i = 0; i < increments->task_count; i++) {
        const struct qaic_increment_task *own = &increments->tasks[i];
        const uint64_t end = times->tasks[own->task].end;
        starts[own->increment] = end > starts[own->increment] ? end : starts[own->increment];
    }
    return starts;
}

static size_t add_increments(struct qaic_raw_operation *items,
                             const struct qaic_increments *increments,
                             const struct program *program, const struct target *target,
                             const struct sim_result *times, uint64_t base)
{
    uint64_t *starts = find_increment_starts(increments, times);
    for (size_t i = 0; i < increments->count; i++)
        items[i] =
            operation_at(target, &increments->items[i].place, program->task_count + (uint32_t)i,
                         base, starts[i], starts[i] + target->link.signal);
    free(starts);
    return increments->count;
}

// At level 50 those that raise semaphores, from 70 on all.
static void model_operations(struct qaic_raw_stats *stats, const struct qaic_collected *collected,
                             const struct program *program, const struct target *target,
                             const struct sim_result *times, uint64_t base)
{
    struct qaic_raw_operation *items = memory_allocate_zeroed(
        (size_t)program->task_count + collected->increments.count + 1, sizeof *items);
    size_t count = 0;
    for (uint32_t i = 0; i < program->task_count && stats->level >= QAIC_LEVEL_OPERATIONS; i++) {
        const struct qaic_place *place = &collected->places[i];
        if (place->core != NOWHERE)
            items[count++] =
                operation_at(target, place, i, base, times->tasks[i].start, times->tasks[i].end);
    }
    if (times->linked)
        count +=
            add_increments(&items[count], &collected->increments, program, target, times, base);
    sort_items(items, count, sizeof *items, by_thread);
    if (stats->level >= QAIC_LEVEL_OPERATIONS)
        find_waits(items, count, base);
    stats->operations = items;
    stats->operation_count = count;
}

static void model_traffic(struct qaic_raw_stats *stats, const struct qaic_collected *collected,
                          const struct program *program, const struct target *target)
{
    struct qaic_raw_traffic *traffic =
        memory_allocate_zeroed((size_t)stats->cores + 1, sizeof *traffic);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        if (collected->places[i].core == NOWHERE || task->kind != PROGRAM_TASK_TRANSFER ||
            target->engines[task->engine].role != TARGET_ROLE_TRANSFER)
            continue;
        struct qaic_raw_traffic *own = &traffic[collected->places[i].core];
        const bool in = qaic_collect_writes_near(program, target, task);
        *(in ? &own->read : &own->written) += task->cost.bytes;
    }
    stats->traffic = traffic;
}

// A thread waits for its inputs' doorbells. Outputs have their places before an inference begins:
// for those nothing waits.
static void model_ports(struct qaic_raw_stats *stats, const struct qaic_collected *collected,
                        const struct program *program, const struct target *target,
                        const struct sim_result *times)
{
    const size_t lanes = (size_t)stats->cores * stats->threads;
    struct qaic_raw_ports *ports = memory_allocate_zeroed(lanes + 1, sizeof *ports);
    uint64_t *cycles = memory_allocate_zeroed(lanes + 1, sizeof *cycles);
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct qaic_place *place = &collected->places[i];
        if (place->core != NOWHERE)
            cycles[(size_t)place->core * stats->threads + place->thread] += times->waits[i];
    }
    for (size_t i = 0; i < lanes; i++)
        ports[i].input_wait = ticks_of(target, cycles[i]);
    free(cycles);
    stats->ports = ports;
}

// Inputs come one after the other, in their order.
static void model_doorbells(struct qaic_raw_stats *stats, const struct program *program,
                            const struct target *target, const struct sim_result *times,
                            uint64_t base)
{
    struct qaic_raw_doorbell *items =
        memory_allocate_zeroed((size_t)program->input_count + 1, sizeof *items);
    for (uint32_t i = 0; i < program->input_count; i++) {
        if (times->inputs[i].end > 0)
            items[stats->doorbell_count++] = (struct qaic_raw_doorbell){
                QAIC_PORT_INPUT, i, base + ticks_of(target, times->inputs[i].end)};
    }
    stats->doorbells = items;
}

// The threads of a card are set up together; a thread ends when all of the inference is over.
static void model_threads(struct qaic_raw_stats *stats, const struct target *target,
                          const struct sim_result *times, uint64_t base)
{
    const size_t lanes = (size_t)stats->cores * stats->threads;
    const bool known = times->linked && target->link.activation > 0;
    struct qaic_raw_thread *threads = memory_allocate_zeroed(lanes + 1, sizeof *threads);
    for (size_t i = 0; i < lanes; i++)
        threads[i] = (struct qaic_raw_thread){
            .start = base,
            .end = base + ticks_of(target, times->end),
            .pcycles = times->end,
            .activation = known ? ticks_of(target, target->link.activation) : UINT64_MAX};
    stats->thread_times = threads;
}

struct qaic_raw_stats *qaic_stats_model(const struct qaic_collected *collected,
                                        const struct program *program, const struct target *target,
                                        const struct sim_result *times,
                                        const struct qaic_stats_request *request)
{
    const uint64_t base = request->base;
    const unsigned counters =
        request->level >= QAIC_LEVEL_EXTENDED ? qaic_counters_all() : request->counters;
    struct qaic_raw_stats *stats = memory_allocate_zeroed(1, sizeof *stats);
    stats->level = request->level;
    stats->cores = collected->cores;
    stats->threads = collected->network->threads;
    stats->frequency = QAIC_TICKS_A_SECOND;
    if (request->level < QAIC_LEVEL_THREADS)
        return stats;
    model_threads(stats, target, times, base);
    if (request->ddr)
        model_traffic(stats, collected, program, target);
    if (counters != 0)
        stats->counters =
            qaic_counters_model(collected, program, target, times, counters, &stats->counter_count);
    if (request->level >= QAIC_LEVEL_PORTS && times->linked) {
        model_ports(stats, collected, program, target, times);
        model_doorbells(stats, program, target, times, base);
    }
    if (request->level >= QAIC_LEVEL_OPERATIONS ||
        (request->level >= QAIC_LEVEL_PORTS && times->linked))
        model_operations(stats, collected, program, target, times, base);
    return stats;
}

// Devices ------------------------------------------------------------------------------

static void *copy_of(const void *items, size_t first, size_t count, size_t size)
{
    if (items == NULL)
        return NULL;
    void *copy = memory_allocate_zeroed(count + 1, size);
    memcpy(copy, (const char *)items + first * size, count * size);
    return copy;
}

// Whether a task of these cores reads the input.
static bool is_read_by(const struct qaic_collected *collected, const struct program *program,
                       uint32_t input, uint32_t first, uint32_t cores)
{
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct program_task *task = &program->tasks[i];
        const uint32_t core = collected->places[i].core;
        for (uint32_t k = 0; core >= first && core < first + cores && k < task->operand_count;
             k++) {
            const struct program_operand *operand = &program->operands[task->first_operand + k];
            if (operand->writes == 0 && collected->inputs[operand->buffer] == input + 1)
                return true;
        }
    }
    return false;
}

static void slice_doorbells(struct qaic_raw_stats *slice, const struct qaic_raw_stats *stats,
                            const struct qaic_collected *collected, const struct program *program,
                            uint32_t first)
{
    struct qaic_raw_doorbell *items =
        memory_allocate_zeroed(stats->doorbell_count + 1, sizeof *items);
    for (size_t i = 0; i < stats->doorbell_count; i++) {
        if (is_read_by(collected, program, stats->doorbells[i].index, first, slice->cores))
            items[slice->doorbell_count++] = stats->doorbells[i];
    }
    slice->doorbells = items;
}

static void slice_operations(struct qaic_raw_stats *slice, const struct qaic_raw_stats *stats,
                             uint32_t first)
{
    struct qaic_raw_operation *items =
        memory_allocate_zeroed(stats->operation_count + 1, sizeof *items);
    for (size_t i = 0; i < stats->operation_count; i++) {
        const struct qaic_raw_operation *item = &stats->operations[i];
        if (item->core < first || item->core >= first + slice->cores)
            continue;
        items[slice->operation_count] = *item;
        items[slice->operation_count++].core -= first;
    }
    slice->operations = items;
}

static void slice_counters(struct qaic_raw_stats *slice, const struct qaic_raw_stats *stats,
                           uint32_t first)
{
    struct qaic_raw_counter *items =
        memory_allocate_zeroed(stats->counter_count + 1, sizeof *items);
    for (size_t i = 0; i < stats->counter_count; i++) {
        if (stats->counters[i].core < first || stats->counters[i].core >= first + slice->cores)
            continue;
        items[slice->counter_count] = stats->counters[i];
        items[slice->counter_count++].core -= first;
    }
    slice->counters = items;
}

struct qaic_raw_stats *qaic_stats_slice(const struct qaic_raw_stats *stats,
                                        const struct qaic_collected *collected,
                                        const struct program *program, uint32_t device)
{
    struct qaic_raw_stats *slice = memory_allocate_zeroed(1, sizeof *slice);
    const uint32_t cores = stats->cores / collected->devices, first = device * cores;
    const size_t lane = (size_t)first * stats->threads, lanes = (size_t)cores * stats->threads;
    *slice = *stats;
    slice->cores = cores;
    slice->device = device + 1;
    slice->doorbell_count = slice->counter_count = slice->operation_count = 0;
    slice->thread_times = copy_of(stats->thread_times, lane, lanes, sizeof *stats->thread_times);
    slice->ports = copy_of(stats->ports, lane, lanes, sizeof *stats->ports);
    slice->traffic = copy_of(stats->traffic, first, cores, sizeof *stats->traffic);
    if (stats->doorbells != NULL)
        slice_doorbells(slice, stats, collected, program, first);
    if (stats->counters != NULL)
        slice_counters(slice, stats, first);
    if (stats->operations != NULL)
        slice_operations(slice, stats, first);
    return slice;
}

void qaic_stats_free(struct qaic_raw_stats *stats)
{
    if (stats == NULL)
        return;
    free((void *)(uintptr_t)stats->thread_times);
    free((void *)(uintptr_t)stats->ports);
    free((void *)(uintptr_t)stats->doorbells);
    free((void *)(uintptr_t)stats->traffic);
    free((void *)(uintptr_t)stats->counters);
    free((void *)(uintptr_t)stats->operations);
    free(stats);
}
