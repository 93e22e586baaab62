// The trace of an inference as qaic-opstats 1.21 writes it: Chrome's JSON, an event a line.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "opstats.h"
#include "wire/json.h"

enum { DEVICE_PROCESS = 2000 };

struct tracing {
    const struct opstats *opstats;
    const struct opstats_trace *options;
    struct output *output;
    bool filled;   // an event was written
    uint64_t base; // ticks of the first start
};

// Ticks as microseconds, which traces count in.
static double to_us(const struct tracing *tracing, uint64_t ticks)
{
    return (double)ticks * 1e6 / (double)tracing->opstats->stats->frequency;
}

static double at_us(const struct tracing *tracing, uint64_t ticks)
{
    return tracing->options->offset_us + to_us(tracing, ticks - tracing->base);
}

// A thread of the trace: that of the core itself, of a group, of a thread, or of its waits.
static uint64_t thread_id(const struct tracing *tracing, uint32_t core, uint32_t place,
                          bool barrier)
{
    const uint64_t places = (uint64_t)tracing->opstats->network->threads + 2;
    return ((uint64_t)core * places + place) * 2 + barrier;
}

// 0 is the core's own.
static uint32_t opstats_trace_place_of(const struct tracing *tracing,
                                       const struct qaic_raw_operation *item)
{
    return 1 + (tracing->options->merge_threads ? item->group : item->thread);
}

static struct json_writer start_event(struct tracing *tracing, const char *phase, struct view name,
                                      uint32_t core, uint64_t thread)
{
    output_text(tracing->output, tracing->filled ? "," : "");
    tracing->filled = true;
    struct json_writer json = json_write_lines(tracing->output);
    json_open_object(&json, NULL);
    json_text(&json, "ph", view_of(phase));
    json_text(&json, "name", name);
    json_uint(&json, "pid", DEVICE_PROCESS + core);
    json_uint(&json, "tid", thread);
    return json;
}

static void write_name(struct tracing *tracing, const char *what, uint32_t core, uint64_t thread,
                       const char *text)
{
    struct json_writer json = start_event(tracing, "M", view_of(what), core, thread);
    json_open_object(&json, "args");
    json_text(&json, "name", view_of(text));
    json_close(&json);
    json_close(&json);
}

// "QAicGraph_Core_3_HVX", with the thread where they are apart.
static void write_thread_names(struct tracing *tracing, uint32_t core)
{
    const struct qaic_network *network = tracing->opstats->network;
    const bool merged = tracing->options->merge_threads;
    const uint32_t places = merged ? network->group_count : network->threads;
    char text[256];
    snprintf(text, sizeof text, "%.*s_Core_%" PRIu32, VIEW_ARGUMENTS(network->name), core);
    write_name(tracing, "process_name", core, 0, text);
    write_name(tracing, "thread_name", core, thread_id(tracing, core, 0, false), text);
    for (uint32_t i = 0; i < places; i++) {
        const uint32_t group = merged ? i : network->thread_groups[i];
        for (unsigned barrier = 0; barrier <= tracing->options->barriers; barrier++) {
            char thread[16] = "";
            if (!merged)
                snprintf(thread, sizeof thread, "_t%" PRIu32, i);
            snprintf(text, sizeof text, "%.*s_Core_%" PRIu32 "_%.*s%s%s",
                     VIEW_ARGUMENTS(network->name), core,
                     VIEW_ARGUMENTS(network->group_names[group]), thread,
                     barrier ? "_Barrier" : "");
            write_name(tracing, "thread_name", core, thread_id(tracing, core, 1 + i, barrier),
                       text);
        }
    }
}

// Times that many digits tell apart.
static void write_us(struct json_writer *json, const char *key, double us)
{
    char text[64];
    snprintf(text, sizeof text, "%.3f", us);
    json_raw(json, key, view_of(text));
}

static void opstats_trace_write_text(struct json_writer *json, const char *key, const char *format,
                                     double number)
{
    char text[64];
    snprintf(text, sizeof text, format, number);
    json_text(json, key, view_of(text));
}

static void write_arguments(struct json_writer *json, const struct qaic_operation *operation,
                            const struct qaic_raw_operation *item)
{
    const double kb = (double)operation->output_size / 1024;
    json_open_object(json, "args");
    opstats_trace_write_text(json, "oc", "%.0f", item->task);
    json_text(json, "opKind", operation->kind);
    json_text(json, "opName", operation->name);
    json_text(json, "opMemory", operation->memory);
    json_text(json, "opShape", operation->shape);
    opstats_trace_write_text(json, "opUCycle", "%.0f", (double)(item->end - item->start));
    opstats_trace_write_text(json, "opPCycle", "%.0f", (double)item->pcycles);
    if (kb > 0)
        opstats_trace_write_text(json, "PCyclesPerKB", "%.2f", (double)item->pcycles / kb);
    opstats_trace_write_text(json, "opOutputSize", "%.0f", (double)operation->output_size);
    json_close(json);
}

static void write_operation(struct tracing *tracing, const struct qaic_raw_operation *item)
{
    const struct qaic_operation *operation =
        &qaic_network_operations(tracing->opstats->network, item->core, item->group)
             ->items[item->ordinal];
    struct json_writer json =
        start_event(tracing, "X", operation->kind, item->core,
                    thread_id(tracing, item->core, opstats_trace_place_of(tracing, item), false));
    json_text(&json, "cat", VIEW_LITERAL("aic"));
    write_us(&json, "ts", at_us(tracing, item->start));
    write_us(&json, "dur", to_us(tracing, item->end - item->start));
    write_arguments(&json, operation, item);
    json_close(&json);
}

// The wait before an operation has no length of its own: its duration is an argument.
static void write_wait(struct tracing *tracing, const struct qaic_raw_operation *item,
                       const char *what, uint64_t start, uint32_t ticks, bool barrier)
{
    const struct view group = tracing->opstats->network->group_names[item->group];
    char name[64];
    if (ticks == 0)
        return;
    snprintf(name, sizeof name, "%s %.*s", what, VIEW_ARGUMENTS(group));
    struct json_writer json =
        start_event(tracing, "X", view_of(name), item->core,
                    thread_id(tracing, item->core, opstats_trace_place_of(tracing, item), barrier));
    json_text(&json, "cat", VIEW_LITERAL("aic"));
    write_us(&json, "ts", at_us(tracing, start));
    write_us(&json, "dur", barrier ? to_us(tracing, ticks) : 0);
    json_open_object(&json, "args");
    opstats_trace_write_text(&json, "oc", "%.0f", item->task);
    opstats_trace_write_text(&json, "opSyncDurUs", "%.3f", to_us(tracing, ticks));
    json_close(&json);
    json_close(&json);
}

static bool opstats_trace_is_shown(const struct tracing *tracing, uint32_t core)
{
    return tracing->options->cores == NULL || tracing->options->cores[core];
}

static void write_flow_end(struct tracing *tracing, const char *phase,
                           const struct qaic_raw_operation *item, uint64_t id, bool is_true,
                           uint64_t at)
{
    struct json_writer json =
        start_event(tracing, phase, VIEW_LITERAL("dependency"), item->core,
                    thread_id(tracing, item->core, opstats_trace_place_of(tracing, item), false));
    json_text(&json, "cat", is_true ? VIEW_LITERAL("true") : VIEW_LITERAL("false"));
    json_uint(&json, "id", id);
    if (phase[0] == 'f')
        json_text(&json, "bp", VIEW_LITERAL("e"));
    write_us(&json, "ts", at_us(tracing, at));
    json_close(&json);
}

// From what an operation waits for to the operation itself, both where they are shown.
static void opstats_trace_write_flows(struct tracing *tracing)
{
    const struct program *program = tracing->opstats->program;
    const struct qaic_raw_stats *stats = tracing->opstats->stats;
    uint64_t id = 0;
    size_t *records = memory_allocate_zeroed((size_t)program->task_count + 1, sizeof *records);
    for (size_t i = 0; i < stats->operation_count; i++) {
        if (stats->operations[i].task < program->task_count)
            records[stats->operations[i].task] = i + 1; // 0: it has none
    }
    for (uint32_t t = 0; t < program->task_count; t++) {
        const struct program_task *task = &program->tasks[t];
        for (uint32_t k = 0; records[t] > 0 && k < task->dependency_count; k++) {
            const struct program_dependency *dependency =
                &program->dependencies[task->first_dependency + k];
            if (records[dependency->task] == 0)
                continue;
            const struct qaic_raw_operation *to = &stats->operations[records[t] - 1];
            const struct qaic_raw_operation *from =
                &stats->operations[records[dependency->task] - 1];
            if (!opstats_trace_is_shown(tracing, from->core) ||
                !opstats_trace_is_shown(tracing, to->core))
                continue;
            write_flow_end(tracing, "s", from, ++id, dependency->is_true != 0, from->start);
            write_flow_end(tracing, "f", to, id, dependency->is_true != 0, to->start);
        }
    }
    free(records);
}

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
    if (!tracing->options->unnamed)
        write_thread_names(tracing, core);
    snprintf(name, sizeof name, "Core-%" PRIu32 "-Execution", core);
    struct json_writer json =
        start_event(tracing, "X", view_of(name), core, thread_id(tracing, core, 0, false));
    json_text(&json, "cat", VIEW_LITERAL("aic"));
    write_us(&json, "ts", at_us(tracing, start));
    write_us(&json, "dur", to_us(tracing, end - start));
    json_close(&json);
}

void opstats_trace_write(const struct opstats *opstats, const struct opstats_trace *options,
                         struct output *output)
{
    const struct qaic_raw_stats *stats = opstats->stats;
    struct tracing tracing = {
        .opstats = opstats, .options = options, .output = output, .base = UINT64_MAX};
    tracing.filled = options->part && options->follows;
    const size_t lanes = stats->thread_times == NULL ? 0 : (size_t)stats->cores * stats->threads;
    for (size_t i = 0; i < lanes; i++)
        tracing.base = stats->thread_times[i].start < tracing.base ? stats->thread_times[i].start
                                                                   : tracing.base;
    output_text(output, options->part ? "" : "{\"traceEvents\":[\n");
    for (uint32_t i = 0; lanes > 0 && i < stats->cores; i++) {
        if (opstats_trace_is_shown(&tracing, i))
            opstats_trace_write_core(&tracing, i);
    }
    for (size_t i = 0; lanes > 0 && i < stats->operation_count; i++) {
        const struct qaic_raw_operation *item = &stats->operations[i];
        if (!opstats_trace_is_shown(&tracing, item->core))
            continue;
        write_wait(&tracing, item, "sync", item->start - item->sync, item->sync, false);
        write_operation(&tracing, item);
        if (options->barriers)
            write_wait(&tracing, item, "barrier", item->end, item->barrier, true);
    }
    if (options->flows && opstats->program != NULL)
        opstats_trace_write_flows(&tracing);
    output_text(output, options->part ? "" : "]}\n");
}
