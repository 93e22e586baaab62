// Queries line by line: from somebody at a terminal, or from a file or pipe.

#ifndef OPSCOPE_CLI_SQL_PROMPT_H
#define OPSCOPE_CLI_SQL_PROMPT_H

#include <stdio.h>

#include "sql_rows.h"

// A statement ends with a semicolon, the last one with the input as well. Lines that begin with a
// point are commands: .tables, .schema [NAME], .help, .quit. At a terminal what is wrong is said,
// and the next line asked for; else it ends there.
status sql_prompt_run(FILE *input, struct sql_rows_printer *printer,
                      struct sql_connection *connection);

// What .schema prints; NULL: of all tables and views.
status sql_prompt_schema(const char *name);

#endif
