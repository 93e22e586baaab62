#include "counters.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

enum { COUNTER_READ, COUNTER_WRITTEN, COUNTER_ACTIVE, COUNTER_MACS, COUNTERS };

static const char *const COUNTER_NAMES[COUNTERS] = {"AxiRdBytes", "AxiWrBytes", QAIC_COUNTER_ACTIVE,
                                                    "HmxMacs"};

static const struct {
    const char *name;
    unsigned counters; // bits
} RECIPES[QAIC_RECIPES] = {
    {"AxiRd", 1U << COUNTER_READ},
    {"AxiWr", 1U << COUNTER_WRITTEN},
    {"AxiRdWr", 1U << COUNTER_READ | 1U << COUNTER_WRITTEN},
    {"KernelUtil", 1U << COUNTER_ACTIVE},
    {"HmxMacs", 1U << COUNTER_MACS},
};

const char *qaic_recipe_name(unsigned recipe)
{
    return RECIPES[recipe].name;
}

unsigned qaic_recipe_counters(struct view name)
{
    for (unsigned i = 0; i < QAIC_RECIPES; i++) {
        if (view_is(name, RECIPES[i].name))
            return RECIPES[i].counters;
    }
    return 0;
}

unsigned qaic_counters_all(void)
{
    return (1U << COUNTERS) - 1;
}

// Values -------------------------------------------------------------------------------

struct counted {
    uint64_t values[COUNTERS];
};

// When a thread was at work.
struct active_span {
    size_t lane;
    uint64_t start, end;
};

static bool span_is_before(const void *left, const void *right)
{
    const struct active_span *a = left, *b = right;
    if (a->lane != b->lane)
        return a->lane < b->lane;
    return a->start < b->start;
}

// Transfers of a thread are under way together: time that several take counts once.
static void count_active(struct active_span *spans, size_t count, struct counted *lanes)
{
    uint64_t end = 0;
    sort_in_place(spans, count, sizeof *spans, span_is_before);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || spans[i].lane != spans[i - 1].lane)
            end = 0;
        const uint64_t start = spans[i].start > end ? spans[i].start : end;
        if (spans[i].end > start)
            lanes[spans[i].lane].values[COUNTER_ACTIVE] += spans[i].end - start;
        end = spans[i].end > end ? spans[i].end : end;
    }
}

static void count_task(const struct program *program, const struct target *target,
                       const struct program_task *task, struct view group, struct counted *lane)
{
    if (task->kind == PROGRAM_TASK_COMPUTE) {
        lane->values[COUNTER_MACS] += view_is(group, "HMX") ? task->cost.macs : 0;
        return;
    }
    if (target->engines[task->engine].role == TARGET_ROLE_TRANSFER)
        lane->values[qaic_collect_writes_near(program, target, task) ? COUNTER_READ
                                                                     : COUNTER_WRITTEN] +=
            task->cost.bytes;
}

struct qaic_raw_counter *qaic_counters_model(const struct qaic_collected *collected,
                                             const struct program *program,
                                             const struct target *target,
                                             const struct sim_result *times, unsigned counters,
                                             size_t *out_count)
{
    const struct qaic_network *network = collected->network;
    const size_t lanes = (size_t)collected->cores * network->threads;
    struct counted *counted = memory_allocate_zeroed(lanes + 1, sizeof *counted);
    struct active_span *spans =
        memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *spans);
    size_t span_count = 0;
    for (uint32_t i = 0; i < program->task_count; i++) {
        const struct qaic_place *place = &collected->places[i];
        if (place->core == UINT32_MAX)
            continue;
        const size_t lane = (size_t)place->core * network->threads + place->thread;
        count_task(program, target, &program->tasks[i], network->group_names[place->group],
                   &counted[lane]);
        spans[span_count++] =
            (struct active_span){lane, times->tasks[i].start, times->tasks[i].end};
    }
    count_active(spans, span_count, counted);
    struct qaic_raw_counter *items = memory_allocate_zeroed(lanes * COUNTERS + 1, sizeof *items);
    *out_count = 0;
    for (size_t i = 0; i < lanes; i++) {
        for (unsigned k = 0; k < COUNTERS; k++) {
            if ((counters >> k & 1) == 0)
                continue;
            struct qaic_raw_counter *item = &items[(*out_count)++];
            item->core = (uint32_t)(i / network->threads);
            item->thread = (uint32_t)(i % network->threads);
            item->value = counted[i].values[k];
            snprintf(item->name, sizeof item->name, "%s", COUNTER_NAMES[k]);
        }
    }
    free(spans);
    free(counted);
    return items;
}

// Events -------------------------------------------------------------------------------

const char *qaic_event_name(int32_t code)
{
    static const struct {
        int32_t code;
        const char *name;
    } EVENTS[] = {
        {0x3, "COMMITTED_PKT_ANY of V65"},   {0x12, "ICACHE_DEMAND_MISS of V65"},
        {0x13, "DCACHE_DEMAND_MISS of V65"}, {0x100, "HVX_ACTIVE of V75"},
        {0x101, "HVX_REG_ORDER of V75"},     {0x105, "HVX_VTCM_OUTSTANDING of V75"},
    };
    for (size_t i = 0; i < sizeof EVENTS / sizeof EVENTS[0]; i++) {
        if (EVENTS[i].code == code)
            return EVENTS[i].name;
    }
    return NULL;
}
