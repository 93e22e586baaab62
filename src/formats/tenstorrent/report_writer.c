// Writing an operations report: as it was read, or in the form of a version.

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "report.h"
#include "wire/csv.h"

// Quotes as Python's csv module does: blanks at the ends need none.
static void report_writer_append_cell(struct bytes *line, struct view text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char byte = text.data[i];
        if (byte == ',' || byte == '"' || byte == '\r' || byte == '\n') {
            csv_field_append_quoted(line, text);
            return;
        }
    }
    bytes_append(line, text.data, text.size);
}

static void write_line(struct bytes *line, const char *end, struct output *output)
{
    bytes_append(line, end, strlen(end));
    output_write(output, line->data, line->size);
    line->size = 0;
}

// As it was read ------------------------------------------------------------

static void append_own_header(const struct report *report, struct bytes *line)
{
    for (uint32_t i = 0; i < report->column_count; i++) {
        if (i > 0)
            bytes_append(line, ",", 1);
        report_writer_append_cell(line, report->columns[i].name);
    }
}

// Fields that a file has beyond its header stay where they are.
static uint32_t own_width(const struct report *report, const struct report_row *row)
{
    const bool from_file = row->line != 0;
    const bool wider = from_file && row->count > report->column_count &&
                       report->column_count == report->header_count;
    uint32_t width = report->column_count;
    for (uint32_t i = width; wider && i < row->count; i++) {
        if (row->cells[i].size > 0)
            width = i + 1;
    }
    return width;
}

static void append_own_row(const struct report *report, size_t row, struct bytes *line)
{
    const uint32_t width = own_width(report, &report->rows[row]);
    for (uint32_t i = 0; i < width; i++) {
        if (i > 0)
            bytes_append(line, ",", 1);
        report_writer_append_cell(line, report_cell(report, row, i));
    }
}

static void write_own(const struct report *report, struct output *output)
{
    struct bytes line = {0};
    const char *end = report->bare_line_feeds ? "\n" : "\r\n";
    const bool same_columns = report->column_count == report->header_count;
    if (same_columns) {
        output_write(output, report->header.data, report->header.size);
    } else {
        append_own_header(report, &line);
        write_line(&line, end, output);
    }
    for (size_t i = 0; i < report->row_count; i++) {
        const struct view source = report->rows[i].source;
        if (same_columns && source.data != NULL) {
            output_write(output, source.data, source.size);
            continue;
        }
        append_own_row(report, i, &line);
        write_line(&line, end, output);
    }
    bytes_free(&line);
}

// In the form of a version --------------------------------------------------

struct written_column {
    uint32_t column; // REPORT_NO_COLUMN: empty everywhere
    struct view name;
    bool is_shape;
};

struct plan {
    const struct report *report;
    enum report_version version;
    bool only_filled;
    struct written_column *columns;
    size_t count;
    size_t capacity;
    struct arena names;
};

static void plan_column(struct plan *plan, uint32_t column, struct view name, bool is_shape)
{
    plan->columns = memory_grow(plan->columns, plan->count, &plan->capacity, sizeof *plan->columns);
    plan->columns[plan->count++] = (struct written_column){column, name, is_shape};
}

static bool is_filled(const struct report *report, uint32_t column)
{
    for (size_t i = 0; column != REPORT_NO_COLUMN && i < report->row_count; i++) {
        if (report_cell(report, i, column).size > 0)
            return true;
    }
    return false;
}

static void plan_singles(struct plan *plan, enum column_kind from, enum column_kind to)
{
    for (unsigned i = from; i <= to; i++) {
        const enum column_kind kind = (enum column_kind)i;
        const uint32_t column = report_column(plan->report, kind);
        const bool always = !plan->only_filled && column_is_written(kind, plan->version);
        if (always || (column_exists(kind, plan->version) && is_filled(plan->report, column)))
            plan_column(plan, column, view_of(column_name(kind, plan->version)), false);
    }
}

static bool tensor_is_filled(const struct report *report, bool output, uint32_t tensor)
{
    for (unsigned i = COLUMN_SINGLES; i < COLUMN_KINDS; i++) {
        if (is_filled(report, report_tensor_column(report, output, tensor, (enum column_kind)i)))
            return true;
    }
    return false;
}

static void plan_tensors(struct plan *plan, bool output)
{
    const struct report *report = plan->report;
    uint32_t count = report->tensor_counts[output];
    while (count > 0 && !tensor_is_filled(report, output, count - 1))
        count--;
    for (uint32_t tensor = 0; tensor < count; tensor++) {
        for (unsigned i = COLUMN_SINGLES; i < COLUMN_KINDS; i++) {
            const enum column_kind kind = (enum column_kind)i;
            char name[COLUMN_NAME_ROOM];
            column_tensor_name(kind, output, tensor, plan->version, name);
            plan_column(plan, report_tensor_column(report, output, tensor, kind),
                        arena_copy(&plan->names, view_of(name)), kind <= COLUMN_TENSOR_X);
        }
    }
}

static bool is_host_function(struct view name)
{
    return view_ends_with(name, "_TT_HOST_FUNC [ns]");
}

static int report_writer_compare_names(const void *left, const void *right)
{
    const struct view a = ((const struct written_column *)left)->name;
    const struct view b = ((const struct written_column *)right)->name;
    const int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// Unknown columns as they come; then the times of host functions by name.
static void plan_others(struct plan *plan)
{
    const struct report *report = plan->report;
    size_t sorted_from = 0;
    for (int functions = 0; functions < 2; functions++) {
        sorted_from = plan->count;
        for (uint32_t i = 0; i < report->column_count; i++) {
            const struct column *column = &report->columns[i];
            if (column->kind == COLUMN_OTHER && is_host_function(column->name) == functions)
                plan_column(plan, i, column->name, false);
        }
    }
    if (plan->count > sorted_from)
        sort_items(plan->columns + sorted_from, plan->count - sorted_from, sizeof *plan->columns,
                   report_writer_compare_names);
}

// V1 has no logical shapes.
static struct view shape_in(enum report_version version, struct view shape)
{
    return version < REPORT_V2 ? view_slice(shape, 0, view_find(shape, '[')) : shape;
}

static void write_planned(const struct plan *plan, struct output *output)
{
    struct bytes line = {0};
    for (size_t i = 0; i < plan->count; i++) {
        if (i > 0)
            bytes_append(&line, ",", 1);
        report_writer_append_cell(&line, plan->columns[i].name);
    }
    write_line(&line, "\r\n", output);
    for (size_t row = 0; row < plan->report->row_count; row++) {
        for (size_t i = 0; i < plan->count; i++) {
            const struct written_column *column = &plan->columns[i];
            struct view text = report_cell(plan->report, row, column->column);
            if (column->is_shape)
                text = shape_in(plan->version, text);
            if (i > 0)
                bytes_append(&line, ",", 1);
            report_writer_append_cell(&line, text);
        }
        write_line(&line, "\r\n", output);
    }
    bytes_free(&line);
}

static void write_version(const struct report *report, enum report_version version,
                          bool only_filled, struct output *output)
{
    struct plan plan = {.report = report, .version = version, .only_filled = only_filled};
    plan_singles(&plan, COLUMN_OP_CODE, COLUMN_GO_SEND_WAIT);
    plan_tensors(&plan, false);
    plan_tensors(&plan, true);
    plan_singles(&plan, COLUMN_TRACE_ID, COLUMN_NPE_CONGESTION);
    plan_others(&plan);
    plan_singles(&plan, COLUMN_LOC, COLUMN_PROGRAM_METADATA);
    write_planned(&plan, output);
    free(plan.columns);
    arena_free(&plan.names);
}

static uint64_t count_filled(const struct report *report, uint32_t column)
{
    uint64_t count = 0;
    for (size_t i = 0; column != REPORT_NO_COLUMN && i < report->row_count; i++)
        count += report_cell(report, i, column).size > 0;
    return count;
}

// Sides whose padded size is not the logical one.
static uint64_t count_logical(const struct report *report)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < report->column_count; i++) {
        const enum column_kind kind = report->columns[i].kind;
        if (kind < COLUMN_TENSOR_W || kind > COLUMN_TENSOR_X)
            continue;
        for (size_t row = 0; row < report->row_count; row++) {
            uint64_t padded, logical;
            const struct view cell = report_cell(report, row, i);
            count +=
                report_padded(cell, &padded) && report_logical(cell, &logical) && padded != logical;
        }
    }
    return count;
}

void report_note_left_out(const struct report *report, enum report_version version,
                          struct profile *account)
{
    for (unsigned i = COLUMN_OP_CODE; i < COLUMN_SINGLES; i++) {
        const enum column_kind kind = (enum column_kind)i;
        const uint64_t count = count_filled(report, report_column(report, kind));
        if (!column_exists(kind, version) && count > 0)
            profile_note(account, 0, LEDGER_NOT_CARRIED, count,
                         "%s has no column '%s': %llu values are left out",
                         report_version_name(version), column_name(kind, REPORT_V21),
                         (unsigned long long)count);
    }
    const uint64_t logical = version < REPORT_V2 ? count_logical(report) : 0;
    if (logical > 0)
        profile_note(account, 0, LEDGER_NOT_CARRIED, logical,
                     "%s has no logical shapes: %llu padded sides lose theirs",
                     report_version_name(version), (unsigned long long)logical);
}

void report_write_as(const struct report *report, enum report_version version,
                     struct output *output)
{
    write_version(report, version, false, output);
}

void report_write(const struct report *report, struct output *output)
{
    if (report->header.data != NULL)
        write_own(report, output);
    else
        write_version(report, report->version, true, output);
}
