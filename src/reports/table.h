// A report as rows and described columns. A column says once what it is called, what it means,
// in which unit and how it is printed; text, CSV, JSON and workbooks are renderings of it, and
// `--help-columns` and the documents list it.
//
// Rows belong to the report: a column asks for the cell of a row when it is needed, so that a
// table holds no more than the order of its rows (8 bytes each). A value that is not there is
// absent in every rendering, never 0.

#ifndef OPSCOPE_REPORTS_TABLE_H
#define OPSCOPE_REPORTS_TABLE_H

#include "base/letters.h"
#include "base/output.h"
#include "base/status.h"
#include "wire/json.h"

enum table_kind {
    TABLE_CELL_ABSENT,
    TABLE_CELL_TEXT,
    TABLE_CELL_EXACT, // `text` is a number already, written as it is
    TABLE_CELL_WHOLE,
    TABLE_CELL_SIGNED,
    TABLE_CELL_REAL,
    TABLE_CELL_FLAG,
};

struct table_cell {
    enum table_kind kind;
    union {
        struct view text;
        uint64_t whole;
        int64_t integer;
        double real;
        bool flag;
    };
};

static inline struct table_cell table_absent(void)
{
    return (struct table_cell){.kind = TABLE_CELL_ABSENT};
}

static inline struct table_cell table_text(struct view text)
{
    return (struct table_cell){.kind = TABLE_CELL_TEXT, .text = text};
}

// "" is absent.
static inline struct table_cell table_text_if_any(struct view text)
{
    return text.size > 0 ? table_text(text) : table_absent();
}

static inline struct table_cell table_exact(struct view number)
{
    return (struct table_cell){.kind = TABLE_CELL_EXACT, .text = number};
}

static inline struct table_cell table_whole(uint64_t number)
{
    return (struct table_cell){.kind = TABLE_CELL_WHOLE, .whole = number};
}

static inline struct table_cell table_whole_if(bool known, uint64_t number)
{
    return known ? table_whole(number) : table_absent();
}

static inline struct table_cell table_signed(int64_t number)
{
    return (struct table_cell){.kind = TABLE_CELL_SIGNED, .integer = number};
}

static inline struct table_cell table_real(double number)
{
    return (struct table_cell){.kind = TABLE_CELL_REAL, .real = number};
}

static inline struct table_cell table_real_if(bool known, double number)
{
    return known ? table_real(number) : table_absent();
}

static inline struct table_cell table_flag(bool flag)
{
    return (struct table_cell){.kind = TABLE_CELL_FLAG, .flag = flag};
}

// Columns ---------------------------------------------------------------------

enum table_type {
    TABLE_TEXT,
    TABLE_FLAG,
    TABLE_COUNT,
    TABLE_BYTES,
    TABLE_NS,
    TABLE_US,
    TABLE_MS,
    TABLE_HZ,
    TABLE_RATIO,   // 0 to 1; as text in %
    TABLE_PERCENT, // 0 to 100
    TABLE_REAL,
    TABLE_TYPES,
};

// How a number looks as text.
enum table_look {
    TABLE_PLAIN,  // with the column's digits after the point
    TABLE_SCALED, // three digits and a unit: "7.58 ms", "498 KiB"
    TABLE_LETTER, // the same in less room: "45.6M"
    TABLE_CHANGE, // of a ratio less 1: "+3.2 %", from ten times on "24.4x"
};

enum table_flags {
    TABLE_NOT_CSV = 1 << 0,     // unless it is asked for
    TABLE_NOT_JSON = 1 << 1,    // the same
    TABLE_OPTIONAL = 1 << 2,    // where it is absent, JSON says nothing instead of null
    TABLE_HIDE_EMPTY = 1 << 3,  // no column of text where every row lacks it
    TABLE_WITH_UNIT = 1 << 4,   // text has the unit after each number
    TABLE_WITH_SIGN = 1 << 5,   // text has a sign before each number
    TABLE_ROUNDED = 1 << 6,     // CSV has the digits that text has
    TABLE_LEFT = 1 << 7,        // numbers stand left, too
    TABLE_EMPTY_ABSENT = 1 << 8 // text has nothing where it is absent
};

enum { TABLE_AS_NEEDED = 255 }; // digits: six at most, and no zeros at the end

// What a cell is asked for with.
struct table_query {
    const struct table_column *column;
    const void *report;
    size_t row;
    struct bytes *scratch; // empty; a text in it lasts until the next cell
};

struct table_column {
    const char *key;     // of JSON, and for --columns and --sort
    const char *heading; // of CSV and workbooks; NULL: the key
    const char *title;   // of text; NULL: the key
    const char *meaning; // a line
    const char *unit;    // NULL: that of the type
    enum table_type type;
    enum table_look look;
    unsigned flags;
    uint8_t digits;
    uint8_t width; // of text: as wide at least; letters
    uint8_t most;  // of text: cut to as many; 0: never
    uint8_t gap;   // blanks before it; 0: as many as the table has
    uint8_t place; // in text, from 1; 0: only where it is asked for
    uint8_t loss;  // where text is too wide, what has most of it is left out first; 0: never
    enum letters_cut cut;
    size_t argument; // for `cell`
    struct table_cell (*cell)(const struct table_query *query);
    // JSON that is more than a value; NULL: the cell.
    void (*json)(const struct table_query *query, struct json_writer *json);
};

// What a kind of table has in common.
struct table_form {
    const char *name; // of its rows: "operators"
    const char *about;
    const struct table_column *columns;
    size_t column_count;
    const char *absent;     // of text; NULL: "absent"
    const char *absent_csv; // NULL: nothing
    const char *flags[2];   // of CSV: false and true; NULL: these words
    const char *line_end;   // of CSV; NULL: a line feed
    char separator;         // of CSV; 0: a comma
    // Of CSV: reals that are not rounded; NULL: 15 digits.
    void (*append_real)(struct bytes *to, double number);
    uint8_t indent; // of text
    uint8_t gap;    // of text; 0: two blanks
    bool headless;  // text of the usual columns has no line of titles
    bool as_it_is;  // a vendor's CSV: its texts stay what they are
};

#define TABLE_COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof *(list)

const struct table_column *table_form_find(const struct table_form *form, struct view key);

// What `--help-columns` says of it.
void table_form_describe(const struct table_form *form, struct bytes *to);

const char *table_column_title(const struct table_column *column);
const char *table_column_heading(const struct table_column *column);

// Its unit, or what its values are: "ns", "0 to 1", "text".
const char *table_column_type_name(const struct table_column *column);

// Tables ----------------------------------------------------------------------

struct table;

// `report` is what cells are taken from; rows are counted from 0. Form and report must outlive
// the table.
struct table *table_create(const struct table_form *form, const void *report, size_t rows);
void table_free(struct table *table);

// Columns of another form after those that it has.
void table_append(struct table *table, const struct table_form *form);

const struct table_form *table_form(const struct table *table);

// Only these columns, in this order: keys or headings with commas between them. Those that the
// table does not have are passed over; false where it has none of them, and shows nothing.
bool table_choose(struct table *table, struct view keys);
bool table_has(const struct table *table, struct view key);

// The keys of all its columns, a blank before each.
void table_append_keys(const struct table *table, struct bytes *to);

// By a column, "key" or "key:desc"; equal rows keep their order, absent ones come last. Without
// such a column nothing changes.
void table_sort(struct table *table, struct view key);

// Rows in another order, or fewer. Before `table_sort` and `table_limit`.
void table_order(struct table *table, const uint32_t *rows, size_t count);

// Without so many of the first rows; before `table_limit`.
void table_skip(struct table *table, size_t rows);

// At most so many rows; 0: all.
void table_limit(struct table *table, size_t most);

size_t table_count(const struct table *table);             // rows that are shown
size_t table_row(const struct table *table, size_t index); // as the report counts them

// Renderings ------------------------------------------------------------------

// Lays the columns out: for a width of so many letters, where columns that tell least are left
// out and texts are cut in the middle; 0: as the columns say, however wide that is. Without it,
// text is laid out for 0.
void table_layout(struct table *table, size_t width);

// A line each, with its end.
void table_text_head(struct table *table, struct bytes *to); // nothing where there is none
void table_text_row(struct table *table, size_t index, struct bytes *to);

// A row that the report has besides, such as a sum: cells are asked for with `row`.
void table_text_extra(struct table *table, size_t row, struct bytes *to);

// As CSV. The head stands alone, so that rows of several tables can follow it. A text that a
// spreadsheet would calculate (it begins with = + - @, a tab or a return, and is no number) gets
// a ' in front, unless the form is a vendor's or `table_keep_formulas` was said.
void table_keep_formulas(struct table *table);
void table_csv_head(const struct table *table, struct output *output);
void table_csv_rows(struct table *table, struct output *output);

// An array of objects; or the members of one row, for an object that has further ones.
void table_json_rows(struct table *table, struct json_writer *json, const char *key);
void table_json_members(struct table *table, struct json_writer *json, size_t index);

// A workbook of one sheet.
status table_xlsx(struct table *table, const char *sheet, const char *path);

#endif
