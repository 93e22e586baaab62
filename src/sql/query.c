#include "query.h"

#include <stdlib.h>

#include "base/memory.h"
#include "module.h"
#include "problem.h"
#include "schema.h"

struct sql_connection {
    struct sql_source source;
    sqlite3 *database;
};

struct sql_statement {
    sqlite3_stmt *prepared;
    struct sql_connection *connection;
    bool ended; // SQLite would begin again
    struct sql_problem problem;
};

// What a query may do -----------------------------------------------------------------------------

static bool is_among(const char *name, const char *const *names)
{
    for (; name != NULL && *names != NULL; names++) {
        if (sqlite3_stricmp(name, *names) == 0)
            return true;
    }
    return false;
}

static bool may_ask(const char *pragma, const char *argument)
{
    static const char *const OF_TABLES[] = {"table_info", "table_xinfo", "table_list", "index_list",
                                            NULL};
    static const char *const PLAIN[] = {"user_version", "database_list", NULL};
    return is_among(pragma, OF_TABLES) || (argument == NULL && is_among(pragma, PLAIN));
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *inside)
{
    static const char *const NOT_FUNCTIONS[] = {"load_extension", "fts3_tokenizer", NULL};
    static const char *const TEMPORARY[] = {"temp", NULL};
    (void)context;
    (void)inside;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_among(second, NOT_FUNCTIONS) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        return is_among(database, TEMPORARY) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_REINDEX: // of an index that is made
        return is_among(database, TEMPORARY) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return may_ask(first, second) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static void restrict_queries(sqlite3 *database)
{
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, SQL_LENGTH_MOST);
    sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, SQL_QUERY_MOST);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_set_authorizer(database, authorize, NULL);
}

// Connections -------------------------------------------------------------------------------------

static void append_virtual_tables(struct bytes *to)
{
    for (size_t i = 0; i < SQL_TABLE_COUNT; i++)
        bytes_append_format(to, "CREATE VIRTUAL TABLE %s USING opscope(%s);\n", SQL_TABLES[i].name,
                            SQL_TABLES[i].name);
    for (size_t i = 0; i < SQL_VIEW_COUNT; i++)
        sql_schema_view(&SQL_VIEWS[i], to);
    // What is sorted in memory, in KiB, before it goes to a file.
    bytes_append_format(to, "PRAGMA user_version = %d;\nPRAGMA cache_size = -32768;",
                        SQL_SCHEMA_VERSION);
    bytes_append(to, "", 1);
}

static int open_database(struct sql_connection *connection, const char *schema)
{
    int code =
        sqlite3_open_v2(":memory:", &connection->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK)
        code = sql_module_register(connection->database, &connection->source);
    if (code == SQLITE_OK)
        code = sqlite3_exec(connection->database, schema, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        restrict_queries(connection->database);
    return code;
}

// What is ours is taken before SQLite has something that would have to be given back.
status sql_connection_open(struct profile *profile, struct sql_connection **out_connection)
{
    struct bytes schema = {0};
    struct sql_problem problem;
    append_virtual_tables(&schema);
    struct sql_connection *connection = memory_allocate_zeroed(1, sizeof *connection);
    connection->source = sql_source_of(profile, sql_events_create(profile));
    const int code = open_database(connection, (const char *)schema.data);
    sql_problem_take(&problem, connection->database, code);
    bytes_free(&schema);
    if (code == SQLITE_OK) {
        *out_connection = connection;
        return STATUS_OK;
    }
    sql_connection_close(connection);
    return sql_problem_status(&problem);
}

void sql_connection_close(struct sql_connection *connection)
{
    if (connection == NULL)
        return;
    sqlite3_close(connection->database);
    sql_events_free(connection->source.events);
    free(connection);
}

void sql_connection_abandon(struct sql_connection *connection)
{
    sqlite3_stmt *statement;
    while ((statement = sqlite3_next_stmt(connection->database, NULL)) != NULL)
        sqlite3_finalize(statement);
    sqlite3_close(connection->database);
    connection->database = NULL;
    sql_events_abandon(connection->source.events);
}

bool sql_text_is_complete(const char *text)
{
    return sqlite3_complete(text) != 0;
}

// Statements --------------------------------------------------------------------------------------

status sql_statement_open(struct sql_connection *connection, const char **text,
                          struct sql_statement **out_statement)
{
    struct sql_problem problem;
    struct sql_statement *statement = memory_allocate_zeroed(1, sizeof *statement);
    *out_statement = NULL;
    statement->connection = connection;
    const int code =
        sqlite3_prepare_v2(connection->database, *text, -1, &statement->prepared, text);
    if (code == SQLITE_OK && statement->prepared != NULL) {
        *out_statement = statement;
        return STATUS_OK;
    }
    sql_problem_take(&problem, connection->database, code);
    free(statement);
    return code == SQLITE_OK ? STATUS_OK : sql_problem_status(&problem);
}

void sql_statement_free(struct sql_statement *statement)
{
    if (statement == NULL)
        return;
    sqlite3_finalize(statement->prepared);
    free(statement);
}

unsigned sql_statement_column_count(const struct sql_statement *statement)
{
    return (unsigned)sqlite3_column_count(statement->prepared);
}

const char *sql_statement_column_name(const struct sql_statement *statement, unsigned column)
{
    const char *name = sqlite3_column_name(statement->prepared, (int)column);
    return name != NULL ? name : "";
}

status sql_statement_next(struct sql_statement *statement, bool *out_found)
{
    *out_found = false;
    if (statement->ended)
        return sql_problem_status(&statement->problem);
    const int code = sqlite3_step(statement->prepared);
    *out_found = code == SQLITE_ROW;
    statement->ended = code != SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return STATUS_OK;
    sql_problem_take(&statement->problem, statement->connection->database, code);
    return sql_problem_status(&statement->problem);
}

struct sql_value sql_statement_value(struct sql_statement *statement, unsigned column)
{
    sqlite3_stmt *prepared = statement->prepared;
    const int at = (int)column;
    switch (sqlite3_column_type(prepared, at)) {
    case SQLITE_INTEGER:
        return (struct sql_value){.kind = SQL_VALUE_INTEGER,
                                  .integer = sqlite3_column_int64(prepared, at)};
    case SQLITE_FLOAT:
        return (struct sql_value){.kind = SQL_VALUE_REAL,
                                  .real = sqlite3_column_double(prepared, at)};
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_column_text(prepared, at);
        const size_t size = (size_t)sqlite3_column_bytes(prepared, at);
        return (struct sql_value){.kind = SQL_VALUE_TEXT,
                                  .text = {text != NULL ? text : "", text != NULL ? size : 0}};
    }
    case SQLITE_BLOB: {
        const char *data = sqlite3_column_blob(prepared, at);
        const size_t size = (size_t)sqlite3_column_bytes(prepared, at);
        return (struct sql_value){.kind = SQL_VALUE_BLOB,
                                  .text = {data != NULL ? data : "", data != NULL ? size : 0}};
    }
    default:
        return (struct sql_value){.kind = SQL_VALUE_NULL};
    }
}
