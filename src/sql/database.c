#include "database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/recovery.h"
#include "base/spool.h"
#include "descriptor.h"
#include "module.h"
#include "problem.h"
#include "schema.h"

// Before the first table: what a file is made of. No journal: what is half written is thrown away.
static const char BEGINNING[] = "PRAGMA page_size = 4096;\n"
                                "PRAGMA encoding = 'UTF-8';\n"
                                "PRAGMA auto_vacuum = NONE;\n"
                                "PRAGMA secure_delete = ON;\n"
                                "PRAGMA journal_mode = OFF;\n"
                                "PRAGMA synchronous = OFF;\n"
                                "PRAGMA locking_mode = EXCLUSIVE;\n"
                                "PRAGMA cache_size = -32768;\n"
                                "BEGIN;\n";

// Rows go from the virtual table to the real one, so that both have the same.
static void append_statements(struct bytes *to)
{
    bytes_append_format(to, "%sPRAGMA user_version = %d;\n", BEGINNING, SQL_SCHEMA_VERSION);
    for (size_t i = 0; i < SQL_TABLE_COUNT; i++) {
        const struct sql_table *table = &SQL_TABLES[i];
        sql_schema_table(table, to);
        bytes_append_format(to,
                            "CREATE VIRTUAL TABLE temp.source_%s USING opscope(%s);\n"
                            "INSERT INTO main.%s SELECT * FROM temp.source_%s;\n",
                            table->name, table->name, table->name, table->name);
        sql_schema_indexes(table, to);
    }
    for (size_t i = 0; i < SQL_VIEW_COUNT; i++)
        sql_schema_view(&SQL_VIEWS[i], to);
    bytes_append_format(to, "COMMIT;\n");
    bytes_append(to, "", 1);
}

static void fill(const struct sql_source *source, int file, const char *statements,
                 struct sql_problem *out_problem)
{
    char name[16];
    sqlite3 *database = NULL;
    snprintf(name, sizeof name, "%d", file);
    const char *system = sql_descriptor_file_system();
    int code = system == NULL
                   ? SQLITE_NOMEM
                   : sqlite3_open_v2(
                         name, &database,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, system);
    if (code == SQLITE_OK)
        code = sql_module_register(database, source);
    if (code == SQLITE_OK)
        code = sqlite3_exec(database, statements, NULL, NULL, NULL);
    sql_problem_take(out_problem, database, code);
    sqlite3_close(database);
}

static status make_database(struct profile *profile, int file)
{
    struct bytes statements = {0};
    struct sql_problem problem;
    append_statements(&statements);
    struct sql_events *events = sql_events_create(profile);
    const struct sql_source source = sql_source_of(profile, events);
    fill(&source, file, (const char *)statements.data, &problem);
    sql_events_free(events);
    bytes_free(&statements);
    return sql_problem_status(&problem);
}

static status copy_to(int file, const char *path)
{
    enum { PIECE = 256 * 1024 };
    struct output *output;
    STATUS_TRY(output_open(path, &output));
    char *piece = memory_allocate(PIECE);
    status result = STATUS_OK;
    for (off_t at = 0; result == STATUS_OK;) {
        const ssize_t got = pread(file, piece, PIECE, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            result = status_system(errno, path, "cannot read what was made for it");
        if (got <= 0)
            break;
        output_write(output, piece, (size_t)got);
        at += got;
    }
    free(piece);
    return output_finish(output, result);
}

status sql_database_write(struct profile *profile, const char *path)
{
    int file;
    STATUS_TRY(profile_finish(profile));
    STATUS_TRY(spool_temporary_open(&file));
    status result = status_within(make_database(profile, file), "%s", path);
    if (result == STATUS_OK)
        result = copy_to(file, path);
    spool_temporary_close(file);
    return result;
}
