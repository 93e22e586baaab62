#include "perf_table.h"

static const struct perf_op *perf_table_op_of(const struct table_query *query)
{
    return &((const struct perf_report *)query->report)->perf->ops[query->row];
}

static const struct perf *perf_of(const struct table_query *query)
{
    return ((const struct perf_report *)query->report)->perf;
}

static struct table_cell perf_table_value_cell(struct perf_value number)
{
    return table_real_if(number.known, number.value);
}

// Operations ------------------------------------------------------------------

static struct table_cell perf_table_id_cell(const struct table_query *query)
{
    return table_whole(perf_table_op_of(query)->id);
}

static struct table_cell kind_cell(const struct table_query *query)
{
    static const char *const NAMES[] = {"device", "host", "signpost"};
    return table_text(view_of(NAMES[perf_table_op_of(query)->kind]));
}

static struct table_cell code_cell(const struct table_query *query)
{
    return table_text(perf_table_op_of(query)->code);
}

static struct table_cell perf_table_label_cell(const struct table_query *query)
{
    return table_text(perf_table_op_of(query)->label);
}

static struct table_cell call_count_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    return table_text_if_any(report_text(op->report, op->row, COLUMN_CALL_COUNT));
}

static struct table_cell perf_table_device_cell(const struct table_query *query)
{
    return table_real_if(perf_table_op_of(query)->has_device,
                         (double)perf_table_op_of(query)->device);
}

static struct table_cell sub_device_cell(const struct table_query *query)
{
    return table_text_if_any(perf_table_op_of(query)->sub_device);
}

// `argument` is where the operation has the value.
static struct table_cell perf_table_number_cell(const struct table_query *query)
{
    struct perf_value number;
    memcpy(&number, (const char *)perf_table_op_of(query) + query->column->argument, sizeof number);
    return perf_table_value_cell(number);
}

// The vendor's tool takes an operation of the device without a time for one of 0. It reads files
// alone: in a report that was made of logs what is absent is absent.
static bool is_taken_for_0(const struct perf_op *op)
{
    return op->kind == PERF_DEVICE && !op->time.known && !report_is_made(op->report);
}

static struct table_cell shown_time_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    return table_real_if(op->time.known || is_taken_for_0(op), op->time.value);
}

// CSV has what Python prints: a whole 0, and numbers of a column with gaps in it as reals.
static struct table_cell csv_time_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    if (is_taken_for_0(op))
        return table_exact(VIEW_LITERAL("0"));
    return perf_table_value_cell(op->time);
}

static struct table_cell csv_cores_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    const bool real = perf_is_matmul(op) && !op->dram_sharded && perf_of(query)->real_cores;
    if (!op->cores.known || real)
        return perf_table_value_cell(op->cores);
    return table_whole((uint64_t)op->cores.value);
}

static struct table_cell csv_call_count_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    const struct view text = report_text(op->report, op->row, COLUMN_CALL_COUNT);
    double number;
    if (text.size == 0)
        return table_exact(VIEW_LITERAL("nan"));
    if (perf_of(query)->real_call_counts &&
        report_double(op->report, op->row, COLUMN_CALL_COUNT, &number))
        return table_real(number);
    return table_text(text);
}

static struct table_cell worker_cores_cell(const struct table_query *query)
{
    return table_whole(perf_table_op_of(query)->worker_cores);
}

static struct table_cell perf_table_bound_cell(const struct table_query *query)
{
    return table_text_if_any(view_of(perf_bound_name(perf_table_op_of(query)->bound)));
}

static struct table_cell fidelity_cell(const struct table_query *query)
{
    return table_text_if_any(perf_table_op_of(query)->fidelity_text);
}

static struct table_cell math_fidelity_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    return table_text_if_any(report_text(op->report, op->row, COLUMN_MATH_FIDELITY));
}

// `argument` is the kind of the column.
static struct table_cell column_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    return table_text_if_any(
        report_text(op->report, op->row, (enum column_kind)query->column->argument));
}

static struct table_cell category_cell(const struct table_query *query)
{
    return table_text(view_of(perf_category_name(perf_table_op_of(query)->category)));
}

static struct table_cell limit_cell(const struct table_query *query)
{
    return table_text(view_of(perf_limit_name(perf_table_op_of(query)->limit)));
}

// What is missing in a column that is there is Python's nan.
static struct table_cell perf_table_type_cell(const struct table_query *query, bool output,
                                              uint32_t tensor)
{
    const struct perf_op *op = perf_table_op_of(query);
    const struct perf *perf = perf_of(query);
    const struct view text =
        report_tensor_text(op->report, op->row, output, tensor, COLUMN_TENSOR_DATATYPE);
    if (text.size > 0)
        return table_text(text);
    for (size_t i = 0; i < perf->file_count; i++) {
        if (report_tensor_column(perf->reports[i], output, tensor, COLUMN_TENSOR_DATATYPE) !=
            REPORT_NO_COLUMN)
            return table_exact(VIEW_LITERAL("nan"));
    }
    return table_absent();
}

static struct table_cell output_type_cell(const struct table_query *query)
{
    return perf_table_type_cell(query, true, 0);
}

// `argument` is the number of the input.
static struct table_cell input_type_cell(const struct table_query *query)
{
    return perf_table_type_cell(query, false, (uint32_t)query->column->argument);
}

static struct table_cell input_memory_cell(const struct table_query *query)
{
    const struct perf_op *op = perf_table_op_of(query);
    return table_text(report_tensor_text(op->report, op->row, false, 0, COLUMN_TENSOR_MEMORY));
}

static struct table_cell sharded_cell(const struct table_query *query)
{
    return table_flag(perf_table_op_of(query)->dram_sharded);
}

static struct perf_advice advise(const struct table_query *query)
{
    struct perf_advice advice = {.count = 0};
    if (perf_is_matmul(perf_table_op_of(query)))
        perf_matmul_advise(((const struct perf_report *)query->report)->perf,
                           perf_table_op_of(query), &advice);
    return advice;
}

static struct table_cell advice_cell(const struct table_query *query)
{
    const struct perf_advice advice = advise(query);
    for (size_t i = 0; i < advice.count; i++)
        bytes_append_format(query->scratch, "%s%.*s", i > 0 ? " • " : "",
                            VIEW_ARGUMENTS(advice.lines[i]));
    return table_text(bytes_view(query->scratch));
}

static void write_advice(const struct table_query *query, struct json_writer *json)
{
    const struct perf_advice advice = advise(query);
    json_open_array(json, query->column->key);
    for (size_t i = 0; i < advice.count; i++)
        json_text(json, NULL, advice.lines[i]);
    json_close(json);
}

static void perf_table_write_value(struct json_writer *json, const char *key,
                                   struct perf_value number)
{
    if (number.known)
        json_real(json, key, number.value);
    else
        json_null(json, key);
}

static void write_limit(const struct table_query *query, struct json_writer *json)
{
    const struct perf_op *op = perf_table_op_of(query);
    json_open_object(json, query->column->key);
    json_text(json, "by", view_of(perf_limit_name(op->limit)));
    if (op->doubt != PERF_DOUBT_NONE)
        json_text(json, "remark", view_of(perf_doubt_text(op->doubt)));
    perf_table_write_value(json, "operations", op->work.flops);
    perf_table_write_value(json, "dram_bytes", op->work.dram_bytes);
    perf_table_write_value(json, "l1_bytes", op->work.l1_bytes);
    perf_table_write_value(json, "compute_us_at_peak", op->compute_time);
    perf_table_write_value(json, "dram_us_at_peak", op->memory_time);
    perf_table_write_value(json, "gap_us", op->gap);
    json_real(json, "host_in_gap_us", op->host_in_gap);
    perf_table_write_value(json, "host_us", op->host_time);
    perf_table_write_value(json, "host_interval_us", op->host_interval);
    json_close(json);
}

// clang-format off
#define NUMBER(name, head, words, of, member)                                                      \
    .key = (name), .heading = (head), .meaning = (words), .type = (of),                            \
    .argument = offsetof(struct perf_op, member), .cell = perf_table_number_cell
#define WHOLE .digits = 0, .flags = TABLE_ROUNDED
#define ONLY_CSV(name, head, words, function)                                                      \
    .key = (name), .heading = (head), .meaning = (words), .cell = (function),                      \
    .flags = TABLE_NOT_JSON

static const struct table_column COLUMNS[] = {
    {.key = "id", .heading = "ID", .meaning = "of the row in the report", .type = TABLE_COUNT,
     .cell = perf_table_id_cell},
    {.key = "kind", .meaning = "device, host or signpost", .cell = kind_cell},
    {.key = "op_code", .heading = "Raw OP Code", .meaning = "of the operation", .cell = code_cell},
    {.key = "label", .heading = "OP Code", .meaning = "the op code with the sizes of a matmul",
     .cell = perf_table_label_cell},
    {.key = "global_call_count", .heading = "Global Call Count", .meaning = "of the operation",
     .cell = call_count_cell},
    {ONLY_CSV("csv_call_count", "Global Call Count", "the same as Python prints it",
              csv_call_count_cell)},
    {.key = "device", .heading = "Device", .meaning = "that did it", .type = TABLE_COUNT, WHOLE,
     .cell = perf_table_device_cell},
    {.key = "sub_device", .meaning = "of the device", .cell = sub_device_cell},
    {NUMBER("total_percent", "Total %", "of the time of all", TABLE_PERCENT, total_percent),
     .digits = 1},
    {NUMBER("device_time_us", NULL, "on the device", TABLE_US, time)},
    {.key = "shown_time_us", .heading = "Device Time", .unit = "μs", .type = TABLE_US,
     .meaning = "the same, 0 where a file does not say it", .flags = TABLE_NOT_JSON,
     .cell = shown_time_cell},
    {.key = "csv_time_us", .heading = "Device Time", .unit = "μs", .type = TABLE_US,
     .meaning = "the same as Python prints it", .flags = TABLE_NOT_JSON, .cell = csv_time_cell},
    {NUMBER("gap_us", "Op-to-Op Gap", "since the operation before", TABLE_US, gap), .unit = "μs"},
    {NUMBER("cores", "Cores", "that it used", TABLE_COUNT, cores), WHOLE},
    {ONLY_CSV("csv_cores", "Cores", "the same as Python prints it", csv_cores_cell)},
    {.key = "worker_cores", .meaning = "that the device has", .type = TABLE_COUNT,
     .cell = worker_cores_cell},
    {.key = "bound", .heading = "Bound", .meaning = "what bounds it: DRAM, FLOP, BOTH, SLOW, HOST",
     .cell = perf_table_bound_cell},
    {NUMBER("dram_gb_s", "DRAM", "of its inputs and outputs", TABLE_REAL, dram_speed),
     .unit = "GB/s"},
    {NUMBER("dram_percent", "DRAM %", "of what DRAM can do", TABLE_PERCENT, dram_percent),
     .digits = 1},
    {NUMBER("tflops", "FLOPs", "of a matmul or convolution", TABLE_REAL, flops), .unit = "TFLOPs",
     .digits = 1},
    {NUMBER("flops_percent", "FLOPs %", "of what its cores can do", TABLE_PERCENT, flops_percent),
     .digits = 1},
    {.key = "math_fidelity", .meaning = "as the report has it", .cell = math_fidelity_cell},
    {ONLY_CSV("fidelity", "Math Fidelity", "the same with the types of a matmul", fidelity_cell)},
    {.key = "category", .meaning = "compute, data movement and others", .cell = category_cell,
     .flags = TABLE_NOT_CSV},
    {.key = "limit", .meaning = "what limits it; in JSON with the figures behind it",
     .cell = limit_cell, .json = write_limit},
    {ONLY_CSV("output_datatype", "Output Datatype", "of the first output", output_type_cell)},
    {ONLY_CSV("input_0_datatype", "Input 0 Datatype", "of the first input", input_type_cell)},
    {ONLY_CSV("input_1_datatype", "Input 1 Datatype", "of the second input", input_type_cell),
     .argument = 1},
    {ONLY_CSV("dram_sharded", "DRAM Sharded", "whether its weights are", sharded_cell),
     .type = TABLE_FLAG},
    {ONLY_CSV("input_0_memory", "Input 0 Memory", "of the first input", input_memory_cell)},
    {NUMBER("inner_block", "Inner Dim Block Size", "of a matmul", TABLE_COUNT, inner_block),
     .flags = TABLE_ROUNDED | TABLE_NOT_JSON},
    {NUMBER("subblock_height", "Output Subblock H", "of a matmul", TABLE_COUNT, subblock_height),
     .flags = TABLE_ROUNDED | TABLE_NOT_JSON},
    {NUMBER("subblock_width", "Output Subblock W", "of a matmul", TABLE_COUNT, subblock_width),
     .flags = TABLE_ROUNDED | TABLE_NOT_JSON},
    {.key = "loc", .title = "LOC", .heading = "LOC", .meaning = "where it is in the model",
     .flags = TABLE_NOT_CSV | TABLE_OPTIONAL, .argument = COLUMN_LOC, .cell = column_cell},
    {.key = "const_eval_op", .title = "CONST_EVAL_OP", .heading = "CONST_EVAL_OP",
     .meaning = "whether it works on constants", .flags = TABLE_NOT_CSV | TABLE_OPTIONAL,
     .argument = COLUMN_CONST_EVAL_OP, .cell = column_cell},
    {.key = "advice", .heading = "Advice", .meaning = "for a matmul", .cell = advice_cell,
     .json = write_advice},
};
// clang-format on

// As Python writes numbers.
static void append_real(struct bytes *to, double number)
{
    char text[REPORT_REAL_ROOM];
    report_real_text(number, text);
    bytes_append(to, text, strlen(text));
}

const struct table_form PERF_FORM = {
    .name = "operations",
    .about = "a row for each operation",
    .line_end = "\r\n",
    .as_it_is = true,
    .flags = {"False", "True"},
    .append_real = append_real,
    TABLE_COLUMNS(COLUMNS),
};

// Stacked ---------------------------------------------------------------------

static const struct perf_group *perf_table_group_of(const struct table_query *query)
{
    return &((const struct perf_stack_report *)query->report)->groups[query->row];
}

static struct table_cell group_name_cell(const struct table_query *query)
{
    return table_text(perf_table_group_of(query)->name);
}

static struct table_cell group_device_cell(const struct table_query *query)
{
    return table_real_if(perf_table_group_of(query)->has_device,
                         (double)perf_table_group_of(query)->device);
}

static struct table_cell group_category_cell(const struct table_query *query)
{
    return table_text(view_of(perf_category_name(perf_table_group_of(query)->category)));
}

// Where no operation of the report has a time, a whole 0.
static struct table_cell group_time_cell(const struct table_query *query)
{
    const struct perf_group *group = perf_table_group_of(query);
    if (group->absent)
        return table_absent();
    return group->timed ? table_real(group->time) : table_exact(VIEW_LITERAL("0"));
}

// Where nothing took time, a whole 0.
static struct table_cell group_percent_cell(const struct table_query *query)
{
    const struct perf_group *group = perf_table_group_of(query);
    if (group->absent)
        return table_absent();
    if (group->whole == 0 && !group->has_device)
        return table_exact(VIEW_LITERAL("0"));
    return table_real(group->percent);
}

static struct table_cell group_count_cell(const struct table_query *query)
{
    return table_whole(perf_table_group_of(query)->count);
}

// `argument` is where the group has the value.
static struct table_cell group_flops_cell(const struct table_query *query)
{
    struct perf_value number;
    memcpy(&number, (const char *)perf_table_group_of(query) + query->column->argument,
           sizeof number);
    return perf_table_value_cell(number);
}

// clang-format off
#define FLOPS(name, shown, words, member)                                                          \
    {.key = (name), .title = shown " FLOPs", .heading = shown " FLOPs [%]", .meaning = (words),    \
     .type = TABLE_PERCENT, .digits = 2, .flags = TABLE_ROUNDED,                                   \
     .argument = offsetof(struct perf_group, member), .cell = group_flops_cell}

static const struct table_column STACK_COLUMNS[] = {
    {.key = "name", .title = "Op Code", .heading = "Op Code", .meaning = "what was put together",
     .cell = group_name_cell},
    {.key = "device", .title = "Device", .heading = "Device", .meaning = "where they are kept apart",
     .type = TABLE_COUNT, .flags = TABLE_ROUNDED, .cell = group_device_cell},
    {.key = "category", .title = "Op Category", .heading = "Op Category",
     .meaning = "of the operations", .cell = group_category_cell},
    {.key = "device_time_us", .title = "Device Time Sum", .heading = "Device Time Sum [μs]",
     .meaning = "of all of them", .type = TABLE_US, .unit = "μs", .digits = 2,
     .flags = TABLE_ROUNDED, .cell = group_time_cell},
    {.key = "percent", .title = "Total %", .heading = "Total % [%]", .meaning = "of the time of all",
     .type = TABLE_PERCENT, .digits = 2, .flags = TABLE_ROUNDED, .cell = group_percent_cell},
    {.key = "count", .title = "Op Count", .heading = "Op Count", .meaning = "how many they are",
     .type = TABLE_COUNT, .cell = group_count_cell},
    FLOPS("flops_percent_min", "Min", "the least of their FLOPs %", flops_least),
    FLOPS("flops_percent_max", "Max", "the most", flops_most),
    FLOPS("flops_percent_mean", "Mean", "the mean", flops_mean),
    FLOPS("flops_percent_std", "Std", "the deviation of the sample", flops_deviation),
    FLOPS("flops_percent_weighted_mean", "Weighted Mean", "the mean, weighted by time",
          flops_weighted),
};
// clang-format on

const struct table_form PERF_STACK_FORM = {
    .name = "stacked",
    .about = "a row for the operations that were put together",
    TABLE_COLUMNS(STACK_COLUMNS),
};

#define SUMS(device) "percent,name," device "device_time_us,count"
#define SUMS_AND_FLOPS(device)                                                                     \
    SUMS(device)                                                                                   \
    ",category,flops_percent_min,flops_percent_max,flops_percent_mean,flops_percent_std,"          \
    "flops_percent_weighted_mean"

const char *perf_stack_columns(enum perf_grouping grouping, bool by_device)
{
    if (grouping == PERF_BY_CATEGORY)
        return by_device ? SUMS("device,") : SUMS("");
    return by_device ? SUMS_AND_FLOPS("device,") : SUMS_AND_FLOPS("");
}
