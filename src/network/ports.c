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

static uint32_t ports_add_cast(struct network *network, uint32_t from, uint32_t to)
{
    const bool tosa = network->dialect == NETWORK_TOSA;
    const struct view type = tosa ? VIEW_LITERAL("tosa.cast") : VIEW_LITERAL("Cast");
    const struct view domain = tosa ? VIEW_LITERAL("tosa") : VIEW_LITERAL("");
    const enum element element = network_value(network, to)->type.element;
    uint32_t *ends = arena_allocate(&network->arena, 2 * sizeof *ends);
    ends[0] = from;
    ends[1] = to;
    const uint32_t id = network_node_add(network, 0);
    *network_node(network, id) = (struct network_node){
        .definition = operator_find(domain, type),
        .version = CAST_VERSION,
        .index = network_graph(network, 0)->node_count,
        .name = network_value(network, to)->name,
        .type = type,
        .domain = domain,
        .inputs = &ends[0],
        .outputs = &ends[1],
        .input_count = 1,
        .output_count = 1,
        .attributes = ports_cast_attributes(network, element),
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
        const uint32_t inner = *place;
        *place = put_before(network, inner, port->element);
        enter_node(network,
                   input ? ports_add_cast(network, *place, inner)
                         : ports_add_cast(network, inner, *place),
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
