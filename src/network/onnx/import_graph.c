// Graphs: inputs and constants first, then the outputs of all nodes, then the
// nodes, so that nodes may stand in any order.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "importer.h"
#include "message.h"
#include "type_proto.h"

enum graph_field {
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_VALUE_INFO = 13,
    GRAPH_SPARSE_INITIALIZER = 15,
};

// Moves the ids to the arena.
static uint32_t *onnx_import_graph_list_keep(struct importer *importer, struct id_list *list,
                                             uint32_t *out_count)
{
    const size_t size = list->count * sizeof *list->ids;
    uint32_t *kept = arena_allocate(&importer->network->arena, size + 1);
    if (size > 0)
        memcpy(kept, list->ids, size);
    free(list->ids);
    *out_count = (uint32_t)list->count;
    return kept;
}

static status value_new(struct importer *importer, struct frame *frame, struct view name,
                        enum binding_kind kind, struct network_value **out_value)
{
    struct view full;
    STATUS_TRY(import_name(importer, frame, name, &full));
    const uint32_t id = network_value_add(importer->network, full);
    scope_bind(&frame->scope, name, id, kind);
    *out_value = network_value(importer->network, id);
    return STATUS_OK;
}

static status input_read(struct importer *importer, struct frame *frame, struct view message,
                         struct id_list *inputs)
{
    struct value_info info;
    STATUS_TRY(value_info_read(message, &importer->network->arena, &info));
    if (info.name.size == 0)
        return status_make(STATUS_DATA, "input %zu has no name", inputs->count);
    if (scope_own(&frame->scope, info.name) != NULL)
        return status_make(STATUS_DATA, "input '%.*s' is there twice", VIEW_ARGUMENTS(info.name));
    struct network_value *value = NULL;
    STATUS_TRY(value_new(importer, frame, info.name, BINDING_INPUT, &value));
    value->type = info.type;
    value->symbols = info.symbols;
    import_list_add(inputs, importer->network->values.count - 1);
    return STATUS_OK;
}

// The value that an initializer stands for: an input, or a new one.
static status constant_value(struct importer *importer, struct frame *frame, struct view name,
                             struct network_value **out_value)
{
    struct binding *bound = scope_own(&frame->scope, name);
    if (bound == NULL)
        return value_new(importer, frame, name, BINDING_CONSTANT, out_value);
    if (bound->kind != BINDING_INPUT)
        return status_make(STATUS_DATA, "initializer '%.*s' is there twice", VIEW_ARGUMENTS(name));
    bound->kind = BINDING_CONSTANT;
    *out_value = network_value(importer->network, bound->value);
    return STATUS_OK;
}

static status initializer_read(struct importer *importer, struct frame *frame,
                               struct message *message)
{
    struct constant *constant = arena_allocate(&importer->network->arena, sizeof *constant);
    struct view name;
    if (message->field.number == GRAPH_INITIALIZER)
        STATUS_TRY(tensor_proto_read(&importer->tensors, message_bytes(message), &name, constant));
    else
        STATUS_TRY(
            tensor_proto_read_sparse(&importer->tensors, message_bytes(message), &name, constant));
    if (name.size == 0)
        return status_make(STATUS_DATA, "an initializer has no name");
    struct network_value *value = NULL;
    STATUS_TRY(constant_value(importer, frame, name, &value));
    const struct value_type type =
        value_type_tensor(constant->tensor.element, &constant->tensor.shape);
    STATUS_TRY(status_within(value_type_merge(&type, &value->type, &value->type),
                             "initializer '%.*s'", VIEW_ARGUMENTS(name)));
    value->type = type;
    value->constant = constant;
    return STATUS_OK;
}

status import_value_info(struct importer *importer, struct frame *frame, struct view message)
{
    struct value_info info;
    STATUS_TRY(value_info_read(message, &importer->network->arena, &info));
    const struct binding *bound = scope_own(&frame->scope, info.name);
    if (bound == NULL || bound->kind != BINDING_OUTPUT || info.type.kind == VALUE_UNKNOWN)
        return STATUS_OK;
    struct network_value *value = network_value(importer->network, bound->value);
    value->type = info.type;
    value->symbols = info.symbols;
    return STATUS_OK;
}

static status output_read(struct importer *importer, struct frame *frame, struct view message,
                          struct id_list *outputs)
{
    struct value_info info;
    STATUS_TRY(value_info_read(message, &importer->network->arena, &info));
    const struct binding *bound = scope_find(&frame->scope, info.name);
    if (bound == NULL || bound->value == NETWORK_NONE)
        return status_make(STATUS_DATA, "output '%.*s' is computed by no node",
                           VIEW_ARGUMENTS(info.name));
    import_list_add(outputs, bound->value);
    return import_value_info(importer, frame, message);
}

static status inputs_read(struct importer *importer, struct frame *frame, struct view bytes,
                          struct id_list *inputs)
{
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        if (message.field.number == GRAPH_INPUT)
            STATUS_TRY(input_read(importer, frame, message_bytes(&message), inputs));
        else if (message.field.number == GRAPH_NAME)
            network_graph(importer->network, frame->graph)->name = message_bytes(&message);
    }
    return message_close(&message, "the graph");
}

static status names_read(struct importer *importer, struct frame *frame, struct view bytes)
{
    uint32_t index = 0;
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        switch (message.field.number) {
        case GRAPH_INITIALIZER:
        case GRAPH_SPARSE_INITIALIZER:
            STATUS_TRY(initializer_read(importer, frame, &message));
            break;
        case GRAPH_NODE:
            STATUS_TRY(import_node_outputs(importer, frame, message_bytes(&message), index++));
            break;
        default:
            break;
        }
    }
    return message_close(&message, "the graph");
}

static status nodes_read(struct importer *importer, struct frame *frame, struct view bytes,
                         struct id_list *outputs)
{
    uint32_t index = 0;
    struct message message = message_open(bytes);
    while (message_next(&message)) {
        switch (message.field.number) {
        case GRAPH_NODE:
            STATUS_TRY(import_node(importer, frame, message_bytes(&message), index++));
            break;
        case GRAPH_VALUE_INFO:
            STATUS_TRY(import_value_info(importer, frame, message_bytes(&message)));
            break;
        case GRAPH_OUTPUT:
            STATUS_TRY(output_read(importer, frame, message_bytes(&message), outputs));
            break;
        default:
            break;
        }
    }
    return message_close(&message, "the graph");
}

static status onnx_import_graph_parts_read(struct importer *importer, struct frame *frame,
                                           struct view bytes)
{
    struct id_list inputs = {0};
    struct id_list outputs = {0};
    status failure = inputs_read(importer, frame, bytes, &inputs);
    if (failure == STATUS_OK)
        failure = names_read(importer, frame, bytes);
    if (failure == STATUS_OK)
        failure = nodes_read(importer, frame, bytes, &outputs);
    struct network_graph *graph = network_graph(importer->network, frame->graph);
    graph->inputs = onnx_import_graph_list_keep(importer, &inputs, &graph->input_count);
    graph->outputs = onnx_import_graph_list_keep(importer, &outputs, &graph->output_count);
    return failure;
}

status import_graph(struct importer *importer, const struct frame *outer, struct view message,
                    uint32_t *out_graph)
{
    if (importer->depth == IMPORTER_DEPTH_MOST)
        return status_make(STATUS_LIMIT, "graphs inside one another more than %d deep",
                           IMPORTER_DEPTH_MOST);
    importer->depth++;
    struct id_list nodes = {0};
    struct frame frame = {.opsets = &importer->opsets, .path = VIEW_LITERAL("")};
    if (outer != NULL)
        frame = *outer;
    frame.scope = (struct scope){.outer = outer != NULL ? &outer->scope : NULL};
    frame.graph = network_graph_add(importer->network, VIEW_LITERAL(""));
    frame.nodes = &nodes;
    *out_graph = frame.graph;

    status failure = onnx_import_graph_parts_read(importer, &frame, message);
    struct network_graph *graph = network_graph(importer->network, frame.graph);
    graph->nodes = onnx_import_graph_list_keep(importer, &nodes, &graph->node_count);
    if (failure == STATUS_OK)
        failure = network_sort(importer->network, frame.graph);
    scope_free(&frame.scope);
    importer->depth--;
    return failure;
}
