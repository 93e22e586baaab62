// Puts nodes together that run as one piece of work.
//
// A group whose only result is read by one node, and by nothing else, joins that
// node's group when the result has the shape of what the node gives: then it need
// not go through memory. At most one node of a group is more than elementwise.
// Since nothing else reads the result, joining never makes a circle.

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"
#include "fuse_processor.h"
#include "group.h"
#include "patterns.h"
#include "place.h"

enum { FUSE_NODES_MOST = 24 };

struct fuser {
    struct plan *plan;
    uint32_t *readers;   // by value: nodes that read it, and outputs of the graph
    uint32_t *group;     // by node: the first node of its group, which stands for it
    uint32_t *next;      // by node: the next one of its group; NETWORK_NONE
    uint32_t *last;      // by first node: the last of its group
    uint32_t *size;      // by first node: how many
    bool *heavy;         // by first node: some node is more than elementwise
    uint32_t *position;  // by node: its place in the graph
    bool *sealed;        // by first node: a known pattern, to which nothing is added
    uint32_t *classes;   // by first node: a bit for each class of operators in its group
    uint32_t *abilities; // by engine: the classes that it takes
};

static uint32_t *find_abilities(const struct target *target)
{
    uint32_t *abilities =
        memory_allocate_zeroed((size_t)target->engine_count + 1, sizeof *abilities);
    for (uint32_t i = 0; i < target->engine_count; i++) {
        for (int class = 0; class < OPERATOR_CLASSES; class ++) {
            const char *name = operator_class_name((enum operator_class) class);
            if (target_computes(target, i) && target_takes(target, i, name, NULL))
                abilities[i] |= UINT32_C(1) << class;
        }
    }
    return abilities;
}

static bool fuse_is_taken(const struct fuser *fuser, uint32_t classes)
{
    for (uint32_t i = 0; i < fuser->plan->target->engine_count; i++) {
        if ((fuser->abilities[i] & classes) == classes)
            return true;
    }
    return false;
}

// Whether one engine can do both; what none can is done by the host, all together.
static bool fit_together(const struct fuser *fuser, uint32_t a, uint32_t b)
{
    return fuse_is_taken(fuser, a | b) || (!fuse_is_taken(fuser, a) && !fuse_is_taken(fuser, b));
}

static bool is_light(const struct network_node *node)
{
    return node->definition->class == OPERATOR_ELEMENTWISE && !node->definition->random &&
           node->output_count == 1;
}

static bool may_be_heavy(const struct network_node *node)
{
    switch (node->definition->class) {
    case OPERATOR_CONVOLUTION:
    case OPERATOR_MATMUL:
    case OPERATOR_POOLING:
    case OPERATOR_MOVEMENT:
        return node->output_count == 1;
    default:
        return false;
    }
}

static bool fuse_same_shape(const struct network *network, uint32_t a, uint32_t b)
{
    const struct value_type *left = &network_value(network, a)->type;
    const struct value_type *right = &network_value(network, b)->type;
    return value_type_static(left) && value_type_static(right) &&
           shape_equal(&left->shape, &right->shape);
}

// Whether a reader takes a value straight from the engine that computes it: an
// elementwise one takes what has its shape; a convolution or product takes
// integers that are scaled back for it.
static bool takes(const struct fuser *fuser, const struct network_node *reader,
                  const struct network_node *maker, uint32_t value)
{
    const struct network *network = fuser->plan->network;
    // Integers that were made narrow for memory go there.
    if (maker->definition->scaling == SCALES_TO_INTEGER)
        return false;
    if (is_light(reader))
        return fuse_same_shape(network, value, reader->outputs[0]);
    return may_be_heavy(reader) && maker->definition->scaling == SCALES_BACK;
}

static void fuse_join_groups(struct fuser *fuser, uint32_t front, uint32_t back)
{
    fuser->next[fuser->last[front]] = back;
    fuser->last[front] = fuser->last[back];
    fuser->size[front] += fuser->size[back];
    fuser->heavy[front] = fuser->heavy[front] || fuser->heavy[back];
    fuser->classes[front] |= fuser->classes[back];
    for (uint32_t i = back; i != NETWORK_NONE; i = fuser->next[i])
        fuser->group[i] = front;
}

static bool fuse_node_reads(const struct network_node *node, uint32_t value)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == value)
            return true;
    }
    return false;
}

static bool any_reads(const struct network_node *const *nodes, const bool *chosen, bool choice,
                      uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (chosen[i] == choice && fuse_node_reads(nodes[i], value))
            return true;
    }
    return false;
}

// Whether what is more than elementwise, with what leads to it, reads a value that
// the others of both groups read as well. It needs another part of it for a tile
// than they do, so that together they could not be cut. Integers that are scaled
// back stay together all the same: alone they would be reals.
static bool reads_apart(const struct fuser *fuser, uint32_t front, uint32_t back)
{
    const struct network *network = fuser->plan->network;
    const struct network_node *nodes[FUSE_NODES_MOST];
    bool leads[FUSE_NODES_MOST] = {false};
    uint32_t count = 0;
    for (uint32_t i = front; i != NETWORK_NONE; i = fuser->next[i])
        nodes[count++] = network_node(network, i);
    for (uint32_t i = back; i != NETWORK_NONE; i = fuser->next[i])
        nodes[count++] = network_node(network, i);
    for (uint32_t i = count; i-- > 0;) {
        if (nodes[i]->definition->scaling == SCALES_BACK)
            return false;
        leads[i] =
            !is_light(nodes[i]) || any_reads(nodes, leads, true, count, nodes[i]->outputs[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; leads[i] && j < nodes[i]->input_count; j++) {
            const uint32_t value = nodes[i]->inputs[j];
            if (value != NETWORK_NONE && network_value(network, value)->constant == NULL &&
                any_reads(nodes, leads, false, count, value))
                return true;
        }
    }
    return false;
}

// The place in the target's file of the engine that would get these nodes as one group.
static uint32_t engine_of(const struct fuser *fuser, uint32_t *nodes, uint32_t count)
{
    struct plan_group group = {.nodes = nodes, .node_count = count};
    group_connect(fuser->plan, &group, fuser->readers);
    return group.output_count > 0 && group_is_static(fuser->plan, &group)
               ? place_find(fuser->plan, &group)
               : fuser->plan->target->engine_count;
}

// Whether joining takes what is more than elementwise away from the engine that is for it. What
// follows on another engine is a group of its own then, and the two may be a chain.
static bool takes_away(const struct fuser *fuser, uint32_t front, uint32_t back)
{
    uint32_t nodes[FUSE_NODES_MOST];
    uint32_t count = 0;
    for (uint32_t i = front; i != NETWORK_NONE; i = fuser->next[i])
        nodes[count++] = i;
    const uint32_t middle = count;
    for (uint32_t i = back; i != NETWORK_NONE; i = fuser->next[i])
        nodes[count++] = i;
    const uint32_t alone = fuser->heavy[front] ? engine_of(fuser, nodes, middle)
                                               : engine_of(fuser, nodes + middle, count - middle);
    return engine_of(fuser, nodes, count) > alone;
}

static void try_join(struct fuser *fuser, uint32_t reader, uint32_t value)
{
    const struct network *network = fuser->plan->network;
    if (value == NETWORK_NONE || fuser->readers[value] != 1)
        return;
    const uint32_t maker = network_value(network, value)->producer;
    if (maker == NETWORK_NONE || network_node(network, maker)->graph != 0)
        return;
    const uint32_t a = fuser->group[maker];
    const uint32_t b = fuser->group[reader];
    if (a == NETWORK_NONE || a == b || fuser->sealed[a] || fuser->sealed[b] ||
        fuser->size[a] + fuser->size[b] > FUSE_NODES_MOST || (fuser->heavy[a] && fuser->heavy[b]) ||
        !fit_together(fuser, fuser->classes[a], fuser->classes[b]) ||
        maker != fuser->last[a] || // something of the group is read elsewhere
        !takes(fuser, network_node(network, reader), network_node(network, maker), value) ||
        ((fuser->heavy[a] || fuser->heavy[b]) &&
         (reads_apart(fuser, a, b) || takes_away(fuser, a, b))))
        return;
    fuse_join_groups(fuser, a, b);
}

static void fuser_start(struct fuser *fuser, struct plan *plan)
{
    const size_t nodes = plan->network->nodes.count;
    *fuser = (struct fuser){.plan = plan, .readers = group_count_readers(plan->network)};
    fuser->group = memory_allocate((nodes + 1) * sizeof *fuser->group);
    fuser->next = memory_allocate((nodes + 1) * sizeof *fuser->next);
    fuser->last = memory_allocate((nodes + 1) * sizeof *fuser->last);
    fuser->size = memory_allocate_zeroed(nodes + 1, sizeof *fuser->size);
    fuser->heavy = memory_allocate_zeroed(nodes + 1, sizeof *fuser->heavy);
    fuser->sealed = memory_allocate_zeroed(nodes + 1, sizeof *fuser->sealed);
    fuser->position = memory_allocate_zeroed(nodes + 1, sizeof *fuser->position);
    fuser->classes = memory_allocate_zeroed(nodes + 1, sizeof *fuser->classes);
    fuser->abilities = find_abilities(plan->target);
    memset(fuser->group, 0xff, (nodes + 1) * sizeof *fuser->group);
    memset(fuser->next, 0xff, (nodes + 1) * sizeof *fuser->next);
}

static void fuser_free(struct fuser *fuser)
{
    free(fuser->readers);
    free(fuser->group);
    free(fuser->next);
    free(fuser->last);
    free(fuser->size);
    free(fuser->heavy);
    free(fuser->sealed);
    free(fuser->position);
    free(fuser->classes);
    free(fuser->abilities);
}

static void fuse_add_node(struct fuser *fuser, uint32_t id)
{
    const struct network_node *node = network_node(fuser->plan->network, id);
    fuser->group[id] = id;
    fuser->last[id] = id;
    fuser->size[id] = 1;
    fuser->heavy[id] = !is_light(node);
    fuser->sealed[id] = !is_light(node) && !may_be_heavy(node);
    fuser->classes[id] = UINT32_C(1) << node->definition->class;
}

static void sort_nodes(const struct fuser *fuser, struct pattern *pattern)
{
    for (uint32_t i = 1; i < pattern->count; i++) {
        const uint32_t node = pattern->nodes[i];
        uint32_t at = i;
        for (; at > 0 && fuser->position[pattern->nodes[at - 1]] > fuser->position[node]; at--)
            pattern->nodes[at] = pattern->nodes[at - 1];
        pattern->nodes[at] = node;
    }
}

static bool is_computed(const struct fuser *fuser, const struct network_node *node)
{
    const struct target *target = fuser->plan->target;
    const char *class = operator_class_name(node->definition->class);
    const char *element =
        element_name(network_value(fuser->plan->network, node->outputs[0])->type.element);
    for (uint32_t i = 0; i < target->engine_count; i++) {
        if (target_computes(target, i) && target_takes(target, i, class, element))
            return true;
    }
    return false;
}

static bool fuse_is_product(const struct network_node *node)
{
    return node->definition->class == OPERATOR_CONVOLUTION ||
           node->definition->class == OPERATOR_MATMUL;
}

// A pattern stays together on one engine, which is as good for its products as any, or where no
// engine computes any of it.
static bool fits_one_engine(const struct fuser *fuser, struct pattern *pattern)
{
    uint32_t classes = 0;
    bool any = false;
    const uint32_t engine = engine_of(fuser, pattern->nodes, pattern->count);
    for (uint32_t i = 0; i < pattern->count; i++) {
        const struct network_node *node = network_node(fuser->plan->network, pattern->nodes[i]);
        classes |= UINT32_C(1) << node->definition->class;
        any = any || is_computed(fuser, node);
        if (fuse_is_product(node) && engine_of(fuser, &pattern->nodes[i], 1) < engine)
            return false;
    }
    return !any || fuse_is_taken(fuser, classes);
}

static void seal_patterns(struct fuser *fuser, const char **names)
{
    const struct network *network = fuser->plan->network;
    const struct network_graph *graph = network_graph(network, 0);
    for (uint32_t i = graph->node_count; i-- > 0;) {
        struct pattern pattern;
        if (fuser->sealed[fuser->group[graph->nodes[i]]] ||
            !pattern_find(network, fuser->readers, graph->nodes[i], &pattern))
            continue;
        sort_nodes(fuser, &pattern);
        bool free_nodes = fits_one_engine(fuser, &pattern);
        for (uint32_t j = 0; j < pattern.count; j++)
            free_nodes = free_nodes && fuser->size[pattern.nodes[j]] == 1;
        for (uint32_t j = 1; free_nodes && j < pattern.count; j++)
            fuse_join_groups(fuser, pattern.nodes[0], pattern.nodes[j]);
        if (free_nodes) {
            fuser->sealed[pattern.nodes[0]] = true;
            names[pattern.nodes[0]] = pattern.name;
        }
    }
}

// "conv2d_rescale_clamp": the operators in order, without what stands in front of
// their names; a run of the same counts once.
static const char *group_type(struct plan *plan, const struct plan_group *group)
{
    char name[120] = "";
    size_t used = 0;
    struct view before = {0};
    for (uint32_t i = 0; i < group->node_count; i++) {
        struct view type = group_node(plan, group, i)->type;
        const size_t dot = view_find_last(type, '.');
        if (dot < type.size)
            type = view_slice(type, dot + 1, type.size);
        if (view_equal(type, before))
            continue;
        before = type;
        const int printed = snprintf(name + used, sizeof name - used, "%s%.*s", used > 0 ? "_" : "",
                                     VIEW_ARGUMENTS(type));
        if (printed < 0 || (size_t)printed >= sizeof name - used) {
            name[used] = '\0';
            break;
        }
        used += (size_t)printed;
    }
    return plan_text(plan, "%s", name);
}

static struct view fuse_group_name(const struct plan *plan, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        if (!is_light(node) && node->name.size > 0)
            return node->name;
    }
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        if (node->name.size > 0)
            return node->name;
    }
    const struct network_node *last = group_node(plan, group, group->node_count - 1);
    for (uint32_t i = 0; i < last->output_count; i++) {
        if (last->outputs[i] != NETWORK_NONE)
            return network_value(plan->network, last->outputs[i])->name;
    }
    return (struct view){"", 0};
}

static void fuse_add_group(struct fuser *fuser, uint32_t first, const char *pattern)
{
    struct plan *plan = fuser->plan;
    struct plan_group *group = &plan->groups[plan->group_count++];
    *group = (struct plan_group){0};
    group->nodes = arena_allocate(&plan->arena, fuser->size[first] * sizeof *group->nodes);
    for (uint32_t i = first; i != NETWORK_NONE; i = fuser->next[i])
        group->nodes[group->node_count++] = i;
    group->type = pattern != NULL ? pattern : group_type(plan, group);
    group->name = fuse_group_name(plan, group);
    group_connect(plan, group, fuser->readers);
}

// A group stands where its last node stood: everything that it reads has been
// made before.
static void fuse_add_groups(struct fuser *fuser, const char *const *names)
{
    struct plan *plan = fuser->plan;
    const struct network_graph *graph = network_graph(plan->network, 0);
    plan->groups =
        arena_allocate(&plan->arena, ((size_t)graph->node_count + 1) * sizeof *plan->groups);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const uint32_t first = fuser->group[graph->nodes[i]];
        if (fuser->last[first] == graph->nodes[i])
            fuse_add_group(fuser, first, names[first]);
    }
}

static void join_for_processor(struct fuser *fuser)
{
    const struct network *network = fuser->plan->network;
    const struct network_graph *graph = network_graph(network, 0);
    uint32_t *groups = fuse_processor_find(network, fuser->readers);
    uint32_t *leaders =
        memory_allocate(((size_t)network->nodes.count + 1) * sizeof *leaders); // by group
    memset(leaders, 0xff, ((size_t)network->nodes.count + 1) * sizeof *leaders);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t *leader = &leaders[groups[graph->nodes[i]]];
        if (*leader == NETWORK_NONE)
            *leader = graph->nodes[i];
        else
            fuse_join_groups(fuser, *leader, graph->nodes[i]);
    }
    free(leaders);
    free(groups);
}

static void join_for_engines(struct fuser *fuser, const char **names)
{
    const struct network *network = fuser->plan->network;
    const struct network_graph *graph = network_graph(network, 0);
    seal_patterns(fuser, names);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct network_node *node = network_node(network, graph->nodes[i]);
        for (uint32_t j = 0; j < node->input_count; j++)
            try_join(fuser, graph->nodes[i], node->inputs[j]);
    }
}

status pass_fuse(struct plan *plan)
{
    pass_copy(plan);
    struct fuser fuser;
    fuser_start(&fuser, plan);
    const struct network_graph *graph = network_graph(plan->network, 0);
    const char **names =
        memory_allocate_zeroed((size_t)plan->network->nodes.count + 1, sizeof *names);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        fuser.position[graph->nodes[i]] = i;
        fuse_add_node(&fuser, graph->nodes[i]);
    }
    if (target_is_processor(plan->target))
        join_for_processor(&fuser);
    else
        join_for_engines(&fuser, names);
    fuse_add_groups(&fuser, names);
    free(names);
    fuser_free(&fuser);
    return STATUS_OK;
}
