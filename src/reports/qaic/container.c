#include "container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static struct view text_of(const struct qpc *qpc, const char *name)
{
    const struct qpc_segment *segment = qpc_find(qpc, name);
    return segment != NULL ? view_trim(segment->bytes) : VIEW_LITERAL("");
}

static uint32_t count_threads(const struct qaic_network *network, uint32_t group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < network->threads; i++)
        count += network->thread_groups[i] == group;
    return count;
}

static void add_rows(struct container_report *report, const struct qaic_network *network)
{
    const size_t more = (size_t)network->cores * network->group_count;
    report->rows =
        memory_resize(report->rows, (report->row_count + more + 1) * sizeof *report->rows);
    for (uint32_t c = 0; c < network->cores; c++) {
        for (uint32_t g = 0; g < network->group_count; g++) {
            const struct qaic_operations *list = qaic_network_operations(network, c, g);
            struct container_row row = {.network = network,
                                        .core = c,
                                        .group = g,
                                        .threads = count_threads(network, g),
                                        .operations = list->count};
            for (size_t i = 0; i < list->count; i++)
                row.bytes += list->items[i].output_size;
            report->rows[report->row_count++] = row;
        }
    }
}

// One network, or with several devices one in each folder: "QAicGraph_slice00_dir/networkdesc.bin".
status container_report_make(const struct qpc *qpc, struct container_report *out_report)
{
    struct container_report report = {.qpc = qpc,
                                      .command = text_of(qpc, "opscope.command"),
                                      .version = text_of(qpc, "opscope.version")};
    status result = STATUS_OK;
    report.networks = memory_allocate_zeroed(qpc->count + 1, sizeof *report.networks);
    for (size_t i = 0; i < qpc->count && result == STATUS_OK; i++) {
        const struct qpc_segment *segment = &qpc->segments[i];
        struct container_network *own = &report.networks[report.network_count];
        if (!view_ends_with(segment->name, "networkdesc.bin"))
            continue;
        result = qaic_network_read(qpc->input->path, segment->bytes, &own->network);
        if (result != STATUS_OK)
            break;
        own->segment = segment->name;
        report.network_count++;
        add_rows(&report, own->network);
    }
    *out_report = report;
    if (result != STATUS_OK)
        container_report_free(out_report);
    return result;
}

void container_report_free(struct container_report *report)
{
    for (size_t i = 0; i < report->network_count; i++)
        qaic_network_free(report->networks[i].network);
    free(report->networks);
    free(report->rows);
    *report = (struct container_report){0};
}

// Lines ------------------------------------------------------------------------------------

static const char *type_name(uint32_t type)
{
    static const char *const NAMES[] = {"float",  "float16", "int8q",   "uint8q", "int16q",
                                        "int32q", "index32", "index64", "int8"};
    return type < sizeof NAMES / sizeof NAMES[0] ? NAMES[type] : "of an unknown type";
}

static void print_bindings(struct bytes *to, const char *what, const struct qaic_binding *bindings,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes_append_format(to, "  %s %.*s %s [", what, VIEW_ARGUMENTS(bindings[i].name),
                            type_name(bindings[i].type));
        for (uint32_t d = 0; d < bindings[i].rank; d++)
            bytes_append_format(to, "%s%" PRId32, d > 0 ? " x " : "", bindings[i].dims[d]);
        if (bindings[i].scale != 0)
            bytes_append_format(to, "], %g * (q %c %d)\n", (double)bindings[i].scale,
                                bindings[i].offset < 0 ? '+' : '-', abs(bindings[i].offset));
        else
            bytes_append_format(to, "]\n");
    }
}

void container_report_print(const struct container_report *report, struct bytes *to)
{
    if (report->command.size > 0)
        bytes_append_format(to, "made by: %.*s\nwith: opscope %.*s\n",
                            VIEW_ARGUMENTS(report->command), VIEW_ARGUMENTS(report->version));
    else
        bytes_append_format(to, "made by: not said in it\n");
    for (size_t i = 0; i < report->network_count; i++) {
        const struct qaic_network *network = report->networks[i].network;
        bytes_append_format(to,
                            "network %.*s: %" PRIu32 " cores of %" PRIu32
                            " threads, batch of %" PRId32 ", statistics of level %" PRId32 "%s\n",
                            VIEW_ARGUMENTS(network->name), network->cores, network->threads,
                            network->batch_size, network->stats_level,
                            network->ddr_stats ? " with DDR traffic" : "");
        print_bindings(to, "input", network->inputs, network->input_count);
        print_bindings(to, "output", network->outputs, network->output_count);
    }
}

static void write_number(struct json_writer *json, const char *key, int32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRId32, number);
    json_raw(json, key, view_of(text));
}

static void write_bindings(struct json_writer *json, const char *key,
                           const struct qaic_binding *bindings, size_t count)
{
    json_open_array(json, key);
    for (size_t i = 0; i < count; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", bindings[i].name);
        json_text(json, "type", view_of(type_name(bindings[i].type)));
        json_open_array(json, "dims");
        for (uint32_t d = 0; d < bindings[i].rank; d++)
            write_number(json, NULL, bindings[i].dims[d]);
        json_close(json);
        if (bindings[i].scale != 0) {
            json_real(json, "scale", (double)bindings[i].scale);
            write_number(json, "offset", bindings[i].offset);
        }
        json_close(json);
    }
    json_close(json);
}

void container_report_json(const struct container_report *report, struct json_writer *json)
{
    if (report->command.size > 0) {
        json_text(json, "command", report->command);
        json_text(json, "version", report->version);
    } else {
        json_null(json, "command");
        json_null(json, "version");
    }
    json_open_array(json, "networks");
    for (size_t i = 0; i < report->network_count; i++) {
        const struct qaic_network *network = report->networks[i].network;
        json_open_object(json, NULL);
        json_text(json, "name", network->name);
        json_text(json, "segment", report->networks[i].segment);
        json_uint(json, "cores", network->cores);
        json_uint(json, "threads", network->threads);
        write_number(json, "batch_size", network->batch_size);
        write_number(json, "stats_level", network->stats_level);
        json_bool(json, "ddr_stats", network->ddr_stats);
        write_bindings(json, "inputs", network->inputs, network->input_count);
        write_bindings(json, "outputs", network->outputs, network->output_count);
        json_close(json);
    }
    json_close(json);
}

// Tables -----------------------------------------------------------------------------------

static const struct container_row *row_of(const struct table_query *query)
{
    return &((const struct container_report *)query->report)->rows[query->row];
}

static struct table_cell network_cell(const struct table_query *query)
{
    return table_text(row_of(query)->network->name);
}

static struct table_cell core_cell(const struct table_query *query)
{
    return table_whole(row_of(query)->core);
}

static struct table_cell group_cell(const struct table_query *query)
{
    const struct container_row *row = row_of(query);
    return table_text(row->network->group_names[row->group]);
}

static struct table_cell threads_cell(const struct table_query *query)
{
    return table_whole(row_of(query)->threads);
}

static struct table_cell operations_cell(const struct table_query *query)
{
    return table_whole(row_of(query)->operations);
}

static struct table_cell bytes_cell(const struct table_query *query)
{
    return table_whole(row_of(query)->bytes);
}

static const struct qpc_segment *segment_of(const struct table_query *query)
{
    return &((const struct container_report *)query->report)->qpc->segments[query->row];
}

static struct table_cell segment_name_cell(const struct table_query *query)
{
    return table_text(segment_of(query)->name);
}

static struct table_cell segment_size_cell(const struct table_query *query)
{
    return table_whole(segment_of(query)->bytes.size);
}

// clang-format off
static const struct table_column COLUMNS[] = {
    {.key = "network", .meaning = "whose operations they are", .place = 1, .cell = network_cell},
    {.key = "core", .meaning = "number of the core", .type = TABLE_COUNT, .width = 4, .place = 2,
     .cell = core_cell},
    {.key = "group", .meaning = "group of threads", .width = 8, .place = 3, .cell = group_cell},
    {.key = "threads", .meaning = "that the group has", .type = TABLE_COUNT, .width = 7, .place = 4,
     .cell = threads_cell},
    {.key = "operations", .meaning = "in the list of its core and group", .type = TABLE_COUNT,
     .width = 10, .place = 5, .cell = operations_cell},
    {.key = "output_bytes", .title = "output", .meaning = "what these operations write",
     .type = TABLE_BYTES, .look = TABLE_SCALED, .width = 9, .place = 6, .cell = bytes_cell},
};

static const struct table_column SEGMENT_COLUMNS[] = {
    {.key = "segment", .meaning = "its name", .place = 2, .cell = segment_name_cell},
    {.key = "bytes", .meaning = "its size", .type = TABLE_BYTES, .look = TABLE_SCALED, .width = 9,
     .place = 1, .cell = segment_size_cell},
};
// clang-format on

const struct table_form CONTAINER_FORM = {
    .name = "operations",
    .about = "of a program container: a row for each core and group of threads",
    .indent = 2,
    TABLE_COLUMNS(COLUMNS),
};

const struct table_form CONTAINER_SEGMENTS_FORM = {
    .name = "segments",
    .about = "of a program container: what it is made of",
    .indent = 2,
    TABLE_COLUMNS(SEGMENT_COLUMNS),
};
