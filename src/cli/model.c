// `opscope model MODEL`: the operators of a network with their shapes and work.

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "commands.h"
#include "network/print.h"
#include "network/tensor_text.h"
#include "network_input.h"
#include "reports/model.h"
#include "table_options.h"
#include "plain_text.h"

// Text ------------------------------------------------------------------------

static void cli_model_print_values(const char *title, const struct network *network,
                                   const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct network_value *value = network_value(network, values[i]);
        if (value->constant != NULL && value->producer == NETWORK_NONE)
            continue; // an initializer that is listed as an input as well
        struct bytes type = {0};
        tensor_text_append_value_type(&type, &value->type);
        printf("%-8s ", title);
        plain_text_put(value->name);
        printf(": ");
        plain_text_put(bytes_view(&type));
        printf("\n");
        bytes_free(&type);
    }
}

static void cli_model_print_head(const char *path, const struct network *network,
                                 const struct summary *summary)
{
    const struct network_graph *graph = network_graph(network, 0);
    plain_text_put(view_of(path));
    printf(": %s", network->dialect == NETWORK_ONNX ? "ONNX" : "TOSA");
    if (network->producer.size > 0) {
        printf(", written by ");
        plain_text_put(network->producer);
    }
    for (uint32_t i = 0; i < summary->opset_count && network->dialect == NETWORK_ONNX; i++) {
        const struct summary_opset *opset = &summary->opsets[i];
        printf(", ");
        plain_text_put(opset->domain.size > 0 ? opset->domain : VIEW_LITERAL("opset"));
        printf(" %" PRIu32, opset->version);
    }
    printf("\n");
    cli_model_print_values("input", network, graph->inputs, graph->input_count);
    cli_model_print_values("output", network, graph->outputs, graph->output_count);
}

static void print_foot(const struct summary *summary, size_t shown)
{
    char number[FIGURES_ROOM];
    printf("%" PRIu32 " operators", summary->operators);
    if (shown < summary->operators)
        printf(" (%zu shown)", shown);
    printf(", %" PRIu32 " weights of %sB\n", summary->weight_count,
           figures_letter(summary->weight_bytes, number));
    if (summary->unknown > 0)
        printf("work of %" PRIu32 " operators is not known and not in the total: give shapes with "
               "--shape or\n--define-symbol\n",
               summary->unknown);
    if (summary->inner > 0)
        printf("%" PRIu32 " operators are inside others (If, Loop, Scan) and not in the total\n",
               summary->inner);
}

static void cli_model_print_report(const char *path, const struct model_report *report,
                                   struct table *table)
{
    cli_model_print_head(path, report->network, report->summary);
    printf("\n");
    table_options_print(table, stdout);
    table_options_print_extra(table, MODEL_TOTAL, stdout);
    print_foot(report->summary, table_count(table));
}

// JSON ------------------------------------------------------------------------

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

static status cli_model_write_json(const char *path, const struct model_report *report,
                                   struct table *table)
{
    const struct network *network = report->network;
    const struct summary *summary = report->summary;
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
    model_values_json(&json, "inputs", network, graph->inputs, graph->input_count);
    model_values_json(&json, "outputs", network, graph->outputs, graph->output_count);
    table_json_rows(table, &json, "operators");
    json_open_object(&json, "total");
    json_uint(&json, "operators", summary->operators);
    json_uint(&json, "inner_operators", summary->inner);
    json_uint(&json, "unknown", summary->unknown);
    json_uint(&json, "weights", summary->weight_count);
    model_work_json(&json, &summary->work);
    json_close(&json);
    struct work least = summary->work;
    least.known = true;
    json_open_object(&json, "at_least");
    model_work_json(&json, &least);
    json_close(&json);
    json_close(&json);
    return output_close(output);
}

static status cli_model_write_text(const struct network *network)
{
    struct output *output;
    STATUS_TRY(output_open("-", &output));
    network_print(network, output);
    return output_close(output);
}

// Running ---------------------------------------------------------------------

static status cli_model_show_table(const struct table_options *options,
                                   const struct model_report *report, const char *path,
                                   struct table *table)
{
    if (options->sort == NULL)
        model_table_pick(table, report->network, options->top);
    STATUS_TRY(table_options_apply(options, &table, 1));
    if (options->json)
        return cli_model_write_json(path, report, table);
    if (options->csv)
        return table_options_write_csv(table);
    cli_model_print_report(path, report, table);
    return STATUS_OK;
}

static status cli_model_show(const struct arguments *arguments, const struct network *network)
{
    size_t count;
    const char *path = arguments_words(arguments, &count)[0];
    if (arguments_flag(arguments, "json") + arguments_flag(arguments, "csv") +
            arguments_flag(arguments, "text") >
        1)
        return status_make(STATUS_USAGE, "model: give only one of --json, --csv and --text");
    if (arguments_flag(arguments, "text"))
        return cli_model_write_text(network);
    struct table_options options;
    STATUS_TRY(table_options_read(arguments, 0, &options));
    struct summary summary;
    summary_of(network, &summary);
    const struct model_report report = {network, &summary};
    struct table *table = table_create(&MODEL_FORM, &report, network->nodes.count);
    const status result = cli_model_show_table(&options, &report, path, table);
    table_free(table);
    return result;
}

static status model_command(const struct arguments *arguments, int *out_exit)
{
    struct network *network;
    (void)out_exit;
    STATUS_TRY(network_input_open(arguments, "model", NULL, &network));
    const status result = cli_model_show(arguments, network);
    network_free(network);
    return result;
}

static const struct option OPTIONS[] = {
    NETWORK_INPUT_OPTIONS,
    TABLE_OPTIONS("as JSON, with exact figures", "one row for each operator, with exact figures",
                  "only the N operators with the most work, or the first by --sort"),
    {"text", 0, OPTION_FLAG, NULL, "the graph: operands, attributes and types of each operator"},
    {0},
};

static const struct table_form *const TABLES[] = {&MODEL_FORM, NULL};

const struct command COMMAND_MODEL = {
    .name = "model",
    .usage = "MODEL [--shape NAME=DIMS] [--top N] [--json|--csv|--text]",
    .summary = "show the operators of a network with their shapes and work",
    .details = "MACs, FLOPs, elements and bytes are counted from the shapes (docs/work.md). A\n"
               "dimension that is not known is '?', and work that depends on it is 'absent'.",
    .examples = "  opscope model model.onnx\n"
                "  opscope model model.onnx --define-symbol batch,1 --top 10\n"
                "  opscope model model.onnx --columns name,type,macs --sort macs:desc --csv\n"
                "  opscope model conv.mlir --json\n"
                "  opscope model conv.mlir --text",
    .options = OPTIONS,
    .tables = TABLES,
    .run = model_command,
};
