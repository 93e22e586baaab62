#include "report_profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "arch.h"
#include "base/dense.h"
#include "base/doubles.h"
#include "base/memory.h"
#include "derive.h"

static const struct {
    enum column_kind kind;
    const char *key;
} FIGURES[] = {
    {COLUMN_CALL_COUNT, "global_call_count"},
    {COLUMN_SUB_DEVICE_ID, "sub_device_id"},
    {COLUMN_DEVICE_ARCH, "device_arch"},
    {COLUMN_CORE_COUNT, "core_count"},
    {COLUMN_WORKER_CORES, "available_worker_core_count"},
    {COLUMN_TRACE_ID, "trace"},
    {COLUMN_TRACE_SESSION, "replay"},
    {COLUMN_PROGRAM_CACHE_HIT, "program_cache_hit"},
    {COLUMN_OP_TO_OP, "op_to_op_ns"},
    {COLUMN_OP_TO_OP_DM_START, "op_to_op_dm_start_ns"},
    {COLUMN_FW_DURATION, "firmware_ns"},
    {COLUMN_KERNEL_DURATION, "kernel_ns"},
    {COLUMN_KERNEL_DURATION_DM_START, "kernel_dm_start_ns"},
    {COLUMN_PER_CORE_MIN, "kernel_per_core_min_ns"},
    {COLUMN_PER_CORE_MAX, "kernel_per_core_max_ns"},
    {COLUMN_PER_CORE_AVERAGE, "kernel_per_core_avg_ns"},
    {COLUMN_FIRST_TO_LAST_START, "first_to_last_start_ns"},
    {COLUMN_BRISC, "brisc_ns"},
    {COLUMN_NCRISC, "ncrisc_ns"},
    {COLUMN_TRISC0, "trisc0_ns"},
    {COLUMN_TRISC1, "trisc1_ns"},
    {COLUMN_TRISC2, "trisc2_ns"},
    {COLUMN_ERISC, "erisc_ns"},
    {COLUMN_CB_WAIT_FRONT, "cb_wait_front_ns"},
    {COLUMN_CB_RESERVE_BACK, "cb_reserve_back_ns"},
    {COLUMN_DISPATCH_TOTAL, "dispatch_total_ns"},
    {COLUMN_GO_SEND_WAIT, "dispatch_go_send_wait_ns"},
    {COLUMN_PM_FPU_UTIL, "fpu_util_percent"},
    {COLUMN_NOC_UTIL, "noc_util_percent"},
    {COLUMN_MULTICAST_NOC_UTIL, "multicast_noc_util_percent"},
    {COLUMN_DRAM_BW_UTIL, "dram_bw_util_percent"},
    {COLUMN_DRAM_BW_UTIL_PER_CONTROLLER, "dram_bw_util_per_controller_percent"},
    {COLUMN_ETH_BW_UTIL, "eth_bw_util_percent"},
    {COLUMN_NPE_CONGESTION, "npe_congestion_percent"},
    {COLUMN_HOST_START, "host_start_ns"}, // of what has no span of the host
};

enum column_kind report_figure_column(struct view key)
{
    for (size_t i = 0; i < sizeof FIGURES / sizeof FIGURES[0]; i++) {
        if (view_is(key, FIGURES[i].key))
            return FIGURES[i].kind;
    }
    return COLUMN_OTHER;
}

// One device of the report, with its tracks once they are made.
struct report_device {
    uint64_t id;
    uint32_t process;
    uint32_t clock;
    uint32_t kernels;
    bool fitted;
    uint64_t base_ticks, base_ns; // this cycle is that nanosecond of the host
    struct {
        struct view name; // SUB DEVICE ID
        enum provenance provenance;
        uint32_t track;
    } * lanes;
    size_t lane_count;
    size_t lane_capacity;
};

struct builder {
    const struct input *input;
    const struct report *report;
    struct profile *profile;
    struct report_operators operators;
    struct report_device *devices;
    size_t device_count;
    size_t device_capacity;
    uint64_t clock_hz;
    uint32_t host_process;
    uint32_t host_calls[PROVENANCE_DERIVED + 1]; // by how their times are known
    uint32_t signposts;
    struct bytes values;
    struct doubles doubles;
    struct dense calls;    // by GLOBAL CALL COUNT, replays apart
    struct dense programs; // the same without the device in it, those of several devices as one
    uint64_t program;      // of the row before
    uint64_t lost;         // rows
};

// With several devices the last bits of a call count are the device's.
enum { CALLS_OF_A_PROGRAM = 1024 };

static void note_row(struct builder *builder, enum ledger_note_kind kind, size_t row,
                     uint32_t track, const char *what)
{
    const struct view code = report_text(builder->report, row, COLUMN_OP_CODE);
    struct ledger *ledger = &profile_track(builder->profile, track)->ledger;
    // A row that is cut is lost already.
    if (builder->report->rows[row].is_cut)
        return;
    if (ledger->expected != LEDGER_UNKNOWN)
        ledger->expected++;
    builder->lost += kind == LEDGER_LOST;
    profile_note(builder->profile, track, kind, 1, "%s:%llu: %.*s %s", builder->input->path,
                 (unsigned long long)builder->report->rows[row].line, VIEW_ARGUMENTS(code), what);
}

static void report_profile_add_event(struct builder *builder, const struct event *event)
{
    profile_track(builder->profile, event->track)->ledger.expected++;
    profile_event_add(builder->profile, event, bytes_view(&builder->values));
}

// Devices --------------------------------------------------------------------

static struct report_device *report_profile_device_of(struct builder *builder, size_t row)
{
    uint64_t id;
    if (!report_padded(report_text(builder->report, row, COLUMN_DEVICE_ID), &id))
        return NULL;
    for (size_t i = 0; i < builder->device_count; i++) {
        if (builder->devices[i].id == id)
            return &builder->devices[i];
    }
    builder->devices = memory_grow(builder->devices, builder->device_count,
                                   &builder->device_capacity, sizeof *builder->devices);
    struct report_device *device = &builder->devices[builder->device_count++];
    *device = (struct report_device){.id = id};
    return device;
}

static uint64_t cycles_to_ns(const struct builder *builder, uint64_t cycles)
{
    struct clock_domain domain = {.frequency = builder->clock_hz};
    clock_prepare(&domain);
    return clock_duration(&domain, cycles);
}

// The device's clock is as late as the call that it would otherwise precede.
static void report_profile_fit_clock(struct builder *builder, size_t row)
{
    uint64_t host, cycle;
    struct report_device *device = report_profile_device_of(builder, row);
    if (device == NULL || !report_u64(builder->report, row, COLUMN_HOST_START, &host) ||
        !report_u64(builder->report, row, COLUMN_FW_START_CYCLE, &cycle))
        return;
    if (!device->fitted) {
        device->fitted = true;
        device->base_ticks = cycle;
        device->base_ns = host;
        return;
    }
    if (cycle < device->base_ticks) {
        // An earlier cycle becomes the base, at its own time on the clock so far.
        const uint64_t earlier = cycles_to_ns(builder, device->base_ticks - cycle);
        const uint64_t now = device->base_ns > earlier ? device->base_ns - earlier : 0;
        device->base_ticks = cycle;
        device->base_ns = host > now ? host : now;
        return;
    }
    const uint64_t since = cycles_to_ns(builder, cycle - device->base_ticks);
    if (host > since && host - since > device->base_ns)
        device->base_ns = host - since;
}

static uint32_t report_profile_lane_add(struct builder *builder, uint32_t parent, uint32_t clock,
                                        const char *name, enum provenance provenance, int32_t rank)
{
    const struct track lane = {.kind = TRACK_LANE,
                               .parent = parent,
                               .clock = clock,
                               .name = profile_string(builder->profile, view_of(name)),
                               .provenance = provenance,
                               .rank = rank};
    return profile_track_add(builder->profile, &lane);
}

static void report_profile_make_device(struct builder *builder, struct report_device *device)
{
    char name[48];
    snprintf(name, sizeof name, "device %llu", (unsigned long long)device->id);
    const struct track process = {.kind = TRACK_PROCESS,
                                  .name = profile_string(builder->profile, view_of(name)),
                                  .rank =
                                      (int32_t)(device->id < 1000000 ? device->id + 1 : 1000000)};
    device->process = profile_track_add(builder->profile, &process);
    device->clock = profile_clock_add(builder->profile, "cycles", builder->clock_hz,
                                      device->base_ticks, device->base_ns);
    if (device->fitted)
        profile_note(builder->profile, 0, LEDGER_REMARK, 1,
                     "%s: its clock is placed so that no operation starts before its call", name);
}

// The lane of a sub-device; most devices have one lane without a number. What was modelled has
// lanes of its own.
static uint32_t operations_lane(struct builder *builder, struct report_device *device, size_t row)
{
    const struct view sub = report_text(builder->report, row, COLUMN_SUB_DEVICE_ID);
    const enum provenance provenance = report_row_provenance(builder->report, row);
    if (device->process == 0)
        report_profile_make_device(builder, device);
    for (size_t i = 0; i < device->lane_count; i++) {
        if (view_equal(device->lanes[i].name, sub) && device->lanes[i].provenance == provenance)
            return device->lanes[i].track;
    }
    char name[96] = "operations";
    if (sub.size > 0)
        snprintf(name, sizeof name, "operations of sub-device %.*s",
                 (int)(sub.size < 60 ? sub.size : 60), sub.data);
    device->lanes = memory_grow(device->lanes, device->lane_count, &device->lane_capacity,
                                sizeof *device->lanes);
    const uint32_t track = report_profile_lane_add(builder, device->process, device->clock, name,
                                                   provenance, (int32_t)device->lane_count);
    profile_track_set_engine(builder->profile, profile_track(builder->profile, track), ROLE_DEVICE,
                             role_name(ROLE_DEVICE));
    device->lanes[device->lane_count].name = sub;
    device->lanes[device->lane_count].provenance = provenance;
    device->lanes[device->lane_count++].track = track;
    if (device->kernels == 0)
        device->kernels = report_profile_lane_add(builder, device->process, device->clock,
                                                  "kernels", PROVENANCE_DERIVED, INT32_MAX);
    return track;
}

// The lane of calls; what was modelled has one of its own.
static uint32_t host_lane(struct builder *builder, enum provenance provenance)
{
    uint32_t *lane = &builder->host_calls[provenance];
    if (*lane != 0)
        return *lane;
    *lane = report_profile_lane_add(builder, builder->host_process, 0, "calls", provenance, 1);
    struct track *calls = profile_track(builder->profile, *lane);
    profile_track_set_engine(builder->profile, calls, ROLE_HOST, "host");
    calls->nests = true;
    return *lane;
}

// Rows -----------------------------------------------------------------------

static uint32_t report_profile_add_call(struct builder *builder, size_t row)
{
    const struct report *report = builder->report;
    uint64_t device = 0;
    uint64_t replay = 0;
    struct call call = {.operator_id = report_operators_add(&builder->operators, row),
                        .domain =
                            profile_string(builder->profile, VIEW_LITERAL("global call count"))};
    report_padded(report_text(report, row, COLUMN_CALL_COUNT), &call.key);
    report_padded(report_text(report, row, COLUMN_DEVICE_ID), &device);
    report_padded(report_text(report, row, COLUMN_TRACE_SESSION), &replay);
    call.device = (uint32_t)device;
    call.replay = (uint32_t)replay;
    return profile_call_add(builder->profile, &call);
}

static void add_host_span(struct builder *builder, size_t row, uint32_t call, uint64_t flow)
{
    const struct report *report = builder->report;
    uint64_t start, end;
    if (report_text(report, row, COLUMN_HOST_START).size == 0)
        return;
    const struct view code = report_text(report, row, COLUMN_OP_CODE);
    const enum provenance provenance = report_row_provenance(report, row);
    if (!report_u64(report, row, COLUMN_HOST_START, &start) ||
        !report_u64(report, row, COLUMN_HOST_END, &end)) {
        // A replay has the time of its trace and no call of its own.
        if (report_text(report, row, COLUMN_HOST_END).size > 0)
            note_row(builder, LEDGER_LOST, row, host_lane(builder, provenance),
                     "has host times that are no numbers");
        return;
    }
    builder->values.size = 0;
    report_value_add(builder->profile, &builder->values, "global_call_count",
                     report_text(report, row, COLUMN_CALL_COUNT), provenance);
    for (uint32_t i = 0; i < report->column_count; i++) {
        if (view_ends_with(report->columns[i].name, "_TT_HOST_FUNC [ns]")) {
            char *key = view_copy(report->columns[i].name);
            report_value_add(builder->profile, &builder->values, key, report_cell(report, row, i),
                             provenance);
            free(key);
        }
    }
    if (flow != 0)
        value_add_flow(&builder->values, VALUE_FLOW_OUT, flow);
    const struct event event = {.kind = EVENT_SPAN,
                                .track = host_lane(builder, provenance),
                                .name = profile_string(builder->profile, code),
                                .start = start,
                                .end = end,
                                .call = call};
    report_profile_add_event(builder, &event);
}

static void add_figures(struct builder *builder, size_t row)
{
    const struct report *report = builder->report;
    const bool has_host = report_text(report, row, COLUMN_HOST_END).size > 0;
    const enum provenance provenance = report_row_provenance(report, row);
    for (size_t i = 0; i < sizeof FIGURES / sizeof FIGURES[0]; i++) {
        if (FIGURES[i].kind != COLUMN_HOST_START || !has_host)
            report_value_add(builder->profile, &builder->values, FIGURES[i].key,
                             report_text(report, row, FIGURES[i].kind), provenance);
    }
    for (uint32_t i = 0; i < report->column_count; i++) {
        const struct column *column = &report->columns[i];
        if (column->kind != COLUMN_OTHER || view_ends_with(column->name, "_TT_HOST_FUNC [ns]"))
            continue;
        char *key = view_copy(column->name);
        report_value_add(builder->profile, &builder->values, key, report_cell(report, row, i),
                         provenance);
        free(key);
    }
}

static void add_kernel_span(struct builder *builder, size_t row, const struct event *operation,
                            uint32_t track)
{
    double ns;
    if (!report_double(builder->report, row, COLUMN_KERNEL_DURATION, &ns) || !(ns >= 0))
        return;
    const double cycles = ns * (double)builder->clock_hz / 1e9 + 0.5;
    struct event kernel = *operation;
    builder->values.size = 0;
    kernel.track = track;
    if (cycles < (double)(operation->end - operation->start))
        kernel.start = operation->end - (uint64_t)cycles;
    report_profile_add_event(builder, &kernel);
}

static bool report_profile_read_cycles(const struct report *report, size_t row, uint64_t *out_start,
                                       uint64_t *out_end)
{
    return report_u64(report, row, COLUMN_FW_START_CYCLE, out_start) &&
           report_u64(report, row, COLUMN_FW_END_CYCLE, out_end);
}

static void add_operation(struct builder *builder, size_t row)
{
    const struct report *report = builder->report;
    struct report_device *device = report_profile_device_of(builder, row);
    const uint32_t lane = operations_lane(builder, device, row);
    const uint32_t call = report_profile_add_call(builder, row);
    const uint64_t flow = row + 1;
    struct event event = {
        .kind = EVENT_SPAN,
        .track = lane,
        .name = profile_string(builder->profile, report_text(report, row, COLUMN_OP_CODE)),
        .call = call};
    if (!report_profile_read_cycles(report, row, &event.start, &event.end)) {
        note_row(builder, LEDGER_LOST, row, lane, "has no DEVICE FW START and END CYCLE");
        add_host_span(builder, row, call, 0);
        return;
    }
    if (event.end < event.start) {
        note_row(builder, LEDGER_IMPOSSIBLE, row, lane, "ends before it starts");
        add_host_span(builder, row, call, 0);
        return;
    }
    const bool has_host = report_text(report, row, COLUMN_HOST_END).size > 0;
    add_host_span(builder, row, call, flow);
    builder->values.size = 0;
    add_figures(builder, row);
    if (has_host)
        value_add_flow(&builder->values, VALUE_FLOW_IN, flow);
    const struct call *made = profile_call(builder->profile, call);
    const struct view described = profile_operator(builder->profile, made->operator_id)->values;
    bytes_append(&builder->values, described.data, described.size);
    report_profile_add_event(builder, &event);
    add_kernel_span(builder, row, &event, device->kernels);
}

static void report_profile_add_signpost(struct builder *builder, size_t row)
{
    const struct report *report = builder->report;
    if (builder->signposts == 0)
        builder->signposts = report_profile_lane_add(builder, builder->host_process, 0, "signposts",
                                                     PROVENANCE_MEASURED, 0);
    struct event event = {
        .kind = EVENT_INSTANT,
        .track = builder->signposts,
        .name = profile_string(builder->profile, report_text(report, row, COLUMN_OP_CODE))};
    if (!report_u64(report, row, COLUMN_HOST_START, &event.start)) {
        note_row(builder, LEDGER_LOST, row, builder->signposts, "has no HOST START TS");
        return;
    }
    event.end = event.start;
    builder->values.size = 0;
    report_value_add(builder->profile, &builder->values, "message",
                     report_text(report, row, COLUMN_ATTRIBUTES), PROVENANCE_MEASURED);
    report_profile_add_event(builder, &event);
}

// Replays have the number of the call that was captured.
static void report_profile_count_call(struct builder *builder, size_t row)
{
    uint64_t number;
    const struct report *report = builder->report;
    if (report->rows[row].is_cut || report_text(report, row, COLUMN_TRACE_ID).size > 0 ||
        !report_u64(report, row, COLUMN_CALL_COUNT, &number))
        return;
    const uint64_t program = number / CALLS_OF_A_PROGRAM;
    dense_add(&builder->calls, number);
    if (builder->programs.count == 0 || program != builder->program)
        dense_add(&builder->programs, program);
    builder->program = program;
}

static bool is_number_or_empty(const struct report *report, size_t row, enum column_kind kind)
{
    uint64_t number;
    const struct view text = report_text(report, row, kind);
    return text.size == 0 || report_padded(text, &number);
}

static void report_profile_add_row(struct builder *builder, size_t row)
{
    const struct view type = report_text(builder->report, row, COLUMN_OP_TYPE);
    if (doubles_find(&builder->doubles, view_trim(builder->report->rows[row].source))) {
        note_row(builder, LEDGER_IMPOSSIBLE, row, 0, "the row is there twice");
        return;
    }
    if (!is_number_or_empty(builder->report, row, COLUMN_DEVICE_ID) ||
        !is_number_or_empty(builder->report, row, COLUMN_CALL_COUNT)) {
        note_row(builder, LEDGER_LOST, row, 0,
                 "has a DEVICE ID or GLOBAL CALL COUNT that is no number");
        return;
    }
    report_profile_count_call(builder, row);
    if (view_find_text(type, "signpost") < type.size)
        report_profile_add_signpost(builder, row);
    else if (report_profile_device_of(builder, row) != NULL)
        add_operation(builder, row);
    else
        add_host_span(builder, row, report_profile_add_call(builder, row), 0);
}

// All ------------------------------------------------------------------------

static struct view arch_of(const struct report *report)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct view arch = report_text(report, i, COLUMN_DEVICE_ARCH);
        if (arch.size > 0)
            return arch;
    }
    return (struct view){"", 0};
}

static void choose_clock(struct builder *builder)
{
    const struct view name = arch_of(builder->report);
    const struct arch *arch = arch_find(name);
    double mhz = derive_clock_mhz(builder->report);
    if (!(mhz > 0)) {
        mhz = arch != NULL ? arch->clock_mhz : arch_default()->clock_mhz;
        profile_note(builder->profile, 0, LEDGER_REMARK, 1,
                     "%s: the rows do not tell the device's clock: %.0f MHz is assumed",
                     builder->input->path, mhz);
    }
    builder->clock_hz = (uint64_t)(mhz * 1e6);
    if (name.size > 0)
        profile_fact_add(builder->profile, "arch", name);
}

static void make_host(struct builder *builder)
{
    const struct track process = {.kind = TRACK_PROCESS,
                                  .name = profile_string(builder->profile, VIEW_LITERAL("host"))};
    builder->host_process = profile_track_add(builder->profile, &process);
    const struct report_modelled count = report_modelled_count(builder->report);
    if (count.modelled == 0 || count.modelled < count.operations)
        host_lane(builder, PROVENANCE_MEASURED);
    if (count.modelled > 0)
        host_lane(builder, PROVENANCE_MODELLED);
}

static void report_profile_note_damage(struct builder *builder)
{
    const struct report *report = builder->report;
    for (size_t i = 0; i < report->damage_count; i++) {
        const struct report_damage *damage = &report->damage[i];
        profile_track(builder->profile, 0)->ledger.expected += damage->loses;
        profile_note(builder->profile, 0, damage->loses ? LEDGER_LOST : LEDGER_REMARK, 1,
                     "%s:%llu: %s", builder->input->path, (unsigned long long)damage->line,
                     damage->what);
    }
    if (report->row_count == 0)
        profile_note(builder->profile, 0, LEDGER_REMARK, 1, "%s: has a header and no rows",
                     builder->input->path);
}

// Calls are numbered. What could not be read leaves a hole as well. Of several devices not all need
// to have done everything.
static void report_profile_note_missing(struct builder *builder)
{
    const struct report *report = builder->report;
    const struct dense *numbers = builder->device_count > 1 ? &builder->programs : &builder->calls;
    const uint64_t missing = dense_is_series(numbers) ? dense_missing(numbers) : 0;
    uint64_t known = builder->lost;
    for (size_t i = 0; i < report->damage_count; i++)
        known += report->damage[i].loses;
    if (missing <= known)
        return;
    profile_track(builder->profile, 0)->ledger.expected += missing - known;
    profile_note(builder->profile, 0, LEDGER_LOST, missing - known,
                 "%s: GLOBAL CALL COUNT counts through, and %llu of its numbers have no row",
                 builder->input->path, (unsigned long long)(missing - known));
}

// A report that disagrees with itself was edited, or measured otherwise.
static void note_differences(struct builder *builder)
{
    struct derive_result result;
    derive_check(builder->report, &result);
    const struct {
        const struct derive_account *account;
        const char *what;
    } checks[] = {
        {&result.host_end, "HOST END TS is not start and duration"},
        {&result.fw_duration, "DEVICE FW DURATION is not its cycles"},
        {&result.fpu_util, "PM FPU UTIL is not PM COMPUTE by kernel duration"},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (checks[i].account->different > 0)
            profile_note(builder->profile, 0, LEDGER_REMARK, 1, "%s:%llu: %s (%llu rows in all)",
                         builder->input->path, (unsigned long long)checks[i].account->line,
                         checks[i].what, (unsigned long long)checks[i].account->different);
    }
}

static void report_profile_build(struct builder *builder)
{
    choose_clock(builder);
    make_host(builder);
    for (size_t i = 0; i < builder->report->row_count; i++)
        report_profile_fit_clock(builder, i);
    for (size_t i = 0; i < builder->report->row_count; i++)
        report_profile_add_row(builder, i);
    report_profile_note_damage(builder);
    report_profile_note_missing(builder);
    note_differences(builder);
    report_operators_free(&builder->operators);
    for (size_t i = 0; i < builder->device_count; i++)
        free(builder->devices[i].lanes);
    free(builder->devices);
    bytes_free(&builder->values);
}

static const char *format_of(enum report_version version)
{
    static const char *const names[] = {"tenstorrent-report-v0", "tenstorrent-report-v1",
                                        "tenstorrent-report-v2", "tenstorrent-report-v2.1"};
    return names[version];
}

const char *report_profile_format(struct view bytes)
{
    // The header is all that it takes.
    struct view header = view_slice(bytes, 0, view_find(bytes, '\n'));
    struct input *input = input_over("", header);
    struct report *report;
    const char *name = "tenstorrent-report";
    const status failure = report_read(input, &report);
    if (failure == STATUS_OK) {
        name = format_of(report->version);
        report_free(report);
    }
    status_free(failure);
    input_close(input);
    return name;
}

status report_profile_read(const struct input *input, struct profile *profile)
{
    struct report *report;
    STATUS_TRY(report_read(input, &report));
    struct builder builder = {.input = input,
                              .report = report,
                              .profile = profile,
                              .operators = {.report = report, .profile = profile}};
    report_profile_build(&builder);
    profile_fact_add(profile, "format", view_of(format_of(report->version)));
    report_free(report);
    return STATUS_OK;
}
