#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// Enough for the columns of a report with a few tensors.
enum { CELLS_FIRST = 112 };

struct report *report_create(void)
{
    struct report *report = memory_allocate_zeroed(1, sizeof *report);
    for (size_t i = 0; i < COLUMN_SINGLES; i++)
        report->singles[i] = REPORT_NO_COLUMN;
    report->version = REPORT_V1;
    return report;
}

void report_free(struct report *report)
{
    free(report->columns);
    free(report->tensors[0]);
    free(report->tensors[1]);
    free(report->rows);
    free(report->damage);
    arena_free(&report->arena);
    free(report);
}

// Columns --------------------------------------------------------------------

uint32_t report_column(const struct report *report, enum column_kind kind)
{
    return report->singles[kind];
}

uint32_t report_tensor_column(const struct report *report, bool output, uint32_t tensor,
                              enum column_kind kind)
{
    if (tensor >= report->tensor_counts[output])
        return REPORT_NO_COLUMN;
    const size_t field = (size_t)(kind - COLUMN_SINGLES);
    return report->tensors[output][(size_t)tensor * COLUMN_TENSOR_FIELDS + field];
}

uint32_t report_named_column(const struct report *report, struct view name)
{
    for (uint32_t i = 0; i < report->column_count; i++) {
        if (view_equal(report->columns[i].name, name))
            return i;
    }
    return REPORT_NO_COLUMN;
}

// Room for the columns of one more tensor.
static void grow_tensors(struct report *report, bool output, uint32_t tensor)
{
    uint32_t *count = &report->tensor_counts[output];
    if (tensor < *count)
        return;
    const size_t old = (size_t)*count * COLUMN_TENSOR_FIELDS;
    const size_t new = ((size_t)tensor + 1) * COLUMN_TENSOR_FIELDS;
    uint32_t *columns = memory_resize(report->tensors[output], new * sizeof *columns);
    for (size_t i = old; i < new; i++)
        columns[i] = REPORT_NO_COLUMN;
    report->tensors[output] = columns;
    *count = tensor + 1;
}

// Where the report looks a column up; NULL for those known by name only.
static uint32_t *report_place_of(struct report *report, const struct column *column)
{
    if (column->kind == COLUMN_OTHER)
        return NULL;
    if (!column_is_tensor(column->kind))
        return &report->singles[column->kind];
    grow_tensors(report, column->output, column->tensor);
    const size_t field = (size_t)(column->kind - COLUMN_SINGLES);
    return &report->tensors[column->output][(size_t)column->tensor * COLUMN_TENSOR_FIELDS + field];
}

uint32_t report_column_add(struct report *report, const struct column *column)
{
    report->columns = memory_grow(report->columns, report->column_count, &report->column_capacity,
                                  sizeof *report->columns);
    const uint32_t index = report->column_count++;
    report->columns[index] = *column;
    uint32_t *place = report_place_of(report, column);
    // A name that stands twice in a header means its first column.
    if (place != NULL && *place == REPORT_NO_COLUMN)
        *place = index;
    return index;
}

// The column, made if need be. Names are those that the report's version uses.
static uint32_t single_column(struct report *report, enum column_kind kind)
{
    if (report->singles[kind] != REPORT_NO_COLUMN)
        return report->singles[kind];
    const struct column column = {.kind = kind,
                                  .name = view_of(column_name(kind, report->version))};
    return report_column_add(report, &column);
}

static uint32_t tensor_column(struct report *report, bool output, uint32_t tensor,
                              enum column_kind kind)
{
    const uint32_t known = report_tensor_column(report, output, tensor, kind);
    if (known != REPORT_NO_COLUMN)
        return known;
    char name[COLUMN_NAME_ROOM];
    column_tensor_name(kind, output, tensor, report->version, name);
    const struct column column = {.kind = kind,
                                  .output = output,
                                  .tensor = tensor,
                                  .name = arena_copy(&report->arena, view_of(name))};
    return report_column_add(report, &column);
}

static uint32_t named_column(struct report *report, struct view name)
{
    const uint32_t known = report_named_column(report, name);
    if (known != REPORT_NO_COLUMN)
        return known;
    const struct column column = column_from_name(arena_copy(&report->arena, name));
    return report_column_add(report, &column);
}

// Rows and cells -------------------------------------------------------------

size_t report_row_add(struct report *report)
{
    report->rows =
        memory_grow(report->rows, report->row_count, &report->row_capacity, sizeof *report->rows);
    report->rows[report->row_count] = (struct report_row){0};
    return report->row_count++;
}

struct view report_cell(const struct report *report, size_t row, uint32_t column)
{
    const struct report_row *cells = &report->rows[row];
    return column < cells->count ? cells->cells[column] : (struct view){"", 0};
}

struct view report_text(const struct report *report, size_t row, enum column_kind kind)
{
    return report_cell(report, row, report_column(report, kind));
}

struct view report_tensor_text(const struct report *report, size_t row, bool output,
                               uint32_t tensor, enum column_kind kind)
{
    return report_cell(report, row, report_tensor_column(report, output, tensor, kind));
}

bool report_u64(const struct report *report, size_t row, enum column_kind kind, uint64_t *out)
{
    return view_to_u64(report_text(report, row, kind), out);
}

bool report_double(const struct report *report, size_t row, enum column_kind kind, double *out)
{
    return view_to_double(report_text(report, row, kind), out) && isfinite(*out);
}

static struct view *report_cell_place(struct report *report, size_t row, uint32_t column)
{
    struct report_row *cells = &report->rows[row];
    cells->source = (struct view){NULL, 0};
    if (column < cells->count)
        return &cells->cells[column];
    uint32_t count = cells->count == 0 ? CELLS_FIRST : cells->count + cells->count / 2;
    if (count <= column)
        count = column + 16;
    struct view *grown = arena_allocate(&report->arena, count * sizeof *grown);
    for (uint32_t i = 0; i < count; i++)
        grown[i] = i < cells->count ? cells->cells[i] : (struct view){"", 0};
    cells->cells = grown;
    cells->count = count;
    return &grown[column];
}

static void set_cell(struct report *report, size_t row, uint32_t column, struct view text)
{
    *report_cell_place(report, row, column) = arena_copy(&report->arena, text);
}

static void set_protected(struct report *report, size_t row, uint32_t column, struct view text)
{
    if (view_find(text, ',') == text.size) {
        set_cell(report, row, column, text);
        return;
    }
    char *copy = view_copy(text);
    for (size_t i = 0; i < text.size; i++) {
        if (copy[i] == ',')
            copy[i] = ';';
    }
    set_cell(report, row, column, (struct view){copy, text.size});
    free(copy);
}

void report_set(struct report *report, size_t row, enum column_kind kind, struct view text)
{
    set_protected(report, row, single_column(report, kind), text);
}

void report_set_raw(struct report *report, size_t row, enum column_kind kind, struct view text)
{
    set_cell(report, row, single_column(report, kind), text);
}

void report_set_tensor(struct report *report, size_t row, bool output, uint32_t tensor,
                       enum column_kind kind, struct view text)
{
    if (tensor < COLUMN_TENSORS_MOST)
        set_protected(report, row, tensor_column(report, output, tensor, kind), text);
}

void report_set_named(struct report *report, size_t row, struct view name, struct view text)
{
    set_protected(report, row, named_column(report, name), text);
}

void report_set_u64(struct report *report, size_t row, enum column_kind kind, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    report_set(report, row, kind, view_of(text));
}

void report_set_duration(struct report *report, size_t row, enum column_kind kind, double ns)
{
    char text[400];
    snprintf(text, sizeof text, "%.0f", ns);
    report_set(report, row, kind, view_of(text));
}

void report_set_rounded(struct report *report, size_t row, enum column_kind kind, double number,
                        int digits)
{
    char text[REPORT_REAL_ROOM];
    report_set(report, row, kind, view_of(report_rounded_text(number, digits, text)));
}
