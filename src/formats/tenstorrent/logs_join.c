// Puts the host's operations and the device's runs side by side.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "logs.h"

struct joiner {
    struct logs_record *record;
    struct logs_rows rows;
    uint64_t *run_times; // host time of a claimed run; DEVICE_NEVER: not claimed
    uint64_t lost;       // operations of the host without a run
    uint64_t first_lost;
};

static struct logs_row *row_add(struct joiner *joiner, const struct logs_row *row)
{
    struct logs_rows *rows = &joiner->rows;
    rows->items = memory_grow(rows->items, rows->count, &rows->capacity, sizeof *rows->items);
    rows->items[rows->count] = *row;
    rows->items[rows->count].sequence = (uint32_t)rows->count;
    return &rows->items[rows->count++];
}

static const struct device_op *device_op_of(const struct joiner *joiner, struct host_op *op)
{
    const struct logs_record *record = joiner->record;
    if (!record->has_device)
        return NULL;
    const struct device_ops *ops = &record->device_ops;
    const uint32_t session = logs_session(record);
    if (op->has_device) {
        const uint32_t found = device_ops_find(ops, session, op->device, op->call_count);
        return found == HASH_NONE ? NULL : device_ops_op(ops, found);
    }
    if (op->has_message)
        return NULL;
    // The host only timed it: whichever device knows it.
    for (uint32_t i = 0; i < ops->ops.count; i++) {
        const struct device_op *other = device_ops_op(ops, i);
        if (other->session == session && other->id == op->call_count) {
            op->has_device = true;
            op->device = other->device;
            return other;
        }
    }
    return NULL;
}

// Operations ------------------------------------------------------------------

static uint64_t logs_join_time_of(const struct host_op *op)
{
    return op->has_time ? op->start : op->message_time;
}

static void join_op(struct joiner *joiner, uint32_t index)
{
    struct host_op *op = host_ops_op(&joiner->record->host, index);
    const struct device_op *device = device_op_of(joiner, op);
    struct logs_row row = {.kind = LOGS_ROW_OP,
                           .time = logs_join_time_of(op),
                           .call_count = op->call_count,
                           .host = index,
                           .run = HASH_NONE};
    if (!op->traced && device != NULL && device->run_count > 0) {
        row.run = device->runs[0];
        joiner->run_times[row.run] = row.time;
    }
    if (op->has_device && !op->traced && row.run == HASH_NONE && joiner->lost++ == 0)
        joiner->first_lost = op->call_count;
    row_add(joiner, &row);
    if (op->has_message && !op->has_time && joiner->record->host.has_times)
        host_ops_lose(&joiner->record->host, LEDGER_LOST,
                      joiner->record->logs->inputs[LOG_OPS_DATA], op->line,
                      "the host does not say when this operation ran", op->code);
}

static void note_lost_runs(const struct joiner *joiner)
{
    const struct logs_record *record = joiner->record;
    if (joiner->lost == 0)
        return;
    const struct input *device = record->logs->inputs[LOG_DEVICE];
    if (device == NULL)
        profile_note(record->ledger, 0, LEDGER_REMARK, joiner->lost,
                     "no device log was given: what the device did is absent for %llu operations",
                     (unsigned long long)joiner->lost);
    else
        profile_note(record->ledger, 0, LEDGER_LOST, joiner->lost,
                     "%s: %llu operations of the host left nothing on the device%s (the first is "
                     "call count %llu)",
                     device->path, (unsigned long long)joiner->lost,
                     record->has_device ? "" : ": the log is empty",
                     (unsigned long long)joiner->first_lost);
}

// Replays ---------------------------------------------------------------------

struct replayed {
    uint32_t host;
    uint32_t run;
    uint32_t device;
    uint32_t order;
    uint64_t trace;
    uint64_t start; // cycles
    uint64_t counter;
    bool counted;
};

static int compare_replayed(const void *left, const void *right)
{
    const struct replayed *a = left;
    const struct replayed *b = right;
    int order = sort_compare(a->device, b->device);
    if (order == 0)
        order = sort_compare(a->trace, b->trace);
    if (order == 0)
        order = sort_compare(a->start, b->start);
    return order != 0 ? order : sort_compare(a->run, b->run);
}

static int compare_replays(const void *left, const void *right)
{
    const struct host_replay *a = left;
    const struct host_replay *b = right;
    int order = sort_compare(a->device, b->device);
    if (order == 0)
        order = sort_compare(a->trace, b->trace);
    return order != 0 ? order : sort_compare(a->time, b->time);
}

struct replay_list {
    struct host_replay *items;
    size_t count;
};

static struct replay_list replays_sorted(const struct host_ops *host)
{
    struct replay_list list = {NULL, host->replays.count};
    list.items = memory_allocate((list.count + 1) * sizeof *list.items);
    for (uint32_t i = 0; i < host->replays.count; i++)
        list.items[i] = *(const struct host_replay *)segments_get(&host->replays, i);
    sort_items(list.items, list.count, sizeof *list.items, compare_replays);
    return list;
}

// The replays of one trace on one device.
static struct replay_list replays_of(struct replay_list all, uint32_t device, uint64_t trace)
{
    size_t low = 0;
    size_t high = all.count;
    const struct host_replay key = {.device = device, .trace = trace};
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_replays(&all.items[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct replay_list found = {all.items + low, 0};
    while (low + found.count < all.count && found.items[found.count].device == device &&
           found.items[found.count].trace == trace)
        found.count++;
    return found;
}

static struct replayed *collect_replayed(struct joiner *joiner, size_t *out_count)
{
    const struct logs_record *record = joiner->record;
    struct replayed *items = NULL;
    size_t capacity = 0;
    *out_count = 0;
    for (uint32_t i = 0; i < record->host.ops.count; i++) {
        struct host_op *op = host_ops_op(&record->host, i);
        const struct device_op *device = op->traced ? device_op_of(joiner, op) : NULL;
        for (uint32_t k = 0; device != NULL && k < device->run_count; k++) {
            const struct device_run *run = device_ops_run(&record->device_ops, device->runs[k]);
            items = memory_grow(items, *out_count, &capacity, sizeof *items);
            items[(*out_count)++] = (struct replayed){.host = i,
                                                      .run = device->runs[k],
                                                      .device = op->device,
                                                      .order = op->trace_order,
                                                      .trace = op->trace,
                                                      .start = run->window.first,
                                                      .counter = run->trace_counter,
                                                      .counted = run->traced};
        }
    }
    if (*out_count > 0)
        sort_items(items, *out_count, sizeof *items, compare_replayed);
    return items;
}

// Within a replay operations come in the order in which they were captured.
static bool begins_replay(const struct replayed *before, const struct replayed *item)
{
    if (before->counted && item->counted)
        return before->counter != item->counter;
    return item->order <= before->order;
}

static uint64_t count_captured(const struct host_ops *host, uint32_t device, uint64_t trace)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < host->ops.count; i++) {
        const struct host_op *op = host_ops_op(host, i);
        count += op->traced && op->device == device && op->trace == trace;
    }
    return count;
}

static void check_trace(const struct joiner *joiner, uint32_t device, uint64_t trace, uint64_t runs,
                        uint64_t sessions, uint64_t replays)
{
    const struct logs_record *record = joiner->record;
    const uint64_t expected = replays * count_captured(&record->host, device, trace);
    if (sessions > replays)
        profile_note(record->ledger, 0, LEDGER_LOST, sessions - replays,
                     "trace %llu ran %llu times on device %u; the host replayed it %llu times",
                     (unsigned long long)trace, (unsigned long long)sessions, device,
                     (unsigned long long)replays);
    else if (runs < expected && record->has_device)
        profile_note(record->ledger, 0, LEDGER_LOST, expected - runs,
                     "trace %llu was replayed %llu times on device %u: %llu of %llu runs are there",
                     (unsigned long long)trace, (unsigned long long)replays, device,
                     (unsigned long long)runs, (unsigned long long)expected);
}

static void join_trace(struct joiner *joiner, const struct replayed *items, size_t count,
                       struct replay_list replays)
{
    uint64_t session = 1;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && begins_replay(&items[i - 1], &items[i]))
            session++;
        const struct host_op *op = host_ops_op(&joiner->record->host, items[i].host);
        uint64_t time = logs_join_time_of(op);
        if (replays.count > 0)
            time = replays.items[session <= replays.count ? session - 1 : replays.count - 1].time;
        joiner->run_times[items[i].run] = time;
        row_add(joiner, &(struct logs_row){.kind = LOGS_ROW_REPLAY,
                                           .time = time,
                                           .call_count = op->call_count,
                                           .replay = session,
                                           .announced = session <= replays.count,
                                           .host = items[i].host,
                                           .run = items[i].run});
    }
    check_trace(joiner, items->device, items->trace, count, session, replays.count);
}

static bool same_trace(const struct replayed *a, const struct replayed *b)
{
    return a->device == b->device && a->trace == b->trace;
}

// A trace of which the device shows nothing: never replayed, or lost.
static void check_unseen(const struct joiner *joiner, struct replay_list all,
                         const struct replayed *items, size_t count)
{
    const struct host_ops *host = &joiner->record->host;
    uint64_t never = 0;
    const struct host_op *last = NULL;
    for (uint32_t i = 0; i < host->ops.count; i++) {
        const struct host_op *op = host_ops_op(host, i);
        if (!op->traced || (last != NULL && last->device == op->device && last->trace == op->trace))
            continue;
        last = op;
        bool seen = false;
        for (size_t k = 0; k < count && !seen; k++)
            seen = items[k].device == op->device && items[k].trace == op->trace;
        const struct replay_list replays = replays_of(all, op->device, op->trace);
        if (seen)
            continue;
        if (replays.count > 0)
            check_trace(joiner, op->device, op->trace, 0, 0, replays.count);
        else
            never++;
    }
    if (never > 0)
        profile_note(host->ledger, 0, LEDGER_REMARK, never,
                     "%llu trace%s captured and never replayed: the operations of %s did not run",
                     (unsigned long long)never, never == 1 ? " was" : "s were",
                     never == 1 ? "it" : "them");
}

static void join_replays(struct joiner *joiner)
{
    size_t count;
    struct replayed *items = collect_replayed(joiner, &count);
    struct replay_list all = replays_sorted(&joiner->record->host);
    for (size_t from = 0, to; from < count; from = to) {
        to = from + 1;
        while (to < count && same_trace(&items[from], &items[to]))
            to++;
        join_trace(joiner, items + from, to - from,
                   replays_of(all, items[from].device, items[from].trace));
    }
    check_unseen(joiner, all, items, count);
    free(all.items);
    free(items);
}

// Runs without a host ---------------------------------------------------------

struct timed_run {
    uint32_t run;
    uint32_t session;
    uint32_t device;
    uint64_t start;
};

static int compare_runs(const void *left, const void *right)
{
    const struct timed_run *a = left;
    const struct timed_run *b = right;
    int order = sort_compare(a->session, b->session);
    if (order == 0)
        order = sort_compare(a->device, b->device);
    if (order == 0)
        order = sort_compare(a->start, b->start);
    return order != 0 ? order : sort_compare(a->run, b->run);
}

static struct timed_run *runs_sorted(const struct device_ops *ops)
{
    const size_t count = ops->runs.count;
    struct timed_run *runs = memory_allocate((count + 1) * sizeof *runs);
    for (uint32_t i = 0; i < count; i++) {
        const struct device_run *run = device_ops_run(ops, i);
        const struct device_op *op = device_ops_op(ops, run->op);
        runs[i] = (struct timed_run){i, op->session, op->device, run->window.first};
    }
    sort_items(runs, count, sizeof *runs, compare_runs);
    return runs;
}

// Runs that nothing of the host claims.
struct unclaimed {
    uint64_t count;
    const struct device_run *first;
};

static void unclaimed_add(struct unclaimed *unclaimed, const struct device_run *run)
{
    if (unclaimed->count++ == 0)
        unclaimed->first = run;
}

static void note_unclaimed(const struct joiner *joiner, const struct unclaimed *unclaimed,
                           const char *one, const char *several)
{
    const struct logs_record *record = joiner->record;
    if (unclaimed->count == 0)
        return;
    const struct device_op *op = device_ops_op(&record->device_ops, unclaimed->first->op);
    profile_note(record->ledger, 0, LEDGER_LOST, unclaimed->count,
                 "%s:%llu: %llu %s (the first is run host ID %llu on device %u)",
                 record->device.input->path, (unsigned long long)unclaimed->first->line,
                 (unsigned long long)unclaimed->count, unclaimed->count == 1 ? one : several,
                 (unsigned long long)op->id, op->device);
}

// Whether the host's launch of the operation went to another run.
static bool is_further(const struct joiner *joiner, const struct device_op *op)
{
    return joiner->run_times[op->runs[0]] != DEVICE_NEVER;
}

// A run that the host does not know stands after the run before it.
static void join_unknown(struct joiner *joiner, bool has_host)
{
    const struct device_ops *ops = &joiner->record->device_ops;
    struct timed_run *runs = runs_sorted(ops);
    uint64_t time = 0;
    struct unclaimed unknown = {0};
    struct unclaimed further = {0};
    for (size_t i = 0; i < ops->runs.count; i++) {
        const struct device_run *run = device_ops_run(ops, runs[i].run);
        if (i > 0 &&
            (runs[i].session != runs[i - 1].session || runs[i].device != runs[i - 1].device))
            time = 0;
        if (joiner->run_times[runs[i].run] != DEVICE_NEVER) {
            time = joiner->run_times[runs[i].run];
            continue;
        }
        const struct device_op *op = device_ops_op(ops, run->op);
        unclaimed_add(is_further(joiner, op) ? &further : &unknown, run);
        row_add(joiner, &(struct logs_row){.kind = LOGS_ROW_RUN,
                                           .time = time,
                                           .call_count = op->id,
                                           .host = HASH_NONE,
                                           .run = runs[i].run});
    }
    if (has_host) {
        note_unclaimed(joiner, &unknown,
                       "run on the device is of an operation that the host does not report",
                       "runs on the device are of operations that the host does not report");
        note_unclaimed(joiner, &further, "run on the device is more than the host launched",
                       "runs on the device are more than the host launched");
    }
    free(runs);
}

// All -------------------------------------------------------------------------

static int logs_join_compare_rows(const void *left, const void *right)
{
    const struct logs_row *a = left;
    const struct logs_row *b = right;
    int order = sort_compare(a->time, b->time);
    if (order == 0)
        order = sort_compare(a->kind, b->kind);
    if (order == 0 && a->kind == LOGS_ROW_REPLAY)
        order = sort_compare(a->call_count, b->call_count);
    return order != 0 ? order : sort_compare(a->sequence, b->sequence);
}

struct logs_rows logs_join(struct logs_record *record)
{
    struct joiner joiner = {.record = record};
    const struct host_ops *host = &record->host;
    const size_t runs = record->has_device ? record->device_ops.runs.count : 0;
    joiner.run_times = memory_allocate((runs + 1) * sizeof *joiner.run_times);
    memset(joiner.run_times, 0xff, (runs + 1) * sizeof *joiner.run_times);
    for (uint32_t i = 0; i < host->ops.count; i++)
        join_op(&joiner, i);
    note_lost_runs(&joiner);
    join_replays(&joiner);
    for (uint32_t i = 0; i < host->signposts.count; i++) {
        const struct host_signpost *signpost = segments_get(&host->signposts, i);
        row_add(&joiner, &(struct logs_row){.kind = LOGS_ROW_SIGNPOST,
                                            .time = signpost->time,
                                            .host = i,
                                            .run = HASH_NONE});
    }
    if (record->has_device)
        join_unknown(&joiner, host->ops.count > 0);
    if (joiner.rows.count > 0)
        sort_items(joiner.rows.items, joiner.rows.count, sizeof *joiner.rows.items,
                   logs_join_compare_rows);
    free(joiner.run_times);
    return joiner.rows;
}
