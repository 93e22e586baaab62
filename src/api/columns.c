#include "columns.h"

#include <stdlib.h>

#include "base/memory.h"

static size_t width_of(uint32_t kind)
{
    if (kind == OPSCOPE_COLUMN_BOOL)
        return sizeof(uint8_t);
    return kind == OPSCOPE_COLUMN_TEXT ? sizeof(uint32_t) : sizeof(uint64_t);
}

static bool is_whole(uint32_t kind)
{
    return kind == OPSCOPE_COLUMN_INT || kind == OPSCOPE_COLUMN_UINT;
}

struct column *columns_add(struct opscope_table *table, struct view name, const char *unit,
                           const char *meaning)
{
    table->columns =
        memory_grow(table->columns, table->count, &table->capacity, sizeof *table->columns);
    struct column *column = &table->columns[table->count];
    *column = (struct column){
        .unit = unit, .meaning = meaning, .kind = OPSCOPE_COLUMN_TEXT, .name = view_copy(name)};
    table->count++;
    return column;
}

void column_set_kind(struct column *column, uint32_t kind)
{
    column->kind = kind;
    column->typed = true;
}

// Rows ----------------------------------------------------------------------------

// Room for the item of a row, which is there.
static void *column_place(struct column *column)
{
    const size_t width = width_of(column->kind);
    void *place = bytes_reserve(&column->data, width);
    column->data.size += width;
    column->rows++;
    if (column->absent.size > 0)
        bytes_append(&column->absent, "", 1);
    return place;
}

void column_add_absent(struct column *column)
{
    const size_t width = width_of(column->kind);
    const size_t missing = column->rows - column->absent.size;
    memset(bytes_reserve(&column->absent, missing + 1), 0, missing);
    column->absent.size += missing;
    bytes_append(&column->absent, "\1", 1);
    memset(bytes_reserve(&column->data, width), 0, width);
    column->data.size += width;
    column->rows++;
}

static bool column_lacks(const struct column *column, size_t row)
{
    return row < column->absent.size && column->absent.data[row] != 0;
}

static void number_text(uint32_t kind, const unsigned char *item, bool negative, struct bytes *to)
{
    uint64_t number = 0;
    memcpy(&number, item, width_of(kind));
    double real;
    memcpy(&real, &number, sizeof real);
    if (kind == OPSCOPE_COLUMN_BOOL)
        bytes_append_format(to, "%s", number != 0 ? "true" : "false");
    else if (kind == OPSCOPE_COLUMN_REAL)
        bytes_append_format(to, "%.17g", real);
    else if (negative)
        bytes_append_format(to, "%lld", (long long)number);
    else
        bytes_append_format(to, "%llu", (unsigned long long)number);
}

static double real_of(uint32_t kind, const unsigned char *item, bool negative)
{
    uint64_t number = 0;
    memcpy(&number, item, width_of(kind));
    return negative ? (double)(int64_t)number : (double)number;
}

// Every row that there is becomes one of another kind.
static void column_change(struct column *column, uint32_t kind)
{
    struct column changed = *column;
    struct bytes text = {0};
    changed.kind = kind;
    changed.rows = 0;
    changed.data = (struct bytes){0};
    changed.absent = (struct bytes){0};
    const size_t width = width_of(column->kind);
    for (size_t i = 0; i < column->rows; i++) {
        const unsigned char *item = column->data.data + i * width;
        text.size = 0;
        if (column_lacks(column, i)) {
            column_add_absent(&changed);
        } else if (kind == OPSCOPE_COLUMN_TEXT) {
            number_text(column->kind, item, column->negative, &text);
            column_add_text(&changed, bytes_view(&text));
        } else {
            const double real = real_of(column->kind, item, column->negative);
            memcpy(column_place(&changed), &real, sizeof real);
        }
    }
    bytes_free(&text);
    bytes_free(&column->data);
    bytes_free(&column->absent);
    *column = changed;
}

// The column becomes one that can take this kind. False when only text is left.
static bool column_take(struct column *column, uint32_t kind)
{
    if (!column->typed) {
        // Absent rows alone, of the width of text.
        if (width_of(kind) != width_of(column->kind) && column->rows > 0) {
            const size_t size = column->rows * width_of(kind);
            column->data.size = 0;
            memset(bytes_reserve(&column->data, size), 0, size);
            column->data.size = size;
        }
        column_set_kind(column, kind);
        return true;
    }
    if (column->kind == kind || (is_whole(column->kind) && is_whole(kind)))
        return true;
    const bool mixed = kind == OPSCOPE_COLUMN_BOOL || column->kind == OPSCOPE_COLUMN_BOOL;
    if (kind == OPSCOPE_COLUMN_TEXT || column->kind == OPSCOPE_COLUMN_TEXT || mixed) {
        if (column->kind != OPSCOPE_COLUMN_TEXT)
            column_change(column, OPSCOPE_COLUMN_TEXT);
        return kind == OPSCOPE_COLUMN_TEXT;
    }
    if (column->kind != OPSCOPE_COLUMN_REAL)
        column_change(column, OPSCOPE_COLUMN_REAL);
    return true;
}

// A number to a column that has become one of texts.
static void column_add_as_text(struct column *column, uint32_t kind, const void *item,
                               bool negative)
{
    struct bytes text = {0};
    number_text(kind, item, negative, &text);
    column_add_text(column, bytes_view(&text));
    bytes_free(&text);
}

static void column_add_number(struct column *column, uint64_t number, bool negative)
{
    const uint32_t kind = OPSCOPE_COLUMN_UINT;
    if (!column_take(column, kind)) {
        column_add_as_text(column, kind, &number, negative);
        return;
    }
    const bool large = !negative && number > INT64_MAX;
    const bool fits = !(column->large && negative) && !(column->negative && large);
    if (is_whole(column->kind) && !fits)
        column_change(column, OPSCOPE_COLUMN_REAL);
    if (column->kind == OPSCOPE_COLUMN_REAL) {
        const double real = negative ? (double)(int64_t)number : (double)number;
        memcpy(column_place(column), &real, sizeof real);
        return;
    }
    column->large |= large;
    column->negative |= negative;
    memcpy(column_place(column), &number, sizeof number);
}

void column_add_whole(struct column *column, uint64_t number)
{
    column_add_number(column, number, false);
}

void column_add_signed(struct column *column, int64_t number)
{
    column_add_number(column, (uint64_t)number, number < 0);
}

void column_add_real(struct column *column, double number)
{
    if (column_take(column, OPSCOPE_COLUMN_REAL))
        memcpy(column_place(column), &number, sizeof number);
    else
        column_add_as_text(column, OPSCOPE_COLUMN_REAL, &number, false);
}

void column_add_flag(struct column *column, bool flag)
{
    const uint8_t number = flag;
    if (column_take(column, OPSCOPE_COLUMN_BOOL))
        *(uint8_t *)column_place(column) = number;
    else
        column_add_as_text(column, OPSCOPE_COLUMN_BOOL, &number, false);
}

uint32_t column_text(struct column *column, struct view text)
{
    if (column->texts.texts.count == 0)
        strings_start(&column->texts);
    return strings_add(&column->texts, text);
}

void column_add_known_text(struct column *column, uint32_t text)
{
    memcpy(column_place(column), &text, sizeof text);
}

void column_add_text(struct column *column, struct view text)
{
    column_take(column, OPSCOPE_COLUMN_TEXT);
    column_add_known_text(column, column_text(column, text));
}

// The end -------------------------------------------------------------------------

// The empty text is the first of all, and goes where no row has it.
static bool column_drop_empty_text(struct column *column)
{
    uint32_t *items = (uint32_t *)(void *)column->data.data;
    for (size_t i = 0; i < column->rows; i++) {
        if (items[i] == 0 && !column_lacks(column, i))
            return false;
    }
    for (size_t i = 0; i < column->rows; i++) {
        if (!column_lacks(column, i))
            items[i]--;
    }
    return true;
}

static void column_finish(struct column *column)
{
    if (is_whole(column->kind))
        column->kind = column->large ? OPSCOPE_COLUMN_UINT : OPSCOPE_COLUMN_INT;
    if (column->kind != OPSCOPE_COLUMN_TEXT || column->texts.texts.count == 0)
        return;
    for (uint32_t i = column_drop_empty_text(column); i < column->texts.texts.count; i++) {
        const struct view text = strings_get(&column->texts, i);
        bytes_append(&column->text_bytes, text.data, text.size);
        const uint64_t end = column->text_bytes.size;
        bytes_append(&column->text_ends, &end, sizeof end);
    }
    strings_free(&column->texts);
    column->texts = (struct strings){0};
}

void columns_finish(struct opscope_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        column_finish(&table->columns[i]);
}

void columns_free(struct opscope_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct column *column = &table->columns[i];
        free(column->name);
        bytes_free(&column->data);
        bytes_free(&column->absent);
        bytes_free(&column->cells);
        if (column->texts.texts.count > 0)
            strings_free(&column->texts);
        bytes_free(&column->text_bytes);
        bytes_free(&column->text_ends);
    }
    free(table->columns);
}
