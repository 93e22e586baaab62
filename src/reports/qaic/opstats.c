#include "opstats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/hash.h"
#include "base/memory.h"
#include "formats/qaic/counters.h"
#include "formats/qaic/host_work.h"

status opstats_check(const struct opstats *opstats, const char *path)
{
    const struct qaic_network *network = opstats->network;
    const struct qaic_raw_stats *stats = opstats->stats;
    if (stats->cores != network->cores || stats->threads != network->threads)
        return status_make(STATUS_DATA,
                           "%s: is of a program with %" PRIu32 " cores of %" PRIu32
                           " threads, not of this one: give the programqpc.bin that was run",
                           path, stats->cores, stats->threads);
    for (size_t i = 0; i < stats->operation_count; i++) {
        const struct qaic_raw_operation *item = &stats->operations[i];
        if (item->core >= network->cores || item->thread >= network->threads ||
            item->group >= network->group_count || item->end < item->start ||
            item->ordinal >= qaic_network_operations(network, item->core, item->group)->count)
            return status_make(STATUS_DATA,
                               "%s: operation %zu is none of this program: give the "
                               "programqpc.bin that was run",
                               path, i);
    }
    return STATUS_OK;
}

// Plan -------------------------------------------------------------------------------------

static struct view details_of(struct arena *arena, const struct qaic_network *network,
                              const struct qaic_operation *operation, uint32_t group)
{
    // What has no types ends in a blank, as the vendor's does.
    const struct view name = network->group_names[group];
    if (operation->type.size == 0)
        return arena_print(arena, "%.*s %.*s %.*s ", VIEW_ARGUMENTS(operation->kind),
                           VIEW_ARGUMENTS(name), VIEW_ARGUMENTS(operation->memory));
    return arena_print(arena, "%.*s %.*s %.*s (%.*s)", VIEW_ARGUMENTS(operation->kind),
                       VIEW_ARGUMENTS(name), VIEW_ARGUMENTS(operation->memory),
                       VIEW_ARGUMENTS(operation->type));
}

static bool same_details(const struct qaic_operation *a, const struct qaic_operation *b)
{
    return view_equal(a->kind, b->kind) && view_equal(a->memory, b->memory) &&
           view_equal(a->type, b->type);
}

static uint32_t hash_details(const struct qaic_operation *operation, uint32_t group)
{
    return hash_u64((uint64_t)hash_bytes(operation->kind.data, operation->kind.size) << 32 ^
                    hash_bytes(operation->memory.data, operation->memory.size) ^
                    (uint64_t)hash_bytes(operation->type.data, operation->type.size) << 16 ^ group);
}

// The row of an operation among those of its core, added where it is new.
static uint32_t plan_row(struct opstats_plan *plan, const struct qaic_operation *operation,
                         uint32_t group, size_t first, struct hash_index *index)
{
    const uint32_t hash = hash_details(operation, group);
    uint32_t id;
    for (uint32_t at = hash_first(index, hash); (id = hash_next(index, hash, &at)) != HASH_NONE;) {
        const struct opstats_row *row = &plan->rows[first + id];
        if (row->group == group && same_details(row->like, operation))
            return id;
    }
    plan->rows = memory_grow(plan->rows, plan->row_count, &plan->row_capacity, sizeof *plan->rows);
    plan->rows[plan->row_count++] =
        (struct opstats_row){.details = details_of(&plan->arena, plan->network, operation, group),
                             .like = operation,
                             .group = group};
    id = (uint32_t)(plan->row_count - 1 - first);
    hash_add(index, hash, id);
    return id;
}

static void plan_core(struct opstats_plan *plan, uint32_t core)
{
    const struct qaic_network *network = plan->network;
    struct hash_index index = {0};
    const size_t first = plan->row_count;
    plan->first_row[core] = first;
    for (uint32_t g = 0; g < network->group_count; g++) {
        const struct qaic_operations *list = qaic_network_operations(network, core, g);
        uint32_t *rows = &plan->row_of[plan->first[(size_t)core * network->group_count + g]];
        uint64_t *sizes = &plan->sizes[rows - plan->row_of];
        for (size_t i = 0; i < list->count; i++) {
            rows[i] = plan_row(plan, &list->items[i], g, first, &index);
            sizes[i] = list->items[i].output_size;
        }
    }
    hash_free(&index);
}

struct opstats_plan *opstats_plan_make(const struct qaic_network *network)
{
    struct opstats_plan *plan = memory_allocate_zeroed(1, sizeof *plan);
    const size_t groups = (size_t)network->cores * network->group_count;
    plan->network = network;
    plan->first = memory_allocate_zeroed(groups + 1, sizeof *plan->first);
    plan->first_row = memory_allocate_zeroed((size_t)network->cores + 1, sizeof *plan->first_row);
    for (size_t i = 0; i < groups; i++) {
        plan->first[i] = plan->operation_count;
        plan->operation_count += network->operations[i].count;
    }
    plan->row_of = memory_allocate_zeroed(plan->operation_count + 1, sizeof *plan->row_of);
    plan->sizes = memory_allocate_zeroed(plan->operation_count + 1, sizeof *plan->sizes);
    for (uint32_t i = 0; i < network->cores; i++)
        plan_core(plan, i);
    plan->first_row[network->cores] = plan->row_count;
    return plan;
}

void opstats_plan_free(struct opstats_plan *plan)
{
    if (plan == NULL)
        return;
    arena_free(&plan->arena);
    free(plan->first);
    free(plan->first_row);
    free(plan->row_of);
    free(plan->sizes);
    free(plan->rows);
    free(plan);
}

// Rows ---------------------------------------------------------------------------------

// What is added up for one line of the table.
struct sum {
    uint64_t ucycles, pcycles, count, bytes;
    double ratio, squares; // of pcycles per KB
};

// Of an operation, the most that any thread of its group took.
struct longest {
    uint64_t ucycles; // + 1; 0: it did not run
    uint64_t pcycles;
    uint32_t sync, barrier;
};

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// What one pass over the buffer adds up.
struct totals {
    struct longest *longest; // by operation, as the plan counts them
    uint64_t *busy;          // by core and thread: pcycles
};

static void totals_make(struct totals *totals, const struct opstats *opstats,
                        const struct opstats_plan *plan)
{
    const struct qaic_network *network = opstats->network;
    totals->longest = memory_allocate_zeroed(plan->operation_count + 1, sizeof *totals->longest);
    totals->busy =
        memory_allocate_zeroed((size_t)network->cores * network->threads + 1, sizeof *totals->busy);
    for (size_t i = 0; i < opstats->stats->operation_count; i++) {
        const struct qaic_raw_operation *item = &opstats->stats->operations[i];
        const size_t group = (size_t)item->core * network->group_count + item->group;
        struct longest *own = &totals->longest[plan->first[group] + item->ordinal];
        own->ucycles = most(own->ucycles, item->end - item->start + 1);
        own->pcycles = most(own->pcycles, item->pcycles);
        own->sync = item->sync > own->sync ? item->sync : own->sync;
        own->barrier = item->barrier > own->barrier ? item->barrier : own->barrier;
        totals->busy[(size_t)item->core * network->threads + item->thread] += item->pcycles;
    }
}

static void totals_free(struct totals *totals)
{
    free(totals->longest);
    free(totals->busy);
}

static void add_wait(struct sum *sum, uint64_t ticks)
{
    sum->ucycles += ticks;
    sum->count += ticks > 0;
}

// `waits` has two sums: before operations, and after.
static void opstats_add_group(const struct opstats_plan *plan, const struct totals *totals,
                              uint32_t core, uint32_t group, struct sum *sums, struct sum *waits)
{
    const size_t count = qaic_network_operations(plan->network, core, group)->count;
    const size_t first = plan->first[(size_t)core * plan->network->group_count + group];
    const struct longest *longest = &totals->longest[first];
    for (size_t i = 0; i < count; i++) {
        if (longest[i].ucycles == 0)
            continue;
        struct sum *sum = &sums[plan->row_of[first + i]];
        const uint64_t bytes = plan->sizes[first + i];
        const double kb = (double)bytes / 1024;
        const double ratio = kb > 0 ? (double)longest[i].pcycles / kb : 0;
        sum->ucycles += longest[i].ucycles - 1;
        sum->pcycles += longest[i].pcycles;
        sum->count++;
        sum->bytes += bytes;
        sum->ratio += ratio;
        sum->squares += ratio * ratio;
        add_wait(&waits[0], longest[i].sync);
        add_wait(&waits[1], longest[i].barrier);
    }
}

static int by_ucycles(const void *left, const void *right)
{
    const struct qaic_row *a = left, *b = right;
    if (a->ucycles != b->ucycles)
        return a->ucycles > b->ucycles ? -1 : 1;
    const size_t shorter = a->details.size < b->details.size ? a->details.size : b->details.size;
    const int order = memcmp(a->details.data, b->details.data, shorter);
    return order != 0 ? order
                      : (a->details.size > b->details.size) - (a->details.size < b->details.size);
}

static double opstats_part_of(uint64_t part, double whole)
{
    return whole > 0 ? (double)part / whole : NAN;
}

// Of a population: all operations of the kind are there.
static double deviation_of(const struct sum *sum)
{
    const double mean = sum->ratio / (double)sum->count;
    const double variance = sum->squares / (double)sum->count - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

static struct qaic_row opstats_row_of(const struct sum *sum, const struct qaic_core *core,
                                      struct view details, bool waits)
{
    const double kb = (double)sum->bytes / 1024;
    struct qaic_row row = {
        .ucycles = (double)sum->ucycles,
        .ucycles_percent = 100 * opstats_part_of(sum->ucycles, (double)core->ucycles),
        .pcycles = NAN,
        .pcycles_percent = NAN,
        .count = (double)sum->count,
        .out_kb = NAN,
        .ucycles_per_kb = NAN,
        .pcycles_per_kb = NAN,
        .deviation = NAN,
        .details = details,
    };
    if (waits)
        return row;
    row.pcycles = (double)sum->pcycles;
    row.pcycles_percent = 100 * opstats_part_of(sum->pcycles, (double)core->pcycles);
    row.out_kb = kb;
    row.ucycles_per_kb = opstats_part_of(sum->ucycles, kb);
    row.pcycles_per_kb = opstats_part_of(sum->pcycles, kb);
    row.deviation = kb > 0 ? deviation_of(sum) : NAN;
    return row;
}

static void add_rows(const struct opstats_plan *plan, const struct totals *totals,
                     struct arena *arena, struct qaic_core *core)
{
    const struct qaic_network *network = plan->network;
    const struct opstats_row *own = &plan->rows[plan->first_row[core->number]];
    const size_t count = plan->first_row[core->number + 1] - plan->first_row[core->number];
    const size_t all = count + 2 * (size_t)network->group_count;
    struct sum *sums = memory_allocate_zeroed(all + 1, sizeof *sums);
    for (uint32_t g = 0; g < network->group_count; g++)
        opstats_add_group(plan, totals, core->number, g, sums, &sums[count + 2 * (size_t)g]);
    core->rows = memory_allocate_zeroed(all + 1, sizeof *core->rows);
    for (size_t i = 0; i < all; i++) {
        const bool waits = i >= count;
        const size_t wait = waits ? i - count : 0;
        if (sums[i].count == 0)
            continue;
        const struct view details =
            waits ? arena_print(arena, "%s %.*s", wait % 2 == 0 ? "sync" : "barrier",
                                VIEW_ARGUMENTS(network->group_names[wait / 2]))
                  : arena_copy(arena, own[i].details);
        core->rows[core->row_count++] = opstats_row_of(&sums[i], core, details, waits);
    }
    sort_items(core->rows, core->row_count, sizeof *core->rows, by_ucycles);
    free(sums);
}

// Threads ------------------------------------------------------------------------------

static double opstats_percent_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void add_threads(const struct opstats *opstats, const struct totals *totals,
                        struct qaic_core *core)
{
    const struct qaic_network *network = opstats->network;
    const struct qaic_raw_stats *stats = opstats->stats;
    uint64_t start = UINT64_MAX, end = 0;
    core->thread_count = network->threads;
    core->threads = memory_allocate_zeroed(core->thread_count + 1, sizeof *core->threads);
    for (uint32_t i = 0; i < network->threads; i++) {
        const size_t lane = (size_t)core->number * network->threads + i;
        const struct qaic_raw_thread *raw = &stats->thread_times[lane];
        struct qaic_thread *thread = &core->threads[i];
        *thread = (struct qaic_thread){
            .group = network->group_names[network->thread_groups[i]],
            .start = raw->start,
            .end = raw->end,
            .ucycles = raw->end - raw->start,
            .pcycles = raw->pcycles,
            .utilization = stats->level < QAIC_LEVEL_OPERATIONS
                               ? NAN
                               : opstats_percent_of(totals->busy[lane], raw->pcycles),
            .has_activation = raw->activation != UINT64_MAX,
            .activation = raw->activation,
            .port_ucycles = memory_allocate_zeroed(2, sizeof(uint64_t)),
        };
        core->ucycles = most(core->ucycles, thread->ucycles);
        core->pcycles = most(core->pcycles, thread->pcycles);
        start = raw->start < start ? raw->start : start;
        end = most(end, raw->end);
    }
    core->has_inference = true;
    core->inference_pcycles = core->pcycles;
    core->frequency =
        end > start ? (double)core->pcycles / (double)(end - start) * (double)stats->frequency / 1e6
                    : 0;
}

static void opstats_add_ports(const struct opstats *opstats, struct qaic_core *core,
                              struct qaic_summary *summary)
{
    const struct qaic_raw_stats *stats = opstats->stats;
    if (stats->ports == NULL)
        return;
    core->ports = memory_allocate_zeroed(2, sizeof *core->ports);
    core->ports[0] = QAIC_PORT_INPUT;
    core->ports[1] = QAIC_PORT_OUTPUT;
    core->port_count = 2;
    summary->has_waits = true;
    for (uint32_t i = 0; i < stats->threads; i++) {
        const struct qaic_raw_ports *raw = &stats->ports[(size_t)core->number * stats->threads + i];
        core->threads[i].port_ucycles[0] = raw->input_wait;
        core->threads[i].port_ucycles[1] = raw->output_wait;
        summary->input_wait = most(summary->input_wait, raw->input_wait);
        summary->output_wait = most(summary->output_wait, raw->output_wait);
    }
}

static void add_rates(const struct opstats *opstats, struct qaic_summary *summary)
{
    const double seconds =
        (double)(summary->end - summary->start) / (double)opstats->stats->frequency;
    const int batch = opstats->network->stats_batch > 0 ? opstats->network->stats_batch : 1;
    if (seconds <= 0)
        return;
    summary->batch_rate = arena_print(&summary->arena, "(1/%g): %g", seconds, 1 / seconds);
    summary->inference_rate =
        arena_print(&summary->arena, "(%d/%g): %g", batch, seconds, batch / seconds);
}

// What the published summaries have no lines for ---------------------------------------------

static void note_counters(const struct opstats *opstats, const char *times, struct bytes *notes)
{
    const struct qaic_raw_stats *stats = opstats->stats;
    for (size_t i = 0; i < stats->counter_count; i++) {
        const struct qaic_raw_counter *counter = &stats->counters[i];
        bytes_append_format(notes, "opscope: c%02" PRIu32 "t%" PRIu32 " PMU %s: %" PRIu64 " (%s)\n",
                            counter->core, counter->thread, counter->name, counter->value, times);
    }
}

// What was counted of a group's threads.
struct group_use {
    uint64_t active, threads;
};

static struct group_use *find_use(const struct opstats *opstats)
{
    const struct qaic_network *network = opstats->network;
    const struct qaic_raw_stats *stats = opstats->stats;
    struct group_use *use =
        memory_allocate_zeroed((size_t)network->cores * network->group_count + 1, sizeof *use);
    for (size_t i = 0; i < stats->counter_count; i++) {
        const struct qaic_raw_counter *counter = &stats->counters[i];
        if (strcmp(counter->name, QAIC_COUNTER_ACTIVE) != 0)
            continue;
        struct group_use *own = &use[(size_t)counter->core * network->group_count +
                                     network->thread_groups[counter->thread]];
        own->active += counter->value;
        own->threads++;
    }
    return use;
}

// How much of the core's cycles a thread of each group worked on average.
static void note_use(const struct qaic_network *network, const struct qaic_core *core,
                     const struct group_use *use, const char *times, struct bytes *notes)
{
    bool any = false;
    for (uint32_t g = 0; g < network->group_count; g++) {
        const struct view name = network->group_names[g];
        if (use[g].threads == 0)
            continue;
        if (!any)
            bytes_append_format(notes, "opscope: c%02" PRIu32, core->number);
        any = true;
        const struct view called = view_is(name, "DMAIssue") ? VIEW_LITERAL("DMA") : name;
        bytes_append_format(notes, " %.*sActivePct: %.2f", VIEW_ARGUMENTS(called),
                            opstats_percent_of(use[g].active, use[g].threads * core->pcycles));
    }
    if (any)
        bytes_append_format(notes, " (%s)\n", times);
}

// What the card waits for and has no rows of.
static void note_host_work(const struct opstats *opstats, struct bytes *notes)
{
    struct qaic_host_work *items;
    const size_t count = qaic_host_work_find(opstats->program, opstats->target, &items);
    for (size_t i = 0; i < count; i++)
        bytes_append_format(notes, "opscope: host computes %.*s: %.3f us (modelled)\n",
                            VIEW_ARGUMENTS(items[i].name), items[i].us);
    free(items);
}

static void add_notes(const struct opstats *opstats, struct qaic_summary *summary)
{
    const struct qaic_raw_stats *stats = opstats->stats;
    const struct qaic_network *network = opstats->network;
    const char *times = stats->measured ? "measured" : "modelled";
    summary->modelled = !stats->measured;
    bytes_append_format(&summary->notes, "%s\n",
                        stats->measured ? QAIC_SUMMARY_MEASURED : QAIC_SUMMARY_MODELLED);
    if (stats->cut > 0)
        bytes_append_format(&summary->notes, QAIC_SUMMARY_CUT "%" PRIu64 " operations are lost\n",
                            stats->cut);
    note_host_work(opstats, &summary->notes);
    for (size_t i = 0; stats->traffic != NULL && i < summary->core_count; i++)
        bytes_append_format(&summary->notes,
                            "opscope: c%02zu DDR traffic: %" PRIu64 " bytes read, %" PRIu64
                            " written (modelled)\n",
                            i, stats->traffic[i].read, stats->traffic[i].written);
    note_counters(opstats, times, &summary->notes);
    struct group_use *use = find_use(opstats);
    for (size_t i = 0; i < summary->core_count; i++)
        note_use(network, &summary->cores[i], &use[i * network->group_count], times,
                 &summary->notes);
    free(use);
    for (size_t i = 0; i < network->pmu_count; i++) {
        const char *name = qaic_event_name(network->pmu_events[i]);
        bytes_append_format(&summary->notes, "opscope: PMU event %X%s%s%s: N/A\n",
                            (unsigned)network->pmu_events[i], name != NULL ? " (" : "",
                            name != NULL ? name : "", name != NULL ? ")" : "");
    }
}

struct qaic_summary *opstats_summarise(const struct opstats *opstats)
{
    struct qaic_summary *summary = memory_allocate_zeroed(1, sizeof *summary);
    const uint32_t cores = opstats->stats->thread_times != NULL ? opstats->network->cores : 0;
    summary->network = opstats->network->name;
    if (!view_is(summary->network, QAIC_NETWORK_NAME)) // one of several
        summary->specialization = summary->network;
    summary->start = UINT64_MAX;
    summary->cores = memory_allocate_zeroed((size_t)cores + 1, sizeof *summary->cores);
    summary->core_count = cores;
    struct totals totals;
    struct opstats_plan *made = opstats->plan == NULL ? opstats_plan_make(opstats->network) : NULL;
    const struct opstats_plan *plan = made != NULL ? made : opstats->plan;
    totals_make(&totals, opstats, plan);
    for (uint32_t i = 0; i < cores; i++) {
        struct qaic_core *core = &summary->cores[i];
        core->number = i;
        add_threads(opstats, &totals, core);
        opstats_add_ports(opstats, core, summary);
        add_rows(plan, &totals, &summary->arena, core);
        for (size_t t = 0; t < core->thread_count; t++) {
            summary->start =
                core->threads[t].start < summary->start ? core->threads[t].start : summary->start;
            summary->end = most(summary->end, core->threads[t].end);
        }
    }
    summary->has_total = cores > 0;
    if (cores > 0)
        add_rates(opstats, summary);
    add_notes(opstats, summary);
    totals_free(&totals);
    opstats_plan_free(made);
    return summary;
}
