#include "group.h"

#include <stdlib.h>

#include "base/memory.h"

bool group_is_fixed(const struct network_value *value)
{
    return value_type_static(&value->type) && value->type.element != ELEMENT_TEXT &&
           !value->declared;
}

bool group_is_static(const struct plan *plan, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != NETWORK_NONE &&
                !group_is_fixed(group_value(plan, node->inputs[j])))
                return false;
        }
        for (uint32_t j = 0; j < node->output_count; j++) {
            if (node->outputs[j] != NETWORK_NONE &&
                !group_is_fixed(group_value(plan, node->outputs[j])))
                return false;
        }
    }
    return true;
}

bool group_is_local(const struct plan *plan, const struct plan_group *group)
{
    return plan->target->memories[plan->target->engines[group->engine].memory].local;
}

// A growing list of values without repetition.
struct value_list {
    uint32_t *items;
    size_t count;
    size_t capacity;
};

static bool list_has(const struct value_list *list, uint32_t value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == value)
            return true;
    }
    return false;
}

static void list_add(struct value_list *list, uint32_t value)
{
    if (value == NETWORK_NONE || list_has(list, value))
        return;
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = value;
}

static uint32_t *list_keep(struct plan *plan, struct value_list *list, uint32_t *out_count)
{
    uint32_t *kept = arena_allocate(&plan->arena, (list->count + 1) * sizeof *kept);
    if (list->count > 0)
        memcpy(kept, list->items, list->count * sizeof *kept);
    *out_count = (uint32_t)list->count;
    free(list->items);
    return kept;
}

static uint32_t readers_inside(const struct plan *plan, const struct plan_group *group,
                               uint32_t value)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t j = 0; j < node->input_count; j++)
            count += node->inputs[j] == value;
    }
    return count;
}

// Whether a value is made inside this graph, or inside one that it holds.
static bool is_made_inside(const struct plan *plan, uint32_t graph, uint32_t value)
{
    const struct network_graph *inner = network_graph(plan->network, graph);
    const uint32_t maker = group_value(plan, value)->producer;
    if (maker != NETWORK_NONE)
        return network_node(plan->network, maker)->graph != 0;
    for (uint32_t i = 0; i < inner->input_count; i++) {
        if (inner->inputs[i] == value)
            return true;
    }
    return false;
}

// Values from outside that the graphs of a node read.
static void list_captured(const struct plan *plan, const struct network_node *node,
                          struct value_list *list);

static void list_captured_by(const struct plan *plan, uint32_t graph, struct value_list *list)
{
    const struct network_graph *inner = network_graph(plan->network, graph);
    struct value_list read = {0};
    for (uint32_t i = 0; i < inner->node_count; i++) {
        const struct network_node *node = network_node(plan->network, inner->nodes[i]);
        for (uint32_t j = 0; j < node->input_count; j++)
            list_add(&read, node->inputs[j]);
        list_captured(plan, node, &read);
    }
    for (uint32_t i = 0; i < inner->output_count; i++)
        list_add(&read, inner->outputs[i]);
    for (size_t i = 0; i < read.count; i++) {
        if (!is_made_inside(plan, graph, read.items[i]))
            list_add(list, read.items[i]);
    }
    free(read.items);
}

static void list_captured(const struct plan *plan, const struct network_node *node,
                          struct value_list *list)
{
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        if (node->attributes.items[i].kind == ATTRIBUTE_GRAPH)
            list_captured_by(plan, node->attributes.items[i].graph, list);
    }
}

void group_connect(struct plan *plan, struct plan_group *group, const uint32_t *readers)
{
    struct value_list inner = {0};
    struct value_list inputs = {0};
    struct value_list outputs = {0};
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (!list_has(&inner, node->inputs[j]))
                list_add(&inputs, node->inputs[j]);
        }
        list_captured(plan, node, &inputs);
        for (uint32_t j = 0; j < node->output_count; j++)
            list_add(&inner, node->outputs[j]);
    }
    for (size_t i = 0; i < inner.count; i++) {
        const uint32_t value = inner.items[i];
        if (readers[value] > readers_inside(plan, group, value))
            list_add(&outputs, value);
    }
    group->inputs = list_keep(plan, &inputs, &group->input_count);
    group->outputs = list_keep(plan, &outputs, &group->output_count);
    free(inner.items);
}

static void count_inside(const struct network *network, uint32_t graph, uint32_t *readers)
{
    const struct network_graph *inner = network_graph(network, graph);
    for (uint32_t i = 0; i < inner->output_count; i++)
        readers[inner->outputs[i]] += 2; // read from inside counts as more than one
    for (uint32_t i = 0; i < inner->node_count; i++) {
        const struct network_node *node = network_node(network, inner->nodes[i]);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != NETWORK_NONE)
                readers[node->inputs[j]] += 2;
        }
    }
}

uint32_t *group_count_readers(const struct network *network)
{
    uint32_t *readers = memory_allocate_zeroed((size_t)network->values.count + 1, sizeof *readers);
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j] != NETWORK_NONE)
                readers[node->inputs[j]]++;
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++)
        readers[graph->outputs[i]]++;
    for (uint32_t i = 1; i < network->graphs.count; i++)
        count_inside(network, i, readers);
    return readers;
}

// The cost of work ----------------------------------------------------------------

static bool is_depthwise(const struct plan *plan, const struct network_node *node)
{
    if (view_is(node->type, "tosa.depthwise_conv2d"))
        return true;
    const int64_t groups = attribute_integer(node->attributes, "group", 1);
    const struct shape *shape = &group_value(plan, node->inputs[0])->type.shape;
    return groups > 1 && shape->rank > 1 && groups == shape->dims[1];
}

static enum cost_kind kind_of(const struct plan *plan, const struct network_node *node)
{
    switch (node->definition->class) {
    case OPERATOR_CONVOLUTION:
        return is_depthwise(plan, node) ? COST_DEPTHWISE : COST_CONVOLUTION;
    case OPERATOR_MATMUL:
        return COST_MATMUL;
    case OPERATOR_POOLING:
        return COST_POOLING;
    case OPERATOR_REDUCTION:
    case OPERATOR_NORMALIZATION:
        return COST_REDUCTION;
    case OPERATOR_RECURRENT:
        return COST_RECURRENT;
    case OPERATOR_ELEMENTWISE:
        return view_is(node->type, "tosa.table") ? COST_TABLE : COST_ELEMENTWISE;
    case OPERATOR_MOVEMENT:
    case OPERATOR_VIEW:
    case OPERATOR_CONSTANT:
        return COST_MOVEMENT;
    default:
        return COST_OTHER;
    }
}

// How much a kind of work matters in a fused group.
static int weight_of(enum cost_kind kind)
{
    static const int WEIGHTS[COST_KINDS] = {
        [COST_CONVOLUTION] = 9, [COST_DEPTHWISE] = 9, [COST_RECURRENT] = 9, [COST_MATMUL] = 8,
        [COST_OTHER] = 6,       [COST_POOLING] = 5,   [COST_REDUCTION] = 4, [COST_TABLE] = 3,
        [COST_ELEMENTWISE] = 2, [COST_MOVEMENT] = 1,
    };
    return WEIGHTS[kind];
}

uint32_t group_main(const struct plan *plan, const struct plan_group *group)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < group->node_count; i++) {
        if (weight_of(kind_of(plan, group_node(plan, group, i))) >
            weight_of(kind_of(plan, group_node(plan, group, best))))
            best = i;
    }
    return best;
}

static uint64_t box_elements(const struct plan_box *box)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < box->rank; i++)
        count *= (uint64_t)box->size[i];
    return count;
}

// The first output of a node that is not left out.
static uint32_t first_output(const struct network_node *node)
{
    uint32_t i = 0;
    while (i + 1 < node->output_count && node->outputs[i] == NETWORK_NONE)
        i++;
    return i;
}

static const struct network_value *result_of(const struct plan *plan,
                                             const struct network_node *node)
{
    return group_value(plan, node->outputs[first_output(node)]);
}

// What node `index` of the group gives of this tile.
static const struct plan_box *output_box(const struct plan *plan, const struct plan_group *group,
                                         const struct plan_tile *tile, uint32_t index)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < index; i++)
        at += group_node(plan, group, i)->output_count;
    return &tile->inner[at + first_output(group_node(plan, group, index))];
}

// What an input is made of: an integer that the group scales back for the node
// stays an integer to the engine.
static enum element element_of(const struct plan *plan, const struct network_node *node,
                               uint32_t input)
{
    if (input >= node->input_count || node->inputs[input] == NETWORK_NONE)
        return ELEMENT_NONE;
    const struct network_value *value = group_value(plan, node->inputs[input]);
    if (value->producer == NETWORK_NONE)
        return value->type.element;
    const struct network_node *maker = network_node(plan->network, value->producer);
    return view_is(maker->type, "DequantizeLinear")
               ? group_value(plan, maker->inputs[0])->type.element
               : value->type.element;
}

static uint64_t tile_bytes(const struct plan *plan, const struct plan_group *group,
                           const struct plan_tile *tile)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < group->input_count; i++)
        bytes +=
            plan_box_bytes(&tile->inputs[i], group_value(plan, group->inputs[i])->type.element);
    for (uint32_t i = 0; i < group->output_count; i++)
        bytes +=
            plan_box_bytes(&tile->outputs[i], group_value(plan, group->outputs[i])->type.element);
    return bytes;
}

// The dimension of the output that weights go along.
static uint32_t channel_axis(const struct network_node *node, uint32_t rank)
{
    const bool channels_first =
        node->definition->class == OPERATOR_CONVOLUTION && !view_starts_with(node->type, "tosa.");
    return channels_first && rank > 1 ? 1 : rank - 1;
}

static uint64_t elements_of(const struct network_value *value)
{
    return shape_count(&value->type.shape);
}

static void count_products(struct cost_request *request, const struct plan *plan,
                           const struct network_node *node, const struct plan_box *box)
{
    const uint64_t elements = box_elements(box);
    const uint64_t all = elements_of(result_of(plan, node));
    request->channels = box->rank > 0 ? (uint64_t)box->size[channel_axis(node, box->rank)] : 1;
    request->outputs = request->channels > 0 ? elements / request->channels : 0;
    request->inner = all > 0 ? node->work.macs / all : 0;
    request->macs = elements * request->inner;
}

static void count_reads(struct cost_request *request, const struct plan *plan,
                        const struct network_node *node, const struct plan_box *box)
{
    const uint64_t read =
        node->input_count > 0 ? elements_of(group_value(plan, node->inputs[0])) : 0;
    const uint64_t given = elements_of(result_of(plan, node));
    request->outputs = box_elements(box);
    request->inner = given > 0 ? (read + given - 1) / given : 0;
}

struct cost_request group_cost(const struct plan *plan, const struct plan_group *group,
                               const struct plan_tile *tile)
{
    const uint32_t index = group_main(plan, group);
    const struct network_node *node = group_node(plan, group, index);
    const struct plan_box *box = output_box(plan, group, tile, index);
    const enum element input = element_of(plan, node, 0);
    struct cost_request request = {
        .kind = kind_of(plan, node),
        .input_bits = (uint16_t)element_bits(input),
        .weight_bits = (uint16_t)element_bits(element_of(plan, node, 1)),
        .output_bits = (uint16_t)element_bits(result_of(plan, node)->type.element),
        .is_float = element_is_float(input),
        .groups = 1,
        .bytes = tile_bytes(plan, group, tile),
    };
    switch ((enum cost_kind)request.kind) {
    case COST_CONVOLUTION:
    case COST_DEPTHWISE:
    case COST_MATMUL:
    case COST_RECURRENT:
        count_products(&request, plan, node, box);
        break;
    case COST_POOLING:
    case COST_REDUCTION:
        count_reads(&request, plan, node, box);
        break;
    default:
        request.outputs = box_elements(box);
        request.inner = group->node_count;
        break;
    }
    return request;
}
