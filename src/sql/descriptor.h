// A file system of SQLite's with nothing in it but files that are open already: the name of one is
// its number. So a database can be written where no name is, and nothing else can be opened.

#ifndef OPSCOPE_SQL_DESCRIPTOR_H
#define OPSCOPE_SQL_DESCRIPTOR_H

// Its name for sqlite3_open_v2; NULL when SQLite does not take it.
const char *sql_descriptor_file_system(void);

#endif
