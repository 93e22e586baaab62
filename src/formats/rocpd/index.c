// Events, timestamps and counters, which others refer to by their ids.

#include <stdio.h>

#include "base/sort.h"
#include "rocpd.h"

struct timestamp {
    uint64_t id;
    int64_t value;
};

struct counter {
    uint64_t event;
    uint32_t name; // string id
    bool given;    // a row has it
    double value;
};

void rocpd_table(const struct rocpd *rocpd, const char *base, char name[ROCPD_TABLE_ROOM])
{
    snprintf(name, ROCPD_TABLE_ROOM, "%s%s", base, rocpd->suffix);
}

// All of them begin with their id.
static bool index_by_id(const void *left, const void *right)
{
    uint64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return a < b;
}

static void index_start(struct rocpd_index *index, size_t size)
{
    *index = (struct rocpd_index){.spool = SPOOL_EMPTY, .size = size};
}

static status index_add(struct rocpd_index *index, const void *item)
{
    index->count++;
    return spool_append(&index->spool, item, index->size);
}

static status index_finish(struct rocpd_index *index)
{
    size_t size;
    STATUS_TRY(spool_read(&index->spool, &index->items, &size));
    sort_in_place(index->items, index->count, index->size, index_by_id);
    return STATUS_OK;
}

// The first item whose id is not below `id`.
static uint64_t index_find(const struct rocpd_index *index, uint64_t id)
{
    uint64_t from = 0;
    uint64_t to = index->count;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        uint64_t found;
        memcpy(&found, index->items + middle * index->size, sizeof found);
        if (found < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// The item at a place; all zero behind the last one.
static void index_get(const struct rocpd_index *index, uint64_t at, void *out_item)
{
    memset(out_item, 0, index->size);
    if (at < index->count)
        memcpy(out_item, index->items + at * index->size, index->size);
}

// Reading --------------------------------------------------------------------------------------

static status read_event_index(struct rocpd *rocpd)
{
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, "rocpd_event", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const int id = database_column(rows, "id");
    const int stack = database_column(rows, "stack_id");
    const int category = database_column(rows, "category_id");
    while (result == STATUS_OK && database_rows_next(rows)) {
        const struct rocpd_event event = {
            .id = table_id(rows, id),
            .stack = table_id(rows, stack),
            .category = tables_text(&rocpd->tables, (int64_t)table_id(rows, category))};
        result = index_add(&rocpd->events, &event);
    }
    tables_done(&rocpd->tables, rows, table);
    return result;
}

static status read_timestamps(struct rocpd *rocpd)
{
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, "rocpd_timestamp", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const int id = database_column(rows, "id");
    const int value = database_column(rows, "value");
    while (result == STATUS_OK && database_rows_next(rows)) {
        struct timestamp timestamp = {.id = table_id(rows, id)};
        if (!table_number(database_cell(rows, value), &timestamp.value))
            continue; // whoever refers to it is lost
        result = index_add(&rocpd->timestamps, &timestamp);
    }
    tables_done(&rocpd->tables, rows, table);
    return result;
}

enum { COUNTER_NAMES_MOST = 65536 };

// What a counter is called, by its id: kept as a place.
static void read_counter_names(struct rocpd *rocpd, uint32_t kind)
{
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, "rocpd_info_pmc", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    if (rows == NULL)
        return;
    const int id = database_column(rows, "id");
    const int name = database_column(rows, "symbol");
    for (unsigned i = 0; i < COUNTER_NAMES_MOST && database_rows_next(rows); i++) {
        const struct database_cell text = database_cell(rows, name);
        const struct table_place place = {.kind = kind, .a = rocpd->run, .b = table_id(rows, id)};
        if (text.kind == DATABASE_TEXT && text.text.size > 0 &&
            tables_find_lane(&rocpd->tables, &place) == 0)
            tables_keep_lane(&rocpd->tables, &place,
                             profile_string(rocpd->tables.profile, text.text));
    }
    tables_done(&rocpd->tables, rows, table);
}

static status read_counters(struct rocpd *rocpd)
{
    enum { COUNTER_NAME = 1000 }; // beside the kinds of places.c
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, "rocpd_pmc_event", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    read_counter_names(rocpd, COUNTER_NAME);
    const int event = database_column(rows, "event_id");
    const int named = database_column(rows, "pmc_id");
    const int value = database_column(rows, "value");
    while (result == STATUS_OK && database_rows_next(rows)) {
        const struct table_place place = {
            .kind = COUNTER_NAME, .a = rocpd->run, .b = table_id(rows, named)};
        const struct database_cell cell = database_cell(rows, value);
        const struct counter counter = {
            .event = table_id(rows, event),
            .name = tables_find_lane(&rocpd->tables, &place),
            .value = cell.kind == DATABASE_INTEGER ? (double)cell.integer : cell.real};
        if (counter.name == 0 || (cell.kind != DATABASE_INTEGER && cell.kind != DATABASE_REAL))
            continue;
        result = index_add(&rocpd->counters, &counter);
    }
    tables_done(&rocpd->tables, rows, table);
    return result;
}

status rocpd_read_index(struct rocpd *rocpd)
{
    index_start(&rocpd->events, sizeof(struct rocpd_event));
    index_start(&rocpd->timestamps, sizeof(struct timestamp));
    index_start(&rocpd->counters, sizeof(struct counter));
    STATUS_TRY(read_event_index(rocpd));
    STATUS_TRY(read_timestamps(rocpd));
    STATUS_TRY(read_counters(rocpd));
    STATUS_TRY(index_finish(&rocpd->events));
    STATUS_TRY(index_finish(&rocpd->timestamps));
    return index_finish(&rocpd->counters);
}

void rocpd_free_index(struct rocpd *rocpd)
{
    spool_free(&rocpd->events.spool);
    spool_free(&rocpd->timestamps.spool);
    spool_free(&rocpd->counters.spool);
}

// Asking ---------------------------------------------------------------------------------------

struct rocpd_event rocpd_event_of(struct rocpd *rocpd, uint64_t id)
{
    struct rocpd_event event;
    index_get(&rocpd->events, index_find(&rocpd->events, id), &event);
    return event.id == id ? event : (struct rocpd_event){0};
}

struct rocpd_span_columns rocpd_span_columns(const struct database_rows *rows)
{
    const int start = database_column(rows, "start");
    return (struct rocpd_span_columns){
        .start = start >= 0 ? start : database_column(rows, "timestamp"),
        .end = start >= 0 ? database_column(rows, "end") : database_column(rows, "timestamp"),
        .start_id = database_column(rows, "start_id"),
        .end_id = database_column(rows, "end_id")};
}

static bool find_time(struct rocpd *rocpd, struct database_cell own, uint64_t id, int64_t *out_time)
{
    struct timestamp timestamp;
    if (table_number(own, out_time))
        return *out_time >= 0;
    index_get(&rocpd->timestamps, index_find(&rocpd->timestamps, id), &timestamp);
    *out_time = timestamp.value;
    return id != 0 && timestamp.id == id && timestamp.value >= 0;
}

bool rocpd_span(struct rocpd *rocpd, const char *table, const struct database_rows *rows,
                const struct rocpd_span_columns *columns, uint64_t *out_start, uint64_t *out_end)
{
    int64_t start, end;
    const bool starts = find_time(rocpd, database_cell(rows, columns->start),
                                  table_id(rows, columns->start_id), &start);
    const bool ends =
        find_time(rocpd, database_cell(rows, columns->end), table_id(rows, columns->end_id), &end);
    if (!starts || !ends) {
        tables_lose(&rocpd->tables, table, starts ? "has no end" : "has no start");
        return false;
    }
    *out_start = (uint64_t)start;
    *out_end = (uint64_t)end;
    rocpd->last = *out_end > rocpd->last ? *out_end : rocpd->last;
    return true;
}

// Of several rows with the same event the first one has them: else a small file could ask for as
// many values as it has rows times counters.
void rocpd_add_counters(struct rocpd *rocpd, uint64_t event)
{
    struct rocpd_index *counters = &rocpd->counters;
    struct counter counter;
    for (uint64_t at = index_find(counters, event); event != 0; at++) {
        index_get(counters, at, &counter);
        if (counter.event != event || counter.given)
            break;
        value_add(&rocpd->tables.values, &(struct value){.key = counter.name,
                                                         .kind = VALUE_REAL,
                                                         .provenance = PROVENANCE_MEASURED,
                                                         .real = counter.value});
        counter.given = true;
        memcpy(counters->items + at * counters->size, &counter, sizeof counter);
    }
}
