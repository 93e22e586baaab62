#include "group.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "program/node_cost.h"

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

static bool is_output(const struct network *network, uint32_t value)
{
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i] == value)
            return true;
    }
    return false;
}

bool group_is_alias(const struct plan *plan, const struct plan_group *group)
{
    // Processors have a kernel for it, which copies.
    if (group->node_count != 1 || group->output_count != 1 || target_is_processor(plan->target) ||
        !group_is_static(plan, group))
        return false;
    const struct network_node *node = group_node(plan, group, 0);
    const struct network_value *from = group_value(plan, node->inputs[0]);
    const struct network_value *to = group_value(plan, node->outputs[0]);
    return node->definition->class == OPERATOR_VIEW && from->constant == NULL &&
           from->type.element == to->type.element && node->outputs[0] == group->outputs[0] &&
           shape_count(&from->type.shape) == shape_count(&to->type.shape) &&
           !is_output(plan->network, node->outputs[0]);
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

static void group_list_add(struct value_list *list, uint32_t value)
{
    if (value == NETWORK_NONE || list_has(list, value))
        return;
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = value;
}

static uint32_t *group_list_keep(struct plan *plan, struct value_list *list, uint32_t *out_count)
{
    uint32_t *kept = arena_allocate(&plan->arena, (list->count + 1) * sizeof *kept);
    if (list->count > 0)
        memcpy(kept, list->items, list->count * sizeof *kept);
    *out_count = (uint32_t)list->count;
    free(list->items);
    return kept;
}

static uint32_t group_readers_inside(const struct plan *plan, const struct plan_group *group,
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
            group_list_add(&read, node->inputs[j]);
        list_captured(plan, node, &read);
    }
    for (uint32_t i = 0; i < inner->output_count; i++)
        group_list_add(&read, inner->outputs[i]);
    for (size_t i = 0; i < read.count; i++) {
        if (!is_made_inside(plan, graph, read.items[i]))
            group_list_add(list, read.items[i]);
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
                group_list_add(&inputs, node->inputs[j]);
        }
        list_captured(plan, node, &inputs);
        for (uint32_t j = 0; j < node->output_count; j++)
            group_list_add(&inner, node->outputs[j]);
    }
    for (size_t i = 0; i < inner.count; i++) {
        const uint32_t value = inner.items[i];
        if (readers[value] > group_readers_inside(plan, group, value))
            group_list_add(&outputs, value);
    }
    group->inputs = group_list_keep(plan, &inputs, &group->input_count);
    group->outputs = group_list_keep(plan, &outputs, &group->output_count);
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
        if (weight_of(node_cost_kind(plan->network, group_node(plan, group, i))) >
            weight_of(node_cost_kind(plan->network, group_node(plan, group, best))))
            best = i;
    }
    return best;
}

// What node `index` of the group gives of this tile.
static const struct plan_box *output_box(const struct plan *plan, const struct plan_group *group,
                                         const struct plan_tile *tile, uint32_t index)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < index; i++)
        at += group_node(plan, group, i)->output_count;
    return &tile->inner[at + node_cost_output(group_node(plan, group, index))];
}

static struct shape group_shape_of(const struct plan_box *box)
{
    struct shape shape = {.rank = box->rank};
    memcpy(shape.dims, box->size, box->rank * sizeof *shape.dims);
    return shape;
}

// What an input is made of: an integer that the group scales back for the node
// stays an integer to the engine.
static enum element group_element_of(const struct plan *plan, const struct network_node *node,
                                     uint32_t input)
{
    if (input >= node->input_count || node->inputs[input] == NETWORK_NONE)
        return ELEMENT_NONE;
    const struct network_value *value = group_value(plan, node->inputs[input]);
    if (value->producer == NETWORK_NONE)
        return value->type.element;
    const struct network_node *maker = network_node(plan->network, value->producer);
    return maker->definition->scaling == SCALES_BACK
               ? group_value(plan, maker->inputs[0])->type.element
               : value->type.element;
}

static uint64_t tile_bytes(const struct plan *plan, const struct plan_group *group,
                           const struct plan_tile *tile)
{
    static const struct target_engine NONE = {.tile = {1, 1}};
    const struct target_engine *engine =
        group->engine != TARGET_NONE ? &plan->target->engines[group->engine] : &NONE;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < group->input_count; i++)
        bytes += plan_box_stored(plan, engine, group->inputs[i], &tile->inputs[i]);
    for (uint32_t i = 0; i < group->output_count; i++)
        bytes += plan_box_stored(plan, engine, group->outputs[i], &tile->outputs[i]);
    return bytes;
}

// Whether the main node is a convolution and the next one clips its result: that takes no
// time of its own.
static bool is_clipped(const struct plan *plan, const struct plan_group *group, uint32_t main)
{
    if (main + 1 == group->node_count ||
        group_node(plan, group, main)->definition->function != COMPUTES_CONVOLUTION)
        return false;
    const enum operator_function next = group_node(plan, group, main + 1)->definition->function;
    return next == COMPUTES_RELU || next == COMPUTES_CLIP;
}

// What the elementwise nodes of a group do besides its main node.
static uint64_t fused_steps(const struct plan *plan, const struct plan_group *group,
                            const struct plan_tile *tile, uint32_t main)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        const struct shape output = group_shape_of(output_box(plan, group, tile, i));
        const uint64_t each = node->definition->flops > 0 ? node->definition->flops : 1;
        if (i != main && !(i == main + 1 && is_clipped(plan, group, main)))
            steps += shape_count(&output) * each;
    }
    return steps;
}

// Whether a node of a group takes no time of its own: it scales or clips what the main node
// computes, or what goes into that, or adds a bias to products.
static bool is_absorbed(const struct plan *plan, const struct plan_group *group, uint32_t index,
                        uint32_t main)
{
    const struct network_node *node = group_node(plan, group, index);
    const struct network_node *leader = group_node(plan, group, main);
    const bool products = leader->definition->class == OPERATOR_CONVOLUTION ||
                          leader->definition->class == OPERATOR_MATMUL;
    if (index == main || node->definition->sort == SORT_SCALE ||
        node->definition->sort == SORT_CLIP)
        return true;
    return products && node->definition->sort == SORT_SUM && node->input_count > 1 &&
           (group_value(plan, node->inputs[0])->constant != NULL ||
            group_value(plan, node->inputs[1])->constant != NULL);
}

// The steps of nodes of a group that take time besides its main node.
static uint64_t further_steps(const struct plan *plan, const struct plan_group *group,
                              const struct plan_tile *tile, uint32_t main)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct shape output = group_shape_of(output_box(plan, group, tile, i));
        steps += is_absorbed(plan, group, i, main) ? 0 : shape_count(&output);
    }
    return steps;
}

// The heaviest node that does more than to scale or clip; if there is none, one that clips.
static uint32_t working_main(const struct plan *plan, const struct plan_group *group)
{
    uint32_t best = 0;
    int most = -1;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        const enum operator_sort sort = node->definition->sort;
        const int weight = sort == SORT_SCALE  ? 0
                           : sort == SORT_CLIP ? 1
                                               : 2 + weight_of(node_cost_kind(plan->network, node));
        if (weight > most) {
            best = i;
            most = weight;
        }
    }
    return best;
}

// The node that scales an input of another one; NULL. What scales an integer back may stand in
// any group, other things that scale in this one.
static const struct network_node *scaler_of(const struct plan *plan, const struct plan_group *group,
                                            const struct network_node *node, uint32_t input)
{
    if (input >= node->input_count || node->inputs[input] == NETWORK_NONE)
        return NULL;
    const uint32_t id = group_value(plan, node->inputs[input])->producer;
    if (id == NETWORK_NONE || network_node(plan->network, id)->definition->sort != SORT_SCALE)
        return NULL;
    const struct network_node *maker = network_node(plan->network, id);
    bool inside = maker->definition->scaling == SCALES_BACK;
    for (uint32_t i = 0; i < group->node_count; i++)
        inside = inside || group_node(plan, group, i) == maker;
    return inside ? maker : NULL;
}

// The work of a node where what scales its inputs is part of its kernel, and may be given when
// it is compiled.
static struct cost_request kernel_cost(const struct plan *plan, const struct plan_group *group,
                                       const struct network_node *node, const struct shape *output)
{
    struct cost_request request = node_cost(plan->network, node, output);
    const struct network_value *result = group_value(plan, node->outputs[node_cost_output(node)]);
    const struct network_node *data = scaler_of(plan, group, node, 0);
    const struct network_node *weights = scaler_of(plan, group, node, 1);
    // How operands lie to one another is seen from all of them, not from a tile.
    if (request.kind == COST_ELEMENTWISE)
        request.variant = node_cost(plan->network, node, &result->type.shape).variant;
    if (data != NULL) {
        const enum element element = group_element_of(plan, data, 0);
        request.input_bits = (uint16_t)element_bits(element);
        request.is_float = element_is_float(element);
    }
    if (weights != NULL) {
        request.weight_bits = (uint16_t)element_bits(group_element_of(plan, weights, 0));
        if (request.variant == COST_FREE && group_value(plan, weights->inputs[0])->constant != NULL)
            request.variant = COST_PLAIN;
    }
    return request;
}

// Whether a processor chooses among integers, or moves them, though the network scales them
// to reals and back around it.
static bool stays_integer(const struct plan *plan, const struct plan_group *group, uint32_t main)
{
    const struct network_node *node = group_node(plan, group, main);
    const struct network_node *last = group_node(plan, group, group->node_count - 1);
    const enum operator_function function = node->definition->function;
    return (function == COMPUTES_MAX_POOL || function == COMPUTES_CONCAT) &&
           last->definition->scaling == SCALES_TO_INTEGER &&
           group_element_of(plan, node, 0) != ELEMENT_F32;
}

// The same of the main node: it gives what the group gives.
static struct cost_request main_cost(const struct plan *plan, const struct plan_group *group,
                                     uint32_t main, const struct shape *output)
{
    struct cost_request request = kernel_cost(plan, group, group_node(plan, group, main), output);
    if (group->output_count == 1)
        request.output_bits =
            (uint16_t)element_bits(group_value(plan, group->outputs[0])->type.element);
    return request;
}

// Of an engine whose kernels have names: one of them, and what further ones do.
static struct cost_request group_kernel_cost(const struct plan *plan,
                                             const struct plan_group *group,
                                             const struct plan_tile *tile)
{
    const uint32_t index = working_main(plan, group);
    const struct shape output = group_shape_of(output_box(plan, group, tile, index));
    struct cost_request request = main_cost(plan, group, index, &output);
    request.bytes = tile_bytes(plan, group, tile);
    request.cycles = further_steps(plan, group, tile, index);
    if (group->node_count > 1)
        request.function = 0;
    return request;
}

struct cost_request group_cost(const struct plan *plan, const struct plan_group *group,
                               const struct plan_tile *tile)
{
    if (group->engine != TARGET_NONE && cost_names_kernels(plan->target, group->engine))
        return group_kernel_cost(plan, group, tile);
    const uint32_t index = group_main(plan, group);
    const struct network_node *node = group_node(plan, group, index);
    const struct shape output = group_shape_of(output_box(plan, group, tile, index));
    struct cost_request request = node_cost(plan->network, node, &output);
    const enum element input = group_element_of(plan, node, 0);
    request.input_bits = (uint16_t)element_bits(input);
    request.weight_bits = (uint16_t)element_bits(group_element_of(plan, node, 1));
    request.is_float = element_is_float(input);
    if (group->node_count > 1)
        request.function = 0;
    // A processor's kernels read what they need: the sizes of parameters count too.
    if (target_is_processor(plan->target)) {
        request = node_cost(plan->network, node, &output);
        request.cycles = fused_steps(plan, group, tile, index);
        if (stays_integer(plan, group, index)) {
            request.input_bits = (uint16_t)element_bits(input);
            request.output_bits = request.input_bits;
            request.is_float = 0;
            request.bytes /= sizeof(float);
            request.cycles = request.kind == COST_POOLING ? 0 : request.cycles;
        }
        return request;
    }
    request.bytes = tile_bytes(plan, group, tile);
    switch ((enum cost_kind)request.kind) {
    case COST_ELEMENTWISE:
    case COST_TABLE:
    case COST_MOVEMENT:
    case COST_OTHER:
        request.inner = group->node_count;
        break;
    default:
        break;
    }
    return request;
}

struct cost_request group_kernel(const struct plan *plan, const struct plan_group *group)
{
    const uint32_t main = working_main(plan, group);
    const struct network_node *node = group_node(plan, group, main);
    const struct value_type *type = &group_value(plan, node->outputs[node_cost_output(node)])->type;
    return main_cost(plan, group, main, &type->shape);
}

const char *group_kernels(struct plan *plan, const struct plan_group *group)
{
    struct bytes names = {0};
    const char *before = "";
    if (group->engine == TARGET_NONE || !cost_names_kernels(plan->target, group->engine) ||
        !group_is_static(plan, group) || group_is_alias(plan, group))
        return NULL;
    const uint32_t main = working_main(plan, group);
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        if (i != main && is_absorbed(plan, group, i, main))
            continue;
        const struct value_type *type =
            &group_value(plan, node->outputs[node_cost_output(node)])->type;
        const struct cost_request request = i == main
                                                ? main_cost(plan, group, i, &type->shape)
                                                : kernel_cost(plan, group, node, &type->shape);
        const char *name = cost_kernel(plan->target, group->engine, &request);
        if (strcmp(name, before) != 0)
            bytes_append_format(&names, "%s%s", names.size > 0 ? "_" : "", name);
        before = name;
    }
    const char *kept =
        names.size > 0 ? plan_text(plan, "%.*s", VIEW_ARGUMENTS(bytes_view(&names))) : NULL;
    bytes_free(&names);
    return kept;
}
