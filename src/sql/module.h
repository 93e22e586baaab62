// Virtual tables of SQLite over a profile: nothing is copied, rows are read where they lie.

#ifndef OPSCOPE_SQL_MODULE_H
#define OPSCOPE_SQL_MODULE_H

#include "rows.h"

// Makes `CREATE VIRTUAL TABLE any_name USING opscope(span)` known to a connection, for every table
// of schema.h. The source outlives the connection. Returns a code of SQLite's.
int sql_module_register(sqlite3 *database, const struct sql_source *source);

#endif
