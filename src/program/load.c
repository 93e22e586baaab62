#include "load.h"

#include "network/operators.h"

struct loader {
    const struct program *program;
    struct network *network;
};

static struct view load_text_of(const struct loader *loader, uint32_t id)
{
    return view_of(program_text(loader->program, id));
}

static void *load_allocate(struct loader *loader, size_t count, size_t size)
{
    void *items = arena_allocate(&loader->network->arena, (count + 1) * size);
    memset(items, 0, (count + 1) * size);
    return items;
}

static struct view *load_texts(struct loader *loader, const char *ids, uint64_t count)
{
    struct view *texts = load_allocate(loader, count, sizeof *texts);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id;
        memcpy(&id, ids + i * sizeof id, sizeof id);
        texts[i] = load_text_of(loader, id);
    }
    return texts;
}

static const struct constant *load_tensor(struct loader *loader, uint32_t element, uint32_t rank,
                                          const int64_t *dims, const void *data)
{
    struct constant *constant = load_allocate(loader, 1, sizeof *constant);
    constant->tensor.element = (enum element)element;
    constant->tensor.shape.rank = rank;
    memcpy(constant->tensor.shape.dims, dims, sizeof constant->tensor.shape.dims);
    if (element == ELEMENT_TEXT)
        constant->tensor.data = load_texts(loader, data, tensor_count(&constant->tensor));
    else
        constant->tensor.data = (void *)(uintptr_t)data;
    constant->bytes = tensor_bytes(&constant->tensor);
    return constant;
}

static void load_value(struct loader *loader, uint32_t index)
{
    const struct program_value *value = &loader->program->values[index];
    const uint32_t id = network_value_add(loader->network, load_text_of(loader, value->name));
    struct network_value *item = network_value(loader->network, id);
    item->type.element = (enum element)value->element;
    item->type.kind = value->rank != PROGRAM_NONE ? VALUE_TENSOR : VALUE_UNKNOWN;
    item->type.ranked = value->rank != PROGRAM_NONE;
    if (item->type.ranked) {
        item->type.shape.rank = value->rank;
        memcpy(item->type.shape.dims, value->dims, sizeof item->type.shape.dims);
    }
    if (value->kind == PROGRAM_VALUE_CONSTANT)
        item->constant = load_tensor(loader, value->element, value->rank, value->dims,
                                     program_constant(loader->program, index));
}

static void load_attribute(struct loader *loader, const struct program_attribute *from,
                           struct attribute *to)
{
    // An address for those kinds only whose data is an offset.
    const void *data = (const void *)((uintptr_t)loader->program->constants.data + from->data);
    *to = (struct attribute){.name = load_text_of(loader, from->name),
                             .kind = (enum attribute_kind)from->kind,
                             .count = from->count};
    switch (to->kind) {
    case ATTRIBUTE_INTEGER:
        to->integer = (int64_t)from->data;
        break;
    case ATTRIBUTE_REAL:
        memcpy(&to->real, &from->data, sizeof to->real);
        break;
    case ATTRIBUTE_TEXT:
        to->text = load_text_of(loader, (uint32_t)from->data);
        break;
    case ATTRIBUTE_GRAPH:
        to->graph = (uint32_t)from->data + 1;
        break;
    case ATTRIBUTE_INTEGERS:
        to->integers = data;
        break;
    case ATTRIBUTE_REALS:
        to->reals = data;
        break;
    case ATTRIBUTE_TEXTS:
        to->texts = load_texts(loader, data, from->count);
        break;
    case ATTRIBUTE_TENSOR:
        to->tensor = load_tensor(loader, from->element, from->rank, from->dims, data);
        break;
    case ATTRIBUTE_TYPE: {
        struct value_type *type = load_allocate(loader, 1, sizeof *type);
        type->kind = VALUE_TENSOR;
        type->ranked = true;
        type->element = (enum element)from->element;
        to->type = type;
        break;
    }
    case ATTRIBUTE_TENSORS:
    case ATTRIBUTE_GRAPHS:
        to->count = 0;
        break;
    }
}

static status load_node(struct loader *loader, const struct program_node *from)
{
    const uint32_t id = network_node_add(loader->network, 0);
    struct network_node *node = network_node(loader->network, id);
    node->type = load_text_of(loader, from->type);
    node->domain = load_text_of(loader, from->domain);
    node->version = from->version;
    // The operator's number says where it stands in the network; the node's would not.
    node->index = from->operator_id != PROGRAM_NONE ? from->operator_id : id;
    node->definition = operator_find(node->domain, node->type);
    if (node->definition == NULL)
        return status_make(STATUS_DATA, "node %u: there is no operator '%.*s'", id,
                           VIEW_ARGUMENTS(node->type));
    if (from->operator_id != PROGRAM_NONE) {
        const struct program_operator *op = &loader->program->operators[from->operator_id];
        node->name = load_text_of(loader, op->name);
        node->location = load_text_of(loader, op->location);
    }
    node->inputs = loader->program->node_values + from->first_value;
    node->outputs = node->inputs + from->input_count;
    node->input_count = from->input_count;
    node->output_count = from->output_count;
    struct attribute *attributes = load_allocate(loader, from->attribute_count, sizeof *attributes);
    for (uint32_t i = 0; i < from->attribute_count; i++)
        load_attribute(loader, &loader->program->attributes[from->first_attribute + i],
                       &attributes[i]);
    node->attributes = (struct attributes){attributes, from->attribute_count};
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE)
            network_value(loader->network, node->outputs[i])->producer = id;
    }
    return STATUS_OK;
}

static void load_graph(struct loader *loader, const struct program_graph *from)
{
    const uint32_t id = network_graph_add(loader->network, VIEW_LITERAL(""));
    struct network_graph *graph = network_graph(loader->network, id);
    graph->nodes = load_allocate(loader, from->node_count, sizeof *graph->nodes);
    graph->inputs = load_allocate(loader, from->input_count, sizeof *graph->inputs);
    graph->outputs = load_allocate(loader, from->output_count, sizeof *graph->outputs);
    graph->node_count = from->node_count;
    graph->input_count = from->input_count;
    graph->output_count = from->output_count;
    const uint32_t *values = loader->program->node_values + from->first_value;
    memcpy(graph->inputs, values, from->input_count * sizeof *values);
    memcpy(graph->outputs, values + from->input_count, from->output_count * sizeof *values);
    for (uint32_t i = 0; i < from->node_count; i++) {
        graph->nodes[i] = from->first_node + i;
        network_node(loader->network, graph->nodes[i])->graph = id;
    }
}

// The ports of the program, in order.
static void load_ports(struct loader *loader)
{
    const struct program *program = loader->program;
    struct network_graph *graph = network_graph(loader->network, 0);
    graph->inputs = load_allocate(loader, program->input_count, sizeof *graph->inputs);
    graph->outputs = load_allocate(loader, program->output_count, sizeof *graph->outputs);
    graph->input_count = program->input_count;
    graph->output_count = program->output_count;
    // A table without rows may have no address.
    for (uint32_t i = 0; i < program->input_count; i++)
        graph->inputs[i] = program->inputs[i];
    for (uint32_t i = 0; i < program->output_count; i++)
        graph->outputs[i] = program->outputs[i];
}

static status load_all(struct loader *loader)
{
    const struct program *program = loader->program;
    network_graph_add(loader->network, VIEW_LITERAL("main"));
    for (uint32_t i = 0; i < program->value_count; i++)
        load_value(loader, i);
    for (uint32_t i = 0; i < program->node_count; i++)
        STATUS_TRY(load_node(loader, &program->nodes[i]));
    for (uint32_t i = 0; i < program->graph_count; i++)
        load_graph(loader, &program->graphs[i]);
    load_ports(loader);
    return STATUS_OK;
}

status program_load(const struct program *program, struct network **out_network)
{
    struct loader loader = {program, NULL};
    const char *path = program->source_file != NULL ? program->source_file->path : "program";
    loader.network = network_create(NETWORK_ONNX, input_over(path, (struct view){0}));
    loader.network->conversion.text = arena_copy(&loader.network->arena, program->conversion);
    const status failure = load_all(&loader);
    if (failure != STATUS_OK) {
        network_free(loader.network);
        return failure;
    }
    *out_network = loader.network;
    return STATUS_OK;
}
