#include "module.h"

#include "cursor.h"

struct sql_virtual_table {
    sqlite3_vtab base; // SQLite's own
    const struct sql_source *source;
    const struct sql_table *table;
};

struct sql_virtual_cursor {
    sqlite3_vtab_cursor base; // SQLite's own
    struct sql_cursor cursor;
};

static const struct sql_virtual_table *table_of(const sqlite3_vtab_cursor *cursor)
{
    return (const struct sql_virtual_table *)cursor->pVtab;
}

// A failure of ours as SQLite's, with its text.
static int module_answer(sqlite3_vtab *table, status result)
{
    if (result == STATUS_OK)
        return SQLITE_OK;
    if (result == status_out_of_memory())
        return SQLITE_NOMEM;
    const int code = status_code_of(result) == STATUS_IO ? SQLITE_IOERR : SQLITE_ERROR;
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", status_message(result));
    status_free(result);
    return code;
}

// "CREATE TABLE x(id INTEGER PRIMARY KEY, ts, ...)", SQLite's to free.
static char *declaration(const struct sql_table *table)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (size_t i = 0; i < table->column_count; i++)
        sqlite3_str_appendf(text, "%s\"%w\" %s", i > 0 ? ", " : "", table->columns[i].name,
                            table->columns[i].type);
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static int module_connect(sqlite3 *database, void *context, int count, const char *const *words,
                          sqlite3_vtab **out_table, char **out_problem)
{
    enum { OWN_WORDS = 3 };
    const struct sql_table *table = count > OWN_WORDS ? sql_table_find(words[OWN_WORDS]) : NULL;
    if (table == NULL) {
        *out_problem = sqlite3_mprintf("there is no such table of a profile");
        return SQLITE_ERROR;
    }
    char *text = declaration(table);
    if (text == NULL)
        return SQLITE_NOMEM;
    const int result = sqlite3_declare_vtab(database, text);
    sqlite3_free(text);
    if (result != SQLITE_OK)
        return result;
    struct sql_virtual_table *made = sqlite3_malloc64(sizeof *made);
    if (made == NULL)
        return SQLITE_NOMEM;
    *made = (struct sql_virtual_table){.source = context, .table = table};
    *out_table = &made->base;
    return SQLITE_OK;
}

static int module_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int module_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct sql_virtual_table *table = (const struct sql_virtual_table *)base;
    sql_plan_make(table->table, table->source, info);
    return SQLITE_OK;
}

static int module_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out_cursor)
{
    const struct sql_virtual_table *table = (const struct sql_virtual_table *)base;
    struct sql_virtual_cursor *made = sqlite3_malloc64(sizeof *made);
    if (made == NULL)
        return SQLITE_NOMEM;
    *made = (struct sql_virtual_cursor){.cursor = sql_cursor_of(table->table, table->source)};
    *out_cursor = &made->base;
    return SQLITE_OK;
}

static struct sql_cursor *cursor_of(sqlite3_vtab_cursor *base)
{
    return &((struct sql_virtual_cursor *)base)->cursor;
}

static int module_close(sqlite3_vtab_cursor *base)
{
    sql_cursor_free(cursor_of(base));
    sqlite3_free(base);
    return SQLITE_OK;
}

static int module_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int count,
                         sqlite3_value **values)
{
    (void)text;
    return module_answer(base->pVtab, sql_cursor_start(cursor_of(base), plan, count, values));
}

static int module_next(sqlite3_vtab_cursor *base)
{
    return module_answer(base->pVtab, sql_cursor_next(cursor_of(base)));
}

static int module_eof(sqlite3_vtab_cursor *base)
{
    return cursor_of(base)->at_end;
}

static int module_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
    const struct sql_cursor *cursor = cursor_of(base);
    const struct sql_table *table = table_of(base)->table;
    if (column >= 0 && (size_t)column < table->column_count)
        table->columns[column].cell(&cursor->row, &table->columns[column], to);
    return SQLITE_OK;
}

static int module_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out_id)
{
    *out_id = sql_cursor_rowid(cursor_of(base));
    return SQLITE_OK;
}

int sql_module_register(sqlite3 *database, const struct sql_source *source)
{
    static const sqlite3_module MODULE = {
        .xCreate = module_connect,
        .xConnect = module_connect,
        .xBestIndex = module_best_index,
        .xDisconnect = module_disconnect,
        .xDestroy = module_disconnect,
        .xOpen = module_open,
        .xClose = module_close,
        .xFilter = module_filter,
        .xNext = module_next,
        .xEof = module_eof,
        .xColumn = module_column,
        .xRowid = module_rowid,
    };
    return sqlite3_create_module_v2(database, "opscope", &MODULE, (void *)source, NULL);
}
