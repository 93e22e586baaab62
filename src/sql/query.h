// SQL over a profile: SQLite in this process, over the profile where it lies (module.h, schema.h).
//
// A query reads. It may also make temporary tables and views, which vanish with the connection.
// It cannot attach, write or load anything: files are never opened by a name that it gives. What is
// sorted lies in temporary files without a name where it is large.

#ifndef OPSCOPE_SQL_QUERY_H
#define OPSCOPE_SQL_QUERY_H

#include "profile/profile.h"

// Texts and numbers that a query may make are not larger; nor is the query itself.
enum { SQL_LENGTH_MOST = 256 << 20, SQL_QUERY_MOST = 1 << 20 };

struct sql_connection;
struct sql_statement;

// The profile must be finished, and outlives it.
status sql_connection_open(struct profile *profile, struct sql_connection **out_connection);

// After its statements. Accepts NULL.
void sql_connection_close(struct sql_connection *connection);

// For who has no memory left to do that: of SQLite and of what was made for it nothing remains; the
// blocks of its region are given back with that.
void sql_connection_abandon(struct sql_connection *connection);

// Whether a text ends with a semicolon that is in no text or comment.
bool sql_text_is_complete(const char *text);

// The first statement of `*text`, which moves behind it; NULL where there is only space or a
// comment. A failure is STATUS_USAGE where the query is wrong.
status sql_statement_open(struct sql_connection *connection, const char **text,
                          struct sql_statement **out_statement);

// Accepts NULL.
void sql_statement_free(struct sql_statement *statement);

// 0 for a statement that gives no rows at all.
unsigned sql_statement_column_count(const struct sql_statement *statement);
const char *sql_statement_column_name(const struct sql_statement *statement, unsigned column);

// The next row; `*out_found` is false at the end and ever after. So is a failure the last answer.
status sql_statement_next(struct sql_statement *statement, bool *out_found);

enum sql_value_kind {
    SQL_VALUE_NULL,
    SQL_VALUE_INTEGER,
    SQL_VALUE_REAL,
    SQL_VALUE_TEXT,
    SQL_VALUE_BLOB
};

struct sql_value {
    enum sql_value_kind kind;
    int64_t integer;
    double real;
    struct view text; // also of a blob; until the next row. A text has a NUL after it
};

// Of the row at hand.
struct sql_value sql_statement_value(struct sql_statement *statement, unsigned column);

#endif
