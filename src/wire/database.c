#include "database.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/recovery.h"
#include "database_bytes.h"

static const char MAGIC[] = "SQLite format 3";

// A row takes at least as many bytes of the file: its place, its length, its number and a header.
// What gives more goes through the same pages again and again.
enum { ROW_LEAST = 4 };

struct database {
    char *name;
    struct view bytes;
    sqlite3 *connection;
    char **tables;
    size_t count, capacity;
};

struct database_rows {
    struct database *database;
    sqlite3_stmt *statement;
    uint64_t rows;
    int columns;
    char damage[256];
};

bool database_recognise(struct view bytes)
{
    return bytes.size >= 512 && memcmp(bytes.data, MAGIC, sizeof MAGIC) == 0;
}

// What may be done -----------------------------------------------------------------------------

static int database_authorize(void *context, int action, const char *first, const char *second,
                              const char *schema, const char *inside)
{
    (void)context;
    (void)second;
    (void)schema;
    (void)inside;
    if (action == SQLITE_SELECT || action == SQLITE_READ)
        return SQLITE_OK;
    return action == SQLITE_PRAGMA && sqlite3_stricmp(first, "table_xinfo") == 0 ? SQLITE_OK
                                                                                 : SQLITE_DENY;
}

static void database_restrict(sqlite3 *connection)
{
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, DATABASE_CELL_MOST);
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_exec(connection, "PRAGMA cache_size = -2048", NULL, NULL, NULL);
    sqlite3_set_authorizer(connection, database_authorize, NULL);
}

// Opening --------------------------------------------------------------------------------------

// Also where memory ran out: nothing of SQLite's may stay open then.
static void close_connection(void *what)
{
    struct database *database = what;
    sqlite3_stmt *statement;
    if (database->connection == NULL)
        return;
    while ((statement = sqlite3_next_stmt(database->connection, NULL)) != NULL)
        sqlite3_finalize(statement);
    sqlite3_close(database->connection);
    database->connection = NULL;
}

static status database_refuse(const struct database *database, int code)
{
    if (code == SQLITE_NOMEM)
        return status_out_of_memory();
    return status_make(STATUS_DATA, "%s: %s", database->name,
                       database->connection != NULL ? sqlite3_errmsg(database->connection)
                                                    : sqlite3_errstr(code));
}

// Names that would have to be escaped are nobody's that is read here.
static bool is_plain_name(const char *name)
{
    return name != NULL && *name != '\0' && strpbrk(name, "\"'`[];") == NULL;
}

static void keep_table(struct database *database, sqlite3_stmt *statement)
{
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    if (!is_plain_name(name) || database->count == DATABASE_TABLES_MOST)
        return;
    char *copy = view_copy(view_of(name));
    database->tables = memory_grow(database->tables, database->count, &database->capacity,
                                   sizeof *database->tables);
    database->tables[database->count++] = copy;
}

// Virtual tables have no page.
static status read_schema(struct database *database)
{
    sqlite3_stmt *statement;
    int code =
        sqlite3_prepare_v2(database->connection,
                           "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
                           -1, &statement, NULL);
    if (code != SQLITE_OK)
        return database_refuse(database, code);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        keep_table(database, statement);
    const status result = code == SQLITE_DONE ? STATUS_OK : database_refuse(database, code);
    sqlite3_finalize(statement);
    return result;
}

status database_open(const char *name, struct view bytes, struct database **out_database)
{
    char own_name[DATABASE_NAME_ROOM];
    struct database *database = memory_allocate_zeroed(1, sizeof *database);
    database->name = view_copy(view_of(name));
    database->bytes = bytes;
    database_bytes_name(&database->bytes, own_name);
    const char *system = database_bytes_file_system();
    recovery_hold(RECOVERY_AT_ONCE, close_connection, database);
    const int code = system == NULL
                         ? SQLITE_NOMEM
                         : sqlite3_open_v2(own_name, &database->connection,
                                           SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, system);
    status result = code == SQLITE_OK ? STATUS_OK : database_refuse(database, code);
    if (result == STATUS_OK) {
        database_restrict(database->connection);
        result = read_schema(database);
    }
    if (result == STATUS_OK)
        *out_database = database;
    else
        database_close(database);
    return result;
}

void database_close(struct database *database)
{
    if (database == NULL)
        return;
    recovery_let_go(database);
    close_connection(database);
    for (size_t i = 0; i < database->count; i++)
        free(database->tables[i]);
    free(database->tables);
    free(database->name);
    free(database);
}

bool database_recognise_tables(struct view bytes, bool (*is_known)(const struct database *database))
{
    struct database *database;
    if (!database_recognise(bytes))
        return false;
    const status failure = database_open("database", bytes, &database);
    if (failure != STATUS_OK) {
        status_free(failure);
        return false;
    }
    const bool known = is_known(database);
    database_close(database);
    return known;
}

bool database_has_log(const struct database *database)
{
    return database->bytes.data[18] == 2 || database->bytes.data[19] == 2;
}

uint64_t database_missing(const struct database *database)
{
    const uint64_t whole = database_bytes_whole(database->bytes);
    return whole > database->bytes.size ? whole - database->bytes.size : 0;
}

const char *database_table(const struct database *database, size_t index)
{
    return index < database->count ? database->tables[index] : NULL;
}

bool database_has_table(const struct database *database, const char *name)
{
    for (size_t i = 0; i < database->count; i++) {
        if (sqlite3_stricmp(database->tables[i], name) == 0)
            return true;
    }
    return false;
}

// Rows -----------------------------------------------------------------------------------------

static int database_prepare(struct database *database, const char *format, const char *table,
                            sqlite3_stmt **out_statement)
{
    char query[512];
    const int size = snprintf(query, sizeof query, format, table);
    if (size < 0 || (size_t)size >= sizeof query)
        return SQLITE_TOOBIG;
    return sqlite3_prepare_v2(database->connection, query, -1, out_statement, NULL);
}

// Columns whose cells are computed run what the file says: no table of a profiler has any.
static status check_columns(struct database *database, const char *table)
{
    enum { HIDDEN = 6 };
    sqlite3_stmt *statement;
    int code = database_prepare(database, "PRAGMA table_xinfo(\"%s\")", table, &statement);
    if (code != SQLITE_OK)
        return database_refuse(database, code);
    bool computed = false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        computed |= sqlite3_column_int(statement, HIDDEN) != 0;
    const status result = code == SQLITE_DONE ? STATUS_OK : database_refuse(database, code);
    sqlite3_finalize(statement);
    if (result == STATUS_OK && computed)
        return status_make(STATUS_DATA, "%s: table %s: its columns are computed", database->name,
                           table);
    return result;
}

status database_rows_open(struct database *database, const char *table,
                          struct database_rows **out_rows)
{
    if (!database_has_table(database, table))
        return status_make(STATUS_DATA, "%s: there is no table %s", database->name, table);
    STATUS_TRY(check_columns(database, table));
    struct database_rows *rows = memory_allocate_zeroed(1, sizeof *rows);
    rows->database = database;
    const int code =
        database_prepare(database, "SELECT * FROM main.\"%s\"", table, &rows->statement);
    if (code != SQLITE_OK) {
        free(rows);
        return database_refuse(database, code);
    }
    rows->columns = sqlite3_column_count(rows->statement);
    *out_rows = rows;
    return STATUS_OK;
}

void database_rows_close(struct database_rows *rows)
{
    if (rows == NULL)
        return;
    sqlite3_finalize(rows->statement);
    free(rows);
}

int database_column_count(const struct database_rows *rows)
{
    return rows->columns;
}

const char *database_column_name(const struct database_rows *rows, int column)
{
    const char *name = sqlite3_column_name(rows->statement, column);
    return name == NULL ? "" : name;
}

int database_column(const struct database_rows *rows, const char *name)
{
    for (int i = 0; i < rows->columns; i++) {
        if (sqlite3_stricmp(database_column_name(rows, i), name) == 0)
            return i;
    }
    return -1;
}

bool database_rows_next(struct database_rows *rows)
{
    const int code = sqlite3_step(rows->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        snprintf(rows->damage, sizeof rows->damage, "%s",
                 sqlite3_errmsg(rows->database->connection));
    if (code != SQLITE_ROW)
        return false;
    if (++rows->rows <= rows->database->bytes.size / ROW_LEAST)
        return true;
    snprintf(rows->damage, sizeof rows->damage, "more rows than the file has room for");
    return false;
}

static struct database_cell text_cell(sqlite3_stmt *statement, int column, enum database_kind kind)
{
    const void *data = kind == DATABASE_TEXT ? sqlite3_column_text(statement, column)
                                             : sqlite3_column_blob(statement, column);
    const int size = sqlite3_column_bytes(statement, column);
    const struct view text = {data == NULL ? "" : data, data == NULL ? 0 : (size_t)size};
    return (struct database_cell){.kind = kind, .text = text};
}

struct database_cell database_cell(const struct database_rows *rows, int column)
{
    sqlite3_stmt *statement = rows->statement;
    if (column < 0)
        return (struct database_cell){0};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return (struct database_cell){.kind = DATABASE_INTEGER,
                                      .integer = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
        return (struct database_cell){.kind = DATABASE_REAL,
                                      .real = sqlite3_column_double(statement, column)};
    case SQLITE_TEXT:
        return text_cell(statement, column, DATABASE_TEXT);
    case SQLITE_BLOB:
        return text_cell(statement, column, DATABASE_BLOB);
    default:
        return (struct database_cell){0};
    }
}

const char *database_rows_damage(const struct database_rows *rows)
{
    return rows->damage;
}
