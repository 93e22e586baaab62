#include <opscope/query.h>

#include <stdlib.h>

#include "api.h"
#include "base/memory.h"
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

int opscope_query_get_cell_sized(struct opscope_query *query, uint32_t column,
                                 struct opscope_query_cell *out_cell, size_t size)
{
    static const uint32_t KINDS[] = {[SQL_VALUE_NULL] = OPSCOPE_CELL_NULL,
                                     [SQL_VALUE_INTEGER] = OPSCOPE_CELL_INTEGER,
                                     [SQL_VALUE_REAL] = OPSCOPE_CELL_REAL,
                                     [SQL_VALUE_TEXT] = OPSCOPE_CELL_TEXT,
                                     [SQL_VALUE_BLOB] = OPSCOPE_CELL_BLOB};
    struct opscope_query_cell given = {0};
    const bool found = query->has_row && column < opscope_query_column_count(query);
    if (found) {
        const struct sql_value value = sql_statement_value(query->statement, column);
        given = (struct opscope_query_cell){.kind = KINDS[value.kind],
                                            .integer = value.integer,
                                            .real = value.real,
                                            .text = value.text.data,
                                            .size = value.text.size};
    }
    api_give(out_cell, size, &given, sizeof given);
    return found ? OPSCOPE_OK : OPSCOPE_ERROR_NOT_FOUND;
}
