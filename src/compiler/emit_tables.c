// Values, operators, groups, nodes, attributes and graphs of a program.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "emit.h"

enum { OUTSIDE_LEAST = 4096 };

static uint32_t text(struct emitter *emitter, struct view view)
{
    return program_builder_text(emitter->builder, view);
}

// Bytes of a constant in the constants' section; texts become ids.
static uint64_t keep_tensor(struct emitter *emitter, const struct constant *constant,
                            uint64_t *out_bytes)
{
    const uint64_t count = tensor_count(&constant->tensor);
    const bool texts = constant->tensor.element == ELEMENT_TEXT;
    const uint64_t size = texts ? count * sizeof(uint32_t) : tensor_bytes(&constant->tensor);
    if (!texts && !constant->packed) {
        *out_bytes = size;
        return program_builder_constant(emitter->builder, constant->tensor.data, size);
    }
    void *data = memory_allocate(size);
    if (texts) {
        const struct view *views = constant->tensor.data;
        for (uint64_t i = 0; i < count; i++)
            ((uint32_t *)data)[i] = text(emitter, views[i]);
    } else {
        constant_unpack(constant, data);
    }
    const uint64_t offset = program_builder_constant(emitter->builder, data, size);
    free(data);
    *out_bytes = size;
    return offset;
}

// Large ones are not copied to the section but written from where they are.
static bool stays_outside(const struct emitter *emitter, const struct constant *constant)
{
    if (constant->packed || constant->tensor.element == ELEMENT_TEXT)
        return false;
    return emitter->builder->keeps_outside || (constant->tensor.element != ELEMENT_BOOL &&
                                               tensor_bytes(&constant->tensor) >= OUTSIDE_LEAST);
}

static void fill_type(struct program_value *value, const struct value_type *type)
{
    value->element = (uint16_t)type->element;
    value->rank = PROGRAM_NONE;
    if (type->kind != VALUE_TENSOR || type->optional || !type->ranked)
        return;
    value->rank = type->shape.rank;
    memcpy(value->dims, type->shape.dims, value->rank * sizeof *value->dims);
}

static enum program_layout layout_of(const struct plan *plan, uint32_t value)
{
    if (plan_is_packed(plan, value))
        return PROGRAM_PACKED;
    return plan->tiled != NULL && plan->tiled[value] ? PROGRAM_TILES : PROGRAM_ROWS;
}

static uint32_t emit_tables_add_value(struct emitter *emitter, uint32_t id)
{
    if (id == NETWORK_NONE)
        return PROGRAM_NONE;
    if (emitter->values[id] != PROGRAM_NONE)
        return emitter->values[id];
    const struct network_value *source = network_value(emitter->plan->network, id);
    struct program_value value = {.kind = PROGRAM_VALUE_INNER,
                                  .layout = layout_of(emitter->plan, id)};
    const void *outside = NULL;
    value.name = text(emitter, source->name);
    fill_type(&value, &source->type);
    if (source->constant != NULL) {
        value.kind = PROGRAM_VALUE_CONSTANT;
        value.element = (uint16_t)source->constant->tensor.element;
        value.rank = source->constant->tensor.shape.rank;
        memset(value.dims, 0, sizeof value.dims);
        memcpy(value.dims, source->constant->tensor.shape.dims, value.rank * sizeof *value.dims);
        if (stays_outside(emitter, source->constant)) {
            outside = source->constant->tensor.data;
            value.bytes = tensor_bytes(&source->constant->tensor);
        } else {
            value.data = keep_tensor(emitter, source->constant, &value.bytes);
        }
    }
    program_builder_outside(emitter->builder, outside);
    struct program_value *kept = EMIT_ADD(emitter, values, &emitter->values[id]);
    *kept = value;
    return emitter->values[id];
}

static void emit_tables_add_ports(struct emitter *emitter)
{
    const struct network_graph *graph = network_graph(emitter->plan->network, 0);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const uint32_t id = emit_tables_add_value(emitter, graph->inputs[i]);
        uint32_t *input = EMIT_ADD(emitter, inputs, NULL);
        *input = id;
        struct program_value *value = EMIT_GET(emitter, values, id);
        if (value->kind != PROGRAM_VALUE_CONSTANT)
            value->kind = PROGRAM_VALUE_INPUT;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const uint32_t id = emit_tables_add_value(emitter, graph->outputs[i]);
        uint32_t *output = EMIT_ADD(emitter, outputs, NULL);
        *output = id;
        struct program_value *value = EMIT_GET(emitter, values, id);
        if (value->kind == PROGRAM_VALUE_INNER)
            value->kind = PROGRAM_VALUE_OUTPUT;
    }
}

static void copy_work(struct program_work *to, const struct work *from)
{
    *to = (struct program_work){from->macs,       from->flops,         from->elements,
                                from->bytes_read, from->bytes_written, from->weight_bytes,
                                from->known};
}

// Where the file does not say, its own line is the place.
static uint32_t emit_tables_location(struct emitter *emitter, const struct network_node *node)
{
    if (node->location.size > 0 || node->line == 0)
        return text(emitter, node->location);
    struct bytes location = {0};
    bytes_append_format(&location, "loc(\"%.*s\":%" PRIu64 ":%" PRIu64 ")",
                        VIEW_ARGUMENTS(emitter->builder->source), node->line, node->column);
    const uint32_t id = text(emitter, bytes_view(&location));
    bytes_free(&location);
    return id;
}

static void emit_tables_add_operator(struct emitter *emitter, const struct network_node *node,
                                     uint32_t group)
{
    struct program_operator op = {
        .name = text(emitter, node->name),
        .type = text(emitter, node->type),
        .location = emit_tables_location(emitter, node),
        .document = text(emitter, node->document),
        .group = group,
        .first_input = EMIT_COUNT(emitter, operator_values),
        .input_count = node->input_count,
        .output_count = node->output_count,
    };
    copy_work(&op.work, &node->work);
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        const uint32_t id =
            i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        const uint32_t value = emit_tables_add_value(emitter, id);
        uint32_t *item = EMIT_ADD(emitter, operator_values, NULL);
        *item = value;
    }
    struct program_operator *kept = EMIT_ADD(emitter, operators, NULL);
    *kept = op;
}

// Every node of the main graph, in its order, with the group that it went to. The
// operators that fold took out come last: node ids tell them apart.
static uint32_t *emit_tables_add_operators(struct emitter *emitter)
{
    const struct network *network = emitter->plan->network;
    const size_t nodes = network->nodes.count;
    uint32_t *groups = memory_allocate((nodes + 1) * sizeof *groups);
    uint32_t *operators = memory_allocate((nodes + 1) * sizeof *operators);
    memset(groups, 0xff, (nodes + 1) * sizeof *groups);
    memset(operators, 0xff, (nodes + 1) * sizeof *operators);
    for (uint32_t i = 0; i < emitter->plan->group_count; i++) {
        for (uint32_t j = 0; j < emitter->plan->groups[i].node_count; j++)
            groups[emitter->plan->groups[i].nodes[j]] = i;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        const struct network_node *node = network_node(network, i);
        if (i >= emitter->plan->first_copy) {
            operators[i] = operators[plan_original(emitter->plan, i)];
            continue;
        }
        if (node->graph != 0)
            continue;
        operators[i] = EMIT_COUNT(emitter, operators);
        emit_tables_add_operator(emitter, node, groups[i]);
    }
    free(groups);
    return operators;
}

static void fill_tensor(struct emitter *emitter, struct program_attribute *to,
                        const struct constant *constant)
{
    uint64_t bytes;
    to->data = keep_tensor(emitter, constant, &bytes);
    to->element = constant->tensor.element;
    to->rank = constant->tensor.shape.rank;
    memcpy(to->dims, constant->tensor.shape.dims, to->rank * sizeof *to->dims);
}

static void fill_texts(struct emitter *emitter, struct program_attribute *to,
                       const struct attribute *from)
{
    uint32_t *ids = memory_allocate_zeroed((size_t)from->count + 1, sizeof *ids);
    for (uint32_t i = 0; i < from->count; i++)
        ids[i] = text(emitter, from->texts[i]);
    to->data = program_builder_constant(emitter->builder, ids, from->count * sizeof *ids);
    free(ids);
}

// A type is kept as what it says of elements, the one thing that kernels ask for.
static void fill_attribute(struct emitter *emitter, struct program_attribute *to,
                           const struct attribute *from)
{
    *to = (struct program_attribute){.name = text(emitter, from->name), .kind = from->kind};
    to->count = from->count;
    switch (from->kind) {
    case ATTRIBUTE_INTEGER:
        to->data = (uint64_t)from->integer;
        break;
    case ATTRIBUTE_REAL:
        memcpy(&to->data, &from->real, sizeof to->data);
        break;
    case ATTRIBUTE_TEXT:
        to->data = text(emitter, from->text);
        break;
    case ATTRIBUTE_INTEGERS:
        to->data = program_builder_constant(emitter->builder, from->integers,
                                            from->count * sizeof *from->integers);
        break;
    case ATTRIBUTE_REALS:
        to->data = program_builder_constant(emitter->builder, from->reals,
                                            from->count * sizeof *from->reals);
        break;
    case ATTRIBUTE_TEXTS:
        fill_texts(emitter, to, from);
        break;
    case ATTRIBUTE_TENSOR:
        fill_tensor(emitter, to, from->tensor);
        break;
    case ATTRIBUTE_TYPE:
        to->element = from->type->element;
        break;
    case ATTRIBUTE_GRAPH:
        to->data = emitter->graphs[from->graph];
        break;
    case ATTRIBUTE_TENSORS:
    case ATTRIBUTE_GRAPHS:
        break;
    }
}

static void emit_tables_add_node(struct emitter *emitter, const struct network_node *node,
                                 uint32_t op)
{
    struct program_attribute *attributes =
        memory_allocate_zeroed((size_t)node->attributes.count + 1, sizeof *attributes);
    for (uint32_t i = 0; i < node->attributes.count; i++)
        fill_attribute(emitter, &attributes[i], &node->attributes.items[i]);
    struct program_node item = {
        .operator_id = op,
        .type = text(emitter, node->type),
        .domain = text(emitter, node->domain),
        .version = node->version,
        .input_count = node->input_count,
        .output_count = node->output_count,
        .attribute_count = node->attributes.count,
        .first_attribute = EMIT_COUNT(emitter, attributes),
    };
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        struct program_attribute *kept = EMIT_ADD(emitter, attributes, NULL);
        *kept = attributes[i];
    }
    free(attributes);
    item.first_value = EMIT_COUNT(emitter, node_values);
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        const uint32_t value = emit_tables_add_value(
            emitter,
            i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count]);
        uint32_t *kept = EMIT_ADD(emitter, node_values, NULL);
        *kept = value;
    }
    struct program_node *kept = EMIT_ADD(emitter, nodes, NULL);
    *kept = item;
}

static void add_graph(struct emitter *emitter, uint32_t id);

// The nodes of a graph or group stand together, so graphs inside them come first.
static void add_graphs_inside(struct emitter *emitter, const struct network_node *node)
{
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const struct attribute *attribute = &node->attributes.items[i];
        if (attribute->kind == ATTRIBUTE_GRAPH && emitter->graphs[attribute->graph] == PROGRAM_NONE)
            add_graph(emitter, attribute->graph);
    }
}

static void add_graph(struct emitter *emitter, uint32_t id)
{
    const struct network *network = emitter->plan->network;
    const struct network_graph *graph = network_graph(network, id);
    for (uint32_t i = 0; i < graph->node_count; i++)
        add_graphs_inside(emitter, network_node(network, graph->nodes[i]));
    struct program_graph item = {.node_count = graph->node_count,
                                 .input_count = graph->input_count,
                                 .output_count = graph->output_count,
                                 .first_value = EMIT_COUNT(emitter, node_values)};
    for (uint32_t i = 0; i < graph->input_count + graph->output_count; i++) {
        const uint32_t value = emit_tables_add_value(
            emitter,
            i < graph->input_count ? graph->inputs[i] : graph->outputs[i - graph->input_count]);
        uint32_t *kept = EMIT_ADD(emitter, node_values, NULL);
        *kept = value;
    }
    item.first_node = EMIT_COUNT(emitter, nodes);
    for (uint32_t i = 0; i < graph->node_count; i++)
        emit_tables_add_node(emitter, network_node(network, graph->nodes[i]), PROGRAM_NONE);
    struct program_graph *kept = EMIT_ADD(emitter, graphs, &emitter->graphs[id]);
    *kept = item;
}

static void emit_tables_add_group(struct emitter *emitter, const struct plan_group *group,
                                  const uint32_t *operators)
{
    const char *kernels = group_kernels(emitter->plan, group);
    struct program_group item = {
        .name = text(emitter, group->name),
        .type = text(emitter, view_of(kernels != NULL ? kernels : group->type)),
        .reason = text(emitter, view_of(group->reason != NULL ? group->reason : "")),
        .engine = group->engine,
        .node_count = group->node_count,
    };
    for (uint32_t i = 0; i < group->node_count; i++)
        add_graphs_inside(emitter, group_node(emitter->plan, group, i));
    item.first_node = EMIT_COUNT(emitter, nodes);
    for (uint32_t i = 0; i < group->node_count; i++)
        emit_tables_add_node(emitter, group_node(emitter->plan, group, i),
                             operators[group->nodes[i]]);
    struct program_group *kept = EMIT_ADD(emitter, groups, NULL);
    *kept = item;
}

uint32_t emit_override(struct emitter *emitter, const struct plan_override *override)
{
    const struct program_attribute item = {
        .name = text(emitter, view_of(override->name)),
        .kind = ATTRIBUTE_INTEGERS,
        .count = override->count,
        .data = program_builder_constant(emitter->builder, override->integers,
                                         override->count * sizeof *override->integers),
    };
    uint32_t id;
    struct program_attribute *kept = EMIT_ADD(emitter, attributes, &id);
    *kept = item;
    return id;
}

void emit_tables(struct emitter *emitter)
{
    emit_tables_add_ports(emitter);
    uint32_t *operators = emit_tables_add_operators(emitter);
    for (uint32_t i = 0; i < emitter->plan->group_count; i++)
        emit_tables_add_group(emitter, &emitter->plan->groups[i], operators);
    free(operators);
}
