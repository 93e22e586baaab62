// A profile as a database file of SQLite: the tables of schema.h as real ones, with indexes, and
// the views. The same profile gives the same bytes (of the same version of SQLite, which is in the
// file's header).

#ifndef OPSCOPE_SQL_DATABASE_H
#define OPSCOPE_SQL_DATABASE_H

#include "profile/profile.h"

// Packed by the extension of `path`, as any output. A temporary file takes as much room besides.
status sql_database_write(struct profile *profile, const char *path);

#endif
