// What threads did: regions, which are calls of runtimes and ranges of the program; samples.

#include "rocpd.h"

struct region {
    uint64_t start, end;
    uint32_t track;
    uint32_t name;
    uint32_t category; // string id
    bool is_range;
    struct launch_key key;
};

struct region_columns {
    struct rocpd_span_columns span;
    struct rocpd_place_columns place;
    int name, event;
};

static struct region_columns find_columns(const struct database_rows *rows)
{
    return (struct region_columns){.span = rocpd_span_columns(rows),
                                   .place = rocpd_place_columns(rows),
                                   .name = database_column(rows, "name_id"),
                                   .event = database_column(rows, "event_id")};
}

// Ranges that the program itself marks (roctx).
static bool is_marker(struct view category)
{
    enum { CATEGORY_MOST = 256 }; // each row may have one of megabytes
    return view_starts_with(category, "MARKER_") && category.size <= CATEGORY_MOST &&
           view_find_text(category, "CONTROL") == category.size &&
           view_find_text(category, "NAME") == category.size;
}

static bool read_region(struct rocpd *rocpd, const char *table, const struct database_rows *rows,
                        const struct region_columns *columns, struct region *out_region)
{
    struct region region = {0};
    if (!rocpd_span(rocpd, table, rows, &columns->span, &region.start, &region.end))
        return false;
    const struct rocpd_place place = rocpd_place(rocpd, rows, &columns->place);
    const struct rocpd_event event = rocpd_event_of(rocpd, table_id(rows, columns->event));
    region.track = rocpd_thread(rocpd, &place);
    region.name = tables_text(&rocpd->tables, (int64_t)table_id(rows, columns->name));
    region.category = event.category;
    region.is_range = is_marker(profile_text(rocpd->tables.profile, event.category));
    region.key = (struct launch_key){rocpd->run, event.stack};
    *out_region = region;
    return true;
}

static uint32_t region_operator(struct rocpd *rocpd, const struct region *region)
{
    const struct operator_description op = {
        .name = region->name, .type = region->name, .values = VIEW_LITERAL("")};
    return tables_operator(&rocpd->tables, &op);
}

static status add_launch(struct rocpd *rocpd, const struct region *region)
{
    const struct view name = profile_text(rocpd->tables.profile, region->name);
    if (region->end < region->start)
        return STATUS_OK;
    if (region->is_range)
        return launches_add_range(&rocpd->launches, region->track, region->start, region->end,
                                  region_operator(rocpd, region));
    const bool graph = launches_graph(name);
    return launches_add_call(&rocpd->launches, region->track, region->start, region->end,
                             region->key, graph ? region_operator(rocpd, region) : 0);
}

static void emit_region(struct rocpd *rocpd, const struct database_rows *rows,
                        const struct table_columns *cells, const struct region *region)
{
    struct tables *tables = &rocpd->tables;
    tables->values.size = 0;
    if (region->category != 0)
        value_add_string(&tables->values, profile_string(tables->profile, VIEW_LITERAL("category")),
                         region->category);
    if (!region->is_range)
        tables_add_string(tables, "role", role_name(ROLE_HOST_CALL));
    if (!region->is_range && launches_waits(profile_text(tables->profile, region->name)))
        tables_add_waits(tables);
    const bool has_call = region->end >= region->start;
    const struct event event = {
        .kind = EVENT_SPAN,
        .track = region->track,
        .name = region->name,
        .start = region->start,
        .end = region->end,
        .call = has_call ? launches_next_call(&rocpd->launches, &tables->values) : 0};
    tables_add_cells(tables, rows, cells);
    tables_add_event(tables, &event);
}

status rocpd_read_host(struct rocpd *rocpd)
{
    static const struct table_column_use USES[] = {
        {"id", TABLE_SKIP},       {"guid", TABLE_SKIP},    {"nid", TABLE_SKIP},
        {"pid", TABLE_SKIP},      {"tid", TABLE_SKIP},     {"start", TABLE_SKIP},
        {"end", TABLE_SKIP},      {"name_id", TABLE_SKIP}, {"track_id", TABLE_SKIP},
        {"start_id", TABLE_SKIP}, {"end_id", TABLE_SKIP},  {"extdata", TABLE_JSON},
        {NULL, TABLE_VALUE},
    };
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, "rocpd_region", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    struct table_columns cells;
    struct region region;
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const struct region_columns columns = find_columns(rows);
    tables_columns(&rocpd->tables, rows, USES, &cells);
    while (result == STATUS_OK && database_rows_next(rows)) {
        if (!read_region(rocpd, table, rows, &columns, &region))
            continue;
        if (rocpd->emit)
            emit_region(rocpd, rows, &cells, &region);
        else
            result = add_launch(rocpd, &region);
    }
    tables_done(&rocpd->tables, rows, table);
    return result;
}

void rocpd_read_samples(struct rocpd *rocpd)
{
    static const struct table_column_use USES[] = {
        {"id", TABLE_SKIP},           {"guid", TABLE_SKIP},    {"track_id", TABLE_SKIP},
        {"timestamp", TABLE_SKIP},    {"name_id", TABLE_SKIP}, {"extdata", TABLE_JSON},
        {"timestamp_id", TABLE_SKIP}, {NULL, TABLE_VALUE},
    };
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, "rocpd_sample", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    struct table_columns cells;
    if (rows == NULL)
        return;
    struct rocpd_span_columns span = rocpd_span_columns(rows);
    const struct rocpd_place_columns places = rocpd_place_columns(rows);
    const int name = database_column(rows, "name_id");
    const int event_id = database_column(rows, "event_id");
    span.start_id = span.end_id = database_column(rows, "timestamp_id");
    tables_columns(&rocpd->tables, rows, USES, &cells);
    while (database_rows_next(rows)) {
        struct event event = {.kind = EVENT_INSTANT};
        if (!rocpd_span(rocpd, table, rows, &span, &event.start, &event.end))
            continue;
        const struct rocpd_place place = rocpd_place(rocpd, rows, &places);
        event.track = rocpd_thread(rocpd, &place);
        event.name = tables_text(&rocpd->tables, (int64_t)table_id(rows, name));
        if (event.name == 0)
            event.name = rocpd_track_name(rocpd, table_id(rows, places.track));
        rocpd->tables.values.size = 0;
        tables_add_cells(&rocpd->tables, rows, &cells);
        rocpd_add_counters(rocpd, table_id(rows, event_id));
        tables_add_event(&rocpd->tables, &event);
    }
    tables_done(&rocpd->tables, rows, table);
}
