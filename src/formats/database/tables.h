// Rows of a profiler's database on their way to a profile: texts by their numbers, lanes by what
// they are known by, all further columns as values, and the account of what cannot be read.
//
// Memory: 8 bytes a text of the database's own table of texts, and the lanes.

#ifndef OPSCOPE_FORMATS_DATABASE_TABLES_H
#define OPSCOPE_FORMATS_DATABASE_TABLES_H

#include "base/dense.h"
#include "base/hash.h"
#include "base/input.h"
#include "profile/profile.h"
#include "wire/database.h"

// Start with tables_open.
struct tables {
    const struct input *input;
    struct profile *profile;
    struct database *database;
    struct hash_index texts; // of `text_ids`
    struct segments text_ids;
    struct hash_index places; // of `lanes`
    struct segments lanes;
    struct hash_index operators; // of the profile
    struct bytes values;         // of the row at hand
    bool silent;                 // what cannot be read is noted another time
};

status tables_open(const struct input *input, struct profile *profile, struct tables *out_tables);
void tables_close(struct tables *tables);

// The rows of a table, NULL where there is none of the name: that is normal. One that cannot be
// read is noted.
struct database_rows *tables_rows(struct tables *tables, const char *table);

// Closes the rows; what was damaged is noted, and nobody knows how many were behind it.
void tables_done(struct tables *tables, struct database_rows *rows, const char *table);

// The number of a cell; false where it has none. A number as text or as a real without a fraction
// counts.
bool table_number(struct database_cell cell, int64_t *out_number);

// The number, 0 where there is none.
uint64_t table_id(const struct database_rows *rows, int column);

// A row that cannot be an event, of a table.
void tables_lose(struct tables *tables, const char *table, const char *why);

// Texts ----------------------------------------------------------------------------------------

// Takes in a table of texts: `id` and `value` are its columns.
void tables_read_texts(struct tables *tables, const char *table, const char *id, const char *value);

// Forgets them: another table of texts counts from now on.
void tables_forget_texts(struct tables *tables);

// As string id; 0: there is none.
uint32_t tables_text(const struct tables *tables, int64_t id);

// Lanes ----------------------------------------------------------------------------------------

// What a lane is known by: a kind of the reader's, and numbers.
struct table_place {
    uint32_t kind;
    uint64_t a, b, c;
};

// The track of a place; 0: none yet.
uint32_t tables_find_lane(const struct tables *tables, const struct table_place *place);
void tables_keep_lane(struct tables *tables, const struct table_place *place, uint32_t track);

// Operators ------------------------------------------------------------------------------------

// The operator of this name, type and values, added where it is new.
uint32_t tables_operator(struct tables *tables, const struct operator_description *op);

// Values ---------------------------------------------------------------------------------------

// What becomes of a column: a value under its own name, nothing (it is said elsewhere), the text of
// a number, JSON that says something.
enum table_use { TABLE_VALUE, TABLE_SKIP, TABLE_TEXT_ID, TABLE_JSON };

struct table_column_use {
    const char *column; // NULL: the last one
    enum table_use use;
};

// The columns of a table, looked up once.
struct table_columns {
    int count;
    uint32_t keys[DATABASE_COLUMNS_MOST];
    enum table_use uses[DATABASE_COLUMNS_MOST];
};

void tables_columns(struct tables *tables, const struct database_rows *rows,
                    const struct table_column_use *uses, struct table_columns *out_columns);

// Appends the cells of the row that are values, but for NULL and blobs, to `values`.
void tables_add_cells(struct tables *tables, const struct database_rows *rows,
                      const struct table_columns *columns);

void tables_add_string(struct tables *tables, const char *key, const char *text);

// The value of a call that only waits.
void tables_add_waits(struct tables *tables);

// Adds an event that its row was expected for.
void tables_add_event(struct tables *tables, const struct event *event);

#endif
