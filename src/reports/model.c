#include "model.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/figures.h"
#include "base/memory.h"
#include "network/tensor_text.h"

enum { NAME_MOST = 18, TYPE_MOST = 16, SHAPE_MOST = 17 };

// Order -----------------------------------------------------------------------

struct ranked {
    uint32_t node;
    uint64_t flops;
    uint64_t bytes;
};

static int by_work(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->flops != b->flops)
        return a->flops < b->flops ? 1 : -1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

void model_table_pick(struct table *table, const struct network *network, size_t top)
{
    const uint32_t count = network->nodes.count;
    if (top == 0 || top >= count)
        return;
    struct ranked *ranked = memory_allocate_zeroed(count, sizeof *ranked);
    uint32_t *nodes = memory_allocate_zeroed(count, sizeof *nodes);
    for (uint32_t i = 0; i < count; i++) {
        const struct work *work = &network_node(network, i)->work;
        ranked[i] = (struct ranked){i, work->flops, work->bytes_read + work->bytes_written};
    }
    sort_items(ranked, count, sizeof *ranked, by_work);
    for (size_t i = 0; i < top; i++)
        nodes[i] = ranked[i].node;
    table_order(table, nodes, top);
    free(ranked);
    free(nodes);
}

// Values ----------------------------------------------------------------------

struct operands {
    const uint32_t *values;
    uint32_t count;
};

static struct operands reports_model_operands_of(const struct network_node *node, bool outputs)
{
    return outputs ? (struct operands){node->outputs, node->output_count}
                   : (struct operands){node->inputs, node->input_count};
}

static void reports_model_append_type(struct bytes *text, const struct network *network,
                                      uint32_t value)
{
    if (value != NETWORK_NONE)
        tensor_text_append_value_type(text, &network_value(network, value)->type);
}

void model_values_json(struct json_writer *json, const char *key, const struct network *network,
                       const uint32_t *values, uint32_t count)
{
    struct bytes type = {0};
    json_open_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == NETWORK_NONE) {
            json_null(json, NULL);
            continue;
        }
        const struct network_value *value = network_value(network, values[i]);
        type.size = 0;
        reports_model_append_type(&type, network, values[i]);
        json_open_object(json, NULL);
        json_text(json, "name", value->name);
        json_text(json, "type", bytes_view(&type));
        json_bool(json, "constant", value->constant != NULL);
        json_close(json);
    }
    json_close(json);
    bytes_free(&type);
}

// Cells -----------------------------------------------------------------------

static const struct network *reports_model_network_of(const struct table_query *query)
{
    return ((const struct model_report *)query->report)->network;
}

static const struct network_node *node_of(const struct table_query *query)
{
    return network_node(reports_model_network_of(query), (uint32_t)query->row);
}

static bool is_total(const struct table_query *query)
{
    return query->row == MODEL_TOTAL;
}

static struct table_cell reports_model_index_cell(const struct table_query *query)
{
    return is_total(query) ? table_text(VIEW_LITERAL("")) : table_whole(query->row);
}

static struct table_cell graph_cell(const struct table_query *query)
{
    return is_total(query) ? table_text(VIEW_LITERAL("")) : table_whole(node_of(query)->graph);
}

static struct table_cell version_cell(const struct table_query *query)
{
    return is_total(query) ? table_text(VIEW_LITERAL("")) : table_whole(node_of(query)->version);
}

static struct table_cell reports_model_name_cell(const struct table_query *query)
{
    return table_text(is_total(query) ? VIEW_LITERAL("total") : node_of(query)->name);
}

// `argument` is where the node has the text.
static struct table_cell reports_model_text_cell(const struct table_query *query)
{
    struct view text = VIEW_LITERAL("");
    if (!is_total(query))
        memcpy(&text, (const char *)node_of(query) + query->column->argument, sizeof text);
    return table_text(text);
}

static struct table_cell output_cell(const struct table_query *query)
{
    if (!is_total(query) && node_of(query)->output_count > 0)
        reports_model_append_type(query->scratch, reports_model_network_of(query),
                                  node_of(query)->outputs[0]);
    return table_text(bytes_view(query->scratch));
}

// `argument` is not 0 for outputs.
static struct table_cell types_cell(const struct table_query *query)
{
    if (is_total(query))
        return table_text(VIEW_LITERAL(""));
    const struct operands operands =
        reports_model_operands_of(node_of(query), query->column->argument != 0);
    for (uint32_t i = 0; i < operands.count; i++) {
        bytes_append(query->scratch, "; ", i > 0 ? 2 : 0);
        reports_model_append_type(query->scratch, reports_model_network_of(query),
                                  operands.values[i]);
    }
    return table_text(bytes_view(query->scratch));
}

static void reports_model_write_operands(const struct table_query *query, struct json_writer *json)
{
    const struct operands operands =
        reports_model_operands_of(node_of(query), query->column->argument != 0);
    model_values_json(json, query->column->key, reports_model_network_of(query), operands.values,
                      operands.count);
}

static uint64_t figure_of(const struct work *work, size_t offset)
{
    uint64_t number;
    memcpy(&number, (const char *)work + offset, sizeof number);
    return number;
}

// A sum that lacks something is "more than"; weights are always known.
static struct table_cell reports_model_total_cell(const struct table_query *query)
{
    const struct work *work = &((const struct model_report *)query->report)->summary->work;
    const size_t offset = query->column->argument;
    const uint64_t number = figure_of(work, offset);
    char text[FIGURES_ROOM];
    if (work->known || offset == offsetof(struct work, weight_bytes))
        return table_whole(number);
    bytes_append_format(query->scratch, ">%s", figures_letter(number, text));
    return table_exact(bytes_view(query->scratch));
}

static struct table_cell figure_cell(const struct table_query *query)
{
    if (is_total(query))
        return reports_model_total_cell(query);
    const struct work *work = &node_of(query)->work;
    return table_whole_if(work->known, figure_of(work, query->column->argument));
}

// Columns ---------------------------------------------------------------------

// clang-format off
#define FIGURE(member, shown, of, at, leaves)                                                      \
    .key = #member, .title = (shown), .type = (of), .look = TABLE_LETTER, .width = 6,              \
    .place = (at), .loss = (leaves), .argument = offsetof(struct work, member), .cell = figure_cell

static const struct table_column COLUMNS[] = {
    {.key = "index", .title = "#", .meaning = "of the operator in the network", .type = TABLE_COUNT,
     .width = 4, .place = 1, .loss = 6, .cell = reports_model_index_cell},
    {.key = "graph", .meaning = "that it is in; 0 is the main one", .type = TABLE_COUNT,
     .cell = graph_cell},
    {.key = "name", .title = "operator", .meaning = "of the operator", .width = NAME_MOST,
     .most = NAME_MOST, .cut = LETTERS_CUT_START, .place = 2, .cell = reports_model_name_cell},
    {.key = "type", .meaning = "of the operator", .width = TYPE_MOST, .most = TYPE_MOST,
     .cut = LETTERS_CUT_END, .place = 3, .argument = offsetof(struct network_node, type),
     .cell = reports_model_text_cell},
    {.key = "output", .meaning = "type of the first output, for people", .width = SHAPE_MOST,
     .most = SHAPE_MOST, .cut = LETTERS_CUT_END, .place = 4, .loss = 4,
     .flags = TABLE_NOT_CSV | TABLE_NOT_JSON, .cell = output_cell},
    {.key = "domain", .meaning = "of the operator set; empty is ONNX's own",
     .argument = offsetof(struct network_node, domain), .cell = reports_model_text_cell},
    {.key = "version", .meaning = "of the operator set", .type = TABLE_COUNT,
     .cell = version_cell},
    {.key = "location", .meaning = "place in the source",
     .argument = offsetof(struct network_node, location), .cell = reports_model_text_cell},
    {.key = "inputs", .meaning = "types of the inputs; in JSON with names and whether constant",
     .argument = 0, .cell = types_cell, .json = reports_model_write_operands},
    {.key = "outputs", .meaning = "types of the outputs; in JSON with names and whether constant",
     .argument = 1, .cell = types_cell, .json = reports_model_write_operands},
    {FIGURE(macs, "MACs", TABLE_COUNT, 5, 2), .meaning = "multiply-accumulates"},
    {FIGURE(flops, "FLOPs", TABLE_COUNT, 6, 0), .meaning = "arithmetic steps; a MAC is two"},
    {FIGURE(elements, "elems", TABLE_COUNT, 7, 7), .meaning = "of all outputs"},
    {FIGURE(bytes_read, "read", TABLE_BYTES, 8, 3), .meaning = "of all inputs, each once"},
    {FIGURE(bytes_written, "writes", TABLE_BYTES, 9, 3), .meaning = "of all outputs"},
    {FIGURE(weight_bytes, "weight", TABLE_BYTES, 10, 5),
     .meaning = "of the constants among the inputs"},
};
// clang-format on

const struct table_form MODEL_FORM = {
    .name = "operators",
    .about = "a row for each operator as in the file; with --top the most work first",
    .absent_csv = "absent",
    .gap = 1,
    TABLE_COLUMNS(COLUMNS),
};

void model_work_json(struct json_writer *json, const struct work *work)
{
    for (size_t i = 0; i < MODEL_FORM.column_count; i++) {
        const struct table_column *column = &COLUMNS[i];
        if (column->cell != figure_cell)
            continue;
        if (work->known)
            json_uint(json, column->key, figure_of(work, column->argument));
        else
            json_null(json, column->key);
    }
}
