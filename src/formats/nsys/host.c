// What threads did: ranges of the program, calls of runtimes and libraries.

#include <string.h>

#include "nsys.h"

// How an event of NVTX_EVENTS is meant.
enum nvtx_type { NVTX_MARK = 34, NVTX_PUSH_POP = 59, NVTX_START_END = 60 };

struct host_table {
    const char *table;
    const char *category;
    const char *role; // of its spans; NULL: the thread's
    bool launches;    // has numbers that work of devices has, too
};

static const struct host_table TABLES[] = {
    {"NVTX_EVENTS", "nvtx", NULL, false},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime", "host call", true},
    {"CUPTI_ACTIVITY_KIND_DRIVER", "cuda_driver", "host call", true},
    {"CUBLAS_EVENTS", "cublas", "host call", false},
    {"CUDNN_EVENTS", "cudnn", "host call", false},
    {"OSRT_API", "os_runtime", "host call", false},
    {"MPI_P2P_EVENTS", "mpi", "host call", false},
    {"MPI_COLLECTIVES_EVENTS", "mpi", "host call", false},
    {"MPI_START_WAIT_EVENTS", "mpi", "host call", false},
    {"MPI_OTHER_EVENTS", "mpi", "host call", false},
};

// One row, whatever its table.
struct host_row {
    uint64_t start, end;
    uint32_t track;
    uint32_t name;
    uint32_t text; // of a range: all of it
    enum { HOST_RANGE, HOST_CALL, HOST_BESIDE, HOST_MARK } kind;
    struct launch_key key;
};

// Columns of a table, looked up once; -1: it has none.
struct host_columns {
    int start, end, thread, name, text, type, correlation;
};

// Operators ------------------------------------------------------------------------------------

// Where PyTorch's ranges go on after the operator's name: "aten::mm, seq = 3, sizes = [[8, 8]]".
static struct view range_name(struct view text)
{
    static const char *const ENDS[] = {", seq = ", ", op_id = ", ", sizes = "};
    size_t end = text.size;
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        const size_t at = view_find_text(text, ENDS[i]);
        end = at < end ? at : end;
    }
    return view_slice(text, 0, end);
}

// "8x64, 64" of "... sizes = [[8, 64], [64]], ..."
static void append_sizes(struct bytes *to, struct view text)
{
    static const char BEGIN[] = "sizes = [";
    const size_t at = view_find_text(text, BEGIN);
    bool first = true;
    for (size_t i = at + sizeof BEGIN - 1; at < text.size && i < text.size; i++) {
        const char c = text.data[i];
        if (c == '[' && !first)
            bytes_append(to, ", ", 2);
        first &= c != '[';
        if (c >= '0' && c <= '9')
            bytes_append(to, &c, 1);
        else if (c == ',' && i + 2 < text.size && text.data[i + 2] != '[')
            bytes_append(to, "x", 1);
        else if (c == ']' && (i + 1 == text.size || text.data[i + 1] == ']'))
            break;
    }
}

// What a text was found to mean, beside the kinds of places.c: rows repeat it, and it may be long.
enum { RANGE_NAME = 1000, RANGE_OPERATOR };

// The name of a range's text.
static uint32_t find_range_name(struct nsys *nsys, uint32_t text_id)
{
    const struct table_place place = {.kind = RANGE_NAME, .a = text_id};
    const uint32_t known = tables_find_lane(&nsys->tables, &place); // with one added
    if (known != 0)
        return known - 1;
    struct profile *profile = nsys->tables.profile;
    const uint32_t name = profile_string(profile, range_name(profile_text(profile, text_id)));
    tables_keep_lane(&nsys->tables, &place, name + 1);
    return name;
}

// The operator of a range's text. `nsys->text` is used up.
static uint32_t find_operator(struct nsys *nsys, uint32_t text_id)
{
    const struct table_place place = {.kind = RANGE_OPERATOR, .a = text_id};
    const uint32_t known = tables_find_lane(&nsys->tables, &place);
    if (known != 0)
        return known;
    struct profile *profile = nsys->tables.profile;
    struct bytes values = {0};
    nsys->text.size = 0;
    append_sizes(&nsys->text, profile_text(profile, text_id));
    const uint32_t name = find_range_name(nsys, text_id);
    if (nsys->text.size > 0)
        value_add_string(&values, profile_string(profile, VIEW_LITERAL("inputs")),
                         profile_string(profile, bytes_view(&nsys->text)));
    const struct operator_description op = {
        .name = name, .type = name, .values = bytes_view(&values)};
    const uint32_t id = tables_operator(&nsys->tables, &op);
    tables_keep_lane(&nsys->tables, &place, id);
    bytes_free(&values);
    return id;
}

// Rows -----------------------------------------------------------------------------------------

static struct host_columns find_columns(const struct database_rows *rows)
{
    return (struct host_columns){.start = database_column(rows, "start"),
                                 .end = database_column(rows, "end"),
                                 .thread = database_column(rows, "globalTid"),
                                 .name = database_column(rows, "nameId"),
                                 .text = database_column(rows, "text"),
                                 .type = database_column(rows, "eventType"),
                                 .correlation = database_column(rows, "correlationId")};
}

static uint32_t host_name(struct nsys *nsys, const struct database_rows *rows,
                          const struct host_columns *columns)
{
    int64_t number;
    const struct database_cell text = database_cell(rows, columns->text);
    if (text.kind == DATABASE_TEXT && text.text.size > 0)
        return profile_string(nsys->tables.profile, text.text);
    const int id = columns->name >= 0 ? columns->name : database_column(rows, "textId");
    return table_number(database_cell(rows, id), &number) ? tables_text(&nsys->tables, number) : 0;
}

// Whether a row of NVTX_EVENTS is an event, and which; others name domains, categories and threads.
static bool nvtx_kind(struct host_row *row, int64_t type)
{
    switch (type) {
    case NVTX_MARK:
        row->kind = HOST_MARK;
        return true;
    case NVTX_PUSH_POP:
        row->kind = HOST_RANGE;
        return true;
    case NVTX_START_END:
        row->kind = HOST_BESIDE;
        return true;
    default:
        return false;
    }
}

// False where the row is no event, or none that can be read, which is noted the first time.
static bool read_host_row(struct nsys *nsys, const struct host_table *table,
                          const struct database_rows *rows, const struct host_columns *columns,
                          struct host_row *row)
{
    int64_t start, end, type;
    const uint64_t thread = table_id(rows, columns->thread);
    *row = (struct host_row){.kind = HOST_CALL};
    if (columns->type >= 0 && strcmp(table->category, "nvtx") == 0 &&
        (!table_number(database_cell(rows, columns->type), &type) || !nvtx_kind(row, type)))
        return false;
    if (strcmp(table->category, "nvtx") == 0 && columns->type < 0)
        row->kind = HOST_RANGE;
    const bool starts = table_number(database_cell(rows, columns->start), &start) && start >= 0;
    const bool ends = table_number(database_cell(rows, columns->end), &end) && end >= 0;
    if (!ends && (row->kind == HOST_RANGE || row->kind == HOST_BESIDE)) {
        nsys->open += nsys->emit && starts;
        row->kind = HOST_MARK;
    }
    if (!starts || (!ends && row->kind != HOST_MARK)) {
        tables_lose(&nsys->tables, table->table, starts ? "has no end" : "has no start");
        return false;
    }
    row->start = (uint64_t)start;
    row->end = row->kind == HOST_MARK ? row->start : (uint64_t)end;
    row->name = row->text = host_name(nsys, rows, columns);
    if (row->kind == HOST_RANGE)
        row->name = find_range_name(nsys, row->text);
    row->track =
        row->kind == HOST_BESIDE ? nsys_thread_ranges(nsys, thread) : nsys_thread(nsys, thread);
    if (table->launches)
        row->key = (struct launch_key){nsys->one_process ? 0 : nsys_process_of(thread),
                                       table_id(rows, columns->correlation)};
    return true;
}

// A range that ends before it begins is impossible, and no call.
static bool has_call(const struct host_row *row)
{
    return (row->kind == HOST_RANGE || row->kind == HOST_CALL) && row->end >= row->start;
}

static status add_launch(struct nsys *nsys, const struct host_row *row)
{
    const struct view name = profile_text(nsys->tables.profile, row->name);
    if (!has_call(row))
        return STATUS_OK;
    if (row->kind == HOST_RANGE)
        return launches_add_range(&nsys->launches, row->track, row->start, row->end,
                                  find_operator(nsys, row->text));
    const bool graph = launches_graph(name);
    return launches_add_call(&nsys->launches, row->track, row->start, row->end, row->key,
                             graph ? find_operator(nsys, row->name) : 0);
}

static void emit_host_row(struct nsys *nsys, const struct host_table *table,
                          const struct database_rows *rows, const struct table_columns *columns,
                          const struct host_row *row)
{
    struct tables *tables = &nsys->tables;
    tables->values.size = 0;
    tables_add_string(tables, "category", table->category);
    if (table->role != NULL)
        tables_add_string(tables, "role", table->role);
    if (row->text != row->name)
        value_add_string(&tables->values, profile_string(tables->profile, VIEW_LITERAL("text")),
                         row->text);
    if (row->kind == HOST_CALL && launches_waits(profile_text(tables->profile, row->name)))
        tables_add_waits(tables);
    const struct event event = {
        .kind = row->kind == HOST_MARK ? EVENT_INSTANT : EVENT_SPAN,
        .track = row->track,
        .name = row->name,
        .start = row->start,
        .end = row->end,
        .call = has_call(row) ? launches_next_call(&nsys->launches, &tables->values) : 0};
    tables_add_cells(tables, rows, columns);
    nsys_add_event(nsys, &event);
}

static status read_host_table(struct nsys *nsys, const struct host_table *table)
{
    static const struct table_column_use USES[] = {
        {"start", TABLE_SKIP},         {"end", TABLE_SKIP},    {"nameId", TABLE_SKIP},
        {"text", TABLE_SKIP},          {"textId", TABLE_SKIP}, {"globalTid", TABLE_SKIP},
        {"jsonTextId", TABLE_TEXT_ID}, {NULL, TABLE_VALUE},
    };
    struct database_rows *rows = tables_rows(&nsys->tables, table->table);
    struct table_columns values;
    struct host_row row;
    status result = STATUS_OK;
    if (rows == NULL)
        return STATUS_OK;
    const struct host_columns columns = find_columns(rows);
    tables_columns(&nsys->tables, rows, USES, &values);
    while (result == STATUS_OK && database_rows_next(rows)) {
        if (!read_host_row(nsys, table, rows, &columns, &row))
            continue;
        if (nsys->emit)
            emit_host_row(nsys, table, rows, &values, &row);
        else
            result = add_launch(nsys, &row);
    }
    tables_done(&nsys->tables, rows, table->table);
    return result;
}

status nsys_read_host(struct nsys *nsys)
{
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++)
        STATUS_TRY(read_host_table(nsys, &TABLES[i]));
    return STATUS_OK;
}
