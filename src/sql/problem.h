// What SQLite could not do, kept until it has been put away: to make a status of it takes memory,
// and nothing of SQLite's may be open when there is none.

#ifndef OPSCOPE_SQL_PROBLEM_H
#define OPSCOPE_SQL_PROBLEM_H

#include <sqlite3.h>

#include "base/status.h"

struct sql_problem {
    int code; // of SQLite's
    char text[512];
};

// `database` may be NULL.
void sql_problem_take(struct sql_problem *out_problem, sqlite3 *database, int code);

// STATUS_OK for SQLITE_OK.
status sql_problem_status(const struct sql_problem *problem);

#endif
