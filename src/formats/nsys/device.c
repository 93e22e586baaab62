// What devices did: kernels, copies, fills and graphs on their streams; metrics.

#include "nsys.h"

enum device_kind { DEVICE_KERNEL, DEVICE_COPY, DEVICE_FILL, DEVICE_WAIT, DEVICE_GRAPH };

static const struct device_table {
    const char *table;
    const char *category;
    enum device_kind kind;
} TABLES[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", "kernel", DEVICE_KERNEL},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", "gpu_memcpy", DEVICE_COPY},
    {"CUPTI_ACTIVITY_KIND_MEMSET", "gpu_memset", DEVICE_FILL},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "cuda_graph", DEVICE_GRAPH},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "cuda_sync", DEVICE_WAIT},
};

// By copyKind.
static const struct {
    const char *name;
    enum role role;
} COPIES[] = {
    {"[CUDA memcpy]", ROLE_TRANSFER},
    {"[CUDA memcpy Host-to-Device]", ROLE_TRANSFER_IN},
    {"[CUDA memcpy Device-to-Host]", ROLE_TRANSFER_OUT},
    {"[CUDA memcpy Host-to-Array]", ROLE_TRANSFER_IN},
    {"[CUDA memcpy Array-to-Host]", ROLE_TRANSFER_OUT},
    {"[CUDA memcpy Array-to-Array]", ROLE_TRANSFER},
    {"[CUDA memcpy Array-to-Device]", ROLE_TRANSFER},
    {"[CUDA memcpy Device-to-Array]", ROLE_TRANSFER},
    {"[CUDA memcpy Device-to-Device]", ROLE_TRANSFER},
    {"[CUDA memcpy Host-to-Host]", ROLE_HOST_COPY},
    {"[CUDA memcpy Peer-to-Peer]", ROLE_COMMUNICATION},
    {"[CUDA Unified Memory memcpy Host-to-Device]", ROLE_TRANSFER_IN},
    {"[CUDA Unified Memory memcpy Device-to-Host]", ROLE_TRANSFER_OUT},
    {"[CUDA Unified Memory memcpy Device-to-Device]", ROLE_TRANSFER},
};

enum { COPY_KINDS = sizeof COPIES / sizeof *COPIES };

// Columns of a table, looked up once; -1: it has none.
struct device_columns {
    int start, end, device, process, context, stream, correlation, name, short_name, copy, graph;
};

static struct device_columns find_columns(const struct database_rows *rows)
{
    return (struct device_columns){.start = database_column(rows, "start"),
                                   .end = database_column(rows, "end"),
                                   .device = database_column(rows, "deviceId"),
                                   .process = database_column(rows, "globalPid"),
                                   .context = database_column(rows, "contextId"),
                                   .stream = database_column(rows, "streamId"),
                                   .correlation = database_column(rows, "correlationId"),
                                   .name = database_column(rows, "demangledName"),
                                   .short_name = database_column(rows, "shortName"),
                                   .copy = database_column(rows, "copyKind"),
                                   .graph = database_column(rows, "graphId")};
}

struct device_row {
    uint64_t start, end;
    struct nsys_stream stream;
    struct launch_key key;
    uint32_t name;
    enum role role;
};

static void name_kernel(struct nsys *nsys, const struct database_rows *rows,
                        const struct device_columns *columns, struct device_row *row)
{
    row->name = tables_text(&nsys->tables, (int64_t)table_id(rows, columns->name));
    if (row->name == 0)
        row->name = tables_text(&nsys->tables, (int64_t)table_id(rows, columns->short_name));
    row->role = view_starts_with(profile_text(nsys->tables.profile, row->name), "nccl")
                    ? ROLE_COMMUNICATION
                    : ROLE_COMPUTE;
}

static void name_work(struct nsys *nsys, const struct device_table *table,
                      const struct database_rows *rows, const struct device_columns *columns,
                      struct device_row *row)
{
    struct profile *profile = nsys->tables.profile;
    const uint64_t copy = table_id(rows, columns->copy);
    switch (table->kind) {
    case DEVICE_KERNEL:
        name_kernel(nsys, rows, columns, row);
        return;
    case DEVICE_COPY:
        row->name = profile_string(profile, view_of(COPIES[copy < COPY_KINDS ? copy : 0].name));
        row->role = COPIES[copy < COPY_KINDS ? copy : 0].role;
        return;
    case DEVICE_FILL:
        row->name = profile_string(profile, VIEW_LITERAL("[CUDA memset]"));
        row->role = ROLE_TRANSFER;
        return;
    case DEVICE_GRAPH:
        nsys->text.size = 0;
        bytes_append_format(&nsys->text, "[CUDA graph %llu]",
                            (unsigned long long)table_id(rows, columns->graph));
        row->name = profile_string(profile, bytes_view(&nsys->text));
        row->role = ROLE_COMPUTE;
        return;
    default:
        row->name = profile_string(profile, VIEW_LITERAL("[CUDA synchronization]"));
        row->role = ROLE_NONE;
        return;
    }
}

// False where it cannot be read, which is noted.
static bool read_device_row(struct nsys *nsys, const struct device_table *table,
                            const struct database_rows *rows, const struct device_columns *columns,
                            struct device_row *row)
{
    int64_t start, end;
    const bool starts = table_number(database_cell(rows, columns->start), &start) && start >= 0;
    const bool ends = table_number(database_cell(rows, columns->end), &end) && end >= 0;
    const uint64_t device = table_id(rows, columns->device);
    if (!starts || !ends || device >= UINT32_MAX) {
        tables_lose(&nsys->tables, table->table,
                    !starts ? "has no start"
                    : !ends ? "has no end"
                            : "is of a device that no machine has");
        return false;
    }
    *row = (struct device_row){
        .start = (uint64_t)start,
        .end = (uint64_t)end,
        .stream = {.device = device,
                   .process = nsys_process_of(table_id(rows, columns->process)),
                   .context = table_id(rows, columns->context),
                   .stream = table_id(rows, columns->stream)},
        .key = {nsys->one_process ? 0 : nsys_process_of(table_id(rows, columns->process)),
                table_id(rows, columns->correlation)}};
    return true;
}

// What ends before it begins is impossible, and nobody's work.
static bool is_work(const struct device_table *table, const struct device_row *row)
{
    return table->kind != DEVICE_WAIT && row->end >= row->start;
}

static void emit_device_row(struct nsys *nsys, const struct device_table *table,
                            const struct database_rows *rows, const struct device_columns *columns,
                            const struct table_columns *cells, struct device_row *row)
{
    struct tables *tables = &nsys->tables;
    name_work(nsys, table, rows, columns, row);
    tables->values.size = 0;
    tables_add_string(tables, "category", table->category);
    if (row->role != ROLE_NONE)
        tables_add_string(tables, "role", role_name(row->role));
    const struct event event = {
        .kind = EVENT_SPAN,
        .track = table->kind == DEVICE_WAIT ? nsys_stream_waits(nsys, &row->stream)
                                            : nsys_stream(nsys, &row->stream),
        .name = row->name,
        .start = row->start,
        .end = row->end,
        .call = is_work(table, row) ? launches_next_work(&nsys->launches, row->key, &tables->values)
                                    : 0};
    if (event.call != 0)
        profile_call(tables->profile, event.call)->device = (uint32_t)row->stream.device;
    tables_add_cells(tables, rows, cells);
    nsys_add_event(nsys, &event);
}

static status read_device_table(struct nsys *nsys, const struct device_table *table)
{
    static const struct table_column_use USES[] = {
        {"start", TABLE_SKIP},          {"end", TABLE_SKIP},
        {"demangledName", TABLE_SKIP},  {"shortName", TABLE_TEXT_ID},
        {"mangledName", TABLE_TEXT_ID}, {NULL, TABLE_VALUE},
    };
    struct database_rows *rows = tables_rows(&nsys->tables, table->table);
    struct table_columns cells;
    struct device_row row;
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const struct device_columns columns = find_columns(rows);
    tables_columns(&nsys->tables, rows, USES, &cells);
    while (result == STATUS_OK && database_rows_next(rows)) {
        if (!read_device_row(nsys, table, rows, &columns, &row))
            continue;
        if (nsys->emit)
            emit_device_row(nsys, table, rows, &columns, &cells, &row);
        else if (is_work(table, &row))
            result = launches_add_work(&nsys->launches, row.key);
    }
    tables_done(&nsys->tables, rows, table->table);
    return result;
}

status nsys_read_device(struct nsys *nsys)
{
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++)
        STATUS_TRY(read_device_table(nsys, &TABLES[i]));
    return STATUS_OK;
}

void nsys_read_metrics(struct nsys *nsys)
{
    struct tables *tables = &nsys->tables;
    struct database_rows *rows = tables_rows(tables, "GPU_METRICS");
    if (rows == NULL)
        return;
    const int time_column = database_column(rows, "timestamp");
    const int start_column = time_column >= 0 ? time_column : database_column(rows, "start");
    const int type = database_column(rows, "typeId");
    const int metric = database_column(rows, "metricId");
    const int value_column = database_column(rows, "value");
    while (database_rows_next(rows)) {
        int64_t time;
        const struct database_cell cell = database_cell(rows, value_column);
        const bool measured = cell.kind == DATABASE_INTEGER || cell.kind == DATABASE_REAL;
        if (!table_number(database_cell(rows, start_column), &time) || time < 0 || !measured) {
            tables_lose(tables, "GPU_METRICS", measured ? "has no time" : "has no value");
            continue;
        }
        const struct event event = {
            .kind = EVENT_COUNTER,
            .track = nsys_metric(nsys, table_id(rows, type), table_id(rows, metric)),
            .start = (uint64_t)time,
            .end = (uint64_t)time};
        tables->values.size = 0;
        value_add(&tables->values,
                  &(struct value){.kind = cell.kind == DATABASE_REAL ? VALUE_REAL : VALUE_INT,
                                  .number = (uint64_t)cell.integer,
                                  .real = cell.real});
        nsys_add_event(nsys, &event);
    }
    tables_done(tables, rows, "GPU_METRICS");
}
