// Reading operations reports for the performance report, in the order of its
// steps.

#include "perf.h"

#include <stdarg.h>
#include <stdlib.h>

#include "any_report.h"
#include "base/memory.h"
#include "formats/tenstorrent/derive.h"
#include "frame.h"

void perf_message_add_text(struct perf *perf, bool warning, struct view text)
{
    perf->messages = memory_grow(perf->messages, perf->message_count, &perf->message_capacity,
                                 sizeof *perf->messages);
    perf->messages[perf->message_count++] = (struct perf_message){warning, text};
}

void perf_message_add(struct perf *perf, bool warning, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    perf_message_add_text(perf, warning, arena_format(&perf->arena, format, list));
    va_end(list);
}

// 1500, also as 1,500.
static bool parse_id(struct view text, bool *out_given, uint64_t *out_id)
{
    char digits[24];
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == ',')
            continue;
        if (count == sizeof digits)
            return false;
        digits[count++] = text.data[i];
    }
    *out_given = text.size > 0;
    return text.size == 0 || view_to_u64((struct view){digits, count}, out_id);
}

status perf_id_range(const char *text, struct perf_options *options)
{
    const struct view range = view_of(text);
    const size_t dash = view_find(range, '-');
    if (dash == range.size || view_find_last(range, '-') != dash ||
        !parse_id(view_slice(range, 0, dash), &options->has_first_id, &options->first_id) ||
        !parse_id(view_slice(range, dash + 1, range.size), &options->has_last_id,
                  &options->last_id))
        return status_make(STATUS_USAGE,
                           "tt-perf: --id-range: '%s' is not START-END, START- or -END", text);
    return STATUS_OK;
}

// Files ----------------------------------------------------------------------

static status perf_open_files(struct perf *perf, const char *const *paths, size_t count)
{
    perf->inputs = memory_allocate_zeroed(count, sizeof *perf->inputs);
    perf->reports = memory_allocate_zeroed(count, sizeof *perf->reports);
    for (size_t i = 0; i < count; i++) {
        STATUS_TRY(any_report_open(paths[i], perf->account, &perf->inputs[i], &perf->reports[i]));
        perf->file_count = i + 1;
        if (!report_is_made(perf->reports[i]) &&
            report_column(perf->reports[i], COLUMN_DEVICE_ID) == REPORT_NO_COLUMN)
            return status_at(STATUS_DATA, paths[i], 1, "column 'DEVICE ID' is missing");
    }
    perf->version = perf->reports[0]->version;
    perf->made = true;
    for (size_t i = 0; i < count; i++)
        perf->made = perf->made && report_is_made(perf->reports[i]);
    return STATUS_OK;
}

// Rows that are cut are lost, whatever is left of them in the table.
static void perf_account_for(struct perf *perf, const struct input *input,
                             const struct report *report)
{
    struct ledger *ledger = &profile_track(perf->account, 0)->ledger;
    for (size_t i = 0; i < report->damage_count; i++) {
        const struct report_damage *damage = &report->damage[i];
        ledger->expected += damage->loses;
        profile_note(perf->account, 0, damage->loses ? LEDGER_LOST : LEDGER_REMARK, 1,
                     "%s:%llu: %s", input->path, (unsigned long long)damage->line, damage->what);
    }
    for (size_t i = 0; i < report->row_count; i++) {
        ledger->expected += !report->rows[i].is_cut;
        ledger->recorded += !report->rows[i].is_cut;
    }
    if (report->row_count == 0)
        profile_note(perf->account, 0, LEDGER_REMARK, 1, "%s: has a header and no rows",
                     input->path);
}

static bool perf_device_of(const struct report *report, size_t row, uint64_t *out_device)
{
    return report_padded(report_text(report, row, COLUMN_DEVICE_ID), out_device);
}

// One more than the highest device; 0 without any.
static uint64_t device_count(const struct report *report)
{
    uint64_t count = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        uint64_t device;
        if (perf_device_of(report, i, &device) && device < UINT32_MAX && device + 1 > count)
            count = device + 1;
    }
    return count;
}

// Reports of several hosts must be about as many devices each.
static status perf_check_devices(const struct perf *perf, uint64_t *out_count)
{
    *out_count = device_count(perf->reports[0]);
    for (size_t i = 1; i < perf->file_count; i++) {
        const uint64_t count = device_count(perf->reports[i]);
        if (count != *out_count)
            return status_make(STATUS_DATA,
                               "%s: the highest DEVICE ID is %lld, expected %lld as in %s",
                               perf->inputs[i]->path, (long long)count - 1,
                               (long long)*out_count - 1, perf->inputs[0]->path);
    }
    return STATUS_OK;
}

// Machine --------------------------------------------------------------------

static struct view arch_in(const struct perf *perf)
{
    for (size_t i = 0; i < perf->file_count; i++) {
        for (size_t row = 0; row < perf->reports[i]->row_count; row++) {
            const struct view name = report_text(perf->reports[i], row, COLUMN_DEVICE_ARCH);
            if (name.size > 0 && !view_is(name, "-"))
                return name;
        }
    }
    return (struct view){"", 0};
}

static uint64_t most_cores_used(const struct perf *perf)
{
    uint64_t most = 0;
    for (size_t i = 0; i < perf->file_count; i++) {
        for (size_t row = 0; row < perf->reports[i]->row_count; row++) {
            uint64_t cores;
            if (report_padded(report_text(perf->reports[i], row, COLUMN_CORE_COUNT), &cores) &&
                cores > most)
                most = cores;
        }
    }
    return most;
}

// What the devices were, by the clock that their cycles tell and the cores that they used.
static const struct arch *arch_by_figures(struct perf *perf)
{
    const double clock = derive_clock_mhz(perf->reports[0]);
    const uint64_t cores = most_cores_used(perf);
    const struct arch *arch = cores > 0 || !perf->made ? arch_from_clock(clock, cores) : NULL;
    const char *why =
        perf->made ? "Nothing names the architecture." : "DEVICE ARCH column not found.";
    if (arch != NULL)
        perf_message_add(perf, false,
                         "%s Cycles at %.0f MHz on up to %llu cores: "
                         "taken for '%s' (--arch says otherwise).",
                         why, clock, (unsigned long long)cores, arch->name);
    else
        perf_message_add(perf, true, "%s Defaulting to 'wormhole'.", why);
    return arch != NULL ? arch : arch_default();
}

static status choose_arch(struct perf *perf, const char *wanted)
{
    const struct view found = arch_in(perf);
    const struct arch *given = wanted != NULL ? arch_find(view_of(wanted)) : NULL;
    perf->arch = arch_find(found);
    if (wanted != NULL && given == NULL)
        return status_make(STATUS_USAGE,
                           "tt-perf: --arch: '%s' is none of wormhole, blackhole, bh20, n1, "
                           "grayskull and quasar",
                           wanted);
    if (given != NULL && perf->arch != NULL && given != perf->arch)
        perf_message_add(perf, true,
                         "Warning: Ignoring user-specified architecture: %s, %s detected %s "
                         "architecture",
                         wanted, perf->made ? "the input" : "CSV", perf->arch->name);
    else if (perf->arch != NULL)
        perf_message_add(perf, false, "Using architecture from %s: %s",
                         perf->made ? "the input" : "CSV", perf->arch->name);
    if (perf->arch == NULL && found.size > 0)
        profile_note(perf->account, 0, LEDGER_REMARK, 1,
                     "DEVICE ARCH '%.*s' is not known: peaks are %s's", VIEW_ARGUMENTS(found),
                     given != NULL ? given->name : arch_default()->name);
    if (perf->arch == NULL && given == NULL)
        perf->arch = found.size > 0 ? arch_default() : arch_by_figures(perf);
    else if (perf->arch == NULL)
        perf->arch = given;
    return STATUS_OK;
}

static bool worker_cores_in(const struct perf *perf, uint64_t *out_cores)
{
    for (size_t i = 0; i < perf->file_count; i++) {
        for (size_t row = 0; row < perf->reports[i]->row_count; row++) {
            const struct view text = report_text(perf->reports[i], row, COLUMN_WORKER_CORES);
            if (report_padded(text, out_cores) && *out_cores > 0)
                return true;
        }
    }
    return false;
}

static void choose_worker_cores(struct perf *perf)
{
    if (!worker_cores_in(perf, &perf->worker_cores))
        perf->worker_cores = perf->arch->worker_cores;
}

// Whether a data frame keeps the column as real numbers: all are numbers, and one has a point
// or is missing.
static bool column_is_real(const struct perf *perf, enum column_kind kind)
{
    bool real = false;
    for (size_t i = 0; i < perf->file_count; i++) {
        for (size_t row = 0; row < perf->reports[i]->row_count; row++) {
            const struct view text = report_text(perf->reports[i], row, kind);
            uint64_t whole;
            double number;
            if (text.size > 0 && !report_double(perf->reports[i], row, kind, &number))
                return false;
            real = real || text.size == 0 || !view_to_u64(text, &whole);
        }
    }
    return real;
}

static void say_modelled(struct perf *perf)
{
    for (size_t i = 0; i < perf->file_count; i++) {
        const struct report_modelled count = report_modelled_count(perf->reports[i]);
        perf->modelled.operations += count.operations;
        perf->modelled.modelled += count.modelled;
    }
    if (perf->modelled.modelled == 0)
        return;
    if (perf->modelled.modelled == perf->modelled.operations)
        perf_message_add(perf, true, "Every time is modelled: nothing was measured.");
    else
        perf_message_add(perf, true, "Modelled, not measured: the times of %zu of %zu operations.",
                         perf->modelled.modelled, perf->modelled.operations);
}

static void perf_describe(struct perf *perf)
{
    say_modelled(perf);
    perf->real_cores = column_is_real(perf, COLUMN_CORE_COUNT);
    perf->real_call_counts = column_is_real(perf, COLUMN_CALL_COUNT);
    perf_message_add(perf, false, "Architecture: %s, Worker cores: %llu", perf->arch->name,
                     (unsigned long long)perf->worker_cores);
}

// Operations -----------------------------------------------------------------

// Divided, not multiplied by the reciprocal: 9597139 ns are 9597.139 us to the last digit.
static struct perf_value value_in(const struct report *report, size_t row, enum column_kind kind,
                                  double unit)
{
    double number;
    if (!report_double(report, row, kind, &number))
        return (struct perf_value){0};
    return perf_known(number / unit);
}

static enum perf_kind perf_kind_of(const struct report *report, size_t row)
{
    const struct view type = report_text(report, row, COLUMN_OP_TYPE);
    const struct view code = report_text(report, row, COLUMN_OP_CODE);
    if (view_find_text(type, "signpost") < type.size)
        return PERF_SIGNPOST;
    if (view_find_text(code, "(torch)") < code.size || view_is(type, "python_fallback") ||
        view_is(type, "tt_dnn_cpu"))
        return PERF_HOST;
    return PERF_DEVICE;
}

static uint64_t worker_cores_of(const struct perf *perf, const struct report *report, size_t row)
{
    uint64_t cores;
    if (report_padded(report_text(report, row, COLUMN_WORKER_CORES), &cores) && cores > 0)
        return cores;
    return perf->worker_cores;
}

static struct perf_op perf_op_of(const struct perf *perf, const struct report *report, size_t row)
{
    struct perf_op op = {
        .report = report,
        .row = row,
        .kind = perf_kind_of(report, row),
        .code = report_text(report, row, COLUMN_OP_CODE),
        .host_start = value_in(report, row, COLUMN_HOST_START, 1),
        .host_time = value_in(report, row, COLUMN_HOST_DURATION, 1000),
        .cores = value_in(report, row, COLUMN_CORE_COUNT, 1),
        .worker_cores = worker_cores_of(perf, report, row),
        .sub_device = report_text(report, row, COLUMN_SUB_DEVICE_ID),
        .fidelity = fidelity_from_name(report_text(report, row, COLUMN_MATH_FIDELITY)),
    };
    op.has_device = perf_device_of(report, row, &op.device);
    if (op.kind == PERF_DEVICE) {
        op.kernel_ns = value_in(report, row, COLUMN_KERNEL_DURATION, 1);
        op.time = value_in(report, row, COLUMN_KERNEL_DURATION, 1000);
    }
    return op;
}

static void note_missing_time(struct perf *perf, const struct input *input,
                              const struct perf_op *op)
{
    if (op->kind != PERF_DEVICE || op->time.known || op->report->rows[op->row].is_cut)
        return;
    struct ledger *ledger = &profile_track(perf->account, 0)->ledger;
    const bool made = report_is_made(op->report);
    ledger->recorded--;
    profile_note(perf->account, 0, LEDGER_LOST, 1, "%s:%s%llu: %.*s has no DEVICE KERNEL DURATION",
                 input->path, made ? " id " : "",
                 (unsigned long long)(made ? op->id : op->report->rows[op->row].line),
                 VIEW_ARGUMENTS(op->code));
}

static void collect_ops(struct perf *perf, uint64_t devices)
{
    size_t rows = 0;
    for (size_t i = 0; i < perf->file_count; i++)
        rows += perf->reports[i]->row_count;
    perf->ops = memory_allocate_zeroed(rows + 1, sizeof *perf->ops);
    for (size_t i = 0; i < perf->file_count; i++) {
        perf_account_for(perf, perf->inputs[i], perf->reports[i]);
        for (size_t row = 0; row < perf->reports[i]->row_count; row++) {
            struct perf_op *op = &perf->ops[perf->count++];
            *op = perf_op_of(perf, perf->reports[i], row);
            op->device += i * devices;
            op->id = perf->count + 1;
            note_missing_time(perf, perf->inputs[i], op);
        }
    }
}

static bool has_host_start(const struct perf *perf)
{
    for (size_t i = 0; i < perf->file_count; i++) {
        if (report_column(perf->reports[i], COLUMN_HOST_START) != REPORT_NO_COLUMN)
            return true;
    }
    return false;
}

// Whole numbers are compared as such; with one missing or with a point, all are reals.
static int64_t sort_key(const struct perf_op *op, bool real)
{
    uint64_t whole;
    if (!real && report_u64(op->report, op->row, COLUMN_HOST_START, &whole))
        return (int64_t)(whole & INT64_MAX);
    return frame_key(op->host_start.value);
}

// Those without a time come last, as they stood.
static void sort_by_host_start(struct perf *perf)
{
    const bool real = column_is_real(perf, COLUMN_HOST_START);
    int64_t *keys = memory_allocate_zeroed(perf->count + 1, sizeof *keys);
    size_t *order = memory_allocate_zeroed(perf->count + 1, sizeof *order);
    struct perf_op *timed = memory_allocate_zeroed(perf->count + 1, sizeof *timed);
    struct perf_op *sorted = memory_allocate_zeroed(perf->count + 1, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < perf->count; i++) {
        if (!perf->ops[i].host_start.known)
            continue;
        keys[count] = sort_key(&perf->ops[i], real);
        timed[count++] = perf->ops[i];
    }
    frame_order(keys, count, order);
    for (size_t i = 0; i < count; i++)
        sorted[i] = timed[order[i]];
    for (size_t i = 0; i < perf->count; i++) {
        if (!perf->ops[i].host_start.known)
            sorted[count++] = perf->ops[i];
    }
    free(perf->ops);
    free(timed);
    free(order);
    free(keys);
    perf->ops = sorted;
}

static void sort_ops(struct perf *perf, const struct perf_options *options)
{
    if (options->tracing_mode) {
        perf_message_add(perf, false, "Keeping the order of the file.");
    } else if (!has_host_start(perf)) {
        perf_message_add(perf, true,
                         "Warning: 'HOST START TS' column not found. CSV will not be sorted.");
    } else {
        perf_message_add(perf, false, "Sorting CSV by 'HOST START TS' column...");
        sort_by_host_start(perf);
    }
}

static size_t count_devices(const struct perf *perf)
{
    uint64_t most = 0;
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].has_device && perf->ops[i].device > most)
            most = perf->ops[i].device;
    }
    // Ids are checked to be small where several files are put together.
    const size_t room = most < 65536 ? (size_t)most + 1 : 65536;
    bool *seen = memory_allocate_zeroed(room, sizeof *seen);
    size_t count = 0;
    for (size_t i = 0; i < perf->count; i++) {
        const size_t device = (size_t)(perf->ops[i].device % room);
        if (perf->ops[i].has_device && !seen[device]) {
            seen[device] = true;
            count++;
        }
    }
    free(seen);
    return count;
}

static void merge_ops(struct perf *perf, const struct perf_options *options)
{
    const size_t devices = count_devices(perf);
    if (devices == 0)
        perf_message_add(perf, true, "No device operations found in the CSV data.");
    else if (options->no_merge_devices && devices > 1)
        perf_message_add(perf, false,
                         "Detected data from %zu devices. Keeping separate device "
                         "data...",
                         devices);
    else {
        perf_message_add(perf, false, "Detected data from %zu devices. Merging device data...",
                         devices);
        perf->merged = devices > 1;
        perf_devices_merge(perf);
    }
}

// When the host had issued the call, in microseconds.
static struct perf_value issued_at(const struct perf_op *op)
{
    if (!op->host_start.known || !op->host_time.known)
        return (struct perf_value){0};
    return perf_known(op->host_start.value / 1000 + op->host_time.value);
}

// The operation before this one on its device; of merged rows, the row before.
static const struct perf_op *previous_call(const struct perf *perf, size_t index)
{
    const struct perf_op *op = &perf->ops[index];
    for (size_t i = index; i > 0; i--) {
        const struct perf_op *other = &perf->ops[i - 1];
        if (other->kind == PERF_SIGNPOST)
            continue;
        if (perf->merged || !op->has_device || other->device == op->device)
            return other;
    }
    return NULL;
}

static void measure_host_interval(const struct perf *perf, size_t index)
{
    const struct perf_op *before = previous_call(perf, index);
    if (before == NULL)
        return;
    const struct perf_value then = issued_at(before);
    const struct perf_value now = issued_at(&perf->ops[index]);
    if (then.known && now.known && now.value >= then.value)
        perf->ops[index].host_interval = perf_known(now.value - then.value);
}

// What the host computes between two operations of a device fills the gap between them.
static void measure_host_in_gap(const struct perf *perf, size_t index)
{
    struct perf_op *op = &perf->ops[index];
    double filled = 0;
    if (op->kind != PERF_DEVICE || !(op->gap.value > 0))
        return;
    for (size_t i = index; i > 0; i--) {
        const struct perf_op *other = &perf->ops[i - 1];
        if (other->kind == PERF_HOST)
            filled += other->host_time.value;
        else if (other->kind == PERF_DEVICE && (perf->merged || other->device == op->device))
            break;
    }
    op->host_in_gap = filled < op->gap.value ? filled : op->gap.value;
}

static void count_op(struct perf *perf, const struct perf_op *op)
{
    if (op->kind == PERF_SIGNPOST)
        perf->signposts++;
    else if (op->kind == PERF_HOST)
        perf->host_ops++;
    else
        perf->device_ops++;
}

// The gap in front of an operation counts when one stands before it.
static void analyse_ops(struct perf *perf)
{
    bool first = true;
    for (size_t i = 0; i < perf->count; i++) {
        struct perf_op *op = &perf->ops[i];
        count_op(perf, op);
        if (op->kind != PERF_SIGNPOST) {
            if (!first)
                op->gap = value_in(op->report, op->row, COLUMN_OP_TO_OP, 1000);
            measure_host_interval(perf, i);
            measure_host_in_gap(perf, i);
            first = false;
        }
        perf_op_analyse(perf, op);
    }
}

static void describe_id_range(struct perf *perf, const struct perf_options *options)
{
    const unsigned long long first = options->first_id;
    const unsigned long long last = options->last_id;
    if (!options->has_first_id)
        perf_message_add(perf, false, "Filtering rows with IDs up to %llu", last);
    else if (!options->has_last_id)
        perf_message_add(perf, false, "Filtering rows with IDs from %llu onwards", first);
    else
        perf_message_add(perf, false, "Filtering rows with IDs from %llu to %llu", first, last);
}

static void filter_by_id(struct perf *perf, const struct perf_options *options)
{
    size_t kept = 0;
    for (size_t i = 0; i < perf->count; i++) {
        const struct perf_op *op = &perf->ops[i];
        if ((options->has_first_id && op->id < options->first_id) ||
            (options->has_last_id && op->id > options->last_id))
            continue;
        perf->ops[kept++] = *op;
    }
    perf->count = kept;
    if (kept > 0) {
        perf->ops[0].gap = (struct perf_value){0};
        perf->ops[0].host_in_gap = 0;
    }
    describe_id_range(perf, options);
}

static void filter_ops(struct perf *perf, const struct perf_options *options)
{
    if (options->has_first_id || options->has_last_id)
        filter_by_id(perf, options);
    perf->host_left_out = options->no_host_ops;
    if (!options->no_host_ops)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < perf->count; i++) {
        if (perf->ops[i].kind != PERF_HOST)
            perf->ops[kept++] = perf->ops[i];
    }
    perf->count = kept;
}

static status perf_build(struct perf *perf, const char *const *paths, size_t count,
                         const struct perf_options *options)
{
    uint64_t devices;
    STATUS_TRY(perf_open_files(perf, paths, count));
    STATUS_TRY(perf_check_devices(perf, &devices));
    if (perf->made)
        perf_message_add(perf, false, "No report was given: one was made of %s",
                         count > 1 ? "each input" : paths[0]);
    else
        perf_message_add(perf, false, "Detected CSV format: %s", perf_version_text(perf->version));
    STATUS_TRY(choose_arch(perf, options->arch));
    choose_worker_cores(perf);
    perf_describe(perf);
    collect_ops(perf, devices);
    sort_ops(perf, options);
    perf_window_cut(perf, options);
    merge_ops(perf, options);
    analyse_ops(perf);
    perf_doubts_mark(perf);
    filter_ops(perf, options);
    perf_totals_compute(perf);
    return STATUS_OK;
}

status perf_read(const char *const *paths, size_t count, const struct perf_options *options,
                 struct perf **out_perf)
{
    struct perf *perf = memory_allocate_zeroed(1, sizeof *perf);
    perf->account = profile_create();
    const status result = perf_build(perf, paths, count, options);
    if (result == STATUS_OK)
        *out_perf = perf;
    else
        perf_free(perf);
    return result;
}

void perf_free(struct perf *perf)
{
    for (size_t i = 0; i < perf->file_count; i++) {
        if (perf->reports[i] != NULL)
            report_free(perf->reports[i]);
        input_close(perf->inputs[i]);
    }
    free(perf->inputs);
    free(perf->reports);
    free(perf->ops);
    free(perf->messages);
    profile_free(perf->account);
    arena_free(&perf->arena);
    free(perf);
}
