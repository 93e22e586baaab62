#include "logs_profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device_spans.h"
#include "logs_kept.h"

struct builder {
    struct logs_record *record;
    struct profile *profile;
    struct logs_rows rows;
    struct logs_operators operators;
    struct logs_keeper keeper;
    uint32_t *host_calls; // call of an operation of the host
    uint32_t *run_calls;  // call of a run
    uint64_t *host_flows; // flow that starts at an operation; 0: none
    uint64_t *run_flows;  // flow that ends at a run; 0: none
    uint64_t flows;
    uint32_t host_process;
    uint32_t messages; // lane
    uint32_t call_count_key, text_key, device_key, trace_key, zone_key, source_key, replay_key,
        core_count_key, run_key;
    struct bytes values;
};

// Calls and flows -------------------------------------------------------------

static void logs_profile_add_call(struct builder *builder, const struct logs_row *row)
{
    const struct logs_record *record = builder->record;
    struct call call = {.key = row->call_count,
                        .replay = (uint32_t)row->replay,
                        .domain =
                            profile_string(builder->profile, VIEW_LITERAL("global call count"))};
    if (row->host != HASH_NONE) {
        const struct host_op *op = host_ops_op(&record->host, row->host);
        call.device = op->device;
        call.operator_id = logs_operator_add(builder->profile, &builder->operators, op);
    } else {
        call.device =
            device_ops_op(&record->device_ops, device_ops_run(&record->device_ops, row->run)->op)
                ->device;
    }
    builder->values.size = 0;
    logs_keep_row(&builder->keeper, row, &builder->values);
    call.values = bytes_view(&builder->values);
    const uint32_t id = profile_call_add(builder->profile, &call);
    if (row->kind == LOGS_ROW_OP)
        builder->host_calls[row->host] = id;
    if (row->run != HASH_NONE)
        builder->run_calls[row->run] = id;
    if (row->kind == LOGS_ROW_OP && row->run != HASH_NONE) {
        builder->host_flows[row->host] = ++builder->flows;
        builder->run_flows[row->run] = builder->flows;
    }
}

static void logs_profile_add_calls(struct builder *builder)
{
    const struct logs_record *record = builder->record;
    const size_t runs = record->has_device ? record->device_ops.runs.count : 0;
    builder->rows = logs_join(builder->record);
    builder->host_calls = memory_allocate_zeroed(record->host.ops.count + 1, sizeof(uint32_t));
    builder->host_flows = memory_allocate_zeroed(record->host.ops.count + 1, sizeof(uint64_t));
    builder->run_calls = memory_allocate_zeroed(runs + 1, sizeof(uint32_t));
    builder->run_flows = memory_allocate_zeroed(runs + 1, sizeof(uint64_t));
    for (size_t i = 0; i < builder->rows.count; i++) {
        if (builder->rows.items[i].kind != LOGS_ROW_SIGNPOST)
            logs_profile_add_call(builder, &builder->rows.items[i]);
    }
}

// Host ------------------------------------------------------------------------

static uint32_t logs_profile_lane_add(struct builder *builder, uint32_t parent, struct view name,
                                      int32_t rank)
{
    struct track lane = {.kind = TRACK_LANE,
                         .parent = parent,
                         .name = profile_string(builder->profile, name),
                         .provenance = PROVENANCE_MEASURED,
                         .rank = rank,
                         .nests = true,
                         .ledger = {.expected = LEDGER_UNKNOWN}};
    profile_track_set_engine(builder->profile, &lane, ROLE_HOST, "host");
    return profile_track_add(builder->profile, &lane);
}

struct threads {
    struct {
        uint64_t thread;
        uint32_t lane;
    } * items;
    size_t count;
    size_t capacity;
    size_t last;
};

static uint32_t logs_profile_thread_lane(struct builder *builder, struct threads *threads,
                                         uint64_t thread)
{
    if (threads->last < threads->count && threads->items[threads->last].thread == thread)
        return threads->items[threads->last].lane;
    for (size_t i = 0; i < threads->count; i++) {
        if (threads->items[i].thread == thread) {
            threads->last = i;
            return threads->items[i].lane;
        }
    }
    char name[48];
    snprintf(name, sizeof name, "thread %llu", (unsigned long long)thread);
    threads->items =
        memory_grow(threads->items, threads->count, &threads->capacity, sizeof *threads->items);
    threads->items[threads->count].thread = thread;
    threads->items[threads->count].lane = logs_profile_lane_add(
        builder, builder->host_process, view_of(name), (int32_t)threads->count + 1);
    threads->last = threads->count++;
    return threads->items[threads->last].lane;
}

static uint32_t zone_title(struct builder *builder, const struct ops_time *time, uint32_t op)
{
    if (op != HASH_NONE) {
        const struct view code = host_ops_op(&builder->record->host, op)->code;
        if (code.size > 0)
            return profile_string(builder->profile, code);
    }
    return profile_string(builder->profile, time->name);
}

static void logs_profile_add_zone(struct builder *builder, struct threads *threads,
                                  const struct ops_time *time)
{
    const uint32_t op =
        time->has_call ? host_ops_find(&builder->record->host, time->call) : HASH_NONE;
    struct event event = {.kind = EVENT_SPAN,
                          .track = logs_profile_thread_lane(builder, threads, time->thread),
                          .name = zone_title(builder, time, op),
                          .start = time->start,
                          .end = time->start + time->duration};
    builder->values.size = 0;
    if (time->zone_name.size > 0)
        value_add_string(&builder->values, builder->zone_key,
                         profile_string(builder->profile, time->zone_name));
    value_add_string(&builder->values, builder->source_key,
                     profile_string(builder->profile, time->source));
    if (time->has_call || time->has_parent)
        value_add_uint(&builder->values, builder->call_count_key,
                       time->has_call ? time->call : time->parent);
    if (op != HASH_NONE) {
        event.call = builder->host_calls[op];
        // Only the last time of an operation counts.
        if (builder->host_flows[op] != 0 &&
            host_ops_op(&builder->record->host, op)->start == time->start)
            value_add_flow(&builder->values, VALUE_FLOW_OUT, builder->host_flows[op]);
    }
    profile_event_add(builder->profile, &event, bytes_view(&builder->values));
}

static void add_zones(struct builder *builder, const struct input *input)
{
    struct threads threads = {0};
    struct ops_times times = ops_times_of(input->bytes);
    struct ops_time time;
    enum ops_times_result result;
    while ((result = ops_times_next(&times, &time)) != OPS_TIMES_END) {
        uint64_t end;
        if (result == OPS_TIMES_ROW && !__builtin_add_overflow(time.start, time.duration, &end))
            logs_profile_add_zone(builder, &threads, &time);
    }
    free(threads.items);
}

static void logs_profile_add_message(struct builder *builder, struct view name, uint64_t time,
                                     uint32_t call)
{
    const struct event event = {.kind = EVENT_INSTANT,
                                .track = builder->messages,
                                .name = profile_string(builder->profile, name),
                                .start = time,
                                .end = time,
                                .call = call};
    profile_event_add(builder->profile, &event, bytes_view(&builder->values));
}

static void add_signposts(struct builder *builder)
{
    const struct host_ops *host = &builder->record->host;
    for (uint32_t i = 0; i < host->signposts.count; i++) {
        const struct host_signpost *signpost = segments_get(&host->signposts, i);
        builder->values.size = 0;
        if (signpost->message.size > 0)
            value_add_text(&builder->values, builder->text_key, signpost->message);
        logs_profile_add_message(builder, signpost->header, signpost->time, 0);
    }
}

static size_t rows_before(const struct logs_rows *rows, uint64_t time)
{
    size_t low = 0;
    size_t high = rows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rows->items[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// To the runs that a replay launched: rows have its time.
static void start_flows(struct builder *builder, const struct host_replay *replay)
{
    const struct logs_rows *rows = &builder->rows;
    for (size_t i = rows_before(rows, replay->time);
         i < rows->count && rows->items[i].time == replay->time; i++) {
        const struct logs_row *row = &rows->items[i];
        if (row->kind != LOGS_ROW_REPLAY || !row->announced)
            continue;
        const struct host_op *op = host_ops_op(&builder->record->host, row->host);
        if (op->device != replay->device || op->trace != replay->trace ||
            builder->run_flows[row->run] != 0)
            continue;
        builder->run_flows[row->run] = ++builder->flows;
        value_add_flow(&builder->values, VALUE_FLOW_OUT, builder->flows);
    }
}

static void add_replays(struct builder *builder)
{
    const struct host_ops *host = &builder->record->host;
    for (uint32_t i = 0; i < host->replays.count; i++) {
        const struct host_replay *replay = segments_get(&host->replays, i);
        builder->values.size = 0;
        value_add_uint(&builder->values, builder->device_key, replay->device);
        value_add_uint(&builder->values, builder->trace_key, replay->trace);
        start_flows(builder, replay);
        logs_profile_add_message(builder, VIEW_LITERAL("TT_METAL_TRACE_REPLAY"), replay->time, 0);
    }
}

// Operations that have a message and no zone.
static void add_untimed(struct builder *builder)
{
    const struct host_ops *host = &builder->record->host;
    for (uint32_t i = 0; i < host->ops.count; i++) {
        const struct host_op *op = host_ops_op(host, i);
        if (op->has_time || !op->has_message)
            continue;
        builder->values.size = 0;
        value_add_uint(&builder->values, builder->call_count_key, op->call_count);
        if (builder->host_flows[i] != 0)
            value_add_flow(&builder->values, VALUE_FLOW_OUT, builder->host_flows[i]);
        logs_profile_add_message(builder, op->code, op->message_time, builder->host_calls[i]);
    }
}

static void add_host(struct builder *builder)
{
    const struct logs *logs = builder->record->logs;
    if (logs->inputs[LOG_OPS_DATA] == NULL && logs->inputs[LOG_OPS_TIMES] == NULL)
        return;
    const struct track process = {.kind = TRACK_PROCESS,
                                  .name = profile_string(builder->profile, VIEW_LITERAL("host"))};
    builder->host_process = profile_track_add(builder->profile, &process);
    if (logs->inputs[LOG_OPS_DATA] != NULL) {
        builder->messages =
            logs_profile_lane_add(builder, builder->host_process, VIEW_LITERAL("messages"), 0);
        add_signposts(builder);
        add_replays(builder);
        add_untimed(builder);
    }
    if (logs->inputs[LOG_OPS_TIMES] != NULL)
        add_zones(builder, logs->inputs[LOG_OPS_TIMES]);
}

// Devices ---------------------------------------------------------------------

static struct view run_name(const struct builder *builder, uint32_t call)
{
    const uint32_t id = profile_call(builder->profile, call)->operator_id;
    return id == 0 ? (struct view){"", 0}
                   : profile_text(builder->profile, profile_operator(builder->profile, id)->name);
}

static void logs_profile_add_run(struct builder *builder, struct device_spans *spans,
                                 uint32_t index)
{
    const struct device_ops *ops = &builder->record->device_ops;
    const struct device_run *run = device_ops_run(ops, index);
    const struct device_op *op = device_ops_op(ops, run->op);
    const uint32_t call = builder->run_calls[index];
    struct view name = run_name(builder, call);
    char id[48];
    if (name.size == 0) {
        snprintf(id, sizeof id, "run host ID %llu", (unsigned long long)op->id);
        name = view_of(id);
    }
    const struct device_extent extent =
        run->firmware.first != DEVICE_NEVER ? run->firmware : run->window;
    const struct event event = {.kind = EVENT_SPAN,
                                .track = device_spans_operations(spans, op->session, op->device),
                                .name = profile_string(builder->profile, name),
                                .start = extent.first,
                                .end = extent.last,
                                .call = call};
    struct device_figures figures;
    device_run_figures(run, &figures);
    builder->values.size = 0;
    value_add_uint(&builder->values, builder->run_key, op->id);
    value_add_uint(&builder->values, builder->core_count_key, figures.core_count);
    const struct call *made = profile_call(builder->profile, call);
    if (made->replay > 0)
        value_add_uint(&builder->values, builder->replay_key, made->replay);
    if (builder->run_flows[index] != 0)
        value_add_flow(&builder->values, VALUE_FLOW_IN, builder->run_flows[index]);
    const struct view described = profile_operator(builder->profile, made->operator_id)->values;
    bytes_append(&builder->values, described.data, described.size);
    profile_event_add(builder->profile, &event, bytes_view(&builder->values));
}

static void logs_profile_fit_clock(struct builder *builder, struct device_spans *spans,
                                   const struct logs_row *row)
{
    if (row->run == HASH_NONE || row->host == HASH_NONE || row->kind == LOGS_ROW_RUN)
        return;
    const struct device_ops *ops = &builder->record->device_ops;
    const struct device_run *run = device_ops_run(ops, row->run);
    const struct device_op *op = device_ops_op(ops, run->op);
    device_spans_fit(spans, op->session, op->device, run->window.first, row->time);
}

static status logs_profile_add_device(struct builder *builder)
{
    struct device_spans spans;
    device_spans_start(&spans, builder->profile, &builder->record->device_ops, builder->run_calls);
    spans.unread = builder->record->unread;
    for (size_t i = 0; i < builder->rows.count; i++)
        logs_profile_fit_clock(builder, &spans, &builder->rows.items[i]);
    for (uint32_t i = 0; i < builder->record->device_ops.runs.count; i++)
        logs_profile_add_run(builder, &spans, i);
    // A report has no cores.
    const struct logs *logs = builder->record->logs;
    const status failure = logs->device_report != NULL
                               ? STATUS_OK
                               : device_spans_read(&spans, logs->inputs[LOG_DEVICE]);
    device_spans_free(&spans);
    return failure;
}

// All -------------------------------------------------------------------------

static void add_facts(struct builder *builder)
{
    struct profile *profile = builder->profile;
    const struct logs *logs = builder->record->logs;
    const char *format = "tenstorrent-logs";
    unsigned count = 0;
    for (unsigned kind = LOG_DEVICE; kind < LOG_KINDS; kind++) {
        if (logs->inputs[kind] != NULL && ++count == 1)
            format = log_kind_name((enum log_kind)kind);
    }
    profile_fact_add(profile, "format", view_of(count == 1 ? format : "tenstorrent-logs"));
    if (!builder->record->has_device)
        return;
    const struct device_session *session =
        segments_get(&builder->record->device_ops.sessions, logs_session(builder->record));
    if (session->arch.size > 0)
        profile_fact_add(profile, "arch", session->arch);
}

static uint32_t key(struct profile *profile, const char *name)
{
    return profile_string(profile, view_of(name));
}

static status logs_profile_build(struct builder *builder)
{
    struct profile *profile = builder->profile;
    builder->call_count_key = key(profile, "global_call_count");
    builder->text_key = key(profile, "message");
    builder->device_key = key(profile, "device");
    builder->trace_key = key(profile, "trace");
    builder->zone_key = key(profile, "zone_name");
    builder->source_key = key(profile, "source");
    builder->replay_key = key(profile, "replay");
    builder->core_count_key = key(profile, "core_count");
    builder->run_key = key(profile, "run_host_id");
    logs_operators_start(&builder->operators);
    logs_keep_start(&builder->keeper, builder->record, profile);
    logs_profile_add_calls(builder);
    logs_keep_free(&builder->keeper);
    add_host(builder);
    const status failure =
        builder->record->has_device ? logs_profile_add_device(builder) : STATUS_OK;
    add_facts(builder);
    logs_operators_free(&builder->operators);
    free(builder->rows.items);
    free(builder->host_calls);
    free(builder->host_flows);
    free(builder->run_calls);
    free(builder->run_flows);
    bytes_free(&builder->values);
    return failure;
}

status logs_profile_read(const struct logs *logs, struct profile *profile)
{
    struct logs_record record;
    STATUS_TRY(logs_read(logs, profile, &record));
    // Events are counted as they are added; rows were counted as they were read.
    profile_track(profile, 0)->ledger.recorded = 0;
    struct builder builder = {.record = &record, .profile = profile};
    const status failure = logs_profile_build(&builder);
    logs_record_free(&record);
    return failure;
}
