#include "problem.h"

#include <stdio.h>

#include "base/view.h"

void sql_problem_take(struct sql_problem *out_problem, sqlite3 *database, int code)
{
    out_problem->code = code & 0xff;
    snprintf(out_problem->text, sizeof out_problem->text, "%s",
             database != NULL && code != SQLITE_OK ? sqlite3_errmsg(database)
                                                   : sqlite3_errstr(code));
}

static const char *where_names_are(const char *text)
{
    const bool is_unknown = view_starts_with(view_of(text), "no such table") ||
                            view_starts_with(view_of(text), "no such column");
    return is_unknown ? "; 'opscope sql --schema' prints the tables and their columns" : "";
}

status sql_problem_status(const struct sql_problem *problem)
{
    switch (problem->code) {
    case SQLITE_OK:
        return STATUS_OK;
    case SQLITE_NOMEM:
        return status_out_of_memory();
    case SQLITE_TOOBIG:
        return status_make(STATUS_LIMIT, "SQL: %s", problem->text);
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
        return status_make(STATUS_IO, "SQL: %s (set TMPDIR to a larger disk)", problem->text);
    case SQLITE_AUTH:
        return status_make(STATUS_USAGE,
                           "SQL: %s: a query reads, and makes temporary tables and views (CREATE "
                           "TEMP VIEW)",
                           problem->text);
    default:
        return status_make(STATUS_USAGE, "SQL: %s%s", problem->text,
                           where_names_are(problem->text));
    }
}
