#include <opscope/query.h>

#include <stdlib.h>

#include "api.h"
#include "base/memory.h"
#include "columns.h"
#include "sql/query.h"

struct opscope_query {
    struct sql_connection *connection;
    struct sql_statement *statement;
    bool has_row;
};

static void api_query_abandon(void *connection)
{
    sql_connection_abandon(connection);
}

// Runs what gives no rows, up to the one that does.
static status open_statement(struct opscope_query *query, const char *text)
{
    while (query->statement == NULL) {
        struct sql_statement *statement;
        bool found;
        STATUS_TRY(sql_statement_open(query->connection, &text, &statement));
        if (statement == NULL)
            return status_make(STATUS_USAGE, "SQL: there is no query: expected a SELECT");
        if (sql_statement_column_count(statement) > 0) {
            query->statement = statement;
            break;
        }
        const status result = sql_statement_next(statement, &found);
        sql_statement_free(statement);
        STATUS_TRY(result);
    }
    struct sql_statement *second;
    STATUS_TRY(sql_statement_open(query->connection, &text, &second));
    if (second == NULL)
        return STATUS_OK;
    sql_statement_free(second);
    return status_make(STATUS_USAGE, "SQL: something follows the SELECT: give one query at a time");
}

static status api_query_open(struct opscope_profile *profile, const char *text,
                             struct opscope_query **out_query)
{
    STATUS_TRY(api_finish(profile));
    struct opscope_query *query = memory_allocate_zeroed(1, sizeof *query);
    status result = sql_connection_open(profile->profile, &query->connection);
    if (result == STATUS_OK) {
        recovery_hold(RECOVERY_AT_ONCE, api_query_abandon, query->connection);
        result = open_statement(query, text);
        recovery_let_go(query->connection);
    }
    if (result == STATUS_OK)
        *out_query = query;
    else
        opscope_query_free(query);
    return result;
}

int opscope_query_open(struct opscope_profile *profile, const char *text,
                       struct opscope_query **out_query, char *message, size_t size)
{
    *out_query = NULL;
    if (text == NULL)
        return api_refuse("there is no query", message, size);
    return RECOVERY_SCOPE_BESIDE(
        &profile->region, api_answer(api_query_open(profile, text, out_query), message, size),
        api_no_memory(message, size));
}

void opscope_query_free(struct opscope_query *query)
{
    if (query == NULL)
        return;
    sql_statement_free(query->statement);
    sql_connection_close(query->connection);
    free(query);
}

uint32_t opscope_query_column_count(const struct opscope_query *query)
{
    return sql_statement_column_count(query->statement);
}

const char *opscope_query_column_name(const struct opscope_query *query, uint32_t column)
{
    return column < opscope_query_column_count(query)
               ? sql_statement_column_name(query->statement, column)
               : NULL;
}

static int api_query_next(struct opscope_query *query, char *message, size_t size)
{
    const int code =
        api_answer(sql_statement_next(query->statement, &query->has_row), message, size);
    return code != OPSCOPE_OK ? code : query->has_row;
}

int opscope_query_next(struct opscope_query *query, char *message, size_t size)
{
    query->has_row = false;
    return RECOVERY_SCOPE_ALONE(api_query_next(query, message, size), api_no_memory(message, size));
}

static const uint32_t CELL_KINDS[] = {[SQL_VALUE_NULL] = OPSCOPE_CELL_NULL,
                                      [SQL_VALUE_INTEGER] = OPSCOPE_CELL_INTEGER,
                                      [SQL_VALUE_REAL] = OPSCOPE_CELL_REAL,
                                      [SQL_VALUE_TEXT] = OPSCOPE_CELL_TEXT,
                                      [SQL_VALUE_BLOB] = OPSCOPE_CELL_BLOB};

int opscope_query_get_cell_sized(struct opscope_query *query, uint32_t column,
                                 struct opscope_query_cell *out_cell, size_t size)
{
    struct opscope_query_cell given = {0};
    const bool found = query->has_row && column < opscope_query_column_count(query);
    if (found) {
        const struct sql_value value = sql_statement_value(query->statement, column);
        given = (struct opscope_query_cell){.kind = CELL_KINDS[value.kind],
                                            .integer = value.integer,
                                            .real = value.real,
                                            .text = value.text.data,
                                            .size = value.text.size};
    }
    api_give(out_cell, size, &given, sizeof given);
    return found ? OPSCOPE_OK : OPSCOPE_ERROR_NOT_FOUND;
}

// All rows ------------------------------------------------------------------------

static void add_value_of_row(struct column *column, struct sql_value value)
{
    const uint8_t kind = (uint8_t)CELL_KINDS[value.kind];
    bytes_append(&column->cells, &kind, sizeof kind);
    switch (value.kind) {
    case SQL_VALUE_INTEGER:
        column_add_signed(column, value.integer);
        break;
    case SQL_VALUE_REAL:
        column_add_real(column, value.real);
        break;
    case SQL_VALUE_TEXT:
    case SQL_VALUE_BLOB:
        column_add_text(column, value.text.size > 0 ? value.text : VIEW_LITERAL(""));
        break;
    default:
        column_add_absent(column);
    }
}

static int start_table(struct opscope_query *query, struct opscope_table **out_table)
{
    struct opscope_table *table = memory_allocate_zeroed(1, sizeof *table);
    for (uint32_t i = 0; i < opscope_query_column_count(query); i++)
        columns_add(table, view_of(opscope_query_column_name(query, i)), "", "");
    *out_table = table;
    return OPSCOPE_OK;
}

static int add_row(struct opscope_query *query, struct opscope_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        add_value_of_row(&table->columns[i], sql_statement_value(query->statement, i));
    return OPSCOPE_OK;
}

static bool has_other_cells(const struct column *column)
{
    for (size_t i = 0; i < column->cells.size; i++) {
        const uint8_t kind = column->cells.data[i];
        if (kind != OPSCOPE_CELL_NULL && kind != OPSCOPE_CELL_TEXT)
            return column->kind == OPSCOPE_COLUMN_TEXT;
    }
    return false;
}

static int finish_table(struct opscope_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (!has_other_cells(&table->columns[i]))
            bytes_free(&table->columns[i].cells);
    }
    columns_finish(table);
    return OPSCOPE_OK;
}

// In scopes of their own: what SQLite takes while it steps is not the table's.
static int start_in_scope(struct opscope_query *query, struct region *region,
                          struct opscope_table **out_table)
{
    return RECOVERY_SCOPE(region, start_table(query, out_table), OPSCOPE_ERROR_LIMIT);
}

static int add_in_scope(struct opscope_query *query, struct region *region,
                        struct opscope_table *table)
{
    return RECOVERY_SCOPE(region, add_row(query, table), OPSCOPE_ERROR_LIMIT);
}

static int finish_in_scope(struct opscope_table *table, struct region *region)
{
    return RECOVERY_SCOPE(region, finish_table(table), OPSCOPE_ERROR_LIMIT);
}

int opscope_query_table(struct opscope_query *query, struct opscope_table **out_table,
                        char *message, size_t size)
{
    struct region region = REGION_EMPTY;
    struct opscope_table *table = NULL;
    int found = 0;
    *out_table = NULL;
    int code = start_in_scope(query, &region, &table);
    while (code == OPSCOPE_OK && (found = opscope_query_next(query, message, size)) == 1)
        code = add_in_scope(query, &region, table);
    if (code == OPSCOPE_OK && found == 0)
        code = finish_in_scope(table, &region);
    if (code == OPSCOPE_OK && found == 0) {
        region_forget(&region);
        *out_table = table;
        return OPSCOPE_OK;
    }
    region_release(&region);
    return found < 0 ? found : api_no_memory(message, size);
}
