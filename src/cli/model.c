// `opscope model MODEL`: the operators of a network with their shapes and work.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "commands.h"
#include "model_table.h"
#include "network/print.h"
#include "network_input.h"
#include "wire/csv.h"
#include "wire/json.h"

static void append_value_types(struct bytes *text, const struct network *network,
                               const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            bytes_append(text, "; ", 2);
        if (values[i] != NETWORK_NONE)
            network_input_append_type(text, &network_value(network, values[i])->type);
    }
}

// Each figure of an operator's work, by the name that JSON and CSV give it.
struct figure {
    const char *name;
    size_t offset;
};

static const struct figure FIGURES[] = {
    {"macs", offsetof(struct work, macs)},
    {"flops", offsetof(struct work, flops)},
    {"elements", offsetof(struct work, elements)},
    {"bytes_read", offsetof(struct work, bytes_read)},
    {"bytes_written", offsetof(struct work, bytes_written)},
    {"weight_bytes", offsetof(struct work, weight_bytes)},
};

enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES };

static uint64_t figure_of(const struct work *work, const struct figure *figure)
{
    uint64_t number;
    memcpy(&number, (const char *)work + figure->offset, sizeof number);
    return number;
}

// CSV -------------------------------------------------------------------------

static void append_csv_types(struct bytes *row, struct bytes *scratch,
                             const struct network *network, const uint32_t *values, uint32_t count)
{
    scratch->size = 0;
    append_value_types(scratch, network, values, count);
    bytes_append(row, ",", 1);
    csv_field_append(row, bytes_view(scratch), ',');
}

static void append_csv_row(struct bytes *row, struct bytes *scratch, const struct network *network,
                           uint32_t id)
{
    const struct network_node *node = network_node(network, id);
    bytes_append_format(row, "%" PRIu32 ",%" PRIu32 ",", id, node->graph);
    csv_field_append(row, node->name, ',');
    bytes_append(row, ",", 1);
    csv_field_append(row, node->type, ',');
    bytes_append(row, ",", 1);
    csv_field_append(row, node->domain, ',');
    bytes_append_format(row, ",%" PRIu32 ",", node->version);
    csv_field_append(row, node->location, ',');
    append_csv_types(row, scratch, network, node->inputs, node->input_count);
    append_csv_types(row, scratch, network, node->outputs, node->output_count);
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        if (node->work.known)
            bytes_append_format(row, ",%" PRIu64, figure_of(&node->work, &FIGURES[i]));
        else
            bytes_append_format(row, ",absent");
    }
    bytes_append(row, "\n", 1);
}

static status write_csv(const struct network *network, const struct model_order *order)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    output_text(output, "index,graph,name,type,domain,version,location,inputs,outputs,macs,flops,"
                        "elements,bytes_read,bytes_written,weight_bytes\n");
    struct bytes row = {0};
    struct bytes scratch = {0};
    for (uint32_t i = 0; i < order->count; i++) {
        row.size = 0;
        append_csv_row(&row, &scratch, network, order->nodes[i]);
        output_write(output, row.data, row.size);
    }
    bytes_free(&row);
    bytes_free(&scratch);
    return output_close(output);
}

// JSON ------------------------------------------------------------------------

static void write_work(struct json_writer *json, const struct work *work)
{
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        if (work->known)
            json_uint(json, FIGURES[i].name, figure_of(work, &FIGURES[i]));
        else
            json_null(json, FIGURES[i].name);
    }
}

static void write_values(struct json_writer *json, const char *key, const struct network *network,
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
        network_input_append_type(&type, &value->type);
        json_open_object(json, NULL);
        json_text(json, "name", value->name);
        json_text(json, "type", bytes_view(&type));
        json_bool(json, "constant", value->constant != NULL);
        json_close(json);
    }
    json_close(json);
    bytes_free(&type);
}

static void write_operator(struct json_writer *json, const struct network *network, uint32_t id)
{
    const struct network_node *node = network_node(network, id);
    json_open_object(json, NULL);
    json_uint(json, "index", id);
    json_uint(json, "graph", node->graph);
    json_text(json, "name", node->name);
    json_text(json, "type", node->type);
    json_text(json, "domain", node->domain);
    json_uint(json, "version", node->version);
    json_text(json, "location", node->location);
    write_values(json, "inputs", network, node->inputs, node->input_count);
    write_values(json, "outputs", network, node->outputs, node->output_count);
    write_work(json, &node->work);
    json_close(json);
}

static void write_opsets(struct json_writer *json, const struct summary *summary)
{
    json_open_array(json, "opsets");
    for (uint32_t i = 0; i < summary->opset_count; i++) {
        json_open_object(json, NULL);
        json_text(json, "domain", summary->opsets[i].domain);
        json_uint(json, "version", summary->opsets[i].version);
        json_uint(json, "operators", summary->opsets[i].nodes);
        json_close(json);
    }
    json_close(json);
}

static status write_json(const char *path, const struct network *network,
                         const struct summary *summary, const struct model_order *order)
{
    const struct network_graph *graph = network_graph(network, 0);
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    struct json_writer json = json_write(output);
    json_open_object(&json, NULL);
    json_text(&json, "file", view_of(path));
    json_text(&json, "format", view_of(network->dialect == NETWORK_ONNX ? "onnx" : "tosa"));
    json_text(&json, "name", network->name);
    json_text(&json, "producer", network->producer);
    write_opsets(&json, summary);
    write_values(&json, "inputs", network, graph->inputs, graph->input_count);
    write_values(&json, "outputs", network, graph->outputs, graph->output_count);
    json_open_array(&json, "operators");
    for (uint32_t i = 0; i < order->count; i++)
        write_operator(&json, network, order->nodes[i]);
    json_close(&json);
    json_open_object(&json, "total");
    json_uint(&json, "operators", summary->operators);
    json_uint(&json, "inner_operators", summary->inner);
    json_uint(&json, "unknown", summary->unknown);
    json_uint(&json, "weights", summary->weight_count);
    write_work(&json, &summary->work);
    json_close(&json);
    struct work least = summary->work;
    least.known = true;
    json_open_object(&json, "at_least");
    write_work(&json, &least);
    json_close(&json);
    json_close(&json);
    return output_close(output);
}

static status write_text(const struct network *network)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    network_print(network, output);
    return output_close(output);
}

// Running ---------------------------------------------------------------------

static status show(const struct arguments *arguments, const struct network *network)
{
    size_t count;
    const char *path = arguments_words(arguments, &count)[0];
    unsigned top;
    if (arguments_flag(arguments, "json") + arguments_flag(arguments, "csv") +
            arguments_flag(arguments, "text") >
        1)
        return status_make(STATUS_USAGE, "model: give only one of --json, --csv and --text");
    if (arguments_flag(arguments, "text"))
        return write_text(network);
    STATUS_TRY(arguments_number(arguments, "top", UINT32_MAX, &top));
    struct summary summary;
    summary_of(network, &summary);
    struct model_order order = model_order_of(network, top);
    status result = STATUS_OK;
    if (arguments_flag(arguments, "json"))
        result = write_json(path, network, &summary, &order);
    else if (arguments_flag(arguments, "csv"))
        result = write_csv(network, &order);
    else
        model_table_print(path, network, &summary, &order);
    free(order.nodes);
    return result;
}

static status run(const struct arguments *arguments, int *out_exit)
{
    struct network *network;
    (void)out_exit;
    STATUS_TRY(network_input_open(arguments, "model", &network));
    const status result = show(arguments, network);
    network_free(network);
    return result;
}

static const struct option OPTIONS[] = {
    NETWORK_INPUT_OPTIONS,
    {"top", 0, OPTION_ONE, "N", "only the N operators with the most work"},
    {"json", 0, OPTION_FLAG, NULL, "as JSON, with exact figures"},
    {"csv", 0, OPTION_FLAG, NULL, "one row for each operator, with exact figures"},
    {"text", 0, OPTION_FLAG, NULL, "the graph: operands, attributes and types of each operator"},
    {0},
};

const struct command COMMAND_MODEL = {
    .name = "model",
    .usage = "MODEL [--shape NAME=DIMS] [--top N] [--json|--csv|--text]",
    .summary = "show the operators of a network with their shapes and work",
    .details = "MACs, FLOPs, elements and bytes are counted from the shapes (docs/work.md). A\n"
               "dimension that is not known is '?', and work that depends on it is 'absent'.",
    .examples = "  opscope model model.onnx\n"
                "  opscope model model.onnx --define-symbol batch,1 --top 10\n"
                "  opscope model conv.mlir --json\n"
                "  opscope model conv.mlir --text",
    .options = OPTIONS,
    .run = run,
};
