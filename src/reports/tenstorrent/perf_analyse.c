// The figures of an operation: how fast it was, against what the machine can
// do, and what limits it.

#include <stdio.h>

#include "perf.h"

// A side that reaches this share of its peak limits the operation.
#define BOUND_PERCENT 65

// A gap is the host's when its calls lie this much of it apart or more; a gap
// has some time of the device in it, too.
#define HOST_SHARE 0.9

static struct view attributes_of(const struct perf_op *op)
{
    return report_text(op->report, op->row, COLUMN_ATTRIBUTES);
}

// What stands between `key` and the next one like it; false when it is not there.
static bool attribute_after(struct view attributes, const char *key, struct view *out_rest)
{
    const size_t at = view_find_text(attributes, key);
    if (at == attributes.size)
        return false;
    const struct view rest = view_slice(attributes, at + strlen(key), attributes.size);
    *out_rest = view_slice(rest, 0, view_find_text(rest, key));
    return true;
}

static size_t digits_in_front(struct view text)
{
    size_t digits = 0;
    while (digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9')
        digits++;
    return digits;
}

// The number after the first `key` that has one.
static struct perf_value attribute_number(struct view attributes, const char *key)
{
    for (struct view rest = attributes;;) {
        const size_t at = view_find_text(rest, key);
        if (at == rest.size)
            return (struct perf_value){0};
        rest = view_slice(rest, at + strlen(key), rest.size);
        uint64_t number;
        if (view_to_u64(view_slice(rest, 0, digits_in_front(rest)), &number))
            return perf_known((double)number);
    }
}

// Labels ---------------------------------------------------------------------

// The first `parts` pieces between semicolons, with commas, or "x".
static void append_parts(struct bytes *text, struct view attributes, const char *key, int parts)
{
    struct view rest;
    if (!attribute_after(attributes, key, &rest)) {
        bytes_append(text, "x", 1);
        return;
    }
    for (int i = 0; i < parts; i++) {
        const size_t end = view_find(rest, ';');
        bytes_append_format(text, "%s%.*s", i > 0 ? "," : "",
                            VIEW_ARGUMENTS(view_slice(rest, 0, end)));
        if (end == rest.size)
            return;
        rest = view_slice(rest, end + 1, rest.size);
    }
}

// memory_layout=TensorMemoryLayout::HEIGHT_SHARDED as HEIGHT_SHARDED, or "x".
static struct view memory_layout_of(struct view attributes)
{
    struct view layout;
    if (!attribute_after(attributes, "memory_layout=", &layout))
        return VIEW_LITERAL("x");
    layout = view_slice(layout, 0, view_find(layout, ';'));
    const size_t colons = view_find_text(layout, "::");
    if (colons == layout.size)
        return VIEW_LITERAL("x");
    layout = view_slice(layout, colons + 2, layout.size);
    return view_slice(layout, 0, view_find_text(layout, "::"));
}

static void append_halo(struct bytes *text, struct view attributes)
{
    static const struct {
        const char *label;
        const char *key;
        int parts;
    } parts[] = {
        {" w=", "window_hw=", 2},
        {" s=", "stride_hw=", 2},
        {" p=", "padding=", 4},
        {" d=", "dilation_hw=", 2},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bytes_append_format(text, "%s", parts[i].label);
        append_parts(text, attributes, parts[i].key, parts[i].parts);
    }
    bytes_append_format(text, " | %.*s", VIEW_ARGUMENTS(memory_layout_of(attributes)));
}

// The whole number that all of a piece is: `key=4;`, or "x".
static void append_tiles(struct bytes *text, struct view attributes, const char *key)
{
    struct view rest;
    uint64_t number;
    if (attribute_after(attributes, key, &rest) && rest.size > 0 &&
        view_to_u64(view_trim(view_slice(rest, 1, view_find(rest, ';'))), &number))
        bytes_append_format(text, "%llu", (unsigned long long)number);
    else
        bytes_append(text, "x", 1);
}

static bool attribute_is_true(struct view attributes, const char *key)
{
    struct view rest;
    return attribute_after(attributes, key, &rest) && view_starts_with(rest, "true'");
}

static void append_convolution(struct bytes *text, struct view attributes)
{
    bytes_append_format(text, " [ABH=");
    append_tiles(text, attributes, "per_core_out_matrix_height_ntile");
    bytes_append(text, "|", 1);
    append_tiles(text, attributes, "act_block_h_ntiles");
    if (attribute_is_true(attributes, "enable_act_double_buffer': '"))
        bytes_append_format(text, " ADB");
    if (attribute_is_true(attributes, "enable_split_reader': '"))
        bytes_append_format(text, " SR");
    bytes_append(text, "]", 1);
}

static bool size_in(const struct perf_op *op, bool output, uint32_t tensor, enum column_kind kind,
                    uint64_t *out_size)
{
    return report_padded(report_tensor_text(op->report, op->row, output, tensor, kind), out_size);
}

static uint64_t larger_of_inputs(const struct perf_op *op, enum column_kind kind)
{
    uint64_t a = 0;
    uint64_t b = 0;
    size_in(op, false, 0, kind, &a);
    size_in(op, false, 1, kind, &b);
    return a > b ? a : b;
}

// M x K x N, after b={batches} where there are several.
static void append_sizes(struct bytes *text, const struct perf_op *op)
{
    uint64_t m, k, n;
    uint64_t times = 1;
    uint64_t batch = 1;
    const bool convolution = perf_is_convolution(op);
    if (!size_in(op, convolution, 0, COLUMN_TENSOR_Y, &m) ||
        !size_in(op, false, 0, COLUMN_TENSOR_X, &k) ||
        !size_in(op, false, 1, COLUMN_TENSOR_X, &n) ||
        (convolution && !perf_window_size(op, &times)) || __builtin_mul_overflow(k, times, &k))
        return;
    if (!convolution && __builtin_mul_overflow(larger_of_inputs(op, COLUMN_TENSOR_W),
                                               larger_of_inputs(op, COLUMN_TENSOR_Z), &batch))
        return;
    if (batch > 1)
        bytes_append_format(text, " b={%llu} x", (unsigned long long)batch);
    bytes_append_format(text, " %llu x %llu x %llu", (unsigned long long)m, (unsigned long long)k,
                        (unsigned long long)n);
}

static void label_op(struct perf *perf, struct perf_op *op)
{
    struct bytes text = {0};
    const struct view attributes = attributes_of(op);
    bytes_append(&text, op->code.data, op->code.size);
    if (op->kind == PERF_SIGNPOST)
        bytes_append_format(&text, " (signpost)");
    else if (perf_is_matmul(op) || perf_is_convolution(op))
        append_sizes(&text, op);
    if (perf_is_convolution(op))
        append_convolution(&text, attributes);
    else if (op->kind == PERF_DEVICE &&
             view_find_text(op->code, "HaloDeviceOperation") < op->code.size)
        append_halo(&text, attributes);
    op->label = arena_copy(&perf->arena, bytes_view(&text));
    bytes_free(&text);
}

// "HiFi4 BF16 x BF16 => BF16" where it multiplies, else "BF16, BF16 => BF16".
static void describe_types(struct perf *perf, struct perf_op *op)
{
    const bool multiplies = perf_is_matmul(op) || perf_is_convolution(op);
    const struct view fidelity = report_text(op->report, op->row, COLUMN_MATH_FIDELITY);
    const struct view a =
        perf_short_type(report_tensor_text(op->report, op->row, false, 0, COLUMN_TENSOR_DATATYPE));
    const struct view b =
        perf_short_type(report_tensor_text(op->report, op->row, false, 1, COLUMN_TENSOR_DATATYPE));
    const struct view out =
        perf_short_type(report_tensor_text(op->report, op->row, true, 0, COLUMN_TENSOR_DATATYPE));
    struct bytes text = {0};
    if (multiplies && fidelity.size > 0)
        bytes_append_format(&text, "%.*s ", VIEW_ARGUMENTS(fidelity));
    bytes_append_format(&text, "%.*s", VIEW_ARGUMENTS(a));
    if (b.size > 0)
        bytes_append_format(&text, "%s%.*s", multiplies ? " x " : ", ", VIEW_ARGUMENTS(b));
    if (out.size > 0)
        bytes_append_format(&text, " => %.*s", VIEW_ARGUMENTS(out));
    op->fidelity_text = arena_copy(&perf->arena, view_trim(bytes_view(&text)));
    bytes_free(&text);
}

// Figures --------------------------------------------------------------------

static double perf_analyse_percent_of(double part, double whole)
{
    return part / whole * 100;
}

// The cores that a figure is measured against: those that a multiplication
// used; a convolution could have used all.
static double cores_counted(const struct perf_op *op)
{
    return perf_is_convolution(op) ? (double)op->worker_cores
                                   : (op->cores.known ? op->cores.value : 0);
}

// Seconds, operations a second and their peak: in this order of arithmetic, so that the last
// digit is the one that others print.
static void measure_flops(struct perf *perf, struct perf_op *op)
{
    if (!op->work.on_matrix_engine || !op->work.flops.known || !op->kernel_ns.known ||
        !(op->kernel_ns.value > 0))
        return;
    const double flops = op->work.flops.value / (op->kernel_ns.value * 1e-9);
    const double peak = perf->arch->tflops[op->fidelity] * 1e12 * cores_counted(op);
    op->flops = perf_known(flops / 1e12);
    if (peak > 0) {
        op->flops_percent = perf_known(perf_analyse_percent_of(flops, peak));
        op->compute_time = perf_known(op->work.flops.value / peak * 1e6);
    }
}

static void measure_dram(struct perf *perf, struct perf_op *op)
{
    const double peak = perf->arch->dram_gb_s;
    if (!op->work.dram_bytes.known)
        return;
    if (peak > 0)
        op->memory_time = perf_known(op->work.dram_bytes.value / (peak * 1e3));
    if (!perf_is_matmul(op) || !op->kernel_ns.known || !(op->kernel_ns.value > 0) ||
        !(op->work.dram_bytes.value > 0))
        return;
    op->dram_speed = perf_known(op->work.dram_bytes.value / (op->kernel_ns.value * 1e-9) / 1e9);
    if (peak > 0)
        op->dram_percent = perf_known(perf_analyse_percent_of(op->dram_speed.value, peak));
}

static void read_program_config(struct perf_op *op)
{
    const struct view attributes = attributes_of(op);
    if (view_find_text(attributes, "program_config") == attributes.size)
        return;
    op->inner_block = attribute_number(attributes, "in0_block_w=");
    op->subblock_height = attribute_number(attributes, "out_subblock_h=");
    op->subblock_width = attribute_number(attributes, "out_subblock_w=");
}

static void note_fidelity(struct perf *perf, const struct perf_op *op)
{
    const struct view name = report_text(op->report, op->row, COLUMN_MATH_FIDELITY);
    if (op->work.on_matrix_engine && op->fidelity == FIDELITY_UNKNOWN && name.size > 0)
        profile_note(perf->account, 0, LEDGER_REMARK, 1,
                     "id %llu: math fidelity '%.*s' is not known: no peak to compare with",
                     (unsigned long long)op->id, VIEW_ARGUMENTS(name));
}

// What limits it -------------------------------------------------------------

double perf_gap_open(const struct perf *perf, const struct perf_op *op)
{
    return perf->host_left_out ? op->gap.value : op->gap.value - op->host_in_gap;
}

// What fills an open gap.
static enum perf_limit gap_limit(const struct perf *perf, const struct perf_op *op)
{
    const double least = HOST_SHARE * perf_gap_open(perf, op);
    const bool host_was_late = op->host_interval.known && op->host_interval.value >= least;
    const bool host_computed = perf->host_left_out && op->host_in_gap >= least;
    return host_was_late || host_computed ? PERF_LIMIT_HOST : PERF_LIMIT_DISPATCH;
}

static double share_of(struct perf_value ideal, double time)
{
    return ideal.known ? perf_analyse_percent_of(ideal.value, time) : 0;
}

static enum perf_limit limit_of(const struct perf *perf, const struct perf_op *op)
{
    if (op->kind == PERF_HOST)
        return PERF_LIMIT_HOST;
    if (op->kind == PERF_SIGNPOST || !op->time.known)
        return PERF_LIMIT_UNKNOWN;
    if (op->gap.known && perf_gap_open(perf, op) > op->time.value)
        return gap_limit(perf, op);
    if (!(op->time.value > 0) || (!op->compute_time.known && !op->memory_time.known))
        return PERF_LIMIT_UNKNOWN;
    const double compute = share_of(op->compute_time, op->time.value);
    const double memory = share_of(op->memory_time, op->time.value);
    if (compute >= BOUND_PERCENT && compute >= memory)
        return PERF_LIMIT_COMPUTE;
    if (memory >= BOUND_PERCENT)
        return PERF_LIMIT_MEMORY;
    return PERF_LIMIT_NEITHER;
}

static enum perf_bound perf_analyse_bound_of(const struct perf_op *op)
{
    if (op->kind == PERF_HOST)
        return PERF_BOUND_HOST;
    if (!perf_is_matmul(op) || !(op->dram_percent.value > 0) || !(op->flops_percent.value > 0))
        return PERF_BOUND_NONE;
    const bool dram = op->dram_percent.value >= BOUND_PERCENT;
    const bool flop = op->flops_percent.value >= BOUND_PERCENT;
    if (dram && flop)
        return PERF_BOUND_BOTH;
    if (dram)
        return PERF_BOUND_DRAM;
    return flop ? PERF_BOUND_FLOP : PERF_BOUND_SLOW;
}

void perf_op_analyse(struct perf *perf, struct perf_op *op)
{
    op->category = perf_category_of(op);
    op->work = perf_work_of(op);
    if (perf_is_matmul(op)) {
        const struct view attributes = attributes_of(op);
        op->dram_sharded =
            view_find_text(attributes, "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig") <
            attributes.size;
        if (op->dram_sharded)
            op->cores = perf_known((double)perf->arch->dram_workers);
    }
    read_program_config(op);
    note_fidelity(perf, op);
    measure_flops(perf, op);
    measure_dram(perf, op);
    label_op(perf, op);
    describe_types(perf, op);
}

// Times first, then gaps: the last digit of a sum depends on its order.
static double perf_analyse_total_of(const struct perf *perf)
{
    double time = 0;
    double gap = 0;
    for (size_t i = 0; i < perf->count; i++) {
        time += perf->ops[i].time.known ? perf->ops[i].time.value : 0;
        gap += perf->ops[i].gap.known ? perf->ops[i].gap.value : 0;
    }
    return time + gap;
}

void perf_totals_compute(struct perf *perf)
{
    const double total = perf_analyse_total_of(perf);
    for (size_t i = 0; i < perf->count; i++) {
        struct perf_op *op = &perf->ops[i];
        op->total_percent = (struct perf_value){0};
        const bool taken_for_0 = op->kind == PERF_DEVICE && !report_is_made(op->report);
        if ((op->time.known || op->gap.known || taken_for_0) && total != 0)
            op->total_percent =
                perf_known(perf_analyse_percent_of(op->time.value + op->gap.value, total));
        op->bound = perf_analyse_bound_of(op);
        op->limit = limit_of(perf, op);
    }
}

void perf_limits_sum(const struct perf *perf, struct perf_limit_sum out_sums[PERF_LIMITS])
{
    for (size_t i = 0; i < PERF_LIMITS; i++)
        out_sums[i] = (struct perf_limit_sum){0};
    for (size_t i = 0; i < perf->count; i++) {
        const struct perf_op *op = &perf->ops[i];
        if (op->kind == PERF_SIGNPOST)
            continue;
        struct perf_limit_sum *sum = &out_sums[op->limit];
        const struct perf_value time = op->kind == PERF_HOST ? op->host_time : op->time;
        sum->count++;
        sum->time.known = sum->time.known || time.known;
        sum->time.value += time.value;
        sum->gap.known = sum->gap.known || op->gap.known;
        sum->gap.value += perf_gap_open(perf, op);
    }
}
