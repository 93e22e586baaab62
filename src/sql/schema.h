// The tables that a profile has in SQL, described once: the virtual tables of a query, the tables
// of a database file, `.schema` and docs/sql.md are made of it.
//
// A new column or view is a new minor form of the same schema; what changes the meaning of one that
// is there raises SQL_SCHEMA_VERSION, which a file has as its `PRAGMA user_version`.

#ifndef OPSCOPE_SQL_SCHEMA_H
#define OPSCOPE_SQL_SCHEMA_H

#include "base/bytes.h"
#include "rows.h"

enum { SQL_SCHEMA_VERSION = 1 };

// What is found by a value of it without looking at all rows.
enum sql_found_by {
    SQL_FOUND_BY_NOTHING,
    SQL_FOUND_BY_ID,
    SQL_FOUND_BY_TRACK,
    SQL_FOUND_BY_TIME, // a range
    SQL_FOUND_BY_NAME,
    SQL_FOUND_BY_CALL,
    SQL_FOUND_BY_PARENT,
    SQL_FOUND_BY_OWNER, // what an argument belongs to: the column's argument says which kind
};

struct sql_column {
    const char *name;
    const char *type; // "": an integer, or its digits as text where it is beyond 2^63
    const char *about;
    sql_cell *cell;
    size_t argument; // for `cell`
    enum sql_found_by found_by;
};

// How the rows of a table are walked over.
enum sql_walking {
    SQL_ITEMS,  // items by number
    SQL_EVENTS, // `kind` of them
    SQL_ARGUMENTS,
};

struct sql_table {
    const char *name;
    const char *about;
    const struct sql_column *columns;
    size_t column_count;
    const char *const *indexes; // of a database file: columns, up to a NULL
    enum sql_walking walking;
    enum event_kind kind;
    // Items: from `first` on; NULL for a number that is not in the table.
    uint64_t first;
    uint64_t (*end)(const struct sql_source *source);
    const void *(*item)(const struct sql_source *source, uint64_t id);
};

struct sql_view {
    const char *name;
    const char *about;
    const char *select;
};

extern const struct sql_table SQL_TABLES[];
extern const size_t SQL_TABLE_COUNT;
extern const struct sql_view SQL_VIEWS[];
extern const size_t SQL_VIEW_COUNT;

// NULL: there is none.
const struct sql_table *sql_table_find(const char *name);

// CREATE TABLE with a comment for each column; CREATE VIEW; CREATE INDEX, one statement each with a
// semicolon.
void sql_schema_table(const struct sql_table *table, struct bytes *to);
void sql_schema_view(const struct sql_view *view, struct bytes *to);
void sql_schema_indexes(const struct sql_table *table, struct bytes *to);

#endif
