// `opscope sql FILE "SELECT ..."`: a profile as tables.

#include <errno.h>
#include <stdio.h>

#include "commands.h"
#include "ledger_text.h"
#include "opened.h"
#include "sql_prompt.h"
#include "table_options.h"

struct sql_request {
    const char *file;
    const char *query;  // NULL: from the script
    const char *script; // NULL: the standard input
    bool json, csv, keeps_formulas;
    size_t skip, most; // rows of each SELECT
};

static status run_queries(const struct sql_request *request, struct sql_rows_printer *printer,
                          struct sql_connection *connection)
{
    if (request->query != NULL)
        return sql_rows_print(printer, connection, request->query);
    if (request->script == NULL || strcmp(request->script, "-") == 0)
        return sql_prompt_run(stdin, printer, connection);
    FILE *script = fopen(request->script, "re");
    if (script == NULL)
        return status_system(errno, request->script, "cannot read");
    const status result = sql_prompt_run(script, printer, connection);
    fclose(script);
    return result;
}

static status run_as_json(const struct sql_request *request, const struct profile *profile,
                          struct sql_connection *connection)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    struct sql_rows_printer printer = {.form = SQL_ROWS_JSON,
                                       .output = output,
                                       .json = &json,
                                       .skip = request->skip,
                                       .most = request->most};
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(request->file));
    json_open_array(&json, "results");
    const status result = run_queries(request, &printer, connection);
    json_close(&json);
    ledger_json(&json, "ledger", profile);
    json_close(&json);
    return output_finish(output, result);
}

static status run_as_csv(const struct sql_request *request, struct sql_connection *connection)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct sql_rows_printer printer = {.form = SQL_ROWS_CSV,
                                       .output = output,
                                       .keeps_formulas = request->keeps_formulas,
                                       .skip = request->skip,
                                       .most = request->most};
    const status result = run_queries(request, &printer, connection);
    return output_finish(output, result);
}

static status run_on(const struct sql_request *request, struct profile *profile)
{
    struct sql_connection *connection;
    STATUS_TRY(sql_connection_open(profile, &connection));
    struct sql_rows_printer printer = {
        .form = SQL_ROWS_TEXT, .skip = request->skip, .most = request->most};
    const status result = request->json  ? run_as_json(request, profile, connection)
                          : request->csv ? run_as_csv(request, connection)
                                         : run_queries(request, &printer, connection);
    sql_connection_close(connection);
    return result;
}

static status read_and_run(const struct sql_request *request, struct profile **out_profile)
{
    const struct format_options options = {0};
    STATUS_TRY(opened_read(request->file, &options, out_profile));
    ledger_warn(*out_profile);
    return run_on(request, *out_profile);
}

static status sql_command(const struct arguments *arguments, int *out_exit)
{
    size_t count;
    const char *const *words = arguments_words(arguments, &count);
    if (arguments_flag(arguments, "schema") && count == 0)
        return sql_prompt_schema(NULL);
    struct sql_request request = {.file = count > 0 ? words[0] : NULL,
                                  .query = count > 1 ? words[1] : NULL,
                                  .script = arguments_value(arguments, "script"),
                                  .json = arguments_flag(arguments, "json"),
                                  .csv = arguments_flag(arguments, "csv"),
                                  .keeps_formulas =
                                      arguments_flag(arguments, "no-spreadsheet-safe")};
    if (count < 1 || count > 2 || arguments_flag(arguments, "schema"))
        return status_make(STATUS_USAGE, "sql: give one file and one query: opscope sql "
                                         "trace.json.gz \"SELECT * FROM top_kernels\"");
    if (request.query != NULL && request.script != NULL)
        return status_make(STATUS_USAGE, "sql: give a query or --script, not both");
    if (request.json && request.csv)
        return status_make(STATUS_USAGE, "sql: give --json or --csv, not both");
    STATUS_TRY(table_options_read_page(arguments, &request.skip, &request.most));
    struct profile *profile = NULL;
    const status result = read_and_run(&request, &profile);
    if (result == STATUS_OK)
        *out_exit = ledger_exit(profile);
    opened_close(profile);
    return result;
}

static const struct option OPTIONS[] = {
    {"script", 0, OPTION_ONE, "FILE", "queries from a file; -: from the standard input"},
    {"json", 0, OPTION_FLAG, NULL, "as JSON: columns and rows of each SELECT, the ledger"},
    {"csv", 0, OPTION_FLAG, NULL, "as CSV; NULL is nothing between commas"},
    {"top", 0, OPTION_ONE, "N", "so many rows of each SELECT at most (all)"},
    {"skip", 0, OPTION_ONE, "N", "without so many of the first rows"},
    {"spreadsheet-safe", 0, OPTION_FLAG, NULL, "CSV: a ' before texts like =1+1 (the usual)"},
    {"no-spreadsheet-safe", 0, OPTION_FLAG, NULL, "CSV: texts as they are"},
    {"schema", 0, OPTION_FLAG, NULL, "print the tables and views, without a file"},
    {0},
};

const struct command COMMAND_SQL = {
    .name = "sql",
    .usage = "FILE [QUERY] [--json | --csv] [--script FILE]",
    .summary = "ask a profile in SQL: spans, tracks, operators, calls, the ledger as tables",
    .details =
        "Any profile that opscope reads, without an export: SQLite runs over it where it lies. "
        "Base\n"
        "tables are span, track, string, operator, call, arg, flow, counter ...; views with names\n"
        "are slice (Perfetto's columns), kernels, memory_copies, regions, top, top_kernels, busy\n"
        "(rocpd's). Times are ns, what is absent is NULL. Without a query there is a prompt, or "
        "the\n"
        "standard input is read: statements end with ;, .tables and .schema say what there is.\n"
        "'opscope convert FILE -o x.db' writes the same tables as a database. A query reads, and\n"
        "may make temporary tables and views: it writes no file.",
    .examples = "  opscope sql trace.json.gz \"SELECT * FROM top_kernels LIMIT 10\"\n"
                "  opscope sql trace.json.gz \"SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY "
                "name\"\n"
                "  opscope sql runtime.prof \"SELECT role, SUM(dur) FROM span GROUP BY role\" "
                "--json\n"
                "  echo 'SELECT * FROM busy;' | opscope sql trace.pb --csv\n"
                "  opscope sql trace.pb",
    .options = OPTIONS,
    .run = sql_command,
};
