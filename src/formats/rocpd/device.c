// What agents did: kernels and copies on their queues; memory that was taken and given back.

#include "formats/database/allocations.h"
#include "rocpd.h"

struct work {
    uint64_t start, end;
    uint64_t event; // id
    struct rocpd_place place;
    struct launch_key key;
    uint32_t name;
    uint32_t category; // string id
    enum role role;
};

struct work_columns {
    struct rocpd_span_columns span;
    struct rocpd_place_columns place;
    int kernel, name, event, to, from;
};

static struct work_columns find_columns(const struct database_rows *rows)
{
    return (struct work_columns){.span = rocpd_span_columns(rows),
                                 .place = rocpd_place_columns(rows),
                                 .kernel = database_column(rows, "kernel_id"),
                                 .name = database_column(rows, "name_id"),
                                 .event = database_column(rows, "event_id"),
                                 .to = database_column(rows, "dst_agent_id"),
                                 .from = database_column(rows, "src_agent_id")};
}

// A copy belongs to the GPU that it goes to or comes from.
static void place_copy(struct rocpd *rocpd, uint64_t from, uint64_t to, struct work *work)
{
    uint32_t number;
    const bool from_device = rocpd_agent_is_device(rocpd, from, &number);
    const bool to_device = rocpd_agent_is_device(rocpd, to, &number);
    if (from_device && to_device)
        work->role = from == to ? ROLE_TRANSFER : ROLE_COMMUNICATION;
    else if (to_device)
        work->role = ROLE_TRANSFER_IN;
    else if (from_device)
        work->role = ROLE_TRANSFER_OUT;
    else
        work->role = rocpd_agent_is_host(rocpd, to) ? ROLE_HOST_COPY : ROLE_TRANSFER;
    if (work->place.agent == 0)
        work->place.agent = to_device || !from_device ? to : from;
}

static bool is_communication(struct view name)
{
    return view_starts_with(name, "nccl") || view_starts_with(name, "rccl");
}

static bool read_work(struct rocpd *rocpd, const char *table, const struct database_rows *rows,
                      const struct work_columns *columns, struct work *out_work)
{
    struct tables *tables = &rocpd->tables;
    struct work work = {0};
    if (!rocpd_span(rocpd, table, rows, &columns->span, &work.start, &work.end))
        return false;
    work.event = table_id(rows, columns->event);
    const struct rocpd_event event = rocpd_event_of(rocpd, work.event);
    work.place = rocpd_place(rocpd, rows, &columns->place);
    work.key = (struct launch_key){rocpd->run, event.stack};
    work.category = event.category;
    if (columns->kernel >= 0) {
        work.name = rocpd_kernel_name(rocpd, table_id(rows, columns->kernel));
        work.role = is_communication(profile_text(tables->profile, work.name)) ? ROLE_COMMUNICATION
                                                                               : ROLE_COMPUTE;
    } else {
        work.name = tables_text(tables, (int64_t)table_id(rows, columns->name));
        place_copy(rocpd, table_id(rows, columns->from), table_id(rows, columns->to), &work);
    }
    *out_work = work;
    return true;
}

static void emit_work(struct rocpd *rocpd, const struct database_rows *rows,
                      const struct table_columns *cells, const struct work *work)
{
    struct tables *tables = &rocpd->tables;
    tables->values.size = 0;
    if (work->category != 0)
        value_add_string(&tables->values, profile_string(tables->profile, VIEW_LITERAL("category")),
                         work->category);
    tables_add_string(tables, "role", role_name(work->role));
    const bool is_work = work->end >= work->start;
    const struct event event = {
        .kind = EVENT_SPAN,
        .track = rocpd_queue(rocpd, &work->place),
        .name = work->name,
        .start = work->start,
        .end = work->end,
        .call = is_work ? launches_next_work(&rocpd->launches, work->key, &tables->values) : 0};
    uint32_t number;
    if (event.call != 0 && rocpd_agent_is_device(rocpd, work->place.agent, &number))
        profile_call(tables->profile, event.call)->device = number;
    tables_add_cells(tables, rows, cells);
    rocpd_add_counters(rocpd, work->event);
    tables_add_event(tables, &event);
}

static status read_work_table(struct rocpd *rocpd, const char *base,
                              const struct table_column_use *uses)
{
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, base, table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    struct table_columns cells;
    struct work work;
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const struct work_columns columns = find_columns(rows);
    tables_columns(&rocpd->tables, rows, uses, &cells);
    for (int i = 0; i < cells.count; i++) { // as others call it
        if (view_is(view_of(database_column_name(rows, i)), "size"))
            cells.keys[i] = profile_string(rocpd->tables.profile, VIEW_LITERAL("bytes"));
    }
    while (result == STATUS_OK && database_rows_next(rows)) {
        if (!read_work(rocpd, table, rows, &columns, &work))
            continue;
        if (rocpd->emit)
            emit_work(rocpd, rows, &cells, &work);
        else if (work.end >= work.start)
            result = launches_add_work(&rocpd->launches, work.key);
    }
    tables_done(&rocpd->tables, rows, table);
    return result;
}

static const struct table_column_use USES[] = {
    {"id", TABLE_SKIP},
    {"guid", TABLE_SKIP},
    {"nid", TABLE_SKIP},
    {"pid", TABLE_SKIP},
    {"tid", TABLE_SKIP},
    {"start", TABLE_SKIP},
    {"end", TABLE_SKIP},
    {"name_id", TABLE_SKIP},
    {"agent_id", TABLE_SKIP},
    {"queue_id", TABLE_SKIP},
    {"stream_id", TABLE_SKIP},
    {"kernel_id", TABLE_SKIP},
    {"track_id", TABLE_SKIP},
    {"start_id", TABLE_SKIP},
    {"end_id", TABLE_SKIP},
    {"extdata", TABLE_JSON},
    {"region_name_id", TABLE_TEXT_ID},
    {NULL, TABLE_VALUE},
};

status rocpd_read_device(struct rocpd *rocpd)
{
    STATUS_TRY(read_work_table(rocpd, "rocpd_kernel_dispatch", USES));
    return read_work_table(rocpd, "rocpd_memory_copy", USES);
}

// Memory ---------------------------------------------------------------------------------------

static void describe_memory(void *context, uint64_t agent, struct buffer_lifetime *out_like)
{
    struct rocpd *rocpd = context;
    uint32_t number;
    const bool device = rocpd_agent_is_device(rocpd, agent, &number);
    out_like->memory =
        profile_string(rocpd->tables.profile, device ? VIEW_LITERAL("GPU") : VIEW_LITERAL("CPU"));
    out_like->device = device ? number + 1 : 0;
}

static status read_allocations(struct rocpd *rocpd, struct allocations *allocations)
{
    char table[ROCPD_TABLE_ROOM];
    rocpd_table(rocpd, "rocpd_memory_allocate", table);
    struct database_rows *rows = tables_rows(&rocpd->tables, table);
    struct table_columns cells;
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const struct rocpd_span_columns span = rocpd_span_columns(rows);
    const struct rocpd_place_columns places = rocpd_place_columns(rows);
    const int type = database_column(rows, "type");
    const int address = database_column(rows, "address");
    const int size = database_column(rows, "size");
    tables_columns(&rocpd->tables, rows, USES, &cells);
    while (result == STATUS_OK && database_rows_next(rows)) {
        struct event event = {.kind = EVENT_SPAN};
        if (!rocpd_span(rocpd, table, rows, &span, &event.start, &event.end))
            continue;
        const struct rocpd_place place = rocpd_place(rocpd, rows, &places);
        const struct view what = database_cell(rows, type).text;
        const bool takes = view_is(what, "ALLOC") || view_is(what, "REALLOC");
        event.track = rocpd_memory_lane(rocpd, &place);
        event.name = profile_string(rocpd->tables.profile, what);
        rocpd->tables.values.size = 0;
        tables_add_cells(&rocpd->tables, rows, &cells);
        tables_add_event(&rocpd->tables, &event);
        result = allocations_add(allocations,
                                 (struct allocation){.time = event.end,
                                                     .address = table_id(rows, address),
                                                     .bytes = takes ? table_id(rows, size) : 0,
                                                     .place = place.agent});
    }
    tables_done(&rocpd->tables, rows, table);
    return result;
}

status rocpd_read_memory(struct rocpd *rocpd)
{
    struct allocations allocations = ALLOCATIONS_EMPTY;
    status result = read_allocations(rocpd, &allocations);
    if (result == STATUS_OK)
        result = allocations_finish(&allocations, rocpd->tables.profile, rocpd->last,
                                    describe_memory, rocpd);
    allocations_free(&allocations);
    return result;
}
