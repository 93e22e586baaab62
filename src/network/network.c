#include "network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "network/onnx/import.h"
#include "operators.h"
#include "network/tosa/import.h"

struct network *network_create(enum network_dialect dialect, struct input *source)
{
    struct network *network = memory_allocate_zeroed(1, sizeof *network);
    network->dialect = dialect;
    network->source = source;
    segments_start(&network->values, sizeof(struct network_value));
    segments_start(&network->nodes, sizeof(struct network_node));
    segments_start(&network->graphs, sizeof(struct network_graph));
    return network;
}

void network_free(struct network *network)
{
    if (network == NULL)
        return;
    for (size_t i = 0; i < network->external_count; i++)
        input_close(network->externals[i]);
    free(network->externals);
    free(network->fills);
    input_close(network->source);
    segments_free(&network->values);
    segments_free(&network->nodes);
    segments_free(&network->graphs);
    arena_free(&network->arena);
    free(network);
}

uint32_t network_value_add(struct network *network, struct view name)
{
    struct network_value *value = segments_add(&network->values);
    value->name = name;
    value->producer = NETWORK_NONE;
    return network->values.count - 1;
}

uint32_t network_graph_add(struct network *network, struct view name)
{
    struct network_graph *graph = segments_add(&network->graphs);
    graph->name = name;
    return network->graphs.count - 1;
}

uint32_t network_node_add(struct network *network, uint32_t graph)
{
    struct network_node *node = segments_add(&network->nodes);
    node->graph = graph;
    return network->nodes.count - 1;
}

const char *network_node_text(const struct network_node *node, char *text, size_t size)
{
    if (node->line > 0)
        snprintf(text, size, "line %" PRIu64 " (%.*s)", node->line, VIEW_ARGUMENTS(node->type));
    else if (node->name.size > 0)
        snprintf(text, size, "node '%.*s' (%.*s)", VIEW_ARGUMENTS(node->name),
                 VIEW_ARGUMENTS(node->type));
    else
        snprintf(text, size, "node %" PRIu32 " (%.*s)", node->index, VIEW_ARGUMENTS(node->type));
    return text;
}

// MLIR is text that a protobuf of ONNX cannot be: its first byte is the tag of a
// field, below a blank or with its high bit set.
static bool network_is_text(struct view bytes)
{
    return bytes.size > 0 && (bytes.data[0] == '\n' || bytes.data[0] == '\t' ||
                              bytes.data[0] == '\r' || (unsigned char)(bytes.data[0] - ' ') < 95);
}

// Takes over the input, also when it fails.
static status import(struct input *input, struct network **out_network)
{
    if (input->bytes.size == 0 && input->damage == NULL) {
        const status failure = status_make(STATUS_DATA, "%s: is empty", input->path);
        input_close(input);
        return failure;
    }
    // The first field of a model, ir_version, may be left out; what follows it
    // in files that exist (producer, domain, graph) is tagged below a blank but
    // for the graph, ':', and the operator sets, 'B'.
    const struct view bytes = input->bytes;
    const bool graph_first =
        bytes.size > 0 && (bytes.data[0] == ':' || bytes.data[0] == 'B' || bytes.data[0] == '\n');
    if (network_is_text(bytes) && !(graph_first && memchr(bytes.data, '\0', bytes.size) != NULL))
        return tosa_import(input, out_network);
    return onnx_import(input, out_network);
}

// After types are known.
static status network_convert_by(struct network *network, const char *text)
{
    struct conversion conversion;
    STATUS_TRY(conversion_parse(text, &conversion));
    return network_convert(network, &conversion);
}

status network_read(struct input *input, const struct network_options *options,
                    struct network **out_network)
{
    struct network *network;
    status failure = import(input, &network);
    if (failure != STATUS_OK)
        return failure;
    if (options != NULL)
        failure = network_apply(network, options);
    if (failure == STATUS_OK)
        failure = network_infer(network);
    if (failure == STATUS_OK && options != NULL && options->conversion != NULL)
        failure = network_convert_by(network, options->conversion);
    if (failure != STATUS_OK) {
        network_free(network);
        return failure;
    }
    *out_network = network;
    return STATUS_OK;
}

status network_open(const char *path, const struct network_options *options,
                    struct network **out_network)
{
    struct input *input;
    STATUS_TRY(input_open(path, &input));
    return network_read(input, options, out_network);
}
