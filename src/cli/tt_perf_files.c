#include "tt_perf_files.h"

#include <stdlib.h>

#include "ledger_text.h"
#include "wire/csv.h"

static struct view tensor_text(const struct perf_op *op, bool output, uint32_t tensor,
                               enum column_kind kind)
{
    return report_tensor_text(op->report, op->row, output, tensor, kind);
}

// CSV ------------------------------------------------------------------------

static const char CSV_HEADER[] =
    "ID,Total %,Bound,OP Code,Device,Device Time,Op-to-Op Gap,Cores,DRAM,DRAM %,FLOPs,FLOPs %,"
    "Math Fidelity,Output Datatype,Input 0 Datatype,Input 1 Datatype,DRAM Sharded,Input 0 Memory,"
    "Inner Dim Block Size,Output Subblock H,Output Subblock W,Global Call Count";

static void add_text(struct bytes *line, struct view text)
{
    if (line->size > 0)
        bytes_append(line, ",", 1);
    csv_field_append(line, text, ',');
}

static void add_real(struct bytes *line, struct perf_value number)
{
    char text[REPORT_REAL_ROOM] = "";
    if (number.known)
        report_real_text(number.value, text);
    add_text(line, view_of(text));
}

static void add_whole(struct bytes *line, struct perf_value number)
{
    char text[REPORT_REAL_ROOM] = "";
    if (number.known)
        report_rounded_text(number.value, 0, text);
    add_text(line, view_of(text));
}

static void add_advice(struct bytes *line, struct perf *perf, const struct perf_op *op)
{
    struct bytes text = {0};
    struct perf_advice advice = {.count = 0};
    if (perf_is_matmul(op))
        perf_matmul_advise(perf, op, &advice);
    for (size_t i = 0; i < advice.count; i++)
        bytes_append_format(&text, "%s%.*s", i > 0 ? " • " : "", VIEW_ARGUMENTS(advice.lines[i]));
    add_text(line, bytes_view(&text));
    bytes_free(&text);
}

static struct perf_value shown_time(const struct perf_op *op)
{
    return op->kind == PERF_HOST ? perf_known(0) : op->time;
}

static void add_figures(struct bytes *line, const struct perf_op *op)
{
    const struct perf_value device = {op->has_device, (double)op->device};
    add_whole(line, perf_known((double)op->id));
    add_real(line, op->total_percent);
    add_text(line, view_of(perf_bound_name(op->bound)));
    add_text(line, op->label);
    add_whole(line, device);
    add_real(line, shown_time(op));
    add_real(line, op->gap);
    add_whole(line, op->cores);
    add_real(line, op->dram_speed);
    add_real(line, op->dram_percent);
    add_real(line, op->flops);
    add_real(line, op->flops_percent);
    add_text(line, op->fidelity_text);
}

static void add_details(struct bytes *line, const struct perf_op *op)
{
    add_text(line, tensor_text(op, true, 0, COLUMN_TENSOR_DATATYPE));
    add_text(line, tensor_text(op, false, 0, COLUMN_TENSOR_DATATYPE));
    add_text(line, tensor_text(op, false, 1, COLUMN_TENSOR_DATATYPE));
    add_text(line, view_of(op->dram_sharded ? "True" : "False"));
    add_text(line, tensor_text(op, false, 0, COLUMN_TENSOR_MEMORY));
    add_whole(line, op->inner_block);
    add_whole(line, op->subblock_height);
    add_whole(line, op->subblock_width);
    add_text(line, report_text(op->report, op->row, COLUMN_CALL_COUNT));
}

status tt_perf_write_csv(struct perf *perf, bool advice, const char *path)
{
    struct output *output;
    struct bytes line = {0};
    STATUS_TRY(output_open(path, &output));
    output_format(output, "%s%s,Raw OP Code\r\n", CSV_HEADER, advice ? ",Advice" : "");
    for (size_t i = 0; i < perf->count; i++) {
        const struct perf_op *op = &perf->ops[i];
        line.size = 0;
        add_figures(&line, op);
        add_details(&line, op);
        if (advice)
            add_advice(&line, perf, op);
        add_text(&line, op->code);
        bytes_append(&line, "\r\n", 2);
        output_write(output, line.data, line.size);
    }
    bytes_free(&line);
    return output_close(output);
}

static void add_percent(struct bytes *line, struct perf_value number)
{
    bytes_append(line, ",", 1);
    if (number.known)
        bytes_append_format(line, "%.2f", number.value);
}

static void write_group(const struct perf_group *group, enum perf_grouping grouping, bool by_device,
                        struct output *output)
{
    struct bytes line = {0};
    bytes_append_format(&line, "%.2f", group->percent);
    add_text(&line, group->name);
    if (by_device)
        add_whole(&line, (struct perf_value){group->has_device, (double)group->device});
    bytes_append_format(&line, ",%.2f,%llu", group->time, (unsigned long long)group->count);
    if (grouping != PERF_BY_CATEGORY) {
        bytes_append_format(&line, ",%s", perf_category_name(group->category));
        add_percent(&line, group->flops_least);
        add_percent(&line, group->flops_most);
        add_percent(&line, group->flops_mean);
        add_percent(&line, group->flops_deviation);
        add_percent(&line, group->flops_weighted);
    }
    bytes_append(&line, "\n", 1);
    output_write(output, line.data, line.size);
    bytes_free(&line);
}

status tt_perf_write_stack_csv(struct perf *perf, enum perf_grouping grouping, bool by_device,
                               const char *path)
{
    struct output *output;
    struct perf_group *groups;
    size_t count;
    STATUS_TRY(output_open(path, &output));
    output_format(output, "Total %% [%%],Op Code%s,Device Time Sum [μs],Op Count%s\n",
                  by_device ? ",Device" : "",
                  grouping == PERF_BY_CATEGORY
                      ? ""
                      : ",Op Category,Min FLOPs [%],Max FLOPs [%],Mean FLOPs [%],Std FLOPs [%],"
                        "Weighted Mean FLOPs [%]");
    perf_stack(perf, grouping, by_device, &groups, &count);
    for (size_t i = 0; i < count; i++)
        write_group(&groups[i], grouping, by_device, output);
    free(groups);
    return output_close(output);
}

// JSON -----------------------------------------------------------------------

static void json_value(struct json_writer *json, const char *key, struct perf_value number)
{
    if (number.known)
        json_real(json, key, number.value);
    else
        json_null(json, key);
}

static void json_optional_text(struct json_writer *json, const char *key, struct view text)
{
    if (text.size > 0)
        json_text(json, key, text);
    else
        json_null(json, key);
}

static const char *kind_name(enum perf_kind kind)
{
    static const char *const names[] = {"device", "host", "signpost"};
    return names[kind];
}

static void json_limit(struct json_writer *json, const struct perf_op *op)
{
    json_open_object(json, "limit");
    json_text(json, "by", view_of(perf_limit_name(op->limit)));
    json_value(json, "operations", op->work.flops);
    json_value(json, "dram_bytes", op->work.dram_bytes);
    json_value(json, "l1_bytes", op->work.l1_bytes);
    json_value(json, "compute_us_at_peak", op->compute_time);
    json_value(json, "dram_us_at_peak", op->memory_time);
    json_value(json, "gap_us", op->gap);
    json_value(json, "host_us", op->host_time);
    json_value(json, "host_interval_us", op->host_interval);
    json_close(json);
}

static void json_advice(struct json_writer *json, struct perf *perf, const struct perf_op *op)
{
    struct perf_advice advice = {.count = 0};
    if (perf_is_matmul(op))
        perf_matmul_advise(perf, op, &advice);
    json_open_array(json, "advice");
    for (size_t i = 0; i < advice.count; i++)
        json_text(json, NULL, advice.lines[i]);
    json_close(json);
}

static void json_op(struct json_writer *json, struct perf *perf, const struct perf_op *op)
{
    json_open_object(json, NULL);
    json_uint(json, "id", op->id);
    json_text(json, "kind", view_of(kind_name(op->kind)));
    json_text(json, "op_code", op->code);
    json_text(json, "label", op->label);
    json_optional_text(json, "global_call_count",
                       report_text(op->report, op->row, COLUMN_CALL_COUNT));
    json_value(json, "device", (struct perf_value){op->has_device, (double)op->device});
    json_optional_text(json, "sub_device", op->sub_device);
    json_value(json, "total_percent", op->total_percent);
    json_value(json, "device_time_us", op->time);
    json_value(json, "gap_us", op->gap);
    json_value(json, "cores", op->cores);
    json_uint(json, "worker_cores", op->worker_cores);
    json_optional_text(json, "bound", view_of(perf_bound_name(op->bound)));
    json_value(json, "dram_gb_s", op->dram_speed);
    json_value(json, "dram_percent", op->dram_percent);
    json_value(json, "tflops", op->flops);
    json_value(json, "flops_percent", op->flops_percent);
    json_optional_text(json, "math_fidelity",
                       report_text(op->report, op->row, COLUMN_MATH_FIDELITY));
    json_text(json, "category", view_of(perf_category_name(op->category)));
    json_limit(json, op);
    json_advice(json, perf, op);
    json_close(json);
}

static void json_stack(struct json_writer *json, struct perf *perf, enum perf_grouping grouping,
                       bool by_device)
{
    struct perf_group *groups;
    size_t count;
    perf_stack(perf, grouping, by_device, &groups, &count);
    json_open_array(json, "stacked");
    for (size_t i = 0; i < count; i++) {
        const struct perf_group *group = &groups[i];
        json_open_object(json, NULL);
        json_text(json, "name", group->name);
        json_value(json, "device", (struct perf_value){group->has_device, (double)group->device});
        json_text(json, "category", view_of(perf_category_name(group->category)));
        json_real(json, "device_time_us", group->time);
        json_real(json, "percent", group->percent);
        json_uint(json, "count", group->count);
        json_value(json, "flops_percent_min", group->flops_least);
        json_value(json, "flops_percent_max", group->flops_most);
        json_value(json, "flops_percent_mean", group->flops_mean);
        json_value(json, "flops_percent_std", group->flops_deviation);
        json_value(json, "flops_percent_weighted_mean", group->flops_weighted);
        json_close(json);
    }
    json_close(json);
    free(groups);
}

static void json_limits(struct json_writer *json, const struct perf *perf)
{
    struct perf_limit_sum sums[PERF_LIMITS];
    perf_limits_sum(perf, sums);
    json_open_array(json, "limits");
    for (size_t i = 0; i < PERF_LIMITS; i++) {
        json_open_object(json, NULL);
        json_text(json, "by", view_of(perf_limit_name((enum perf_limit)i)));
        json_uint(json, "count", sums[i].count);
        json_real(json, "time_us", sums[i].time);
        json_real(json, "gap_us", sums[i].gap);
        json_close(json);
    }
    json_close(json);
}

static void json_machine(struct json_writer *json, const struct perf *perf)
{
    json_open_object(json, "machine");
    json_text(json, "arch", view_of(perf->arch->name));
    json_uint(json, "worker_cores", perf->worker_cores);
    json_value(json, "dram_gb_s",
               (struct perf_value){perf->arch->dram_gb_s > 0, perf->arch->dram_gb_s});
    json_close(json);
}

static void json_gaps(struct json_writer *json, const struct perf *perf)
{
    const struct perf_gap_gain gain = perf_gap_gain(perf);
    json_open_object(json, "high_gaps");
    json_uint(json, "count", gain.count);
    json_real(json, "saved_us", gain.saved);
    json_real(json, "percent", gain.percent);
    json_close(json);
}

void tt_perf_write_json(struct json_writer *json, struct perf *perf, enum perf_grouping grouping,
                        bool by_device)
{
    json_open_object(json, NULL);
    json_text(json, "version", view_of(report_version_name(perf->version)));
    json_machine(json, perf);
    json_uint(json, "device_ops", perf->device_ops);
    json_uint(json, "host_ops", perf->host_ops);
    json_uint(json, "signposts", perf->signposts);
    json_open_array(json, "messages");
    for (size_t i = 0; i < perf->message_count; i++)
        json_text(json, NULL, perf->messages[i].text);
    json_close(json);
    json_open_array(json, "operations");
    for (size_t i = 0; i < perf->count; i++)
        json_op(json, perf, &perf->ops[i]);
    json_close(json);
    json_stack(json, perf, grouping, by_device);
    json_limits(json, perf);
    json_gaps(json, perf);
    ledger_json(json, "ledger", perf->account);
    json_close(json);
}
