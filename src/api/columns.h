// Columns that are filled row by row: what tables of the library are made of.
//
// A column takes whatever comes: whole numbers become reals when a real follows, and everything
// becomes text when a text does. Memory: 8 bytes for a number, 4 for a text, and each distinct text
// once; a byte a row where some are absent.

#ifndef OPSCOPE_API_COLUMNS_H
#define OPSCOPE_API_COLUMNS_H

#include <opscope/table.h>

#include "base/bytes.h"
#include "profile/strings.h"

struct column {
    char *name;
    const char *unit;
    const char *meaning;
    uint32_t kind; // enum opscope_column_kind; UINT and INT are told apart by `columns_finish`
    bool typed;    // some value has decided the kind, or who began the column did
    bool negative; // some number is less than 0
    bool large;    // some number is more than INT64_MAX
    size_t rows;
    struct bytes data;
    struct bytes absent; // empty until one is
    struct strings texts;
    struct bytes cells;      // of a query, by row: what it was; empty: as the column is
    struct bytes text_bytes; // of the finished column
    struct bytes text_ends;
};

struct opscope_table {
    struct column *columns;
    size_t count;
    size_t capacity;
};

// A new last column, which is the table's; `meaning` and `unit` must outlive it. Valid until the
// next one is added.
struct column *columns_add(struct opscope_table *table, struct view name, const char *unit,
                           const char *meaning);

// Decides what it holds when nothing else does.
void column_set_kind(struct column *column, uint32_t kind);

// A row each.
void column_add_absent(struct column *column);
void column_add_whole(struct column *column, uint64_t number);
void column_add_signed(struct column *column, int64_t number);
void column_add_real(struct column *column, double number);
void column_add_flag(struct column *column, bool flag);
void column_add_text(struct column *column, struct view text);

// A text that is looked up once and added often, to a column of texts alone.
uint32_t column_text(struct column *column, struct view text);
void column_add_known_text(struct column *column, uint32_t text);

// After the last row: makes them what opscope/table.h describes.
void columns_finish(struct opscope_table *table);

void columns_free(struct opscope_table *table);

#endif
