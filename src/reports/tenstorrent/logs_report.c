#include "logs_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// What the next operation of a device is measured from.
struct device_before {
    uint32_t session;
    uint32_t device;
    bool any;          // a run came before
    bool kernel_known; // and when its kernels ended
    uint64_t kernel_end;
};

struct maker {
    struct logs_record *record;
    struct report *report;
    enum report_version version;
    struct device_before *befores;
    size_t before_count;
    size_t before_capacity;
    struct bytes name;
};

static struct device_before *before_get(struct maker *maker, uint32_t session, uint32_t device)
{
    for (size_t i = 0; i < maker->before_count; i++) {
        if (maker->befores[i].session == session && maker->befores[i].device == device)
            return &maker->befores[i];
    }
    maker->befores = memory_grow(maker->befores, maker->before_count, &maker->before_capacity,
                                 sizeof *maker->befores);
    maker->befores[maker->before_count] =
        (struct device_before){.session = session, .device = device};
    return &maker->befores[maker->before_count++];
}

// Device ----------------------------------------------------------------------

static void set_cycles(struct maker *maker, size_t row, enum column_kind kind, double cycles,
                       uint64_t megahertz)
{
    if (megahertz > 0)
        report_set_duration(maker->report, row, kind, cycles * 1000.0 / (double)megahertz);
}

static void set_span(struct maker *maker, size_t row, enum column_kind kind,
                     struct device_span span, uint64_t megahertz)
{
    if (span.known)
        set_cycles(maker, row, kind, (double)(span.last - span.first), megahertz);
}

static void set_latency(struct maker *maker, size_t row, enum column_kind kind,
                        const struct device_before *before, struct device_span span,
                        uint64_t megahertz)
{
    if (!span.known)
        return;
    if (!before->any) {
        report_set_u64(maker->report, row, kind, 0);
        return;
    }
    if (!before->kernel_known || megahertz == 0)
        return;
    const double cycles = (double)((int64_t)span.first - (int64_t)before->kernel_end);
    report_set_rounded(maker->report, row, kind, cycles / ((double)megahertz / 1000.0), 0);
}

static void set_per_core(struct maker *maker, size_t row, const struct device_figures *figures,
                         uint64_t megahertz)
{
    if (!figures->per_core_known || megahertz == 0)
        return;
    const double per_ns = (double)megahertz / 1000.0;
    report_set_duration(maker->report, row, COLUMN_PER_CORE_MIN,
                        (double)figures->per_core_least / per_ns);
    report_set_duration(maker->report, row, COLUMN_PER_CORE_MAX,
                        (double)figures->per_core_most / per_ns);
    const double average = (double)figures->per_core_sum / (double)figures->per_core_count;
    report_set_duration(maker->report, row, COLUMN_PER_CORE_AVERAGE, average / per_ns);
}

static void logs_report_set_extent(struct maker *maker, size_t row, enum column_kind kind,
                                   const struct device_extent *extent, uint64_t megahertz)
{
    if (extent->first != DEVICE_NEVER)
        set_cycles(maker, row, kind, (double)(extent->last - extent->first), megahertz);
}

static void logs_report_set_kernels(struct maker *maker, size_t row,
                                    const struct device_figures *figures, uint64_t megahertz)
{
    static const enum column_kind RISCS[DEVICE_RISCS] = {
        COLUMN_BRISC, COLUMN_NCRISC, COLUMN_TRISC0, COLUMN_TRISC1, COLUMN_TRISC2, COLUMN_ERISC};
    set_span(maker, row, COLUMN_FW_DURATION, figures->firmware, megahertz);
    set_span(maker, row, COLUMN_KERNEL_DURATION, figures->kernel, megahertz);
    set_span(maker, row, COLUMN_KERNEL_DURATION_DM_START, figures->data_movement, megahertz);
    set_per_core(maker, row, figures, megahertz);
    set_span(maker, row, COLUMN_FIRST_TO_LAST_START, figures->kernel_start, megahertz);
    for (unsigned i = 0; i < DEVICE_RISCS; i++)
        set_span(maker, row, RISCS[i], figures->riscs[i], megahertz);
}

static void set_session(struct maker *maker, size_t row, const struct device_session *session)
{
    if (maker->version != REPORT_V21)
        return;
    if (session->arch.size > 0)
        report_set(maker->report, row, COLUMN_DEVICE_ARCH, session->arch);
    if (session->most_cores > 0)
        report_set_u64(maker->report, row, COLUMN_WORKER_CORES, session->most_cores);
}

static void logs_report_note_missing(const struct maker *maker, const struct device_op *op,
                                     const struct device_run *run,
                                     const struct device_figures *figures)
{
    if (figures->missing == 0)
        return;
    // A line that could not be read is lost already, and may be what is missing here.
    uint64_t *unread = &maker->record->unread;
    const uint64_t explained = *unread < figures->missing ? *unread : figures->missing;
    const uint64_t lost = figures->missing - explained;
    *unread -= explained;
    profile_note(maker->record->ledger, 0, lost > 0 ? LEDGER_LOST : LEDGER_REMARK,
                 lost > 0 ? lost : explained,
                 "%s:%llu: run host ID %llu on device %u: %llu marker%s missing (%s): the times "
                 "that need them are absent",
                 maker->record->device.input->path, (unsigned long long)run->line,
                 (unsigned long long)op->id, op->device, (unsigned long long)figures->missing,
                 figures->missing == 1 ? "" : "s", figures->missing_text);
}

// What tt-metal computed itself, word for word; what a later version has is left out.
static void set_given(struct maker *maker, size_t row, struct view given)
{
    struct view name, cell;
    while (device_report_next(&given, &name, &cell)) {
        const enum column_kind kind = column_from_name(name).kind;
        const bool known = kind != COLUMN_OTHER && !column_is_tensor(kind);
        const bool code = kind == COLUMN_OP_CODE;
        if (!known || !column_exists(kind, maker->version) ||
            (code && report_text(maker->report, row, kind).size > 0))
            continue;
        report_set(maker->report, row, kind, cell);
    }
}

static void set_latencies(struct maker *maker, size_t row, const struct device_op *op,
                          const struct device_figures *figures, uint64_t megahertz)
{
    struct device_before *before = before_get(maker, op->session, op->device);
    set_latency(maker, row, COLUMN_OP_TO_OP, before, figures->kernel, megahertz);
    set_latency(maker, row, COLUMN_OP_TO_OP_DM_START, before, figures->data_movement, megahertz);
    before->any = true;
    before->kernel_known = figures->kernel.known;
    before->kernel_end = figures->kernel.last;
}

static void set_run(struct maker *maker, size_t row, uint32_t run_index)
{
    const struct device_ops *ops = &maker->record->device_ops;
    const struct device_run *run = device_ops_run(ops, run_index);
    const struct device_op *op = device_ops_op(ops, run->op);
    const struct device_session *session = segments_get(&ops->sessions, op->session);
    const uint64_t megahertz = session->megahertz;
    struct device_figures figures;
    device_run_figures(run, &figures);
    if (run->given.size > 0) {
        set_latencies(maker, row, op, &figures, megahertz);
        set_given(maker, row, run->given);
        return;
    }
    logs_report_note_missing(maker, op, run, &figures);

    report_set_u64(maker->report, row, COLUMN_CORE_COUNT, figures.core_count);
    if (figures.start_known)
        report_set_u64(maker->report, row, COLUMN_FW_START_CYCLE, figures.start);
    if (figures.end_known)
        report_set_u64(maker->report, row, COLUMN_FW_END_CYCLE, figures.end);
    set_latencies(maker, row, op, &figures, megahertz);
    logs_report_set_kernels(maker, row, &figures, megahertz);
    if (run->wait_front > 0)
        set_cycles(maker, row, COLUMN_CB_WAIT_FRONT, (double)run->wait_front, megahertz);
    if (run->reserve_back > 0)
        set_cycles(maker, row, COLUMN_CB_RESERVE_BACK, (double)run->reserve_back, megahertz);
    if (op->runs[0] == run_index) {
        logs_report_set_extent(maker, row, COLUMN_DISPATCH_TOTAL, &op->dispatch, megahertz);
        logs_report_set_extent(maker, row, COLUMN_GO_SEND_WAIT, &op->go_signal, megahertz);
    }
    set_session(maker, row, session);
}

// Host ------------------------------------------------------------------------

static void set_functions(struct maker *maker, size_t row, const struct host_op *op)
{
    for (const struct host_function *at = op->functions; at != NULL; at = at->next) {
        const struct view name = strings_get(&maker->record->host.functions, at->name);
        char number[32];
        snprintf(number, sizeof number, "%llu", (unsigned long long)at->ns);
        maker->name.size = 0;
        bytes_append(&maker->name, name.data, name.size);
        bytes_append_format(&maker->name, "_TT_HOST_FUNC [ns]");
        report_set_named(maker->report, row, bytes_view(&maker->name), view_of(number));
    }
}

// In later versions only what the host said.
static void set_mlir(struct maker *maker, size_t row, const struct host_op *op)
{
    if (maker->version != REPORT_V1 && !maker->record->host.has_mlir)
        return;
    report_set_raw(maker->report, row, COLUMN_LOC,
                   op->has_location ? op->location : VIEW_LITERAL("loc(unknown)"));
    report_set_raw(maker->report, row, COLUMN_CONST_EVAL_OP,
                   op->has_const_eval ? op->const_eval : VIEW_LITERAL("false"));
    report_set_raw(maker->report, row, COLUMN_PROGRAM_METADATA,
                   op->has_metadata ? op->metadata : VIEW_LITERAL("{}"));
}

static void set_cache(struct maker *maker, size_t row, const struct host_op *op)
{
    if (maker->version != REPORT_V21 || !op->has_cache_hit)
        return;
    report_set_u64(maker->report, row, COLUMN_PROGRAM_HASH, op->hash);
    report_set(maker->report, row, COLUMN_PROGRAM_CACHE_HIT,
               op->cache_hit ? VIEW_LITERAL("True") : VIEW_LITERAL("False"));
}

static void set_op(struct maker *maker, size_t row, const struct host_op *op)
{
    struct report *report = maker->report;
    if (op->json != NULL)
        logs_report_describe(report, row, op->json);
    else if (op->has_message)
        report_set(report, row, COLUMN_OP_TYPE,
                   op->is_fallback ? VIEW_LITERAL("python_fallback")
                                   : VIEW_LITERAL("tt_dnn_device"));
    if (op->code.size > 0)
        report_set(report, row, COLUMN_OP_CODE, op->code);
    report_set_u64(report, row, COLUMN_CALL_COUNT, op->call_count);
    if (op->has_device)
        report_set_u64(report, row, COLUMN_DEVICE_ID, op->device);
    if (op->has_time) {
        report_set_u64(report, row, COLUMN_HOST_START, op->start);
        report_set_u64(report, row, COLUMN_HOST_END, op->start + op->duration);
        report_set_u64(report, row, COLUMN_HOST_DURATION, op->duration);
    }
    set_functions(maker, row, op);
    set_mlir(maker, row, op);
    set_cache(maker, row, op);
}

static void set_fpu_util(struct maker *maker, size_t row)
{
    double compute;
    double duration;
    if (!report_double(maker->report, row, COLUMN_PM_COMPUTE, &compute) ||
        !report_double(maker->report, row, COLUMN_KERNEL_DURATION, &duration))
        return;
    report_set_rounded(maker->report, row, COLUMN_PM_FPU_UTIL,
                       duration > 0 ? 100.0 * compute / duration : 0.0, 3);
}

static void set_signpost(struct maker *maker, size_t row, uint32_t index)
{
    const struct host_signpost *signpost = segments_get(&maker->record->host.signposts, index);
    report_set(maker->report, row, COLUMN_OP_CODE, signpost->header);
    report_set(maker->report, row, COLUMN_OP_TYPE, VIEW_LITERAL("signpost"));
    if (signpost->message.size > 0)
        report_set(maker->report, row, COLUMN_ATTRIBUTES, signpost->message);
    report_set_u64(maker->report, row, COLUMN_HOST_START, signpost->time);
}

// Rows ------------------------------------------------------------------------

// An operation whose run is lost leaves the next one without a start to count from.
static void forget_before(struct maker *maker, const struct host_op *op)
{
    struct device_before *before = before_get(maker, logs_session(maker->record), op->device);
    before->any = true;
    before->kernel_known = false;
}

static void make_row(struct maker *maker, const struct logs_row *from)
{
    const size_t row = report_row_add(maker->report);
    if (from->kind == LOGS_ROW_SIGNPOST) {
        set_signpost(maker, row, from->host);
        return;
    }
    const struct host_op *op =
        from->host != HASH_NONE ? host_ops_op(&maker->record->host, from->host) : NULL;
    if (op != NULL)
        set_op(maker, row, op);
    else
        report_set_u64(maker->report, row, COLUMN_CALL_COUNT, from->call_count);
    if (from->kind == LOGS_ROW_RUN) {
        const struct device_ops *ops = &maker->record->device_ops;
        const struct device_run *run = device_ops_run(ops, from->run);
        report_set_u64(maker->report, row, COLUMN_DEVICE_ID, device_ops_op(ops, run->op)->device);
    }
    if (from->kind == LOGS_ROW_REPLAY) {
        report_set_u64(maker->report, row, COLUMN_TRACE_ID, op->trace);
        report_set_u64(maker->report, row, COLUMN_TRACE_SESSION, from->replay);
    }
    if (from->run != HASH_NONE)
        set_run(maker, row, from->run);
    else if (op != NULL && op->has_device && !op->traced && maker->record->has_device)
        forget_before(maker, op);
    set_fpu_util(maker, row);
}

struct report *logs_report_make(struct logs_record *record, enum report_version version)
{
    struct maker maker = {.record = record, .report = report_create(), .version = version};
    struct logs_rows rows = logs_join(record);
    maker.report->version = version;
    for (size_t i = 0; i < rows.count; i++)
        make_row(&maker, &rows.items[i]);
    free(rows.items);
    free(maker.befores);
    bytes_free(&maker.name);
    return maker.report;
}
