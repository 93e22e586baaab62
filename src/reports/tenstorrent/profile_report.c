#include "profile_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/hash.h"
#include "base/memory.h"
#include "formats/tenstorrent/report_profile.h"
#include "modelled_columns.h"
#include "profile_report_operator.h"

enum { UNPACKER = 2, PACKER = 4, PROCESSORS = 6 };

// In ns, and in ticks of its own clock, which are exact.
struct moment {
    uint64_t ns, ticks;
};

struct extent {
    struct moment first, last;
    bool any;
};

struct core_extent {
    uint32_t core;
    struct extent kernel;
    struct extent unpacker;
    uint64_t unpacked; // ns that it was busy
};

// What the spans of a call say.
struct call_sums {
    struct extent host, device, kernel, movement, starts;
    struct extent processors[PROCESSORS];
    uint64_t packer_waits; // ns, of all cores
    bool waits_known;
    struct core_extent *cores;
    size_t core_count, core_capacity;
    uint32_t clock, device_number;
    uint32_t source;    // root of its tracks where several profiles were merged, else 0
    uint64_t number;    // among the calls that have a row
    bool clocks_differ; // of its spans on the device: their ticks say nothing
    bool modelled;      // nobody measured it
    uint64_t starts_seen;
    struct bytes figures;   // values of a span that has some of a report's own
    struct bytes functions; // times of the host's functions
};

struct signpost {
    uint64_t time;
    uint32_t name;
};

struct row_of {
    uint64_t time;
    uint32_t call;     // 0: a signpost
    uint32_t signpost; // its index
};

struct profile_reporter {
    struct event_sink sink;
    struct profile *profile;
    struct call_sums *calls;
    struct signpost *signposts;
    size_t signpost_count, signpost_capacity;
    uint32_t track;
    uint32_t kernel_key;  // of a report's own figures
    uint32_t waiting_key; // of a processor that waits for a ring
    uint32_t awaited_key; // and for its first piece
    struct view arch;
    struct report *report;
    enum report_version version;
    bool merged;
};

static void extent_add(struct extent *extent, struct moment first, struct moment last)
{
    if (!extent->any || first.ns < extent->first.ns)
        extent->first.ns = first.ns;
    if (!extent->any || first.ticks < extent->first.ticks)
        extent->first.ticks = first.ticks;
    if (!extent->any || last.ns > extent->last.ns)
        extent->last.ns = last.ns;
    if (!extent->any || last.ticks > extent->last.ticks)
        extent->last.ticks = last.ticks;
    extent->any = true;
}

static struct moment moment_of(const struct clock_domain *clock, uint64_t ticks)
{
    return (struct moment){clock_to_ns(clock, ticks), ticks};
}

// Spans -----------------------------------------------------------------------

// The processors of a core, by what their engines are called.
static bool processor_of(const struct profile *profile, const struct track *track,
                         unsigned *out_processor)
{
    static const char *const NAMES[PROCESSORS] = {"brisc",   "ncrisc",  "trisc 0",
                                                  "trisc 1", "trisc 2", "erisc"};
    const struct view engine = profile_text(profile, track->engine);
    for (unsigned i = 0; i < PROCESSORS; i++) {
        if (view_is_ignoring_case(engine, NAMES[i])) {
            *out_processor = i;
            return true;
        }
    }
    return false;
}

static uint32_t source_of(const struct profile *profile, const struct track *track)
{
    uint32_t root = 0;
    while (track->parent != 0) {
        root = track->parent;
        track = profile_track(profile, root);
    }
    return root;
}

static bool is_kernel(enum role role)
{
    return role != ROLE_WAIT && role != ROLE_CONTROL;
}

static struct core_extent *add_core(struct call_sums *sums, uint32_t core, struct moment start,
                                    struct moment end)
{
    size_t i = 0;
    while (i < sums->core_count && sums->cores[i].core != core)
        i++;
    if (i == sums->core_count) {
        sums->cores =
            memory_grow(sums->cores, sums->core_count, &sums->core_capacity, sizeof *sums->cores);
        sums->cores[sums->core_count++] = (struct core_extent){.core = core};
    }
    extent_add(&sums->cores[i].kernel, start, end);
    return &sums->cores[i];
}

// How long a processor waited under a key, in the span's ticks; false where that is not known.
static bool find_waiting(const struct clock_domain *clock, const struct event *event,
                         struct view values, uint32_t key, uint64_t *out_ns)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (key != HASH_NONE && value_next(&reader, &value)) {
        if (value.key != key || value.kind != VALUE_UINT ||
            value.number > event->end - event->start)
            continue;
        *out_ns =
            clock_to_ns(clock, event->start + value.number) - clock_to_ns(clock, event->start);
        return true;
    }
    return false;
}

static void add_device_span(struct profile_reporter *reporter, struct call_sums *sums,
                            const struct track *track, const struct event *event,
                            struct view values)
{
    const struct clock_domain *clock = profile_clock(reporter->profile, track->clock);
    const struct moment start = moment_of(clock, event->start);
    const struct moment end = moment_of(clock, event->end);
    unsigned processor;
    sums->clocks_differ = sums->clocks_differ || (sums->device.any && sums->clock != track->clock);
    sums->clock = track->clock;
    if (track->device > 0)
        sums->device_number = track->device - 1;
    if (reporter->merged)
        sums->source = source_of(reporter->profile, track);
    extent_add(&sums->device, start, end);
    if (!is_kernel(track->role))
        return;
    extent_add(&sums->kernel, start, end);
    extent_add(&sums->starts, start, start);
    sums->starts_seen++;
    if (role_is_transfer(track->role) || track->role == ROLE_COMMUNICATION)
        extent_add(&sums->movement, start, end);
    struct core_extent *core = track->core > 0 ? add_core(sums, track->core, start, end) : NULL;
    if (!processor_of(reporter->profile, track, &processor))
        return;
    extent_add(&sums->processors[processor], start, end);
    uint64_t waiting;
    uint64_t awaited = 0;
    if (core == NULL || !find_waiting(clock, event, values, reporter->waiting_key, &waiting))
        return;
    find_waiting(clock, event, values, reporter->awaited_key, &awaited);
    sums->waits_known = true;
    if (processor == UNPACKER) {
        const uint64_t idle = waiting + awaited;
        extent_add(&core->unpacker, start, end);
        core->unpacked += end.ns - start.ns > idle ? end.ns - start.ns - idle : 0;
    }
    if (processor == PACKER)
        sums->packer_waits += waiting;
}

static bool has_figures(const struct profile_reporter *reporter, struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (reporter->kernel_key != HASH_NONE && value_next(&reader, &value)) {
        if (value.key == reporter->kernel_key)
            return true;
    }
    return false;
}

static void add_functions(const struct profile_reporter *reporter, struct call_sums *sums,
                          struct view values)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (view_ends_with(profile_text(reporter->profile, value.key), "_TT_HOST_FUNC [ns]"))
            value_add(&sums->functions, &value);
    }
}

static void profile_report_add_span(struct profile_reporter *reporter, const struct track *track,
                                    const struct event *event, struct view values)
{
    struct call_sums *sums = &reporter->calls[event->call];
    const struct clock_domain *clock = profile_clock(reporter->profile, track->clock);
    const bool figures = has_figures(reporter, values);
    sums->modelled = sums->modelled || track->provenance == PROVENANCE_MODELLED;
    if (figures && sums->figures.size == 0)
        bytes_append(&sums->figures, values.data, values.size);
    if (role_is_device(track->role) || figures)
        add_device_span(reporter, sums, track, event, values);
    else
        extent_add(&sums->host, moment_of(clock, event->start), moment_of(clock, event->end));
    if (reporter->kernel_key != HASH_NONE && !figures)
        add_functions(reporter, sums, values);
}

static void profile_report_add_signpost(struct profile_reporter *reporter,
                                        const struct track *track, const struct event *event)
{
    if (!view_is(profile_text(reporter->profile, track->name), "signposts"))
        return;
    reporter->signposts = memory_grow(reporter->signposts, reporter->signpost_count,
                                      &reporter->signpost_capacity, sizeof *reporter->signposts);
    reporter->signposts[reporter->signpost_count++] = (struct signpost){
        clock_to_ns(profile_clock(reporter->profile, track->clock), event->start), event->name};
}

static status profile_report_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct profile_reporter *reporter = (struct profile_reporter *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct track *track = profile_track(reporter->profile, event->track);
        if (event->kind == EVENT_INSTANT)
            profile_report_add_signpost(reporter, track, event);
        else if (event->kind == EVENT_SPAN && event->call != 0 &&
                 profile_call(reporter->profile, event->call)->operator_id != 0)
            profile_report_add_span(reporter, track, event, event_values(batch, event));
    }
    return STATUS_OK;
}

// Columns ---------------------------------------------------------------------

// Nanoseconds between two moments of a call on the device, as its cycles have them.
static double time_between(const struct profile_reporter *reporter, const struct call_sums *sums,
                           struct moment first, struct moment last)
{
    const struct clock_domain *clock = profile_clock(reporter->profile, sums->clock);
    if (sums->clocks_differ)
        return (double)last.ns - (double)first.ns;
    const int64_t ticks = (int64_t)(last.ticks - first.ticks);
    return (double)ticks * (double)clock->multiplier / (double)clock->divisor;
}

static void profile_report_set_extent(struct profile_reporter *reporter, size_t row,
                                      enum column_kind kind, const struct call_sums *sums,
                                      const struct extent *extent)
{
    if (extent->any)
        report_set_duration(reporter->report, row, kind,
                            time_between(reporter, sums, extent->first, extent->last));
}

static void set_cores(struct profile_reporter *reporter, size_t row, const struct call_sums *sums)
{
    double least = 0;
    double most = 0;
    double sum = 0;
    for (size_t i = 0; i < sums->core_count; i++) {
        const struct extent *kernel = &sums->cores[i].kernel;
        const double length = time_between(reporter, sums, kernel->first, kernel->last);
        least = i == 0 || length < least ? length : least;
        most = length > most ? length : most;
        sum += length;
    }
    if (sums->core_count == 0)
        return;
    report_set_u64(reporter->report, row, COLUMN_CORE_COUNT, sums->core_count);
    report_set_duration(reporter->report, row, COLUMN_PER_CORE_MIN, least);
    report_set_duration(reporter->report, row, COLUMN_PER_CORE_MAX, most);
    report_set_duration(reporter->report, row, COLUMN_PER_CORE_AVERAGE,
                        sum / (double)sums->core_count);
}

// Of all cores: until the unpacker has had its last piece it waits whenever it is not busy.
static void set_waits(struct report *report, size_t row, const struct call_sums *sums)
{
    uint64_t front = 0;
    for (size_t i = 0; i < sums->core_count; i++) {
        const struct core_extent *core = &sums->cores[i];
        const uint64_t length =
            core->unpacker.any ? core->unpacker.last.ns - core->kernel.first.ns : 0;
        front += length > core->unpacked ? length - core->unpacked : 0;
    }
    report_set_u64(report, row, COLUMN_CB_WAIT_FRONT, front);
    report_set_u64(report, row, COLUMN_CB_RESERVE_BACK, sums->packer_waits);
}

static void set_device(struct profile_reporter *reporter, size_t row, const struct call_sums *sums)
{
    static const enum column_kind COLUMNS[PROCESSORS] = {
        COLUMN_BRISC, COLUMN_NCRISC, COLUMN_TRISC0, COLUMN_TRISC1, COLUMN_TRISC2, COLUMN_ERISC};
    struct report *report = reporter->report;
    if (!sums->clocks_differ) {
        report_set_u64(report, row, COLUMN_FW_START_CYCLE, sums->device.first.ticks);
        report_set_u64(report, row, COLUMN_FW_END_CYCLE, sums->device.last.ticks);
    }
    profile_report_set_extent(reporter, row, COLUMN_FW_DURATION, sums, &sums->device);
    profile_report_set_extent(reporter, row, COLUMN_KERNEL_DURATION, sums, &sums->kernel);
    if (sums->movement.any && sums->kernel.any)
        report_set_duration(report, row, COLUMN_KERNEL_DURATION_DM_START,
                            time_between(reporter, sums, sums->movement.first, sums->kernel.last));
    if (sums->starts_seen > 1)
        profile_report_set_extent(reporter, row, COLUMN_FIRST_TO_LAST_START, sums, &sums->starts);
    for (unsigned i = 0; i < PROCESSORS; i++)
        profile_report_set_extent(reporter, row, COLUMNS[i], sums, &sums->processors[i]);
    if (sums->waits_known)
        set_waits(report, row, sums);
    set_cores(reporter, row, sums);
}

static void set_host(struct profile_reporter *reporter, size_t row, const struct extent *host)
{
    if (!host->any)
        return;
    report_set_u64(reporter->report, row, COLUMN_HOST_START, host->first.ns);
    report_set_u64(reporter->report, row, COLUMN_HOST_END, host->last.ns);
    report_set_u64(reporter->report, row, COLUMN_HOST_DURATION, host->last.ns - host->first.ns);
}

// Where no span of the host says when it was called, it is when the device began.
static void set_start(struct profile_reporter *reporter, size_t row, const struct call_sums *sums)
{
    if (!sums->host.any)
        report_set_u64(reporter->report, row, COLUMN_HOST_START, sums->device.first.ns);
}

static void set_call(struct profile_reporter *reporter, size_t row, uint32_t id)
{
    const struct call *call = profile_call(reporter->profile, id);
    const struct call_sums *sums = &reporter->calls[id];
    const uint64_t device = sums->device_number > 0 ? sums->device_number : call->device;
    struct report *report = reporter->report;
    const bool on_device = sums->device.any;
    report_set(report, row, COLUMN_OP_TYPE,
               on_device ? VIEW_LITERAL("tt_dnn_device") : VIEW_LITERAL("tt_dnn_cpu"));
    report_set_u64(report, row, COLUMN_CALL_COUNT, call->domain != 0 ? call->key : sums->number);
    if (on_device)
        report_set_u64(report, row, COLUMN_DEVICE_ID, device);
    const struct arch *arch = arch_find(reporter->arch);
    bool has_processors = false;
    for (unsigned i = 0; i < PROCESSORS; i++)
        has_processors = has_processors || sums->processors[i].any;
    const bool tiled =
        modelled_columns_apply(reporter->profile, call->operator_id, arch, has_processors);
    profile_report_describe(reporter->profile, call->operator_id, tiled, reporter->version, report,
                            row);
    set_host(reporter, row, &sums->host);
    set_start(reporter, row, sums);
    if (on_device)
        set_device(reporter, row, sums);
    if (on_device && reporter->arch.size > 0 && reporter->version == REPORT_V21)
        report_set(report, row, COLUMN_DEVICE_ARCH, reporter->arch);
    if (on_device && tiled)
        modelled_columns_set(reporter->profile, call->operator_id, arch, device, report, row);
    if (call->replay != 0)
        report_set_u64(report, row, COLUMN_TRACE_SESSION, call->replay);
    if (sums->modelled)
        report_row_set_modelled(report, row);
    profile_report_set_figures(reporter->profile, bytes_view(&sums->figures), reporter->version,
                               report, row);
    profile_report_set_figures(reporter->profile, bytes_view(&sums->functions), reporter->version,
                               report, row);
}

// Rows ------------------------------------------------------------------------

static int profile_report_compare_rows(const void *left, const void *right)
{
    const struct row_of *a = left;
    const struct row_of *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

static struct row_of *profile_report_order_rows(struct profile_reporter *reporter,
                                                size_t *out_count)
{
    const size_t calls = reporter->profile->calls.count;
    struct row_of *rows =
        memory_allocate_zeroed(calls + reporter->signpost_count + 1, sizeof *rows);
    size_t count = 0;
    for (uint32_t i = 1; i < calls; i++) {
        struct call_sums *sums = &reporter->calls[i];
        if (!sums->host.any && !sums->device.any)
            continue;
        rows[count++] = (struct row_of){
            .time = sums->host.any ? sums->host.first.ns : sums->device.first.ns, .call = i};
        sums->number = count; // numbers count through, as a report's do
    }
    for (size_t i = 0; i < reporter->signpost_count; i++)
        rows[count++] =
            (struct row_of){.time = reporter->signposts[i].time, .signpost = (uint32_t)i};
    sort_items(rows, count, sizeof *rows, profile_report_compare_rows);
    *out_count = count;
    return rows;
}

// From the end of the kernels of the call before, if there is one, to the start of some.
static void set_gap_until(struct profile_reporter *reporter, size_t row, enum column_kind kind,
                          const struct call_sums *sums, const struct extent *next,
                          const struct call_sums *before)
{
    if (!next->any || report_text(reporter->report, row, kind).size > 0)
        return;
    const bool apart = before != NULL && (before->clocks_differ || before->clock != sums->clock);
    const double gap = before == NULL ? 0
                       : apart        ? (double)next->first.ns - (double)before->kernel.last.ns
                               : time_between(reporter, sums, before->kernel.last, next->first);
    report_set_duration(reporter->report, row, kind, gap);
}

// The last call on each device, of each profile that was merged: programs that run side by side,
// on machines of their own as well, have gaps of their own.
struct last_calls {
    struct hash_index index;
    const struct call_sums **items;
    size_t count, capacity;
};

// Gives the call before this one, and puts it in its place.
static const struct call_sums *replace_last(struct last_calls *lasts, const struct call_sums *sums)
{
    const uint32_t hash = hash_u64((uint64_t)sums->source << 32 | sums->device_number);
    uint32_t id;
    for (uint32_t at = hash_first(&lasts->index, hash);
         (id = hash_next(&lasts->index, hash, &at)) != HASH_NONE;) {
        const struct call_sums *last = lasts->items[id];
        if (last->source == sums->source && last->device_number == sums->device_number) {
            lasts->items[id] = sums;
            return last;
        }
    }
    lasts->items = memory_grow(lasts->items, lasts->count, &lasts->capacity, sizeof(*lasts->items));
    lasts->items[lasts->count] = sums;
    hash_add(&lasts->index, hash, (uint32_t)lasts->count++);
    return NULL;
}

static void set_gap(struct profile_reporter *reporter, size_t row, const struct call_sums *sums,
                    struct last_calls *lasts)
{
    if (!sums->kernel.any)
        return;
    const struct call_sums *last = replace_last(lasts, sums);
    set_gap_until(reporter, row, COLUMN_OP_TO_OP, sums, &sums->kernel, last);
    set_gap_until(reporter, row, COLUMN_OP_TO_OP_DM_START, sums, &sums->movement, last);
}

static void make_rows(struct profile_reporter *reporter)
{
    size_t count;
    struct row_of *rows = profile_report_order_rows(reporter, &count);
    struct last_calls lasts = {0};
    for (size_t i = 0; i < count; i++) {
        const size_t row = report_row_add(reporter->report);
        if (rows[i].call != 0) {
            set_call(reporter, row, rows[i].call);
            set_gap(reporter, row, &reporter->calls[rows[i].call], &lasts);
            continue;
        }
        const struct signpost *signpost = &reporter->signposts[rows[i].signpost];
        report_set(reporter->report, row, COLUMN_OP_CODE,
                   profile_text(reporter->profile, signpost->name));
        report_set(reporter->report, row, COLUMN_OP_TYPE, VIEW_LITERAL("signpost"));
        report_set_u64(reporter->report, row, COLUMN_HOST_START, signpost->time);
    }
    free(lasts.items);
    hash_free(&lasts.index);
    free(rows);
}

static status profile_report_read_events(struct profile_reporter *reporter)
{
    for (uint32_t i = 0; i < reporter->profile->tracks.count; i++) {
        const struct track *track = profile_track(reporter->profile, i);
        if (track->spans + track->instants == 0 ||
            view_is(profile_text(reporter->profile, track->name), "kernels"))
            continue;
        STATUS_TRY(profile_replay_track(reporter->profile, i, &reporter->sink));
    }
    return STATUS_OK;
}

static void reporter_free(struct profile_reporter *reporter)
{
    for (size_t i = 0; i < reporter->profile->calls.count; i++) {
        free(reporter->calls[i].cores);
        bytes_free(&reporter->calls[i].figures);
        bytes_free(&reporter->calls[i].functions);
    }
    free(reporter->calls);
    free(reporter->signposts);
}

status profile_report_make(struct profile *profile, enum report_version version,
                           struct report **out_report)
{
    struct profile_reporter reporter = {
        .sink = {profile_report_take_batch}, .profile = profile, .version = version};
    reporter.kernel_key = strings_find(&profile->strings, VIEW_LITERAL("kernel_ns"));
    reporter.waiting_key = strings_find(&profile->strings, VIEW_LITERAL("waiting"));
    reporter.awaited_key = strings_find(&profile->strings, VIEW_LITERAL("awaited"));
    reporter.arch = modelled_machine(profile);
    reporter.merged = view_is(profile_fact(profile, "format"), "merged");
    reporter.calls = memory_allocate_zeroed(profile->calls.count + 1, sizeof *reporter.calls);
    reporter.report = report_create();
    reporter.report->version = version;
    status result = profile_report_read_events(&reporter);
    if (result == STATUS_OK)
        make_rows(&reporter);
    if (result == STATUS_OK && reporter.report->row_count == 0)
        result = status_make(STATUS_DATA, "its events name no operators: there is nothing to "
                                          "report");
    reporter_free(&reporter);
    if (result == STATUS_OK)
        *out_report = reporter.report;
    else
        report_free(reporter.report);
    return result;
}
