// The trace of an inference as qaic-opstats 1.21 writes it: Chrome's JSON, an event a line.
//
// A line is put together in memory that is kept from one event to the next.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "formats/chrome/text.h"
#include "opstats.h"
#include "opstats_lanes.h"

enum {
    DEVICE_PROCESS = 2000,  // of the first core
    DEVICE_PROCESSES = 100, // of a device
    LANE_STEP = 1 << 20,    // between threads of a track's lanes
};

struct tracing {
    const struct opstats *opstats;
    const struct opstats_trace *options;
    struct output *output;
    struct opstats_lanes lanes;
    struct bytes line;
    bool filled;      // an event was written
    uint64_t base;    // ticks of the first start
    uint64_t base_ns; // where that lies
};

// Text -------------------------------------------------------------------------------------

static void put(struct tracing *tracing, const char *text)
{
    bytes_append(&tracing->line, text, strlen(text));
}

static void put_number(struct tracing *tracing, uint64_t number)
{
    text_put_uint(&tracing->line, number);
}

static void put_hundredths(struct tracing *tracing, double number)
{
    const uint64_t hundredths = number < 1e15 ? (uint64_t)(number * 100 + 0.5) : 0;
    const char text[3] = {'.', (char)('0' + hundredths / 10 % 10), (char)('0' + hundredths % 10)};
    put_number(tracing, hundredths / 100);
    bytes_append(&tracing->line, text, sizeof text);
}

// Places -----------------------------------------------------------------------------------

static uint64_t to_ns(const struct tracing *tracing, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * 1000000000 / tracing->opstats->stats->frequency);
}

// What lies before the first start is at it.
static uint64_t at_ns(const struct tracing *tracing, uint64_t ticks)
{
    return tracing->base_ns + (ticks > tracing->base ? to_ns(tracing, ticks - tracing->base) : 0);
}

static uint64_t process_id(const struct tracing *tracing, uint32_t core)
{
    const uint32_t device = tracing->opstats->stats->device;
    return DEVICE_PROCESS + (device > 0 ? device - 1 : 0) * (uint64_t)DEVICE_PROCESSES + core;
}

// A thread of the trace: that of the core itself (0), of a group or of a thread, or of its waits.
static uint64_t thread_id(const struct tracing *tracing, uint32_t core, uint32_t place,
                          bool barrier)
{
    const uint64_t places = (uint64_t)tracing->opstats->network->threads + 2;
    return ((process_id(tracing, core) - DEVICE_PROCESS) * places + place) * 2 + barrier;
}

static uint64_t lane_id(const struct tracing *tracing, const struct qaic_raw_operation *item,
                        bool barrier)
{
    const uint64_t lane = tracing->lanes.lane[item - tracing->opstats->stats->operations];
    const uint32_t place = 1 + (tracing->options->merge_threads ? item->group : item->thread);
    return thread_id(tracing, item->core, place, barrier) + lane * LANE_STEP;
}

static bool opstats_trace_is_shown(const struct tracing *tracing, uint32_t core)
{
    return tracing->options->cores == NULL || tracing->options->cores[core];
}

// Events -----------------------------------------------------------------------------------

static void start_event(struct tracing *tracing, const char *phase, struct view name, uint32_t core,
                        uint64_t thread)
{
    tracing->line.size = 0;
    put(tracing, tracing->filled ? ",{\"ph\": \"" : "{\"ph\": \"");
    tracing->filled = true;
    put(tracing, phase);
    put(tracing, "\", \"name\": ");
    text_put_quoted(&tracing->line, name);
    put(tracing, ", \"pid\": ");
    put_number(tracing, process_id(tracing, core));
    put(tracing, ", \"tid\": ");
    put_number(tracing, thread);
}

static void start_timed(struct tracing *tracing, const char *phase, struct view name, uint32_t core,
                        uint64_t thread, const char *category, uint64_t ns)
{
    start_event(tracing, phase, name, core, thread);
    put(tracing, ", \"cat\": \"");
    put(tracing, category);
    put(tracing, "\", \"ts\": ");
    text_put_time(&tracing->line, ns);
}

static void end_event(struct tracing *tracing)
{
    put(tracing, "}\n");
    output_write(tracing->output, tracing->line.data, tracing->line.size);
}

static void put_argument(struct tracing *tracing, const char *key, struct view text)
{
    put(tracing, ", \"");
    put(tracing, key);
    put(tracing, "\": ");
    text_put_quoted(&tracing->line, text);
}

// Numbers are texts, as in the vendor's traces.
static void put_count(struct tracing *tracing, const char *key, uint64_t number)
{
    put(tracing, ", \"");
    put(tracing, key);
    put(tracing, "\": \"");
    put_number(tracing, number);
    put(tracing, "\"");
}

static void write_name(struct tracing *tracing, const char *what, uint32_t core, uint64_t thread,
                       const char *text)
{
    start_event(tracing, "M", view_of(what), core, thread);
    put(tracing, ", \"args\": {\"name\": ");
    text_put_quoted(&tracing->line, view_of(text));
    put(tracing, "}");
    end_event(tracing);
}

// "QAicGraph_Core_3", of several devices "QAicGraph_slice01_Core_3".
static void name_core(const struct tracing *tracing, uint32_t core, char *text, size_t room)
{
    const struct view name = tracing->opstats->network->name;
    snprintf(text, room, "%.*s_Core_%" PRIu32, (int)(name.size < 128 ? name.size : 128), name.data,
             core);
}

// Further lanes are called "..._HVX_2", "..._HVX_3".
static void write_place_name(struct tracing *tracing, uint32_t core, uint32_t place,
                             const char *name, unsigned lane)
{
    char number[16] = "", text[400];
    if (lane > 0)
        snprintf(number, sizeof number, "_%u", lane + 1);
    for (unsigned barrier = 0; barrier <= tracing->options->barriers; barrier++) {
        snprintf(text, sizeof text, "%s%s%s", name, number, barrier ? "_Barrier" : "");
        write_name(tracing, "thread_name", core,
                   thread_id(tracing, core, 1 + place, barrier) + (uint64_t)lane * LANE_STEP, text);
    }
}

static void write_thread_names(struct tracing *tracing, uint32_t core)
{
    const struct qaic_network *network = tracing->opstats->network;
    const bool merged = tracing->options->merge_threads, named = !tracing->options->unnamed;
    char own[192], text[320];
    name_core(tracing, core, own, sizeof own);
    if (named) {
        write_name(tracing, "process_name", core, 0, own);
        write_name(tracing, "thread_name", core, thread_id(tracing, core, 0, false), own);
    }
    for (uint32_t i = 0; i < tracing->lanes.places; i++) {
        const struct view group = network->group_names[merged ? i : network->thread_groups[i]];
        const unsigned lanes = tracing->lanes.counts[(size_t)core * tracing->lanes.places + i];
        char thread[16] = "";
        if (!merged)
            snprintf(thread, sizeof thread, "_t%" PRIu32, i);
        snprintf(text, sizeof text, "%s_%.*s%s", own, (int)(group.size < 64 ? group.size : 64),
                 group.data, thread);
        for (unsigned lane = named ? 0 : 1; lane < (lanes > 0 ? lanes : 1); lane++)
            write_place_name(tracing, core, i, text, lane);
    }
}

static void write_operation(struct tracing *tracing, const struct qaic_raw_operation *item)
{
    const struct qaic_operation *operation =
        &qaic_network_operations(tracing->opstats->network, item->core, item->group)
             ->items[item->ordinal];
    const uint64_t start = at_ns(tracing, item->start);
    const double kb = (double)operation->output_size / 1024;
    start_timed(tracing, "X", operation->kind, item->core, lane_id(tracing, item, false), "aic",
                start);
    put(tracing, ", \"dur\": ");
    text_put_time(&tracing->line, at_ns(tracing, item->end) - start);
    put(tracing, ", \"args\": {\"oc\": \"");
    put_number(tracing, item->task);
    put(tracing, "\"");
    put_argument(tracing, "opKind", operation->kind);
    put_argument(tracing, "opName", operation->name);
    put_argument(tracing, "opMemory", operation->memory);
    put_argument(tracing, "opShape", operation->shape);
    put_count(tracing, "opUCycle", item->end - item->start);
    put_count(tracing, "opPCycle", item->pcycles);
    if (kb > 0) {
        put(tracing, ", \"PCyclesPerKB\": \"");
        put_hundredths(tracing, (double)item->pcycles / kb);
        put(tracing, "\"");
    }
    put_count(tracing, "opOutputSize", operation->output_size);
    put(tracing, "}");
    end_event(tracing);
}

// The wait before an operation has no length of its own: its duration is an argument.
static void write_wait(struct tracing *tracing, const struct qaic_raw_operation *item,
                       const char *what, uint64_t from, uint64_t to, bool barrier)
{
    const struct view group = tracing->opstats->network->group_names[item->group];
    const uint64_t start = at_ns(tracing, from), end = at_ns(tracing, to);
    char name[64];
    if (end <= start)
        return;
    snprintf(name, sizeof name, "%s %.*s", what, (int)(group.size < 48 ? group.size : 48),
             group.data);
    start_timed(tracing, "X", view_of(name), item->core, lane_id(tracing, item, barrier), "aic",
                start);
    put(tracing, ", \"dur\": ");
    text_put_time(&tracing->line, barrier ? end - start : 0);
    put(tracing, ", \"args\": {\"oc\": \"");
    put_number(tracing, item->task);
    put(tracing, "\", \"opSyncDurUs\": \"");
    text_put_time(&tracing->line, end - start);
    put(tracing, "\"}");
    end_event(tracing);
}

static void write_item(struct tracing *tracing, const struct qaic_raw_operation *item)
{
    if (!opstats_trace_is_shown(tracing, item->core))
        return;
    if (item->sync <= item->start)
        write_wait(tracing, item, "sync", item->start - item->sync, item->start, false);
    write_operation(tracing, item);
    if (tracing->options->barriers)
        write_wait(tracing, item, "barrier", item->end, item->end + item->barrier, true);
}

// Flows ------------------------------------------------------------------------------------

static void write_flow_end(struct tracing *tracing, const char *phase,
                           const struct qaic_raw_operation *item, uint64_t id, bool is_true)
{
    start_timed(tracing, phase, VIEW_LITERAL("dependency"), item->core,
                lane_id(tracing, item, false), is_true ? "true" : "false",
                at_ns(tracing, item->start));
    put(tracing, ", \"id\": ");
    put_number(tracing, id);
    put(tracing,
        phase[0] == 'f' ? ", \"bp\": \"e\", \"args\": {\"oc\": \"" : ", \"args\": {\"oc\": \"");
    put_number(tracing, item->task);
    put(tracing, "\"}");
    end_event(tracing);
}

// What was recorded of a task; no part: nothing.
struct task_record {
    struct tracing *part;
    const struct qaic_raw_operation *item;
};

static struct task_record *find_records(struct tracing *parts, size_t count, uint32_t task_count)
{
    struct task_record *records = memory_allocate_zeroed((size_t)task_count + 1, sizeof *records);
    for (size_t p = 0; p < count; p++) {
        const struct qaic_raw_stats *stats = parts[p].opstats->stats;
        for (size_t i = 0; i < stats->operation_count; i++) {
            const struct qaic_raw_operation *item = &stats->operations[i];
            if (item->task < task_count && opstats_trace_is_shown(&parts[p], item->core))
                records[item->task] = (struct task_record){&parts[p], item};
        }
    }
    return records;
}

// From what an operation waits for to the operation itself, both where they are shown; also from
// device to device.
static void opstats_trace_write_flows(struct tracing *parts, size_t count)
{
    const struct program *program = parts[0].opstats->program;
    struct task_record *records = find_records(parts, count, program->task_count);
    uint64_t id = 0;
    for (uint32_t t = 0; t < program->task_count; t++) {
        const struct program_task *task = &program->tasks[t];
        for (uint32_t k = 0; records[t].part != NULL && k < task->dependency_count; k++) {
            const struct program_dependency *dependency =
                &program->dependencies[task->first_dependency + k];
            const struct task_record *from = &records[dependency->task];
            if (from->part == NULL)
                continue;
            write_flow_end(from->part, "s", from->item, ++id, dependency->is_true != 0);
            write_flow_end(records[t].part, "f", records[t].item, id, dependency->is_true != 0);
        }
    }
    free(records);
}

// All --------------------------------------------------------------------------------------

static void opstats_trace_write_core(struct tracing *tracing, uint32_t core)
{
    const struct qaic_raw_stats *stats = tracing->opstats->stats;
    uint64_t start = UINT64_MAX, end = 0;
    char name[64];
    for (uint32_t i = 0; i < stats->threads; i++) {
        const struct qaic_raw_thread *thread =
            &stats->thread_times[(size_t)core * stats->threads + i];
        start = thread->start < start ? thread->start : start;
        end = thread->end > end ? thread->end : end;
    }
    write_thread_names(tracing, core);
    snprintf(name, sizeof name, "Core-%" PRIu32 "-Execution", core);
    start = at_ns(tracing, start);
    end = at_ns(tracing, end);
    start_timed(tracing, "X", view_of(name), core, thread_id(tracing, core, 0, false), "aic",
                start);
    put(tracing, ", \"dur\": ");
    text_put_time(&tracing->line, end > start ? end - start : 0);
    end_event(tracing);
}

uint64_t opstats_first_start(const struct qaic_raw_stats *stats)
{
    const size_t lanes = stats->thread_times == NULL ? 0 : (size_t)stats->cores * stats->threads;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < lanes; i++)
        first = stats->thread_times[i].start < first ? stats->thread_times[i].start : first;
    return first;
}

static void write_part(struct tracing *tracing)
{
    const struct qaic_raw_stats *stats = tracing->opstats->stats;
    if (stats->thread_times == NULL || stats->threads == 0)
        return;
    for (uint32_t i = 0; i < stats->cores; i++) {
        if (opstats_trace_is_shown(tracing, i))
            opstats_trace_write_core(tracing, i);
    }
    for (size_t i = 0; i < stats->operation_count; i++)
        write_item(tracing, &stats->operations[i]);
}

void opstats_trace_end(const struct opstats *parts, size_t count, struct output *output)
{
    uint64_t cut = 0;
    for (size_t i = 0; i < count; i++)
        cut += parts[i].stats->cut;
    output_format(output, "],\"otherData\":{\"times\":\"%s\"",
                  count > 0 && parts[0].stats->measured ? "measured" : "modelled");
    if (cut > 0)
        output_format(output, ",\"lost\":\"%" PRIu64 " operations: the buffer was cut off\"", cut);
    output_text(output, "}}\n");
}

void opstats_trace_write(const struct opstats *parts, size_t count,
                         const struct opstats_trace *options, struct output *output)
{
    struct tracing *tracings = memory_allocate_zeroed(count + 1, sizeof *tracings);
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = opstats_first_start(parts[i].stats);
        first = own < first ? own : first;
    }
    output_text(output, options->part ? "" : "{\"traceEvents\":[\n");
    for (size_t i = 0; i < count; i++) {
        tracings[i] = (struct tracing){.opstats = &parts[i],
                                       .options = options,
                                       .output = output,
                                       .base = first,
                                       .base_ns = (uint64_t)(options->offset_us * 1e3 + 0.5),
                                       .filled = i > 0 || (options->part && options->follows)};
        opstats_lanes_find(&parts[i], options->merge_threads, &tracings[i].lanes);
        write_part(&tracings[i]);
    }
    if (options->flows && count > 0 && parts[0].program != NULL)
        opstats_trace_write_flows(tracings, count);
    if (!options->part)
        opstats_trace_end(parts, count, output);
    for (size_t i = 0; i < count; i++) {
        opstats_lanes_free(&tracings[i].lanes);
        bytes_free(&tracings[i].line);
    }
    free(tracings);
}
