#include "import.h"

#include <inttypes.h>
#include <stdlib.h>

#include "importer.h"
#include "message.h"

enum model_field {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER_NAME = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    MODEL_FUNCTION = 25,
};

// Of the file format; those after 10 only add what is refused by name.
enum { IR_VERSION_MOST = 13, IR_VERSION_OPSETS = 3 };

// What functions may unfold to, in bytes of their bodies and names.
enum { EXPANSION_FREE = 8 << 20, EXPANSION_FOR_EACH_BYTE = 8 };

struct model_fields {
    uint64_t ir_version;
    struct view producer_name;
    struct view producer_version;
    struct view graph; // without data: there is none
};

static status cut_off(const struct message *message, struct view file)
{
    const size_t at = (size_t)((const char *)message->reader.at - file.data);
    if (message->reader.ending == PROTOBUF_CUT)
        return status_make(STATUS_DATA,
                           "the model is cut off: what starts at byte %zu is not whole", at);
    if (message->reader.ending == PROTOBUF_MALFORMED)
        return status_make(STATUS_DATA, "not an ONNX model, or damaged at byte %zu", at);
    return message_close(message, "the model");
}

static status onnx_import_field_read(struct importer *importer, struct message *message,
                                     struct model_fields *fields)
{
    switch (message->field.number) {
    case MODEL_IR_VERSION:
        fields->ir_version = message_number(message);
        return STATUS_OK;
    case MODEL_PRODUCER_NAME:
        fields->producer_name = message_bytes(message);
        return STATUS_OK;
    case MODEL_PRODUCER_VERSION:
        fields->producer_version = message_bytes(message);
        return STATUS_OK;
    case MODEL_GRAPH:
        fields->graph = message_bytes(message);
        return STATUS_OK;
    case MODEL_OPSET:
        return opsets_add(&importer->opsets, message_bytes(message));
    case MODEL_FUNCTION:
        return import_function_add(importer, message_bytes(message));
    default:
        return STATUS_OK;
    }
}

static status onnx_import_fields_read(struct importer *importer, struct view file,
                                      struct model_fields *fields)
{
    struct message message = message_open(file);
    while (message_next(&message))
        STATUS_TRY(onnx_import_field_read(importer, &message, fields));
    STATUS_TRY(cut_off(&message, file));
    if (fields->graph.data == NULL)
        return status_make(STATUS_DATA, "not an ONNX model: it holds no graph");
    if (fields->ir_version > IR_VERSION_MOST)
        return status_make(STATUS_UNSUPPORTED,
                           "version %" PRIu64 " of the file format; 1 to %d are read",
                           fields->ir_version, IR_VERSION_MOST);
    // Before operator sets had versions there was one.
    if (fields->ir_version < IR_VERSION_OPSETS && importer->opsets.count == 0)
        importer->opsets = (struct opsets){.items = {{VIEW_LITERAL(""), 1}}, .count = 1};
    return STATUS_OK;
}

// "pytorch 2.3".
static struct view producer_of(struct arena *arena, const struct model_fields *fields)
{
    const struct view name = fields->producer_name;
    const struct view version = fields->producer_version;
    if (name.size == 0 || version.size == 0)
        return name.size > 0 ? name : version;
    char *text = arena_allocate(arena, name.size + 1 + version.size);
    memcpy(text, name.data, name.size);
    text[name.size] = ' ';
    memcpy(text + name.size + 1, version.data, version.size);
    return (struct view){text, name.size + 1 + version.size};
}

static status model_read(struct importer *importer)
{
    struct network *network = importer->network;
    const struct input *source = network->source;
    if (source->damage != NULL)
        return status_make(STATUS_DATA, "%s", source->damage);
    struct model_fields fields = {.producer_name = VIEW_LITERAL(""),
                                  .producer_version = VIEW_LITERAL("")};
    STATUS_TRY(onnx_import_fields_read(importer, source->bytes, &fields));
    network->producer = producer_of(&network->arena, &fields);
    uint32_t graph;
    STATUS_TRY(import_graph(importer, NULL, fields.graph, &graph));
    network->name = network_graph(network, graph)->name;
    return STATUS_OK;
}

status onnx_import(struct input *input, struct network **out_network)
{
    struct network *network = network_create(NETWORK_ONNX, input);
    struct importer importer = {
        .network = network,
        .tensors = {&network->arena, NULL, tensor_proto_dense_most(input->bytes.size)},
        .externals = {.network = network},
        .expansion_left = EXPANSION_FREE + (uint64_t)input->bytes.size * EXPANSION_FOR_EACH_BYTE,
    };
    importer.tensors.externals = &importer.externals;
    const status failure = status_within(model_read(&importer), "%s", input->path);
    external_free(&importer.externals);
    free(importer.functions);
    hash_free(&importer.functions_by_name);
    if (failure != STATUS_OK) {
        network_free(network);
        return failure;
    }
    *out_network = network;
    return STATUS_OK;
}
