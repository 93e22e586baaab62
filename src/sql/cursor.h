// A walk over the rows of a table that may match what a query asks for: those of one id, track,
// time, name, call, parent or owner. SQLite checks every row again, so that what cannot be used (a
// number as text, say) is passed over.

#ifndef OPSCOPE_SQL_CURSOR_H
#define OPSCOPE_SQL_CURSOR_H

#include "schema.h"

// Of a bound that a query gives.
enum sql_bound {
    SQL_BOUND_ID,
    SQL_BOUND_TRACK,
    SQL_BOUND_FROM, // ns, the least
    SQL_BOUND_TO,   // ns, the last
    SQL_BOUND_AT,   // ns, both; after them, as it says more
    SQL_BOUND_NAME,
    SQL_BOUND_CALL,
    SQL_BOUND_PARENT,
    SQL_BOUND_OWNER, // and after it the others, by enum sql_owner
    SQL_BOUNDS = SQL_BOUND_OWNER + SQL_OWNERS,
};

// Says in `info` what the rows can be found by, and what it would take. Its number is a bit for
// each bound that is used; values come in the order of the bits.
void sql_plan_make(const struct sql_table *table, const struct sql_source *source,
                   sqlite3_index_info *info);

struct sql_cursor {
    const struct sql_table *table;
    const struct sql_source *source;
    struct sql_row row;
    bool at_end;
    bool has[SQL_BOUNDS];
    uint64_t bounds[SQL_BOUNDS];
    uint64_t end; // items: after the last
    // Events:
    struct sql_walk walk;
    uint32_t track, track_end; // that the walk is on, and after the last
    const uint64_t *ids;       // those of a call; NULL: not by id
    uint64_t id_count;
    uint64_t single;       // room for one id
    uint32_t parent_depth; // of what is looked for inside
    // Arguments:
    struct sql_argument argument;
    enum sql_owner owner, owner_end;
    uint64_t owner_id, owner_id_end;
    struct value_reader values;
};

struct sql_cursor sql_cursor_of(const struct sql_table *table, const struct sql_source *source);
void sql_cursor_free(struct sql_cursor *cursor);

// To the first row that may match.
status sql_cursor_start(struct sql_cursor *cursor, int plan, int count, sqlite3_value **values);
status sql_cursor_next(struct sql_cursor *cursor);

// A number that no other row of the table has.
sqlite3_int64 sql_cursor_rowid(const struct sql_cursor *cursor);

// Of arguments (cursor_arguments.c).
status sql_arguments_start(struct sql_cursor *cursor);
status sql_arguments_next(struct sql_cursor *cursor);

#endif
