#include "logs_kept.h"

#include <stdlib.h>

#include "base/memory.h"

const struct logs_field LOGS_FIELD_TABLE[LOGS_FIELDS] = {
    {"host.call_count", LOGS_PART_HOST, LOGS_FIELD_U64, offsetof(struct host_op, call_count)},
    {"host.code", LOGS_PART_HOST, LOGS_FIELD_TEXT, offsetof(struct host_op, code)},
    {"host.description", LOGS_PART_HOST, LOGS_FIELD_TEXT, offsetof(struct host_op, description)},
    {"host.has_message", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, has_message)},
    {"host.is_fallback", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, is_fallback)},
    {"host.has_device", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, has_device)},
    {"host.device", LOGS_PART_HOST, LOGS_FIELD_U32, offsetof(struct host_op, device)},
    {"host.has_cache_hit", LOGS_PART_HOST, LOGS_FIELD_FLAG,
     offsetof(struct host_op, has_cache_hit)},
    {"host.cache_hit", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, cache_hit)},
    {"host.has_hash", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, has_hash)},
    {"host.hash", LOGS_PART_HOST, LOGS_FIELD_U64, offsetof(struct host_op, hash)},
    {"host.traced", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, traced)},
    {"host.trace", LOGS_PART_HOST, LOGS_FIELD_U64, offsetof(struct host_op, trace)},
    {"host.trace_order", LOGS_PART_HOST, LOGS_FIELD_U32, offsetof(struct host_op, trace_order)},
    {"host.message_time", LOGS_PART_HOST, LOGS_FIELD_U64, offsetof(struct host_op, message_time)},
    {"host.has_time", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, has_time)},
    {"host.start", LOGS_PART_HOST, LOGS_FIELD_U64, offsetof(struct host_op, start)},
    {"host.duration", LOGS_PART_HOST, LOGS_FIELD_U64, offsetof(struct host_op, duration)},
    {"host.location", LOGS_PART_HOST, LOGS_FIELD_TEXT, offsetof(struct host_op, location)},
    {"host.const_eval", LOGS_PART_HOST, LOGS_FIELD_TEXT, offsetof(struct host_op, const_eval)},
    {"host.metadata", LOGS_PART_HOST, LOGS_FIELD_TEXT, offsetof(struct host_op, metadata)},
    {"host.has_location", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, has_location)},
    {"host.has_const_eval", LOGS_PART_HOST, LOGS_FIELD_FLAG,
     offsetof(struct host_op, has_const_eval)},
    {"host.has_metadata", LOGS_PART_HOST, LOGS_FIELD_FLAG, offsetof(struct host_op, has_metadata)},
    {"run.window", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, window)},
    {"run.firmware", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, firmware)},
    {"run.kernel", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, kernel)},
    {"run.kernel_start", LOGS_PART_RUN, LOGS_FIELD_EXTENT,
     offsetof(struct device_run, kernel_start)},
    {"run.data_movement", LOGS_PART_RUN, LOGS_FIELD_EXTENT,
     offsetof(struct device_run, data_movement)},
    {"run.brisc", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, riscs[0])},
    {"run.ncrisc", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, riscs[1])},
    {"run.trisc0", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, riscs[2])},
    {"run.trisc1", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, riscs[3])},
    {"run.trisc2", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, riscs[4])},
    {"run.erisc", LOGS_PART_RUN, LOGS_FIELD_EXTENT, offsetof(struct device_run, riscs[5])},
    {"run.wait_front", LOGS_PART_RUN, LOGS_FIELD_U64, offsetof(struct device_run, wait_front)},
    {"run.reserve_back", LOGS_PART_RUN, LOGS_FIELD_U64, offsetof(struct device_run, reserve_back)},
    {"run.traced", LOGS_PART_RUN, LOGS_FIELD_FLAG, offsetof(struct device_run, traced)},
    {"run.trace", LOGS_PART_RUN, LOGS_FIELD_U64, offsetof(struct device_run, trace_id)},
    {"run.replay", LOGS_PART_RUN, LOGS_FIELD_U64, offsetof(struct device_run, trace_counter)},
    {"run.given", LOGS_PART_RUN, LOGS_FIELD_TEXT, offsetof(struct device_run, given)},
    {"operation.id", LOGS_PART_OP, LOGS_FIELD_U64, offsetof(struct device_op, id)},
    {"operation.session", LOGS_PART_OP, LOGS_FIELD_U32, offsetof(struct device_op, session)},
    {"operation.device", LOGS_PART_OP, LOGS_FIELD_U32, offsetof(struct device_op, device)},
    {"operation.dispatch", LOGS_PART_OP, LOGS_FIELD_EXTENT, offsetof(struct device_op, dispatch)},
    {"operation.go_signal", LOGS_PART_OP, LOGS_FIELD_EXTENT, offsetof(struct device_op, go_signal)},
    {"log.megahertz", LOGS_PART_SESSION, LOGS_FIELD_U64,
     offsetof(struct device_session, megahertz)},
    {"log.most_cores", LOGS_PART_SESSION, LOGS_FIELD_U64,
     offsetof(struct device_session, most_cores)},
    {"log.arch", LOGS_PART_SESSION, LOGS_FIELD_TEXT, offsetof(struct device_session, arch)},
};

const char *const LOGS_SPECIAL_KEYS[LOGS_KEPT_SPECIALS] = {
    [LOGS_KEPT_HOST] = "host.index",       [LOGS_KEPT_RUN] = "run.index",
    [LOGS_KEPT_OP] = "operation.index",    [LOGS_KEPT_SESSION] = "log.index",
    [LOGS_KEPT_POSITION] = "run.position", [LOGS_KEPT_CORES] = "run.cores",
    [LOGS_KEPT_LAST_SESSION] = "host.log", [LOGS_KEPT_MLIR] = "host.has_mlir",
};

void logs_keep_start(struct logs_keeper *keeper, const struct logs_record *record,
                     struct profile *profile)
{
    *keeper = (struct logs_keeper){.profile = profile, .record = record};
    for (size_t i = 0; i < LOGS_FIELDS; i++)
        keeper->fields[i] = profile_string(profile, view_of(LOGS_FIELD_TABLE[i].key));
    for (size_t i = 0; i < LOGS_KEPT_SPECIALS; i++)
        keeper->specials[i] = profile_string(profile, view_of(LOGS_SPECIAL_KEYS[i]));
    if (!record->has_device)
        return;
    const struct device_log *log = &record->device;
    keeper->lane_of_core = memory_allocate_zeroed((size_t)log->core_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < log->lanes.count; i++)
        keeper->lane_of_core[device_log_lane(log, i)->core] = i;
}

void logs_keep_free(struct logs_keeper *keeper)
{
    free(keeper->lane_of_core);
    bytes_free(&keeper->text);
}

static void logs_kept_keep_number(struct bytes *values, uint32_t key, uint64_t number)
{
    if (number != 0)
        value_add_uint(values, key, number);
}

static void keep_field(struct logs_keeper *keeper, size_t index, const char *member,
                       struct bytes *values)
{
    const uint32_t key = keeper->fields[index];
    const struct device_extent *extent;
    const struct view *text;
    switch (LOGS_FIELD_TABLE[index].kind) {
    case LOGS_FIELD_U64:
        logs_kept_keep_number(values, key, *(const uint64_t *)member);
        break;
    case LOGS_FIELD_U32:
        logs_kept_keep_number(values, key, *(const uint32_t *)member);
        break;
    case LOGS_FIELD_FLAG:
        logs_kept_keep_number(values, key, *(const bool *)member);
        break;
    case LOGS_FIELD_EXTENT:
        extent = (const struct device_extent *)member;
        if (extent->first == DEVICE_NEVER)
            break;
        value_add_uint(values, key, extent->first);
        value_add_uint(values, key, extent->last);
        break;
    case LOGS_FIELD_TEXT:
        text = (const struct view *)member;
        if (text->size > 0)
            value_add_string(values, key, profile_string(keeper->profile, *text));
        break;
    }
}

static void keep_part(struct logs_keeper *keeper, enum logs_part part, const void *from,
                      uint32_t index, struct bytes *values)
{
    value_add_uint(values, keeper->specials[part], index);
    for (size_t i = 0; i < LOGS_FIELDS; i++) {
        if (LOGS_FIELD_TABLE[i].part == part)
            keep_field(keeper, i, (const char *)from + LOGS_FIELD_TABLE[i].at, values);
    }
}

static void keep_functions(struct logs_keeper *keeper, const struct host_op *op,
                           struct bytes *values)
{
    for (const struct host_function *at = op->functions; at != NULL; at = at->next) {
        const struct view name = strings_get(&keeper->record->host.functions, at->name);
        keeper->text.size = 0;
        bytes_append_format(&keeper->text, "%s%.*s", LOGS_FUNCTION_PREFIX, VIEW_ARGUMENTS(name));
        value_add_uint(values, profile_string(keeper->profile, bytes_view(&keeper->text)), at->ns);
    }
}

// 0 is never.
static uint64_t since(uint64_t time, uint64_t start)
{
    return time == DEVICE_NEVER ? 0 : time - start + 1;
}

static void keep_cores(struct logs_keeper *keeper, const struct device_run *run,
                       struct bytes *values)
{
    struct bytes *text = &keeper->text;
    text->size = 0;
    for (uint32_t i = 0; i < run->core_count; i++) {
        const struct device_core *core = &run->cores[i];
        const struct device_lane *lane =
            device_log_lane(&keeper->record->device, keeper->lane_of_core[core->core]);
        bytes_append_varint(text, core->core);
        bytes_append_varint(text, lane->core_x);
        bytes_append_varint(text, lane->core_y);
        bytes_append_varint(text, core->seen);
        bytes_append_varint(text, since(core->kernel.first, run->window.first));
        bytes_append_varint(text, core->kernel.last - core->kernel.first);
        bytes_append_varint(text, since(core->data_movement_start, run->window.first));
    }
    value_add_text(values, keeper->specials[LOGS_KEPT_CORES], bytes_view(text));
}

static void keep_run(struct logs_keeper *keeper, uint32_t index, struct bytes *values)
{
    const struct device_ops *ops = &keeper->record->device_ops;
    const struct device_run *run = device_ops_run(ops, index);
    const struct device_op *op = device_ops_op(ops, run->op);
    uint32_t position = 0;
    while (position < op->run_count && op->runs[position] != index)
        position++;
    keep_part(keeper, LOGS_PART_RUN, run, index, values);
    keep_part(keeper, LOGS_PART_OP, op, run->op, values);
    keep_part(keeper, LOGS_PART_SESSION, segments_get(&ops->sessions, op->session), op->session,
              values);
    value_add_uint(values, keeper->specials[LOGS_KEPT_POSITION], position);
    keep_cores(keeper, run, values);
}

void logs_keep_row(struct logs_keeper *keeper, const struct logs_row *row, struct bytes *values)
{
    const struct logs_record *record = keeper->record;
    // A replay is of an operation that has a row, and values, of its own.
    if (row->kind == LOGS_ROW_OP) {
        const struct host_op *op = host_ops_op(&record->host, row->host);
        keep_part(keeper, LOGS_PART_HOST, op, row->host, values);
        keep_functions(keeper, op, values);
        value_add_uint(values, keeper->specials[LOGS_KEPT_LAST_SESSION], logs_session(record));
        logs_kept_keep_number(values, keeper->specials[LOGS_KEPT_MLIR], record->host.has_mlir);
    }
    if (row->run != HASH_NONE)
        keep_run(keeper, row->run, values);
}
