#include "table.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"
#include "table_parts.h"

// Columns ---------------------------------------------------------------------

const char *table_column_title(const struct table_column *column)
{
    return column->title != NULL ? column->title : column->key;
}

const char *table_column_heading(const struct table_column *column)
{
    return column->heading != NULL ? column->heading : column->key;
}

static bool is_called(const struct table_column *column, struct view key)
{
    return view_is(key, column->key) || view_is(key, table_column_heading(column));
}

const struct table_column *table_form_find(const struct table_form *form, struct view key)
{
    for (size_t i = 0; i < form->column_count; i++) {
        if (is_called(&form->columns[i], key))
            return &form->columns[i];
    }
    return NULL;
}

// Tables ----------------------------------------------------------------------

struct table *table_create(const struct table_form *form, const void *report, size_t rows)
{
    struct table *table = memory_allocate_zeroed(1, sizeof *table);
    table->form = form;
    table->report = report;
    table->rows = memory_allocate_zeroed(rows + 1, sizeof *table->rows);
    table->count = rows;
    for (size_t i = 0; i < rows; i++)
        table->rows[i] = i;
    table_append(table, form);
    return table;
}

static void forget_layout(struct table *table)
{
    free(table->shown);
    free(table->widths);
    table->shown = NULL;
    table->widths = NULL;
}

void table_free(struct table *table)
{
    if (table == NULL)
        return;
    forget_layout(table);
    free(table->columns);
    free(table->chosen);
    free(table->rows);
    bytes_free(&table->scratch);
    bytes_free(&table->text);
    free(table);
}

void table_append(struct table *table, const struct table_form *form)
{
    const size_t count = table->column_count + form->column_count;
    const struct table_column **columns = memory_allocate_zeroed(count + 1, sizeof *columns);
    for (size_t i = 0; i < count; i++)
        columns[i] =
            i < table->column_count ? table->columns[i] : &form->columns[i - table->column_count];
    free(table->columns);
    table->columns = columns;
    table->column_count = count;
}

const struct table_form *table_form(const struct table *table)
{
    return table->form;
}

size_t table_count(const struct table *table)
{
    return table->count;
}

size_t table_row(const struct table *table, size_t index)
{
    return table->rows[index];
}

// What is no number is absent.
struct table_cell table_cell(struct table *table, const struct table_column *column, size_t row)
{
    table->scratch.size = 0;
    const struct table_query query = {column, table->report, row, &table->scratch};
    const struct table_cell cell = column->cell(&query);
    return cell.kind == TABLE_CELL_REAL && !isfinite(cell.real) ? table_absent() : cell;
}

// Choosing --------------------------------------------------------------------

static const struct table_column *table_find_column(const struct table *table, struct view key)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (is_called(table->columns[i], key))
            return table->columns[i];
    }
    return NULL;
}

bool table_has(const struct table *table, struct view key)
{
    return table_find_column(table, key) != NULL;
}

void table_append_keys(const struct table *table, struct bytes *to)
{
    for (size_t i = 0; i < table->column_count; i++)
        bytes_append_format(to, " %s", table->columns[i]->key);
}

bool table_choose(struct table *table, struct view keys)
{
    size_t most = 1;
    for (size_t i = 0; i < keys.size; i++)
        most += keys.data[i] == ',';
    forget_layout(table);
    free(table->chosen);
    table->chosen = memory_allocate_zeroed(most, sizeof *table->chosen);
    table->chosen_count = 0;
    for (struct view rest = keys; rest.size > 0;) {
        const size_t end = view_find(rest, ',');
        const struct table_column *column =
            table_find_column(table, view_trim(view_slice(rest, 0, end)));
        if (column != NULL)
            table->chosen[table->chosen_count++] = column;
        rest = view_slice(rest, end < rest.size ? end + 1 : end, rest.size);
    }
    return table->chosen_count > 0;
}

size_t table_columns_for(const struct table *table, unsigned left_out,
                         const struct table_column ***out_columns)
{
    const bool chosen = table->chosen != NULL;
    const struct table_column **from = chosen ? table->chosen : table->columns;
    const size_t count = chosen ? table->chosen_count : table->column_count;
    size_t kept = 0;
    *out_columns = memory_allocate_zeroed(count + 1, sizeof **out_columns);
    for (size_t i = 0; i < count; i++) {
        if (chosen || (from[i]->flags & left_out) == 0)
            (*out_columns)[kept++] = from[i];
    }
    return kept;
}

// Order -----------------------------------------------------------------------

// What a row is sorted by.
struct sort_key {
    size_t row;
    size_t before; // its place so far
    struct table_cell cell;
    bool descending;
};

static int reports_table_compare_texts(struct view a, struct view b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static double reports_table_number_of(const struct table_cell *cell)
{
    double number = 0;
    switch (cell->kind) {
    case TABLE_CELL_EXACT:
        return view_to_double(cell->text, &number) ? number : 0;
    case TABLE_CELL_WHOLE:
        return (double)cell->whole;
    case TABLE_CELL_SIGNED:
        return (double)cell->integer;
    case TABLE_CELL_REAL:
        return cell->real;
    case TABLE_CELL_FLAG:
        return cell->flag ? 1 : 0;
    default:
        return 0;
    }
}

static int compare_cells(const struct table_cell *a, const struct table_cell *b)
{
    if (a->kind == TABLE_CELL_TEXT && b->kind == TABLE_CELL_TEXT)
        return reports_table_compare_texts(a->text, b->text);
    if (a->kind == TABLE_CELL_WHOLE && b->kind == TABLE_CELL_WHOLE)
        return (a->whole > b->whole) - (a->whole < b->whole);
    const double left = reports_table_number_of(a), right = reports_table_number_of(b);
    return (left > right) - (left < right);
}

static int reports_table_compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    const bool lacks_a = a->cell.kind == TABLE_CELL_ABSENT;
    const bool lacks_b = b->cell.kind == TABLE_CELL_ABSENT;
    if (lacks_a != lacks_b)
        return lacks_a ? 1 : -1;
    const int order = lacks_a ? 0 : compare_cells(&a->cell, &b->cell);
    if (order != 0)
        return a->descending ? -order : order;
    return (a->before > b->before) - (a->before < b->before);
}

// Texts are copied: those of cells do not last.
static void take_keys(struct table *table, const struct table_column *column, bool descending,
                      struct sort_key *keys)
{
    for (size_t i = 0; i < table->count; i++) {
        struct table_cell cell = table_cell(table, column, table->rows[i]);
        if (cell.kind == TABLE_CELL_TEXT || cell.kind == TABLE_CELL_EXACT)
            cell.text.data = view_copy(cell.text);
        keys[i] = (struct sort_key){table->rows[i], i, cell, descending};
    }
}

static void drop_keys(struct sort_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (keys[i].cell.kind == TABLE_CELL_TEXT || keys[i].cell.kind == TABLE_CELL_EXACT)
            free((char *)keys[i].cell.text.data);
    }
    free(keys);
}

void table_sort(struct table *table, struct view key)
{
    const size_t colon = view_find(key, ':');
    const struct table_column *column = table_find_column(table, view_slice(key, 0, colon));
    const bool descending = colon < key.size && view_ends_with(key, ":desc");
    if (column == NULL || table->count < 2)
        return;
    struct sort_key *keys = memory_allocate_zeroed(table->count, sizeof *keys);
    take_keys(table, column, descending, keys);
    sort_items(keys, table->count, sizeof *keys, reports_table_compare_keys);
    for (size_t i = 0; i < table->count; i++)
        table->rows[i] = keys[i].row;
    drop_keys(keys, table->count);
}

void table_order(struct table *table, const uint32_t *rows, size_t count)
{
    forget_layout(table);
    free(table->rows);
    table->rows = memory_allocate_zeroed(count + 1, sizeof *table->rows);
    table->count = count;
    for (size_t i = 0; i < count; i++)
        table->rows[i] = rows[i];
}

void table_skip(struct table *table, size_t rows)
{
    forget_layout(table);
    rows = rows < table->count ? rows : table->count;
    table->count -= rows;
    memmove(table->rows, table->rows + rows, table->count * sizeof *table->rows);
}

void table_limit(struct table *table, size_t most)
{
    forget_layout(table);
    if (most > 0 && most < table->count)
        table->count = most;
}
