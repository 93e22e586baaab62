// SQL over a profile: the tables and views of docs/sql.md, over the profile as it lies, without a
// copy. For C11 and later, and C++11 and later; threads, texts and sizes as in opscope/profile.h.
//
// A query reads. It may make temporary tables and views, which vanish with it; it cannot write,
// attach or load anything.

#ifndef OPSCOPE_QUERY_H
#define OPSCOPE_QUERY_H

#include <opscope/profile.h>
#include <opscope/table.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// A query that runs. Nothing may be added to its profile meanwhile.
struct opscope_query;

// `text` is a SELECT; before it statements may stand that give no rows (CREATE TEMP VIEW).
// OPSCOPE_ERROR_USAGE, with what SQLite says, where it is wrong.
int opscope_query_open(struct opscope_profile *profile, const char *text,
                       struct opscope_query **out_query, char *message, size_t size);

// Accepts NULL.
void opscope_query_free(struct opscope_query *query);

// Of each row.
uint32_t opscope_query_column_count(const struct opscope_query *query);

// NULL when there is no such column; belongs to the query.
const char *opscope_query_column_name(const struct opscope_query *query, uint32_t column);

// 1: there is another row; 0: there is none; less than 0: a failure.
int opscope_query_next(struct opscope_query *query, char *message, size_t size);

enum opscope_cell_kind {
    OPSCOPE_CELL_NULL,
    OPSCOPE_CELL_INTEGER,
    OPSCOPE_CELL_REAL,
    OPSCOPE_CELL_TEXT,
    OPSCOPE_CELL_BLOB
};

struct opscope_query_cell {
    uint32_t kind;
    uint32_t reserved;
    int64_t integer;
    double real;
    const char *text; // of a text or blob, else NULL; until the next row. A text has a NUL after it
    uint64_t size;    // of it, in bytes
};

// Of the row at hand. OPSCOPE_OK, or OPSCOPE_ERROR_NOT_FOUND.
int opscope_query_get_cell_sized(struct opscope_query *query, uint32_t column,
                                 struct opscope_query_cell *out_cell, size_t size);

static inline int opscope_query_get_cell(struct opscope_query *query, uint32_t column,
                                         struct opscope_query_cell *out_cell)
{
    return opscope_query_get_cell_sized(query, column, out_cell, sizeof *out_cell);
}

// All rows that are left, as columns (opscope/table.h): what is NULL is absent; a blob is a text,
// and so is a number in a column with texts: its `cells` say so.
int opscope_query_table(struct opscope_query *query, struct opscope_table **out_table,
                        char *message, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
