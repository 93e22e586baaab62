#include "opstats_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"

// Names ------------------------------------------------------------------------------------

static uint32_t find_part(struct opstats_part **parts, size_t *count, size_t *capacity,
                          struct hash_index *index, struct view name)
{
    const uint32_t hash = hash_bytes(name.data, name.size);
    uint32_t id;
    for (uint32_t at = hash_first(index, hash); (id = hash_next(index, hash, &at)) != HASH_NONE;) {
        if (view_equal((*parts)[id].name, name))
            return id;
    }
    *parts = memory_grow(*parts, *count, capacity, sizeof **parts);
    (*parts)[*count] = (struct opstats_part){.name = name};
    hash_add(index, hash, (uint32_t)*count);
    return (uint32_t)(*count)++;
}

static bool has_text(struct view v, const char *text)
{
    return view_find_text(v, text) < v.size;
}

static struct opstats_known known_of(const struct qaic_operation *operation)
{
    const enum node_time time = node_time_of(operation->kind, operation->memory);
    // What is copied in lies near, though its memory is said to be the one that it comes from.
    return (struct opstats_known){
        .time = (uint8_t)time,
        .near = time == NODE_DDR ? has_text(operation->kind, "copyto")
                                 : view_is(operation->memory, "TCM"),
        .copies = time == NODE_DDR && has_text(operation->kind, "copy"),
    };
}

static void find_nodes(struct opstats_report *report)
{
    const struct opstats_plan *plan = report->plan;
    const size_t groups = (size_t)report->network->cores * report->network->group_count;
    struct hash_index nodes = {0}, blocks = {0};
    size_t node_capacity = 0, block_capacity = 0;
    report->known = memory_allocate_zeroed(plan->operation_count + 1, sizeof *report->known);
    for (size_t g = 0; g < groups; g++) {
        const struct qaic_operations *list = &report->network->operations[g];
        for (size_t i = 0; i < list->count; i++) {
            const struct qaic_operation *operation = &list->items[i];
            const struct view path = node_path(operation->name);
            const size_t at = plan->first[g] + i;
            report->known[at] = known_of(operation);
            if (path.size == 0)
                continue;
            const size_t known = report->node_count;
            const uint32_t node =
                find_part(&report->nodes, &report->node_count, &node_capacity, &nodes, path);
            report->known[at].node = node + 1;
            if (known == report->node_count)
                continue;
            const uint32_t block = find_part(&report->blocks, &report->block_count, &block_capacity,
                                             &blocks, node_block(path));
            report->nodes[node].block = block;
            report->nodes[node].nodes = 1;
            report->blocks[block].nodes++;
        }
    }
    hash_free(&nodes);
    hash_free(&blocks);
}

struct opstats_report *opstats_report_make(const struct opstats *opstats,
                                           const struct target *target)
{
    static const char *const NAMES[NODE_TIMES] = {"compute", "ddr", "multicast", "layout", "sync"};
    struct opstats_report *report = memory_allocate_zeroed(1, sizeof *report);
    report->network = opstats->network;
    report->program = opstats->program;
    report->target = target;
    report->plan = opstats->plan;
    for (unsigned i = 0; i < NODE_TIMES; i++)
        report->bounds[i].name = view_of(NAMES[i]);
    find_nodes(report);
    return report;
}

void opstats_report_free(struct opstats_report *report)
{
    if (report == NULL)
        return;
    for (size_t i = 0; i < report->core_count; i++) {
        free(report->cores[i].busy);
        free(report->cores[i].threads);
    }
    free(report->cores);
    free(report->nodes);
    free(report->blocks);
    free(report->known);
    arena_free(&report->arena);
    free(report);
}

// Buffers ----------------------------------------------------------------------------------

// The cores of a device, made where they are new.
static struct opstats_core *cores_of(struct opstats_report *report, uint32_t device, uint32_t cores)
{
    const struct qaic_network *network = report->network;
    for (size_t i = 0; i < report->core_count; i += cores) {
        if (report->cores[i].device == device)
            return &report->cores[i];
    }
    report->cores =
        memory_resize(report->cores, (report->core_count + cores + 1) * sizeof *report->cores);
    struct opstats_core *made = &report->cores[report->core_count];
    for (uint32_t i = 0; i < cores; i++)
        made[i] = (struct opstats_core){
            .device = device,
            .number = i,
            .busy = memory_allocate_zeroed((size_t)network->group_count + 1, sizeof(uint64_t)),
            .threads = memory_allocate_zeroed((size_t)network->threads + 1, sizeof(uint64_t))};
    report->core_count += cores;
    report->devices++;
    return made;
}

// `last` of what has not begun is 0.
static void widen(struct opstats_part *part, uint64_t start, uint64_t end)
{
    part->first = part->last == 0 || start < part->first ? start : part->first;
    part->last = end > part->last ? end : part->last;
}

static void end_spans(struct opstats_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        parts[i].span += parts[i].last - parts[i].first;
        parts[i].spans += parts[i].last > 0;
        parts[i].first = parts[i].last = 0;
    }
}

// `first` is the number of the device's first core in the network.
static void add_operation(struct opstats_report *report, const struct qaic_raw_operation *item,
                          uint32_t first, struct opstats_core *core)
{
    const size_t group = ((size_t)first + item->core) * report->network->group_count + item->group;
    const size_t at = report->plan->first[group] + item->ordinal;
    const struct opstats_known *known = &report->known[at];
    const uint64_t bytes = report->plan->sizes[at];
    const uint64_t ticks = item->end - item->start;
    const enum node_time time = (enum node_time)known->time;
    report->bounds[time].ticks[time] += ticks;
    report->bounds[NODE_SYNC].ticks[NODE_SYNC] += item->sync;
    if (known->node > 0) {
        struct opstats_part *node = &report->nodes[known->node - 1];
        node->ticks[time] += ticks;
        node->ticks[NODE_SYNC] += item->sync;
        widen(node, item->start, item->end);
    }
    core->threads[item->thread] += ticks;
    core->sync += item->sync;
    report->all_bytes += bytes;
    report->near_bytes += known->near ? bytes : 0;
    if (known->copies && !report->has_traffic)
        *(known->near ? &report->read : &report->written) += bytes;
}

static void add_core(const struct opstats_report *report, const struct qaic_raw_stats *stats,
                     struct opstats_core *core)
{
    const struct qaic_network *network = report->network;
    uint64_t start = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < network->threads; i++) {
        const struct qaic_raw_thread *thread =
            &stats->thread_times[(size_t)core->number * network->threads + i];
        start = thread->start < start ? thread->start : start;
        end = thread->end > end ? thread->end : end;
    }
    core->duration += end > start ? end - start : 0;
    for (uint32_t g = 0; g < network->group_count; g++) {
        uint64_t most = 0;
        for (uint32_t i = 0; i < network->threads; i++) {
            if (network->thread_groups[i] == g && core->threads[i] > most)
                most = core->threads[i];
        }
        core->busy[g] += most;
    }
    for (uint32_t i = 0; i < network->threads; i++)
        core->threads[i] = 0;
}

void opstats_report_add(struct opstats_report *report, const struct qaic_raw_stats *stats)
{
    const uint32_t device = stats->device > 0 ? stats->device - 1 : 0;
    struct opstats_core *cores = cores_of(report, device, stats->cores);
    report->measured = stats->measured;
    report->frequency = stats->frequency;
    report->buffers++;
    report->cut += stats->cut;
    report->has_traffic |= stats->traffic != NULL;
    for (uint32_t i = 0; stats->traffic != NULL && i < stats->cores; i++) {
        report->read += stats->traffic[i].read;
        report->written += stats->traffic[i].written;
    }
    for (size_t i = 0; i < stats->operation_count; i++)
        add_operation(report, &stats->operations[i], device * stats->cores,
                      &cores[stats->operations[i].core]);
    for (uint32_t i = 0; stats->thread_times != NULL && i < stats->cores; i++)
        add_core(report, stats, &cores[i]);
    for (size_t i = 0; i < report->node_count; i++) {
        if (report->nodes[i].last > 0)
            widen(&report->blocks[report->nodes[i].block], report->nodes[i].first,
                  report->nodes[i].last);
    }
    end_spans(report->nodes, report->node_count);
    end_spans(report->blocks, report->block_count);
}

// Results ----------------------------------------------------------------------------------

static uint64_t ticks_of(const struct opstats_part *part)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < NODE_SYNC; i++)
        sum += part->ticks[i];
    return sum;
}

static int by_ticks(const void *left, const void *right)
{
    const struct opstats_part *a = left, *b = right;
    const uint64_t first = ticks_of(a), second = ticks_of(b);
    if (first != second)
        return first > second ? -1 : 1;
    const size_t shorter = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int order = memcmp(a->name.data, b->name.data, shorter);
    return order != 0 ? order : (a->name.size > b->name.size) - (a->name.size < b->name.size);
}

// More than 1.5 times the mean, and than the mean and the deviation together.
static void find_stragglers(struct opstats_report *report)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < report->core_count; i++) {
        struct opstats_core *core = &report->cores[i];
        for (uint32_t g = 0; g < report->network->group_count; g++)
            core->most = core->busy[g] > core->most ? core->busy[g] : core->most;
        sum += (double)core->most;
        squares += (double)core->most * (double)core->most;
    }
    const double count = report->core_count > 0 ? (double)report->core_count : 1;
    const double mean = sum / count;
    const double variance = squares / count - mean * mean;
    const double limit = mean + (variance > 0 ? sqrt(variance) : 0);
    for (size_t i = 0; i < report->core_count; i++) {
        const double most = (double)report->cores[i].most;
        report->cores[i].straggler = most > limit && most > 1.5 * mean;
    }
}

static uint64_t weight_bytes(const struct program *program)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->value_count; i++) {
        if (program->values[i].kind == PROGRAM_VALUE_CONSTANT)
            bytes += program->values[i].bytes;
    }
    return bytes;
}

// The highest address that a buffer of a core's memory ends at.
static uint64_t high_water(const struct program *program, const struct target *target,
                           uint64_t *out_size)
{
    uint64_t most = 0;
    *out_size = 0;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        const struct program_buffer *buffer = &program->buffers[i];
        const struct target_memory *memory = &target->memories[buffer->memory];
        if (!memory->local || buffer->kind == PROGRAM_BUFFER_PIPELINE)
            continue;
        *out_size = memory->size;
        if (buffer->address + buffer->size > most)
            most = buffer->address + buffer->size;
    }
    return most;
}

static void add_figure(struct opstats_report *report, const char *name, uint64_t bytes,
                       uint64_t whole, const char *of)
{
    report->figures[report->figure_count++] =
        (struct opstats_figure){name, bytes, whole > 0 ? (double)bytes / (double)whole : NAN, of};
}

static void find_figures(struct opstats_report *report)
{
    const uint64_t each = report->inferences;
    uint64_t weights = 0;
    add_figure(report, "stays in VTCM", report->near_bytes / each, report->all_bytes / each,
               "what operations write");
    if (report->program != NULL && report->target != NULL) {
        uint64_t size;
        const uint64_t most = high_water(report->program, report->target, &size);
        weights = weight_bytes(report->program);
        add_figure(report, "most of a core's VTCM", most, size, "its size");
        add_figure(report, "weights", weights, 0, "");
    }
    add_figure(report, "read from DDR", report->read / each, weights, "weights");
    add_figure(report, "written to DDR", report->written / each, weights, "weights");
}

void opstats_report_finish(struct opstats_report *report)
{
    const size_t devices = report->devices > 0 ? report->devices : 1;
    report->inferences = (report->buffers + devices - 1) / devices;
    report->inferences = report->inferences > 0 ? report->inferences : 1;
    for (size_t i = 0; i < report->node_count; i++) {
        const struct opstats_part *node = &report->nodes[i];
        const char *bound = node_bound(node->ticks);
        for (unsigned k = 0; k < NODE_TIMES; k++) {
            report->blocks[node->block].ticks[k] += node->ticks[k];
            report->bounds[k].nodes += bound != NULL && view_is(report->bounds[k].name, bound);
        }
    }
    if (report->node_count > 0) {
        sort_items(report->nodes, report->node_count, sizeof *report->nodes, by_ticks);
        sort_items(report->blocks, report->block_count, sizeof *report->blocks, by_ticks);
    }
    find_stragglers(report);
    find_figures(report);
}
