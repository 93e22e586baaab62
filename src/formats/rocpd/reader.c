#include "reader.h"

#include <string.h>

#include "rocpd.h"

static const char TEXTS[] = "rocpd_string";

enum { RUNS_MOST = 1024 };

// What follows "rocpd_string" in the name of a table is the suffix of a run; NULL: another table.
static const char *suffix_of(const char *table)
{
    const size_t size = sizeof TEXTS - 1;
    return strncmp(table, TEXTS, size) == 0 ? table + size : NULL;
}

static bool has_events(const struct database *database, const char *suffix)
{
    char name[ROCPD_TABLE_ROOM];
    const struct rocpd rocpd = {.suffix = suffix};
    rocpd_table(&rocpd, "rocpd_event", name);
    return database_has_table(database, name);
}

static bool rocpd_is_database(const struct database *database)
{
    const char *table;
    for (size_t i = 0; (table = database_table(database, i)) != NULL; i++) {
        if (suffix_of(table) != NULL && has_events(database, suffix_of(table)))
            return true;
    }
    return false;
}

bool rocpd_recognise(struct view bytes)
{
    return database_recognise_tables(bytes, rocpd_is_database);
}

// Arguments of calls are as many as the calls and more: they are counted, not read.
static void note_arguments(struct rocpd *rocpd)
{
    char table[ROCPD_TABLE_ROOM];
    uint64_t count = 0;
    rocpd_table(rocpd, "rocpd_arg", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    if (rows == NULL)
        return;
    while (database_rows_next(rows))
        count++;
    tables_done(&rocpd->tables, rows, table);
    if (count > 0)
        profile_note(rocpd->tables.profile, 0, LEDGER_REMARK, count,
                     "%s: table %s (arguments of calls) is not read: %llu rows",
                     rocpd->tables.input->path, table, (unsigned long long)count);
}

static status read_run_tables(struct rocpd *rocpd)
{
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, TEXTS, table);
    tables_read_texts(&rocpd->tables, table, "id", "string");
    rocpd_read_places(rocpd);
    STATUS_TRY(rocpd_read_index(rocpd));
    rocpd->emit = false;
    rocpd->tables.silent = true;
    STATUS_TRY(rocpd_read_host(rocpd));
    STATUS_TRY(rocpd_read_device(rocpd));
    STATUS_TRY(launches_finish(&rocpd->launches));
    rocpd->emit = true;
    rocpd->tables.silent = false;
    STATUS_TRY(rocpd_read_host(rocpd));
    STATUS_TRY(rocpd_read_device(rocpd));
    rocpd_read_samples(rocpd);
    STATUS_TRY(rocpd_read_memory(rocpd));
    note_arguments(rocpd);
    return STATUS_OK;
}

// Flows of several runs must not have the same numbers.
static status read_run(struct rocpd *rocpd, const char *suffix)
{
    const uint64_t works = rocpd->launches.first_flow + rocpd->launches.work_count;
    rocpd->suffix = suffix;
    rocpd->run++;
    launches_start(&rocpd->launches, rocpd->tables.profile);
    rocpd->launches.first_flow = works;
    tables_forget_texts(&rocpd->tables);
    const status result = read_run_tables(rocpd);
    launches_free(&rocpd->launches);
    rocpd_free_index(rocpd);
    return result;
}

status rocpd_read(const struct input *input, struct profile *profile)
{
    struct rocpd rocpd = {0};
    STATUS_TRY(tables_open(input, profile, &rocpd.tables));
    profile_fact_add(profile, "format", VIEW_LITERAL("rocpd"));
    const struct database *database = rocpd.tables.database;
    status result = STATUS_OK;
    const char *table;
    for (size_t i = 0; result == STATUS_OK && (table = database_table(database, i)) != NULL; i++) {
        const char *suffix = suffix_of(table);
        if (suffix != NULL && has_events(database, suffix) && rocpd.run < RUNS_MOST)
            result = read_run(&rocpd, suffix);
    }
    tables_close(&rocpd.tables);
    bytes_free(&rocpd.text);
    return result;
}
