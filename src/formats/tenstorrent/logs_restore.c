#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/varint.h"
#include "logs_kept.h"

// Where in a call's values the number of a part stands, and the part itself.
struct kept_call {
    uint64_t numbers[LOGS_KEPT_SPECIALS];
    bool has[LOGS_KEPT_SPECIALS];
    struct view cores;
    void *parts[LOGS_PARTS];
};

struct restorer {
    struct profile *profile;
    struct logs_record *record;
    uint32_t fields[LOGS_FIELDS];
    uint32_t specials[LOGS_KEPT_SPECIALS];
    const struct json_value **descriptions; // by string
    size_t description_count;
    uint32_t *positions; // by run
    size_t position_count;
    uint32_t device_key, trace_key, message_key;
};

static status logs_restore_damaged(const struct restorer *to, const char *what)
{
    return status_make(STATUS_DATA,
                       "%s: what it keeps of Tenstorrent's logs is damaged: %s; "
                       "convert the logs again",
                       to->record->logs->inputs[LOG_DEVICE]->path, what);
}

// Parts -----------------------------------------------------------------------

static const struct device_extent NEVER = {DEVICE_NEVER, 0};

static void *host_at(struct restorer *to, uint32_t index)
{
    struct segments *ops = &to->record->host.ops;
    while (ops->count <= index) {
        struct host_op *op = segments_add(ops);
        op->code = op->location = op->const_eval = op->metadata = op->description =
            VIEW_LITERAL("");
    }
    return segments_get(ops, index);
}

static void *logs_restore_run_at(struct restorer *to, uint32_t index)
{
    struct segments *runs = &to->record->device_ops.runs;
    while (runs->count <= index) {
        struct device_run *run = segments_add(runs);
        run->op = HASH_NONE;
        run->given = VIEW_LITERAL("");
        run->window = run->firmware = run->kernel = run->kernel_start = run->data_movement = NEVER;
        for (unsigned i = 0; i < DEVICE_RISCS; i++)
            run->riscs[i] = NEVER;
    }
    return segments_get(runs, index);
}

static void *op_at(struct restorer *to, uint32_t index)
{
    struct segments *ops = &to->record->device_ops.ops;
    while (ops->count <= index) {
        struct device_op *op = segments_add(ops);
        op->dispatch = op->go_signal = NEVER;
    }
    return segments_get(ops, index);
}

static void *session_at(struct restorer *to, uint32_t index)
{
    struct segments *sessions = &to->record->device_ops.sessions;
    while (sessions->count <= index)
        ((struct device_session *)segments_add(sessions))->arch = VIEW_LITERAL("");
    return segments_get(sessions, index);
}

// Values ----------------------------------------------------------------------

static bool find_special(const struct restorer *to, uint32_t key, size_t *out_special)
{
    for (size_t i = 0; i < LOGS_KEPT_SPECIALS; i++) {
        if (to->specials[i] == key) {
            *out_special = i;
            return true;
        }
    }
    return false;
}

static void read_specials(const struct restorer *to, struct view values, struct kept_call *out_call)
{
    struct value_reader reader = value_read(values);
    struct value value;
    size_t special;
    *out_call = (struct kept_call){.cores = VIEW_LITERAL("")};
    while (value_next(&reader, &value)) {
        if (!find_special(to, value.key, &special))
            continue;
        out_call->has[special] = true;
        if (value.kind == VALUE_TEXT)
            out_call->cores = value.text;
        else
            out_call->numbers[special] = value.number;
    }
}

static void logs_restore_set_extent(struct device_extent *extent, uint64_t number)
{
    if (extent->first == DEVICE_NEVER)
        extent->first = number;
    else
        extent->last = number;
}

static void logs_restore_set_field(const struct restorer *to, const struct logs_field *field,
                                   char *member, const struct value *value)
{
    switch (field->kind) {
    case LOGS_FIELD_U64:
        *(uint64_t *)member = value->number;
        break;
    case LOGS_FIELD_U32:
        *(uint32_t *)member = (uint32_t)value->number;
        break;
    case LOGS_FIELD_FLAG:
        *(bool *)member = value->number != 0;
        break;
    case LOGS_FIELD_EXTENT:
        logs_restore_set_extent((struct device_extent *)member, value->number);
        break;
    case LOGS_FIELD_TEXT:
        if (value->kind == VALUE_STRING)
            *(struct view *)member = profile_text(to->profile, (uint32_t)value->number);
        break;
    }
}

static void logs_restore_add_function(struct restorer *to, struct host_op *op, struct view key,
                                      uint64_t ns)
{
    struct host_ops *host = &to->record->host;
    struct host_function **at = &op->functions;
    while (*at != NULL)
        at = &(*at)->next;
    *at = arena_allocate(&host->arena, sizeof **at);
    const struct view name = view_slice(key, strlen(LOGS_FUNCTION_PREFIX), key.size);
    **at = (struct host_function){.name = strings_add(&host->functions, name), .ns = ns};
}

static void logs_restore_set_value(struct restorer *to, const struct kept_call *call,
                                   const struct value *value)
{
    for (size_t i = 0; i < LOGS_FIELDS; i++) {
        const struct logs_field *field = &LOGS_FIELD_TABLE[i];
        if (to->fields[i] != value->key)
            continue;
        if (call->parts[field->part] != NULL)
            logs_restore_set_field(to, field, (char *)call->parts[field->part] + field->at, value);
        return;
    }
    const struct view key = profile_text(to->profile, value->key);
    if (call->parts[LOGS_PART_HOST] != NULL && view_starts_with(key, LOGS_FUNCTION_PREFIX))
        logs_restore_add_function(to, call->parts[LOGS_PART_HOST], key, value->number);
}

static void set_values(struct restorer *to, const struct kept_call *call, struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value))
        logs_restore_set_value(to, call, &value);
}

// Descriptions ----------------------------------------------------------------

// Operations that were cached share one.
static status set_description(struct restorer *to, struct host_op *op)
{
    if (op->description.size == 0)
        return STATUS_OK;
    const uint32_t id = strings_find(&to->profile->strings, op->description);
    to->descriptions =
        memory_extend(to->descriptions, &to->description_count, id, sizeof *to->descriptions);
    if (to->descriptions[id] == NULL)
        STATUS_TRY(json_read(op->description, &to->record->host.arena, &to->descriptions[id]));
    op->json = to->descriptions[id];
    return STATUS_OK;
}

// Cores -----------------------------------------------------------------------

static void logs_restore_add_place(struct restorer *to, uint32_t core, uint32_t x, uint32_t y)
{
    struct device_log *log = &to->record->device;
    struct device_lane *lane = segments_add(&log->lanes);
    *lane = (struct device_lane){.core = core, .core_x = x, .core_y = y};
    if (core >= log->core_count)
        log->core_count = core + 1;
}

static uint64_t time_at(uint64_t since, uint64_t start)
{
    return since == 0 ? DEVICE_NEVER : start + since - 1;
}

static bool logs_restore_read_core(const unsigned char **at, const unsigned char *end,
                                   uint64_t start, struct device_core *out_core, uint32_t *out_x,
                                   uint32_t *out_y)
{
    uint64_t first, length, movement;
    if (!varint_get_u32(at, end, &out_core->core) || !varint_get_u32(at, end, out_x) ||
        !varint_get_u32(at, end, out_y) || !varint_get_u32(at, end, &out_core->seen) ||
        !varint_get(at, end, &first) || !varint_get(at, end, &length) ||
        !varint_get(at, end, &movement))
        return false;
    out_core->kernel.first = time_at(first, start);
    out_core->kernel.last = out_core->kernel.first + length;
    out_core->data_movement_start = time_at(movement, start);
    return out_core->core < DEVICE_LOG_DISTINCT_MOST;
}

static status logs_restore_read_cores(struct restorer *to, struct device_run *run,
                                      struct view packed)
{
    const unsigned char *at = (const unsigned char *)packed.data;
    const unsigned char *end = at + packed.size;
    run->core_count = 0;
    while (at < end) {
        struct device_core core;
        uint32_t x, y;
        if (!logs_restore_read_core(&at, end, run->window.first, &core, &x, &y))
            return logs_restore_damaged(to, "the cores of a run");
        run->cores =
            memory_grow(run->cores, run->core_count, &run->core_capacity, sizeof *run->cores);
        run->cores[run->core_count++] = core;
        run->core_most = core.core > run->core_most ? core.core : run->core_most;
        logs_restore_add_place(to, core.core, x, y);
    }
    return STATUS_OK;
}

// Calls -----------------------------------------------------------------------

// There are no more parts of a kind than calls.
static status find_parts(struct restorer *to, struct kept_call *call)
{
    static void *(*const AT[LOGS_PARTS])(struct restorer * to, uint32_t index) = {
        host_at, logs_restore_run_at, op_at, session_at};
    for (size_t part = 0; part < LOGS_PARTS; part++) {
        if (!call->has[part])
            continue;
        if (call->numbers[part] >= to->profile->calls.count)
            return logs_restore_damaged(to, "more parts than calls");
        call->parts[part] = AT[part](to, (uint32_t)call->numbers[part]);
    }
    if ((call->parts[LOGS_PART_RUN] != NULL) != (call->parts[LOGS_PART_OP] != NULL))
        return logs_restore_damaged(to, "a run without its operation");
    return STATUS_OK;
}

static status restore_run(struct restorer *to, const struct kept_call *call)
{
    struct device_run *run = call->parts[LOGS_PART_RUN];
    const uint32_t index = (uint32_t)call->numbers[LOGS_KEPT_RUN];
    if (run->op != HASH_NONE)
        return logs_restore_damaged(to, "a run stands twice");
    run->op = (uint32_t)call->numbers[LOGS_KEPT_OP];
    to->positions = memory_extend(to->positions, &to->position_count, index, sizeof *to->positions);
    to->positions[index] = (uint32_t)call->numbers[LOGS_KEPT_POSITION];
    device_ops_op(&to->record->device_ops, run->op)->run_count++;
    return logs_restore_read_cores(to, run, call->cores);
}

static status restore_call(struct restorer *to, uint32_t id)
{
    struct kept_call call;
    const struct view values = profile_call(to->profile, id)->values;
    read_specials(to, values, &call);
    STATUS_TRY(find_parts(to, &call));
    struct device_op *op = call.parts[LOGS_PART_OP];
    if (op != NULL)
        op->dispatch = op->go_signal = NEVER;
    set_values(to, &call, values);
    if (call.parts[LOGS_PART_HOST] != NULL) {
        to->record->host.has_mlir = call.numbers[LOGS_KEPT_MLIR] != 0;
        if (call.numbers[LOGS_KEPT_LAST_SESSION] < to->profile->calls.count)
            session_at(to, (uint32_t)call.numbers[LOGS_KEPT_LAST_SESSION]);
        STATUS_TRY(set_description(to, call.parts[LOGS_PART_HOST]));
    }
    return call.parts[LOGS_PART_RUN] != NULL ? restore_run(to, &call) : STATUS_OK;
}

// The runs of operations, each at its position.
static status restore_orders(struct restorer *to)
{
    struct device_ops *ops = &to->record->device_ops;
    for (uint32_t i = 0; i < ops->ops.count; i++) {
        struct device_op *op = device_ops_op(ops, i);
        if (op->session >= ops->sessions.count || op->run_count == 0)
            return logs_restore_damaged(to, "an operation without a log or without runs");
        op->runs = memory_allocate((size_t)op->run_count * sizeof *op->runs);
        memset(op->runs, 0xff, (size_t)op->run_count * sizeof *op->runs);
        op->run_capacity = op->run_count;
        device_ops_index(ops, i);
    }
    for (uint32_t i = 0; i < ops->runs.count; i++) {
        const struct device_run *run = device_ops_run(ops, i);
        if (run->op == HASH_NONE)
            return logs_restore_damaged(to, "a run is missing");
        struct device_op *op = device_ops_op(ops, run->op);
        if (to->positions[i] >= op->run_count || op->runs[to->positions[i]] != HASH_NONE)
            return logs_restore_damaged(to, "the order of runs");
        op->runs[to->positions[i]] = i;
    }
    return STATUS_OK;
}

// Messages --------------------------------------------------------------------

struct message_sink {
    struct event_sink sink;
    struct restorer *to;
};

static void logs_restore_take_message(struct restorer *to, const struct event *event,
                                      struct view values)
{
    struct host_ops *host = &to->record->host;
    struct value_reader reader = value_read(values);
    struct value value;
    struct host_replay replay = {.time = event->start};
    struct host_signpost signpost = {.header = profile_text(to->profile, event->name),
                                     .message = VIEW_LITERAL(""),
                                     .time = event->start};
    bool replays = false;
    while (value_next(&reader, &value)) {
        if (value.key == to->device_key && value.kind == VALUE_UINT) {
            replay.device = (uint32_t)value.number;
            replays = true;
        } else if (value.key == to->trace_key) {
            replay.trace = value.number;
        } else if (value.key == to->message_key && value.kind == VALUE_TEXT) {
            signpost.message = arena_copy(&host->arena, value.text);
        }
    }
    if (replays)
        *(struct host_replay *)segments_add(&host->replays) = replay;
    else
        *(struct host_signpost *)segments_add(&host->signposts) = signpost;
}

static status take_messages(struct event_sink *sink, const struct event_batch *batch)
{
    struct restorer *to = ((struct message_sink *)sink)->to;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->kind == EVENT_INSTANT && event->call == 0)
            logs_restore_take_message(to, event, event_values(batch, event));
    }
    return STATUS_OK;
}

static bool logs_restore_is_named(const struct profile *profile, uint32_t track, const char *name)
{
    return view_is(profile_text(profile, profile_track(profile, track)->name), name);
}

static status restore_messages(struct restorer *to)
{
    struct profile *profile = to->profile;
    struct message_sink sink = {.sink.take = take_messages, .to = to};
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        if (track->kind == TRACK_LANE && logs_restore_is_named(profile, i, "messages") &&
            logs_restore_is_named(profile, track->parent, "host"))
            STATUS_TRY(profile_replay_track(profile, i, &sink.sink));
    }
    return STATUS_OK;
}

// Cores on which no run was: they have their place in tables of cores.
static void restore_places(struct restorer *to)
{
    const struct profile *profile = to->profile;
    for (uint32_t i = 1; i < profile->tracks.count; i++) {
        const struct track *track = profile_track(profile, i);
        unsigned x, y;
        char name[64];
        snprintf(name, sizeof name, "%.*s", VIEW_ARGUMENTS(profile_text(profile, track->name)));
        if (track->kind == TRACK_GROUP && sscanf(name, "core %u,%u", &x, &y) == 2)
            logs_restore_add_place(to, to->record->device.core_count, x, y);
    }
}

// All -------------------------------------------------------------------------

static void logs_restore_start(struct restorer *to)
{
    const struct strings *strings = &to->profile->strings;
    struct device_ops *ops = &to->record->device_ops;
    for (size_t i = 0; i < LOGS_FIELDS; i++)
        to->fields[i] = strings_find(strings, view_of(LOGS_FIELD_TABLE[i].key));
    for (size_t i = 0; i < LOGS_KEPT_SPECIALS; i++)
        to->specials[i] = strings_find(strings, view_of(LOGS_SPECIAL_KEYS[i]));
    to->device_key = strings_find(strings, VIEW_LITERAL("device"));
    to->trace_key = strings_find(strings, VIEW_LITERAL("trace"));
    to->message_key = strings_find(strings, VIEW_LITERAL("message"));
    segments_start(&ops->sessions, sizeof(struct device_session));
    segments_start(&ops->ops, sizeof(struct device_op));
    segments_start(&ops->runs, sizeof(struct device_run));
    segments_start(&to->record->device.lanes, sizeof(struct device_lane));
}

static status restore(struct restorer *to)
{
    for (uint32_t i = 1; i < to->profile->calls.count; i++)
        STATUS_TRY(restore_call(to, i));
    STATUS_TRY(restore_orders(to));
    restore_places(to);
    return restore_messages(to);
}

bool logs_are_kept(const struct profile *profile)
{
    return strings_find(&profile->strings, view_of(LOGS_SPECIAL_KEYS[LOGS_KEPT_HOST])) !=
               HASH_NONE &&
           view_starts_with(profile_fact(profile, "format"), "tenstorrent-");
}

status logs_restore(struct profile *profile, struct input *input, struct logs *logs,
                    struct profile *ledger, struct logs_record *out_record)
{
    struct logs_record *record = out_record;
    const struct view format = profile_fact(profile, "format");
    if (!logs_are_kept(profile))
        return status_make(
            STATUS_DATA,
            "%s: holds nothing that a report of operations could be made of: expected "
            "a profile that was converted from Tenstorrent's logs",
            input->path);
    for (unsigned kind = LOG_DEVICE; kind < LOG_KINDS; kind++) {
        if (kind == LOG_DEVICE || !view_is(format, log_kind_name(LOG_DEVICE)))
            logs->inputs[kind] = input;
    }
    *record = (struct logs_record){.logs = logs, .ledger = ledger};
    record->device.input = input;
    host_ops_start(&record->host, ledger);
    struct restorer to = {.profile = profile, .record = record};
    logs_restore_start(&to);
    const status result = restore(&to);
    session_at(&to, 0);
    free(to.descriptions);
    free(to.positions);
    record->has_device = record->device.lanes.count > 0;
    if (!record->has_device) {
        device_ops_free(&record->device_ops);
        device_log_free(&record->device);
    }
    if (result != STATUS_OK)
        logs_record_free(record);
    return result;
}
