// Bytes in memory as a file that SQLite reads: a file system of one file, which is never written.

#ifndef OPSCOPE_WIRE_DATABASE_BYTES_H
#define OPSCOPE_WIRE_DATABASE_BYTES_H

#include <sqlite3.h>

#include "base/view.h"

enum { DATABASE_NAME_ROOM = 32 };

// The name of the file system, registered if need be; NULL where SQLite has none of its own.
const char *database_bytes_file_system(void);

// The name by which `bytes`, which must outlive the database, are opened there.
void database_bytes_name(const struct view *bytes, char name[DATABASE_NAME_ROOM]);

// How many bytes a database has by its own header; 0: it does not say.
uint64_t database_bytes_whole(struct view bytes);

#endif
