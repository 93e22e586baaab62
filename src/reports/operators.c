#include "operators.h"

#include "analysis/operator_tensors.h"
#include "names.h"

enum { SHAPES_SHOWN = 48 };

struct operators_report operators_report_of(const struct profile *profile,
                                            const struct operator_times *times,
                                            const struct operator_time *rows)
{
    struct operators_report report = {profile, times, rows, {0}};
    for (unsigned side = 0; side < OPERATOR_SIDES; side++)
        report.sides[side] = times->self[side] > 0;
    return report;
}

static const struct operator_description *
reports_operators_describe(const struct operators_report *report, size_t row)
{
    return profile_operator(report->profile, report->rows[row].operator_id);
}

// Of the time that belongs to none.
static const char NO_OPERATOR[] = "(no operator)";

static struct view reports_operators_type_of(const struct operators_report *report, size_t row)
{
    const struct operator_description *op = reports_operators_describe(report, row);
    if (report->rows[row].operator_id == 0)
        return view_of(NO_OPERATOR);
    return name_or_none(profile_text(report->profile, op->type != 0 ? op->type : op->name));
}

static struct view reports_operators_name_of(const struct operators_report *report, size_t row)
{
    const struct operator_description *op = reports_operators_describe(report, row);
    if (report->rows[row].operator_id == 0)
        return view_of(NO_OPERATOR);
    return name_or_none(profile_text(report->profile, op->name != 0 ? op->name : op->location));
}

static struct view text_value(const struct operators_report *report, size_t row, const char *key)
{
    return operator_text_value(report->profile, report->rows[row].operator_id, key);
}

static struct view tensors_of(const struct operators_report *report, size_t row, const char *side,
                              struct bytes *text)
{
    return operator_tensors(report->profile, report->rows[row].operator_id, side, text);
}

// Cells -----------------------------------------------------------------------

static const struct operator_time *reports_operators_time_of(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    return &report->rows[query->row];
}

static struct table_cell reports_operators_name_cell(const struct table_query *query)
{
    return table_text(reports_operators_name_of(query->report, query->row));
}

static struct table_cell reports_operators_type_cell(const struct table_query *query)
{
    return table_text(reports_operators_type_of(query->report, query->row));
}

static struct table_cell reports_operators_location_cell(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    return table_text_if_any(
        profile_text(report->profile, reports_operators_describe(report, query->row)->location));
}

// The value is called as the column is.
static struct table_cell reports_operators_value_cell(const struct table_query *query)
{
    return table_text_if_any(text_value(query->report, query->row, query->column->key));
}

static struct table_cell inputs_cell(const struct table_query *query)
{
    return table_text_if_any(tensors_of(query->report, query->row, "input", query->scratch));
}

static struct table_cell outputs_cell(const struct table_query *query)
{
    return table_text_if_any(tensors_of(query->report, query->row, "output", query->scratch));
}

static struct table_cell kernel_cell(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    return table_whole_if(report->times->has_kernel, reports_operators_time_of(query)->kernel);
}

static struct table_cell operator_cell(const struct table_query *query)
{
    const struct view name = reports_operators_name_of(query->report, query->row);
    const struct view type = reports_operators_type_of(query->report, query->row);
    struct bytes shapes = {0};
    const struct view inputs = tensors_of(query->report, query->row, "input", &shapes);
    const bool cut = inputs.size > SHAPES_SHOWN;
    struct bytes *text = query->scratch;
    bytes_append(text, name.data, name.size);
    if (!view_equal(name, type)) {
        bytes_append(text, "  ", 2);
        bytes_append(text, type.data, type.size);
    }
    if (inputs.size > 0) {
        bytes_append(text, "  (", 3);
        bytes_append(text, inputs.data, cut ? SHAPES_SHOWN : inputs.size);
        bytes_append(text, cut ? " ...)" : ")", cut ? 5 : 1);
    }
    bytes_free(&shapes);
    return table_text(bytes_view(text));
}

static struct table_cell calls_cell(const struct table_query *query)
{
    return table_whole(reports_operators_time_of(query)->calls);
}

static struct table_cell reports_operators_spans_cell(const struct table_query *query)
{
    return table_whole(reports_operators_time_of(query)->spans);
}

static struct table_cell passed_cell(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    return table_whole_if(report->times->has_passed,
                          (uint64_t)(reports_operators_time_of(query)->passed + 0.5));
}

// Of the time that passed, where it is known. On the device all of its time is shared out. On the
// host nobody's time may be the start of a program or hours of waiting: the operators share what
// they took.
static struct table_cell reports_operators_share_cell(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    const struct operator_time *time = reports_operators_time_of(query);
    enum operator_side side = OPERATOR_DEVICE;
    if (report->times->has_passed)
        return table_real(time->passed / report->times->passed);
    while (side > 0 && !report->sides[side])
        side--;
    const struct operator_times *times = report->times;
    uint64_t whole = times->self[side];
    if (side != OPERATOR_DEVICE && times->nobodys) {
        whole -= times->operators[times->count - 1].self[side];
        if (time->operator_id == 0)
            return table_absent();
    }
    return table_real(whole == 0 ? 0 : (double)time->self[side] / (double)whole);
}

static struct table_cell self_cell(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    const size_t side = query->column->argument;
    return table_whole_if(report->sides[side], reports_operators_time_of(query)->self[side]);
}

static struct table_cell reports_operators_total_cell(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    const size_t side = query->column->argument;
    return table_whole_if(report->sides[side], reports_operators_time_of(query)->total[side]);
}

static struct table_cell backward_cell(const struct table_query *query)
{
    const struct operators_report *report = query->report;
    const uint64_t *backward = reports_operators_time_of(query)->backward;
    const size_t side = query->column->argument;
    const bool has = backward[OPERATOR_HOST] > 0 || backward[OPERATOR_DEVICE] > 0;
    return table_whole_if(has && report->sides[side], backward[side]);
}

// Columns ---------------------------------------------------------------------

#define TIME(side_name, side, at, words, more)                                                     \
    .key = side_name "_ns", .title = side_name, .type = TABLE_NS, .look = TABLE_SCALED,            \
    .flags = TABLE_HIDE_EMPTY | (more), .width = 9, .place = (at), .argument = (side),             \
    .cell = self_cell, .meaning = (words)

// clang-format off
#define FIGURES                                                                                    \
    {.key = "calls", .meaning = "executions that have spans", .type = TABLE_COUNT, .width = 7,     \
     .place = 8, .loss = 2, .cell = calls_cell},                                                   \
    {.key = "spans", .meaning = "spans of these calls", .type = TABLE_COUNT, .width = 7,           \
     .place = 9, .loss = 3, .cell = reports_operators_spans_cell},                                                   \
    {.key = "time_ns", .title = "time", .type = TABLE_NS, .look = TABLE_SCALED, .width = 9,        \
     .flags = TABLE_HIDE_EMPTY | TABLE_OPTIONAL | TABLE_NOT_CSV | TABLE_EMPTY_ABSENT, .place = 1,  \
     .cell = passed_cell,                                                                          \
     .meaning = "its share of the time that passed (runs of programs on a device)"},               \
    {.key = "share",                                                                               \
     .meaning = "of all time_ns, else of the device's time, else operators' on the host",          \
     .type = TABLE_RATIO, .digits = 1, .flags = TABLE_WITH_UNIT, .width = 7, .place = 6,           \
     .cell = reports_operators_share_cell},                                                                          \
    {TIME("host", OPERATOR_HOST, 4, "on the host, without operators inside", 0)},                  \
    {.key = "host_total_ns", .meaning = "on the host, with operators inside", .type = TABLE_NS,    \
     .look = TABLE_SCALED, .argument = OPERATOR_HOST, .cell = reports_operators_total_cell},                         \
    {TIME("device", OPERATOR_DEVICE, 2, "on the device's engines, without operators inside", 0)},  \
    {.key = "device_total_ns", .meaning = "on the device's engines, with operators inside",        \
     .type = TABLE_NS, .look = TABLE_SCALED, .argument = OPERATOR_DEVICE, .cell = reports_operators_total_cell},     \
    {.key = "kernel_ns", .title = "kernel", .meaning = "of the kernels inside the firmware's time",\
     .type = TABLE_NS, .look = TABLE_SCALED, .flags = TABLE_HIDE_EMPTY | TABLE_OPTIONAL,           \
     .width = 9, .place = 3, .cell = kernel_cell},                                                 \
    {.key = "backward_device_ns", .title = "backward", .type = TABLE_NS, .look = TABLE_SCALED,     \
     .flags = TABLE_HIDE_EMPTY | TABLE_OPTIONAL | TABLE_NOT_CSV | TABLE_EMPTY_ABSENT,             \
     .width = 9, .place = 7,                                                                       \
     .loss = 5, .argument = OPERATOR_DEVICE, .cell = backward_cell,                                \
     .meaning = "of the device, for its backward: it is in the rows of who did that"},             \
    {.key = "backward_host_ns", .type = TABLE_NS, .look = TABLE_SCALED,                            \
     .flags = TABLE_OPTIONAL | TABLE_NOT_CSV, .argument = OPERATOR_HOST, .cell = backward_cell,    \
     .meaning = "the same on the host"},                                                           \
    {TIME("unknown", OPERATOR_UNKNOWN, 5,                                                          \
          "on engines of which nobody said whether they are the device's", TABLE_OPTIONAL)}

static const struct table_column OPERATOR_COLUMNS[] = {
    {.key = "operator", .meaning = "name, type where it differs, and inputs, for people",
     .place = 11, .flags = TABLE_NOT_CSV | TABLE_NOT_JSON, .cell = operator_cell},
    {.key = "name", .meaning = "of the operator, or its place in the source", .cell = reports_operators_name_cell},
    {.key = "type", .meaning = "of the operator, or its name where it has none", .cell = reports_operators_type_cell},
    {.key = "location", .meaning = "place in the source", .flags = TABLE_OPTIONAL,
     .cell = reports_operators_location_cell},
    {.key = "inputs", .meaning = "shapes and elements", .flags = TABLE_OPTIONAL,
     .cell = inputs_cell},
    {.key = "outputs", .meaning = "shapes and elements", .flags = TABLE_OPTIONAL,
     .cell = outputs_cell},
    {.key = "const_eval_op", .meaning = "whether it works on constants", .flags = TABLE_OPTIONAL,
     .cell = reports_operators_value_cell},
    {.key = "provider", .meaning = "what executed it", .flags = TABLE_OPTIONAL,
     .cell = reports_operators_value_cell},
    {.key = "block", .meaning = "the path above the node", .flags = TABLE_OPTIONAL | TABLE_NOT_CSV,
     .cell = reports_operators_value_cell},
    {.key = "bound", .meaning = "what takes most of it: compute, ddr, multicast, layout, sync; mixed",
     .flags = TABLE_OPTIONAL | TABLE_HIDE_EMPTY | TABLE_NOT_CSV, .place = 10, .width = 7, .loss = 4,
     .cell = reports_operators_value_cell},
    FIGURES,
};

static const struct table_column BLOCK_COLUMNS[] = {
    {.key = "block", .meaning = "path of nodes", .place = 11,
     .cell = reports_operators_value_cell},
    FIGURES,
};

static const struct table_column TYPE_COLUMNS[] = {
    {.key = "type", .meaning = "of the operators, or their name where it has none", .place = 11,
     .cell = reports_operators_type_cell},
    FIGURES,
};
// clang-format on

const struct table_form OPERATORS_FORM = {
    .name = "operators",
    .about = "a row for each operator that has spans, the slowest first",
    .indent = 2,
    TABLE_COLUMNS(OPERATOR_COLUMNS),
};

const struct table_form OPERATOR_TYPES_FORM = {
    .name = "types",
    .about = "a row for the operators of a type, the slowest first",
    .indent = 2,
    TABLE_COLUMNS(TYPE_COLUMNS),
};

const struct table_form OPERATOR_BLOCKS_FORM = {
    .name = "blocks",
    .about = "a row for the operators under a path, where they say one, the slowest first",
    .indent = 2,
    TABLE_COLUMNS(BLOCK_COLUMNS),
};
