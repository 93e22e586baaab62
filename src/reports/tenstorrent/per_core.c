// per_core_op_to_op_times.csv: how long each core waits between operations.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "logs_report.h"

// Cycles that the profiler itself takes between two operations.
enum { PROFILER_OVERHEAD = 1500 };

// A gap of one core, from the last kernel marker of a run to the first BRISC or
// NCRISC kernel start of the next.
struct gap {
    uint32_t core;
    uint32_t session;
    uint32_t device;
    uint64_t from; // run host IDs
    uint64_t to;
    uint64_t start; // cycles
    int64_t cycles;
    bool written;
};

// A run on a core.
struct visit {
    uint32_t core;
    uint32_t run;
    uint64_t first;
    uint64_t last;
    uint64_t movement;
};

static int compare_visits(const void *left, const void *right)
{
    const struct visit *a = left;
    const struct visit *b = right;
    int order = sort_compare(a->core, b->core);
    if (order == 0)
        order = sort_compare(a->first, b->first);
    return order != 0 ? order : sort_compare(a->run, b->run);
}

static struct visit *list_visits(const struct device_ops *ops, size_t *out_count)
{
    struct visit *visits = NULL;
    size_t capacity = 0;
    *out_count = 0;
    for (uint32_t i = 0; i < ops->runs.count; i++) {
        const struct device_run *run = device_ops_run(ops, i);
        for (uint32_t k = 0; k < run->core_count; k++) {
            const struct device_core *core = &run->cores[k];
            if (core->kernel.first == DEVICE_NEVER)
                continue;
            visits = memory_grow(visits, *out_count, &capacity, sizeof *visits);
            visits[(*out_count)++] = (struct visit){core->core, i, core->kernel.first,
                                                    core->kernel.last, core->data_movement_start};
        }
    }
    if (*out_count > 0)
        sort_items(visits, *out_count, sizeof *visits, compare_visits);
    return visits;
}

static int compare_gaps(const void *left, const void *right)
{
    const struct gap *a = left;
    const struct gap *b = right;
    int order = sort_compare(a->session, b->session);
    if (order == 0)
        order = sort_compare(a->device, b->device);
    if (order == 0)
        order = sort_compare(a->start, b->start);
    return order != 0 ? order : sort_compare(a->core, b->core);
}

static struct gap *list_gaps(const struct device_ops *ops, size_t *out_count)
{
    size_t visit_count;
    struct visit *visits = list_visits(ops, &visit_count);
    struct gap *gaps = NULL;
    size_t capacity = 0;
    *out_count = 0;
    for (size_t i = 1; i < visit_count; i++) {
        const struct visit *before = &visits[i - 1];
        const struct visit *visit = &visits[i];
        const struct device_op *from = device_ops_op(ops, device_ops_run(ops, before->run)->op);
        const struct device_op *to = device_ops_op(ops, device_ops_run(ops, visit->run)->op);
        if (before->core != visit->core || from->session != to->session ||
            visit->movement == DEVICE_NEVER)
            continue;
        gaps = memory_grow(gaps, *out_count, &capacity, sizeof *gaps);
        gaps[(*out_count)++] =
            (struct gap){.core = visit->core,
                         .session = to->session,
                         .device = to->device,
                         .from = from->id,
                         .to = to->id,
                         .start = before->last,
                         .cycles = (int64_t)(visit->movement - before->last) - PROFILER_OVERHEAD};
    }
    free(visits);
    if (*out_count > 0)
        sort_items(gaps, *out_count, sizeof *gaps, compare_gaps);
    return gaps;
}

// Columns: one per place on the grid, whatever the device ----------------------

struct grid_cell {
    uint32_t x;
    uint32_t y;
};

struct grid_cells {
    struct grid_cell *items;
    size_t count;
    size_t capacity;
    uint32_t *of_core; // place of a core
};

static int per_core_compare_places(const void *left, const void *right)
{
    const struct grid_cell *a = left;
    const struct grid_cell *b = right;
    const int order = sort_compare(a->x, b->x);
    return order != 0 ? order : sort_compare(a->y, b->y);
}

static struct grid_cells list_places(const struct device_log *log)
{
    struct grid_cells places = {0};
    places.of_core = memory_allocate((log->core_count + 1) * sizeof *places.of_core);
    for (uint32_t i = 0; i < log->lanes.count; i++) {
        const struct device_lane *lane = device_log_lane(log, i);
        places.items =
            memory_grow(places.items, places.count, &places.capacity, sizeof *places.items);
        places.items[places.count++] = (struct grid_cell){lane->core_x, lane->core_y};
    }
    size_t kept = 0;
    if (places.count > 0)
        sort_items(places.items, places.count, sizeof *places.items, per_core_compare_places);
    for (size_t i = 0; i < places.count; i++) {
        if (kept == 0 || per_core_compare_places(&places.items[kept - 1], &places.items[i]) != 0)
            places.items[kept++] = places.items[i];
    }
    places.count = kept;
    for (uint32_t i = 0; i < log->lanes.count; i++) {
        const struct device_lane *lane = device_log_lane(log, i);
        const struct grid_cell key = {lane->core_x, lane->core_y};
        const struct grid_cell *found =
            bsearch(&key, places.items, places.count, sizeof key, per_core_compare_places);
        places.of_core[lane->core] = (uint32_t)(found - places.items);
    }
    return places;
}

static bool same_pair(const struct gap *a, const struct gap *b)
{
    return a->session == b->session && a->device == b->device && a->from == b->from &&
           a->to == b->to;
}

// How many gaps of the sorted list are looked at for the cores of one row.
enum { GAPS_AHEAD = 4096 };

// One row for the gaps between the same two operations, one per core.
static void per_core_write_row(const struct grid_cells *places, struct gap *gaps, size_t count,
                               const struct gap **cells, struct output *output)
{
    memset(cells, 0, places->count * sizeof *cells);
    for (size_t i = 0; i < count && i < GAPS_AHEAD; i++) {
        const struct gap **cell = &cells[places->of_core[gaps[i].core]];
        if (gaps[i].written || !same_pair(&gaps[0], &gaps[i]) || *cell != NULL)
            continue;
        *cell = &gaps[i];
        gaps[i].written = i > 0;
    }
    output_format(output, "%u,%llu -> %llu", gaps->device, (unsigned long long)gaps->from,
                  (unsigned long long)gaps->to);
    for (size_t i = 0; i < places->count; i++) {
        output_text(output, ",");
        if (cells[i] != NULL)
            output_format(output, "%lld", (long long)cells[i]->cycles);
    }
    output_text(output, "\r\n");
}

void logs_per_core_write(const struct logs_record *record, struct output *output)
{
    size_t count;
    struct gap *gaps = list_gaps(&record->device_ops, &count);
    struct grid_cells places = list_places(&record->device);
    const struct gap **cells = memory_allocate((places.count + 1) * sizeof *cells);
    output_text(output, "device ID,op2op ID");
    for (size_t i = 0; i < places.count; i++)
        output_format(output, ",%u; %u [ns]", places.items[i].x, places.items[i].y);
    output_text(output, "\r\n");
    for (size_t i = 0; i < count; i++) {
        if (!gaps[i].written)
            per_core_write_row(&places, gaps + i, count - i, cells, output);
    }
    free(cells);
    free(places.items);
    free(places.of_core);
    free(gaps);
}
