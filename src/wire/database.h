// The tables of an SQLite database, read from bytes that others may have made up.
//
// Nothing is written, no other file is opened, no view, trigger, function or extension of the
// database runs: base tables are read row by row, as they lie. A database that was cut off or
// damaged gives what can be read until then. A text or a number in a cell is what the file says it
// is, whatever its column was declared as.
//
// Memory: SQLite's cache (2 MiB), a row, and the names of the tables.

#ifndef OPSCOPE_WIRE_DATABASE_H
#define OPSCOPE_WIRE_DATABASE_H

#include "base/status.h"
#include "base/view.h"

enum { DATABASE_TABLES_MOST = 4096, DATABASE_COLUMNS_MOST = 2000, DATABASE_CELL_MOST = 64 << 20 };

struct database;

// Whether the bytes begin as such a file does.
bool database_recognise(struct view bytes);

// `bytes` must outlive it; `name` is for messages and is copied. A write-ahead log beside the file
// is not read: what was not yet put into the file is not there.
status database_open(const char *name, struct view bytes, struct database **out_database);
void database_close(struct database *database);

// Whether the file itself says that it was made with a write-ahead log.
bool database_has_log(const struct database *database);

// How many bytes at the end of the file are not there by what it says itself; 0: none, or it does
// not say.
uint64_t database_missing(const struct database *database);

// Whether the bytes are a database whose tables `is_known` knows; one that cannot be opened is not.
bool database_recognise_tables(struct view bytes,
                               bool (*is_known)(const struct database *database));

// The base tables in the order of the schema; NULL at the end.
const char *database_table(const struct database *database, size_t index);
bool database_has_table(const struct database *database, const char *name);

enum database_kind {
    DATABASE_NULL,
    DATABASE_INTEGER,
    DATABASE_REAL,
    DATABASE_TEXT,
    DATABASE_BLOB,
};

// Text and blobs last until the next row.
struct database_cell {
    enum database_kind kind;
    int64_t integer;
    double real;
    struct view text;
};

struct database_rows;

// All rows of a table, in the order in which they lie. Fails where there is no such table, or its
// columns are computed.
status database_rows_open(struct database *database, const char *table,
                          struct database_rows **out_rows);
void database_rows_close(struct database_rows *rows);

int database_column_count(const struct database_rows *rows);
const char *database_column_name(const struct database_rows *rows, int column);

// -1: the table has none of this name.
int database_column(const struct database_rows *rows, const char *name);

// False at the end, or where the file is damaged.
bool database_rows_next(struct database_rows *rows);

// Column -1 is NULL.
struct database_cell database_cell(const struct database_rows *rows, int column);

// What was wrong, once database_rows_next said false: "" where it was the end.
const char *database_rows_damage(const struct database_rows *rows);

#endif
