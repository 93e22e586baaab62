// What the file systems that opscope gives SQLite have in common: the one file in each is open
// already, nobody else has it, and beside it there is nothing.

#ifndef OPSCOPE_WIRE_DATABASE_FILES_H
#define OPSCOPE_WIRE_DATABASE_FILES_H

#include <sqlite3.h>
#include <stdbool.h>

// Methods of such a file: it is the caller's to close, flags and locks change nothing, and nothing
// else is known of it.
int database_file_close(sqlite3_file *file);
int database_file_level(sqlite3_file *file, int level);
int database_file_is_locked(sqlite3_file *file, int *out_locked);
int database_file_control(sqlite3_file *file, int operation, void *argument);
int database_file_sector(sqlite3_file *file);

// The system's own, which a registered file system leaves the rest to.
sqlite3_vfs *database_files_usual(sqlite3_vfs *file_system);

// Registers a file system, which lives as long as the process does, unless it is: its name,
// version, xOpen and szOsFile (of its own file) are set. With `others`, xOpen may open the system's
// files as well. Its name; NULL where SQLite has no file system of its own, or does not take it.
const char *database_files_register(sqlite3_vfs *file_system, bool others);

#endif
