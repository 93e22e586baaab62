#include "ports.h"

#include "operators.h"

enum { CAST_VERSION = 21 };

static struct attributes ports_cast_attributes(struct network *network, enum element to)
{
    if (network->dialect == NETWORK_TOSA)
        return (struct attributes){0};
    struct attribute *attribute = arena_allocate(&network->arena, sizeof *attribute);
    *attribute = (struct attribute){
        .name = VIEW_LITERAL("to"), .kind = ATTRIBUTE_INTEGER, .integer = to, .count = 1};
    return (struct attributes){attribute, 1};
}

// A constant of one number.
static uint32_t ports_add_constant(struct network *network, struct view name, enum element element,
                                   double number)
{
    struct constant *constant = arena_allocate(&network->arena, sizeof *constant);
    const struct shape scalar = {0};
    *constant =
        (struct constant){.tensor = {element, scalar, NULL}, .bytes = element_size(element)};
    constant->tensor.data = arena_allocate(&network->arena, sizeof(float));
    if (element == ELEMENT_F32)
        *(float *)constant->tensor.data = (float)number;
    else
        *(int8_t *)constant->tensor.data = (int8_t)(int64_t)number;
    const uint32_t id = network_value_add(network, name);
    struct network_value *value = network_value(network, id);
    value->type = value_type_tensor(element, &scalar);
    value->constant = constant;
    value->producer = NETWORK_NONE;
    return id;
}

// What a node between a port and the network is: a cast, or what scales integers.
struct port_node {
    struct view type, domain;
    uint32_t *inputs; // with room for all
    uint32_t input_count;
    struct attributes attributes;
};

static struct port_node ports_node(struct network *network, const struct network_port *port,
                                   bool input, uint32_t from, uint32_t to)
{
    const bool tosa = network->dialect == NETWORK_TOSA;
    struct port_node node = {.type = tosa ? VIEW_LITERAL("tosa.cast") : VIEW_LITERAL("Cast"),
                             .domain = tosa ? VIEW_LITERAL("tosa") : VIEW_LITERAL(""),
                             .inputs = arena_allocate(&network->arena, 3 * sizeof(uint32_t)),
                             .input_count = 1};
    node.inputs[0] = from;
    if (port->scale == 0) {
        node.attributes = ports_cast_attributes(network, network_value(network, to)->type.element);
        return node;
    }
    node.type = input ? VIEW_LITERAL("DequantizeLinear") : VIEW_LITERAL("QuantizeLinear");
    node.input_count = 3;
    node.inputs[1] = ports_add_constant(
        network, arena_print(&network->arena, "%.*s.scale", VIEW_ARGUMENTS(port->name)),
        ELEMENT_F32, port->scale);
    node.inputs[2] = ports_add_constant(
        network, arena_print(&network->arena, "%.*s.offset", VIEW_ARGUMENTS(port->name)),
        port->element, (double)port->offset);
    return node;
}

static uint32_t ports_add_node(struct network *network, const struct network_port *port, bool input,
                               uint32_t from, uint32_t to)
{
    const struct port_node made = ports_node(network, port, input, from, to);
    uint32_t *output = arena_allocate(&network->arena, sizeof *output);
    *output = to;
    const uint32_t id = network_node_add(network, 0);
    *network_node(network, id) = (struct network_node){
        .definition = operator_find(made.domain, made.type),
        .version = CAST_VERSION,
        .index = network_graph(network, 0)->node_count,
        .name = network_value(network, to)->name,
        .type = made.type,
        .domain = made.domain,
        .inputs = made.inputs,
        .outputs = output,
        .input_count = made.input_count,
        .output_count = 1,
        .attributes = made.attributes,
    };
    network_value(network, to)->producer = id;
    return id;
}

// Before all others, or after them.
static void enter_node(struct network *network, uint32_t node, bool first)
{
    struct network_graph *graph = network_graph(network, 0);
    uint32_t *nodes =
        arena_allocate(&network->arena, ((size_t)graph->node_count + 1) * sizeof *nodes);
    if (graph->node_count > 0)
        memcpy(nodes + (first ? 1 : 0), graph->nodes, graph->node_count * sizeof *nodes);
    nodes[first ? 0 : graph->node_count] = node;
    graph->nodes = nodes;
    graph->node_count++;
}

// A value in the place of `id` at the border of the network: it takes over its name.
static uint32_t put_before(struct network *network, uint32_t id, enum element element)
{
    const struct view name = network_value(network, id)->name;
    const uint32_t port = network_value_add(network, name);
    struct network_value *value = network_value(network, port);
    struct network_value *inner = network_value(network, id);
    value->type = inner->type;
    value->type.element = element;
    value->declared = inner->declared;
    value->symbols = inner->symbols;
    value->producer = NETWORK_NONE;
    inner->name = arena_print(&network->arena, "%.*s.%s", VIEW_ARGUMENTS(name),
                              element_name(inner->type.element));
    return port;
}

static status ports_check_scale(const struct network *network, const struct network_port *port,
                                const struct network_value *value)
{
    if (port->scale == 0 ||
        (network->dialect == NETWORK_ONNX && value->type.element == ELEMENT_F32))
        return STATUS_OK;
    return status_make(STATUS_UNSUPPORTED, "'%.*s' is %s: only f32 of ONNX is scaled to %s",
                       VIEW_ARGUMENTS(port->name), element_name(value->type.element),
                       element_name(port->element));
}

// The places of a list that hold a value of that name are given another element.
static status ports_cast(struct network *network, bool input, const struct network_port *port,
                         bool *found)
{
    const uint32_t count =
        input ? network_graph(network, 0)->input_count : network_graph(network, 0)->output_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct network_graph *graph = network_graph(network, 0);
        uint32_t *place = input ? &graph->inputs[i] : &graph->outputs[i];
        const struct network_value *value = network_value(network, *place);
        if (!view_equal(value->name, port->name))
            continue;
        *found = true;
        if (value->type.kind != VALUE_TENSOR || value->constant != NULL)
            return status_make(STATUS_USAGE, "'%.*s' is no tensor that is handed in or out",
                               VIEW_ARGUMENTS(port->name));
        if (value->type.element == port->element)
            return STATUS_OK;
        STATUS_TRY(ports_check_scale(network, port, value));
        const uint32_t inner = *place;
        *place = put_before(network, inner, port->element);
        enter_node(network,
                   input ? ports_add_node(network, port, true, *place, inner)
                         : ports_add_node(network, port, false, inner, *place),
                   input);
        return STATUS_OK;
    }
    return STATUS_OK;
}

status network_cast_ports(struct network *network, const struct network_port *ports, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        STATUS_TRY(ports_cast(network, true, &ports[i], &found));
        if (!found)
            STATUS_TRY(ports_cast(network, false, &ports[i], &found));
        if (!found)
            return status_make(STATUS_USAGE, "no input or output is called '%.*s'",
                               VIEW_ARGUMENTS(ports[i].name));
    }
    return count > 0 ? network_infer(network) : STATUS_OK;
}
