// Tables for people: numbers stand right, texts left, and what is too wide for a terminal is cut
// or left out.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/figures.h"
#include "base/memory.h"
#include "table_parts.h"

enum {
    GAP = 2,
    TEXT_LEAST = 12, // letters to which a text is cut before a column is left out
    TEXT_FEWEST = 4, // where no column can be left out
};

// Cells -----------------------------------------------------------------------

static bool table_text_is_text(const struct table_column *column)
{
    return column->type == TABLE_TEXT || (column->flags & TABLE_LEFT) != 0;
}

static const char *table_text_unit_of(const struct table_column *column)
{
    static const char *const UNITS[TABLE_TYPES] = {
        [TABLE_BYTES] = "B", [TABLE_NS] = "ns",   [TABLE_US] = "us",     [TABLE_MS] = "ms",
        [TABLE_HZ] = "Hz",   [TABLE_RATIO] = "%", [TABLE_PERCENT] = "%",
    };
    return column->unit != NULL ? column->unit : UNITS[column->type];
}

static void append_scaled(struct bytes *to, const struct table_column *column, double number)
{
    char text[FIGURES_ROOM];
    const double ns = column->type == TABLE_MS ? 1e6 : column->type == TABLE_US ? 1e3 : 1;
    const uint64_t whole = (uint64_t)(fabs(number) * ns);
    if (number < 0 || (column->flags & TABLE_WITH_SIGN) != 0)
        bytes_append_format(to, "%s", number < 0 ? "-" : "+");
    if (column->look == TABLE_LETTER)
        figures_letter(whole, text);
    else if (column->type == TABLE_BYTES)
        figures_bytes(whole, text);
    else if (column->type == TABLE_NS || column->type == TABLE_US || column->type == TABLE_MS)
        figures_time(whole, 1000000000, text);
    else
        figures_short(whole, text);
    bytes_append(to, text, strlen(text));
}

static void table_text_append_real(struct bytes *to, const struct table_column *column,
                                   double number)
{
    const double shown = column->type == TABLE_RATIO ? 100 * number : number;
    const bool sign = (column->flags & TABLE_WITH_SIGN) != 0;
    if (column->digits == TABLE_AS_NEEDED)
        bytes_append_format(to, sign ? "%+g" : "%g", shown);
    else
        bytes_append_format(to, sign ? "%+.*f" : "%.*f", column->digits, shown);
}

static void table_text_append_number(struct bytes *to, const struct table_column *column,
                                     const struct table_cell *cell)
{
    const bool whole = cell->kind == TABLE_CELL_WHOLE;
    const bool plain = column->look == TABLE_PLAIN || column->look == TABLE_CHANGE;
    if (column->look == TABLE_CHANGE && cell->kind == TABLE_CELL_REAL && cell->real >= 9) {
        char times[FIGURES_ROOM];
        bytes_append_format(to, "%s", figures_times(1 + cell->real, times));
        return;
    }
    if (!plain && (whole || cell->kind == TABLE_CELL_REAL))
        append_scaled(to, column, whole ? (double)cell->whole : cell->real);
    else if (cell->kind == TABLE_CELL_REAL)
        table_text_append_real(to, column, cell->real);
    else if (cell->kind == TABLE_CELL_SIGNED && (column->flags & TABLE_WITH_SIGN) != 0)
        bytes_append_format(to, "%+" PRId64, cell->integer);
    else
        table_number_append(to, cell);
    if ((column->flags & TABLE_WITH_UNIT) != 0 && plain && table_text_unit_of(column) != NULL)
        bytes_append_format(to, " %s", table_text_unit_of(column));
}

// The text of a cell, uncut, into the table's own buffer.
static struct view cell_text(struct table *table, const struct table_column *column, size_t row)
{
    const struct table_cell cell = table_cell(table, column, row);
    const char *absent = table->form->absent != NULL ? table->form->absent : "absent";
    struct bytes *to = &table->text;
    to->size = 0;
    switch (cell.kind) {
    case TABLE_CELL_ABSENT:
        return view_of((column->flags & TABLE_EMPTY_ABSENT) != 0 ? "" : absent);
    case TABLE_CELL_TEXT:
    case TABLE_CELL_EXACT:
        return cell.text;
    case TABLE_CELL_FLAG:
        return view_of(cell.flag ? "yes" : "no");
    default:
        table_text_append_number(to, column, &cell);
        return bytes_view(to);
    }
}

// Layout ----------------------------------------------------------------------

static size_t gap_before(const struct table *table, size_t index)
{
    const size_t gap = table->form->gap > 0 ? table->form->gap : GAP;
    if (index == 0)
        return table->form->indent;
    // Gaps of columns are for their usual neighbours.
    return table->chosen == NULL && table->shown[index]->gap > 0 ? table->shown[index]->gap : gap;
}

static bool table_text_is_empty(struct table *table, const struct table_column *column)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table_cell(table, column, table->rows[i]).kind != TABLE_CELL_ABSENT)
            return false;
    }
    return true;
}

static int table_text_by_place(const void *left, const void *right)
{
    const struct table_column *const *a = left;
    const struct table_column *const *b = right;
    return ((*a)->place > (*b)->place) - ((*a)->place < (*b)->place);
}

static void choose_usual(struct table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = table->columns[i];
        if (column->place > 0 &&
            ((column->flags & TABLE_HIDE_EMPTY) == 0 || !table_text_is_empty(table, column)))
            table->shown[table->shown_count++] = column;
    }
    if (table->shown_count > 1)
        sort_items(table->shown, table->shown_count, sizeof *table->shown, table_text_by_place);
}

static void table_choose_columns(struct table *table)
{
    const size_t most =
        table->chosen_count > table->column_count ? table->chosen_count : table->column_count;
    free(table->shown);
    free(table->widths);
    table->shown = memory_allocate_zeroed(most + 1, sizeof *table->shown);
    table->widths = memory_allocate_zeroed(most + 1, sizeof *table->widths);
    table->shown_count = 0;
    if (table->chosen == NULL)
        choose_usual(table);
    for (size_t i = 0; table->chosen != NULL && i < table->chosen_count; i++)
        table->shown[table->shown_count++] = table->chosen[i];
}

static bool has_head(const struct table *table)
{
    return !table->form->headless || table->chosen != NULL;
}

static size_t table_text_width_of(struct table *table, const struct table_column *column,
                                  bool measured)
{
    const size_t title = has_head(table) ? letters_count(view_of(table_column_title(column))) : 0;
    size_t width = column->width > title ? column->width : title;
    for (size_t i = 0; (measured || column->width == 0) && i < table->count; i++) {
        const size_t own = letters_count(cell_text(table, column, table->rows[i]));
        width = own > width ? own : width;
    }
    return column->most > 0 && width > column->most ? column->most : width;
}

// How wide a line is when no text is wider than `most`.
static size_t line_width(const struct table *table, size_t most)
{
    size_t sum = 0;
    for (size_t i = 0; i < table->shown_count; i++) {
        const bool cut = table_text_is_text(table->shown[i]) && table->widths[i] > most;
        sum += gap_before(table, i) + (cut ? most : table->widths[i]);
    }
    return sum;
}

static bool leave_out_one(struct table *table)
{
    size_t least = table->shown_count;
    for (size_t i = 0; i < table->shown_count; i++) {
        if (table->shown[i]->loss > 0 &&
            (least == table->shown_count || table->shown[i]->loss >= table->shown[least]->loss))
            least = i;
    }
    if (least == table->shown_count || table->chosen != NULL)
        return false;
    table->shown_count--;
    for (size_t i = least; i < table->shown_count; i++) {
        table->shown[i] = table->shown[i + 1];
        table->widths[i] = table->widths[i + 1];
    }
    return true;
}

static void table_text_fit(struct table *table, size_t width)
{
    while (line_width(table, TEXT_LEAST) > width && leave_out_one(table))
        continue;
    size_t most = TEXT_FEWEST;
    while (line_width(table, most + 1) <= width && line_width(table, SIZE_MAX) > width)
        most++;
    if (line_width(table, SIZE_MAX) <= width)
        return;
    for (size_t i = 0; i < table->shown_count; i++) {
        if (table_text_is_text(table->shown[i]) && table->widths[i] > most)
            table->widths[i] = most;
    }
}

void table_layout(struct table *table, size_t width)
{
    table_choose_columns(table);
    table->fitted = width > 0;
    for (size_t i = 0; i < table->shown_count; i++)
        table->widths[i] = table_text_width_of(table, table->shown[i], table->fitted);
    if (table->fitted)
        table_text_fit(table, width);
}

// Lines -----------------------------------------------------------------------

static void table_text_append_blanks(struct bytes *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_append(to, " ", 1);
}

static void table_text_append_cell(struct table *table, size_t index, struct view text,
                                   struct bytes *to)
{
    const struct table_column *column = table->shown[index];
    const bool left = table_text_is_text(column);
    const size_t width = table->widths[index];
    const size_t most = table->fitted && left ? width : column->most > 0 ? column->most : SIZE_MAX;
    const size_t length = letters_count(text);
    const size_t own = length < most ? length : most;
    const size_t blanks = own < width ? width - own : 0;
    table_text_append_blanks(to, gap_before(table, index) + (left ? 0 : blanks));
    letters_append(to, text, own, column->most > 0 ? column->cut : LETTERS_CUT_MIDDLE);
    if (left && index + 1 < table->shown_count)
        table_text_append_blanks(to, blanks);
}

static void ensure_layout(struct table *table)
{
    if (table->shown == NULL)
        table_layout(table, 0);
}

// Without the blanks of empty cells at its end.
static void table_text_end_line(struct bytes *to, size_t from)
{
    while (to->size > from && to->data[to->size - 1] == ' ')
        to->size--;
    bytes_append(to, "\n", 1);
}

void table_text_head(struct table *table, struct bytes *to)
{
    ensure_layout(table);
    if (!has_head(table))
        return;
    const size_t from = to->size;
    for (size_t i = 0; i < table->shown_count; i++)
        table_text_append_cell(table, i, view_of(table_column_title(table->shown[i])), to);
    table_text_end_line(to, from);
}

void table_text_extra(struct table *table, size_t row, struct bytes *to)
{
    ensure_layout(table);
    const size_t from = to->size;
    for (size_t i = 0; i < table->shown_count; i++)
        table_text_append_cell(table, i, cell_text(table, table->shown[i], row), to);
    table_text_end_line(to, from);
}

void table_text_row(struct table *table, size_t index, struct bytes *to)
{
    table_text_extra(table, table->rows[index], to);
}

// Descriptions ----------------------------------------------------------------

const char *table_column_type_name(const struct table_column *column)
{
    static const char *const NAMES[TABLE_TYPES] = {
        [TABLE_TEXT] = "text",    [TABLE_FLAG] = "yes or no",
        [TABLE_COUNT] = "count",  [TABLE_BYTES] = "bytes",
        [TABLE_NS] = "ns",        [TABLE_US] = "us",
        [TABLE_MS] = "ms",        [TABLE_HZ] = "Hz",
        [TABLE_RATIO] = "0 to 1", [TABLE_PERCENT] = "0 to 100",
        [TABLE_REAL] = "number",
    };
    return column->unit != NULL ? column->unit : NAMES[column->type];
}

static size_t wider(size_t width, const char *text)
{
    const size_t own = letters_count(view_of(text));
    return own > width ? own : width;
}

static void append_padded(struct bytes *to, const char *text, size_t width)
{
    const size_t own = letters_count(view_of(text));
    bytes_append_format(to, "  %s", text);
    table_text_append_blanks(to, own < width ? width - own : 0);
}

void table_form_describe(const struct table_form *form, struct bytes *to)
{
    size_t keys = 0, types = 0;
    for (size_t i = 0; i < form->column_count; i++) {
        keys = wider(keys, form->columns[i].key);
        types = wider(types, table_column_type_name(&form->columns[i]));
    }
    bytes_append_format(to, "%s: %s\n", form->name, form->about);
    for (size_t i = 0; i < form->column_count; i++) {
        const struct table_column *column = &form->columns[i];
        append_padded(to, column->key, keys);
        append_padded(to, table_column_type_name(column), types);
        bytes_append_format(to, "  %s", column->meaning);
        if (column->heading != NULL)
            bytes_append_format(to, " (CSV: %s)", column->heading);
        bytes_append(to, "\n", 1);
    }
}
