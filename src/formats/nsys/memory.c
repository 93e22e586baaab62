// What was taken of a device's memory and given back.

#include "formats/database/allocations.h"
#include "nsys.h"

#define TABLE "CUDA_GPU_MEMORY_USAGE_EVENTS"

// By memKind.
static const struct {
    const char *name;
    bool of_device;
} KINDS[] = {
    {"pageable", false}, {"pinned", false}, {"GPU", true},     {"GPU", true},
    {"managed", true},   {"GPU", true},     {"managed", true},
};

enum {
    MEMORY_KINDS = sizeof KINDS / sizeof *KINDS,
    KIND_DEVICE = 2,
    KIND_BITS = 8,
    OPERATION_TAKES = 0,
};

struct memory_columns {
    int start, device, kind, operation, address, bytes;
};

static struct memory_columns find_columns(const struct database_rows *rows)
{
    return (struct memory_columns){.start = database_column(rows, "start"),
                                   .device = database_column(rows, "deviceId"),
                                   .kind = database_column(rows, "memKind"),
                                   .operation = database_column(rows, "memoryOperationType"),
                                   .address = database_column(rows, "address"),
                                   .bytes = database_column(rows, "bytes")};
}

static void describe_memory(void *context, uint64_t place, struct buffer_lifetime *out_like)
{
    const struct nsys *nsys = context;
    const uint64_t kind = place & ((1 << KIND_BITS) - 1);
    out_like->memory = profile_string(nsys->tables.profile, view_of(KINDS[kind].name));
    out_like->device = KINDS[kind].of_device ? (uint32_t)(place >> KIND_BITS) + 1 : 0;
}

static status read_memory_row(struct nsys *nsys, const struct database_rows *rows,
                              const struct memory_columns *columns,
                              const struct table_columns *cells, struct allocations *allocations)
{
    struct tables *tables = &nsys->tables;
    int64_t start, operation;
    const uint64_t device = table_id(rows, columns->device);
    uint64_t kind = columns->kind < 0 ? KIND_DEVICE : table_id(rows, columns->kind);
    const bool starts = table_number(database_cell(rows, columns->start), &start) && start >= 0;
    if (!starts || device >= UINT32_MAX ||
        !table_number(database_cell(rows, columns->operation), &operation)) {
        tables_lose(tables, TABLE,
                    !starts                ? "has no start"
                    : device >= UINT32_MAX ? "is of a device that no machine has"
                                           : "does not say what was done");
        return STATUS_OK;
    }
    if (kind >= MEMORY_KINDS)
        kind = KIND_DEVICE;
    const bool takes = operation == OPERATION_TAKES;
    const struct event event = {
        .kind = EVENT_INSTANT,
        .track = nsys_memory(nsys, device),
        .name = profile_string(tables->profile,
                               takes ? VIEW_LITERAL("allocation") : VIEW_LITERAL("deallocation")),
        .start = (uint64_t)start,
        .end = (uint64_t)start};
    tables->values.size = 0;
    tables_add_string(tables, "category", "gpu_memory");
    tables_add_cells(tables, rows, cells);
    nsys_add_event(nsys, &event);
    const struct allocation allocation = {.time = (uint64_t)start,
                                          .address = table_id(rows, columns->address),
                                          .bytes = takes ? table_id(rows, columns->bytes) : 0,
                                          .place = device << KIND_BITS | kind};
    // Where nobody said the place, nothing is known to be given back.
    return columns->address < 0 ? STATUS_OK : allocations_add(allocations, allocation);
}

status nsys_read_memory(struct nsys *nsys)
{
    static const struct table_column_use USES[] = {
        {"start", TABLE_SKIP}, {"name", TABLE_TEXT_ID}, {NULL, TABLE_VALUE}};
    struct database_rows *rows = tables_rows(&nsys->tables, TABLE);
    struct allocations allocations = ALLOCATIONS_EMPTY;
    struct table_columns cells;
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const struct memory_columns columns = find_columns(rows);
    tables_columns(&nsys->tables, rows, USES, &cells);
    while (result == STATUS_OK && database_rows_next(rows))
        result = read_memory_row(nsys, rows, &columns, &cells, &allocations);
    tables_done(&nsys->tables, rows, TABLE);
    if (result == STATUS_OK)
        result = allocations_finish(&allocations, nsys->tables.profile, nsys->last, describe_memory,
                                    nsys);
    allocations_free(&allocations);
    return result;
}
