#include "reader.h"

#include <string.h>

#include "nsys.h"

// Tables whose rows are no events of a profile: texts, enumerations, what the machine is.
static bool is_about(const char *table)
{
    static const char *const BEGINNINGS[] = {
        "ENUM_",       "TARGET_INFO",    "META_DATA",       "EXPORT_",
        "ANALYSIS_",   "StringIds",      "sqlite_",         "PROCESSES",
        "ThreadNames", "ProcessStreams", "RunnableOptions", "DIAGNOSTIC_EVENT"};
    for (size_t i = 0; i < sizeof BEGINNINGS / sizeof *BEGINNINGS; i++) {
        if (strncmp(table, BEGINNINGS[i], strlen(BEGINNINGS[i])) == 0)
            return true;
    }
    return false;
}

static bool is_read(const char *table)
{
    static const char *const READ[] = {"NVTX_EVENTS",
                                       "CUPTI_ACTIVITY_KIND_RUNTIME",
                                       "CUPTI_ACTIVITY_KIND_DRIVER",
                                       "CUBLAS_EVENTS",
                                       "CUDNN_EVENTS",
                                       "OSRT_API",
                                       "MPI_P2P_EVENTS",
                                       "MPI_COLLECTIVES_EVENTS",
                                       "MPI_START_WAIT_EVENTS",
                                       "MPI_OTHER_EVENTS",
                                       "GPU_METRICS",
                                       "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                       "CUPTI_ACTIVITY_KIND_KERNEL",
                                       "CUPTI_ACTIVITY_KIND_MEMCPY",
                                       "CUPTI_ACTIVITY_KIND_MEMSET",
                                       "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                       "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"};
    for (size_t i = 0; i < sizeof READ / sizeof *READ; i++) {
        if (strcmp(table, READ[i]) == 0)
            return true;
    }
    return false;
}

static bool nsys_is_database(const struct database *database)
{
    bool events = false;
    for (size_t i = 0; database_table(database, i) != NULL; i++) {
        const char *table = database_table(database, i);
        events |= is_read(table) || strncmp(table, "META_DATA_EXPORT", 16) == 0;
    }
    return events && database_has_table(database, "StringIds");
}

bool nsys_recognise(struct view bytes)
{
    return database_recognise_tables(bytes, nsys_is_database);
}

// Every table that is not read is named, with its rows.
static void note_tables(struct nsys *nsys)
{
    struct tables *tables = &nsys->tables;
    const char *table;
    for (size_t i = 0; (table = database_table(tables->database, i)) != NULL; i++) {
        struct database_rows *rows;
        uint64_t count = 0;
        if (is_read(table) || is_about(table) || (rows = tables_rows(tables, table)) == NULL)
            continue;
        while (database_rows_next(rows))
            count++;
        tables_done(tables, rows, table);
        if (count > 0)
            profile_note(tables->profile, 0, LEDGER_REMARK, count,
                         "%s: table %s is not read: %llu rows", tables->input->path, table,
                         (unsigned long long)count);
    }
}

// What the profiler itself says went wrong.
static void note_diagnostics(struct nsys *nsys)
{
    enum { SEVERITY_WARNING = 2 };
    struct tables *tables = &nsys->tables;
    struct database_rows *rows = tables_rows(tables, "DIAGNOSTIC_EVENT");
    if (rows == NULL)
        return;
    const int severity = database_column(rows, "severity");
    const int text_column = database_column(rows, "text");
    while (database_rows_next(rows)) {
        const struct database_cell text = database_cell(rows, text_column);
        if (table_id(rows, severity) >= SEVERITY_WARNING && text.kind == DATABASE_TEXT)
            profile_note(tables->profile, 0, LEDGER_REMARK, 1, "%s: its profiler says: %.*s",
                         tables->input->path, VIEW_ARGUMENTS(text.text));
    }
    tables_done(tables, rows, "DIAGNOSTIC_EVENT");
}

static void note_open_ranges(struct nsys *nsys)
{
    if (nsys->open > 0)
        profile_note(nsys->tables.profile, 0, LEDGER_REMARK, nsys->open,
                     "%s: table NVTX_EVENTS: ranges that nobody ended while it was recorded, kept "
                     "as instants: %llu",
                     nsys->tables.input->path, (unsigned long long)nsys->open);
}

static void add_facts(struct nsys *nsys)
{
    struct tables *tables = &nsys->tables;
    struct database_rows *rows = tables_rows(tables, "META_DATA_EXPORT");
    profile_fact_add(tables->profile, "format", VIEW_LITERAL("nsys-sqlite"));
    if (rows == NULL)
        return;
    const int name_column = database_column(rows, "name");
    const int value_column = database_column(rows, "value");
    while (database_rows_next(rows)) {
        const struct database_cell name = database_cell(rows, name_column);
        const struct database_cell value = database_cell(rows, value_column);
        if (name.kind == DATABASE_TEXT && view_is(name.text, "EXPORT_SCHEMA_VERSION") &&
            value.kind == DATABASE_TEXT)
            profile_fact_add(tables->profile, "schema_version", value.text);
    }
    tables_done(tables, rows, "META_DATA_EXPORT");
}

// Whether a table of work has a column that says the process.
static bool has_processes(struct nsys *nsys)
{
    struct database_rows *rows = tables_rows(&nsys->tables, "CUPTI_ACTIVITY_KIND_KERNEL");
    const bool has = rows == NULL || database_column(rows, "globalPid") >= 0;
    database_rows_close(rows);
    return has;
}

static status read_tables(struct nsys *nsys)
{
    add_facts(nsys);
    nsys_read_names(nsys);
    nsys->tables.silent = true;
    nsys->one_process = !has_processes(nsys);
    STATUS_TRY(nsys_read_host(nsys));
    STATUS_TRY(nsys_read_device(nsys));
    STATUS_TRY(launches_finish(&nsys->launches));
    nsys->tables.silent = false;
    nsys->emit = true;
    STATUS_TRY(nsys_read_host(nsys));
    STATUS_TRY(nsys_read_device(nsys));
    nsys_read_metrics(nsys);
    STATUS_TRY(nsys_read_memory(nsys));
    note_open_ranges(nsys);
    note_diagnostics(nsys);
    note_tables(nsys);
    return STATUS_OK;
}

status nsys_read(const struct input *input, struct profile *profile)
{
    struct nsys nsys = {0};
    STATUS_TRY(tables_open(input, profile, &nsys.tables));
    launches_start(&nsys.launches, profile);
    const status result = read_tables(&nsys);
    launches_free(&nsys.launches);
    tables_close(&nsys.tables);
    bytes_free(&nsys.text);
    return result;
}
