// Rows and tiles. An engine with `tile` needs what it reads, and gives what it makes, in tiles;
// others work on rows, some of them on either. A value lies in one way, wherever it is; where
// somebody needs it in the other way as well, there is a second value, and an operator in a group
// of its own that lays the first one out anew. Constants are laid out when the program is made.
//
// Groups that take either are decided so that as few elements as possible are laid out anew,
// group by group, until nothing gets better.
//
// Constants in blocks of MXFP6 are moved packed: an operator in front of the product that reads one
// makes reals of it, in the way in which the product needs them.

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "compiler.h"
#include "group.h"
#include "place.h"
#include "program/layouts.h"
#include "unlaid.h"

enum { SWEEPS_MOST = 8 };

struct laying {
    struct plan *plan;
    uint32_t value_count; // before any was added
    bool *tiles;          // by group: what it reads and gives lies in tiles
    bool *either;         // by group: it could be otherwise
    uint32_t *makers;     // by value: the group that gives it; PLAN_NONE
    uint32_t *first;      // by value: of its readers, and after the last one their number
    uint32_t *readers;    // groups
    bool *given;          // by value: an output of the network
    bool *packed;         // by value: a constant in blocks that is unpacked when it is used
    uint32_t *others;     // by value: the same in tiles; NETWORK_NONE
    // Groups to be added, before or after those that are there.
    struct addition {
        uint32_t node;
        uint32_t asking; // group that it is for
        uint32_t beside; // group that it stands after, or before
        bool after;
    } * additions;
    size_t addition_count, addition_capacity;
};

static bool matters(const struct laying *laying, uint32_t value)
{
    const struct network_value *item = group_value(laying->plan, value);
    return group_is_fixed(item) && layouts_matter(&item->type.shape);
}

static bool is_constant(const struct laying *laying, uint32_t value)
{
    return group_value(laying->plan, value)->constant != NULL;
}

// What groups need -------------------------------------------------------------------------

static bool takes_either(const struct laying *laying, const struct plan_group *group)
{
    const struct plan *plan = laying->plan;
    if (group_is_alias(plan, group)) {
        const struct network_node *node = group_node(plan, group, 0);
        return layouts_view(&group_value(plan, node->inputs[0])->type.shape,
                            &group_value(plan, node->outputs[0])->type.shape);
    }
    bool either = group->engine != TARGET_NONE && group_is_local(plan, group);
    for (uint32_t i = 0; i < group->node_count && either; i++)
        either =
            layouts_either(plan->target, group->engine, group_node(plan, group, i)->definition);
    return either;
}

static bool needs_tiles(const struct laying *laying, const struct plan_group *group)
{
    return group->engine != TARGET_NONE && !group_is_alias(laying->plan, group) &&
           target_engine_is_tiled(&laying->plan->target->engines[group->engine]);
}

static void find_readers(struct laying *laying)
{
    const struct plan *plan = laying->plan;
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (uint32_t i = 0; i < group->input_count; i++)
            laying->first[group->inputs[i] + 1]++;
        for (uint32_t i = 0; i < group->output_count; i++)
            laying->makers[group->outputs[i]] = g;
    }
    for (uint32_t v = 0; v < laying->value_count; v++)
        laying->first[v + 1] += laying->first[v];
    uint32_t *next = memory_allocate(((size_t)laying->value_count + 1) * sizeof *next);
    memcpy(next, laying->first, ((size_t)laying->value_count + 1) * sizeof *next);
    laying->readers =
        memory_allocate_zeroed((size_t)next[laying->value_count] + 1, sizeof *laying->readers);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        for (uint32_t i = 0; i < plan->groups[g].input_count; i++)
            laying->readers[next[plan->groups[g].inputs[i]]++] = g;
    }
    free(next);
}

static void laying_start(struct laying *laying, struct plan *plan)
{
    const uint32_t values = (uint32_t)plan->network->values.count;
    const struct network_graph *graph = network_graph(plan->network, 0);
    *laying = (struct laying){.plan = plan, .value_count = values};
    laying->tiles = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof(bool));
    laying->either = memory_allocate_zeroed((size_t)plan->group_count + 1, sizeof(bool));
    laying->makers = memory_allocate((values + 1) * sizeof *laying->makers);
    laying->others = memory_allocate((values + 1) * sizeof *laying->others);
    laying->first = memory_allocate_zeroed((size_t)values + 2, sizeof *laying->first);
    laying->given = memory_allocate_zeroed((size_t)values + 1, sizeof(bool));
    laying->packed = memory_allocate_zeroed((size_t)values + 1, sizeof(bool));
    memset(laying->makers, 0xff, (values + 1) * sizeof *laying->makers);
    memset(laying->others, 0xff, (values + 1) * sizeof *laying->others);
    for (uint32_t i = 0; i < graph->output_count; i++)
        laying->given[graph->outputs[i]] = true;
    find_readers(laying);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        laying->either[g] = takes_either(laying, &plan->groups[g]);
        laying->tiles[g] = needs_tiles(laying, &plan->groups[g]);
    }
}

static void laying_free(struct laying *laying)
{
    free(laying->tiles);
    free(laying->either);
    free(laying->makers);
    free(laying->others);
    free(laying->first);
    free(laying->readers);
    free(laying->given);
    free(laying->packed);
    free(laying->additions);
}

// Deciding ---------------------------------------------------------------------------------

static bool made_in_tiles(const struct laying *laying, uint32_t value)
{
    return laying->makers[value] != PLAN_NONE && laying->tiles[laying->makers[value]];
}

static bool read_in(const struct laying *laying, uint32_t value, bool tiles)
{
    bool found = laying->given[value] && !tiles;
    for (uint32_t i = laying->first[value]; i < laying->first[value + 1] && !found; i++)
        found = laying->tiles[laying->readers[i]] == tiles;
    return found;
}

// Whether a value that is not known before it runs has to lie in both ways.
static bool lies_in_both(const struct laying *laying, uint32_t value)
{
    return !is_constant(laying, value) && matters(laying, value) &&
           read_in(laying, value, !made_in_tiles(laying, value));
}

// Elements that are laid out anew because of what a group reads and gives.
static uint64_t elements_anew(const struct laying *laying, const struct plan_group *group)
{
    uint64_t elements = 0;
    for (uint32_t i = 0; i < group->input_count + group->output_count; i++) {
        const uint32_t value =
            i < group->input_count ? group->inputs[i] : group->outputs[i - group->input_count];
        if (lies_in_both(laying, value))
            elements += shape_count(&group_value(laying->plan, value)->type.shape);
    }
    return elements;
}

static bool decide_group(struct laying *laying, uint32_t g)
{
    const struct plan_group *group = &laying->plan->groups[g];
    const uint64_t as_it_is = elements_anew(laying, group);
    laying->tiles[g] = !laying->tiles[g];
    if (elements_anew(laying, group) < as_it_is)
        return true;
    laying->tiles[g] = !laying->tiles[g];
    return false;
}

static void decide(struct laying *laying)
{
    const uint32_t count = laying->plan->group_count;
    bool better = true;
    for (uint32_t g = 0; g < count; g++) { // what is in tiles stays so, to begin with
        const struct plan_group *group = &laying->plan->groups[g];
        for (uint32_t i = 0; laying->either[g] && i < group->input_count; i++)
            laying->tiles[g] |=
                matters(laying, group->inputs[i]) && made_in_tiles(laying, group->inputs[i]);
    }
    for (unsigned sweep = 0; sweep < SWEEPS_MOST && better; sweep++) {
        better = false;
        for (uint32_t g = count; g-- > 0;)
            better |= laying->either[g] && decide_group(laying, g);
        for (uint32_t g = 0; g < count; g++)
            better |= laying->either[g] && decide_group(laying, g);
    }
}

// Laying out -------------------------------------------------------------------------------

static uint32_t *with_other(struct plan *plan, const uint32_t *values, uint32_t count,
                            uint32_t value, uint32_t other)
{
    uint32_t *changed =
        arena_allocate(&plan->network->arena, ((size_t)count + 1) * sizeof *changed);
    for (uint32_t i = 0; i < count; i++)
        changed[i] = values[i] == value ? other : values[i];
    return changed;
}

// Lets a group use the value in tiles instead.
static void use_other(struct laying *laying, const struct plan_group *group, uint32_t value)
{
    struct plan *plan = laying->plan;
    const uint32_t other = laying->others[value];
    for (uint32_t i = 0; i < group->node_count; i++) {
        struct network_node *node = network_node(plan->network, group->nodes[i]);
        node->inputs = with_other(plan, node->inputs, node->input_count, value, other);
        node->outputs = with_other(plan, node->outputs, node->output_count, value, other);
    }
}

static void add_other(struct laying *laying, uint32_t value, const char *ending)
{
    struct network *network = laying->plan->network;
    const struct view name = network_value(network, value)->name;
    const uint32_t other = network_value_add(
        network, arena_print(&network->arena, "%.*s.%s", VIEW_ARGUMENTS(name), ending));
    const struct network_value *from = network_value(network, value);
    struct network_value *to = network_value(network, other);
    to->type = from->type;
    to->constant = from->constant;
    to->producer = from->producer;
    laying->others[value] = other;
}

// Whether everybody who needs a value in tiles multiplies by it.
static bool is_weights(const struct laying *laying, uint32_t value)
{
    const struct plan *plan = laying->plan;
    for (uint32_t i = laying->first[value]; i < laying->first[value + 1]; i++) {
        const struct plan_group *group = &plan->groups[laying->readers[i]];
        if (!laying->tiles[laying->readers[i]])
            continue;
        const struct network_node *node = group_node(plan, group, group_main(plan, group));
        const bool product = node->definition->class == OPERATOR_MATMUL ||
                             node->definition->class == OPERATOR_CONVOLUTION;
        if (!product || node->input_count < 2 || node->inputs[1] != value ||
            node->inputs[0] == value)
            return false;
    }
    return true;
}

static uint32_t first_in_tiles(const struct laying *laying, uint32_t value)
{
    uint32_t i = laying->first[value];
    while (!laying->tiles[laying->readers[i]])
        i++;
    return laying->readers[i];
}

// For whoever asked for it; right after what makes the value, so that the two may be a chain.
static void add_conversion(struct laying *laying, uint32_t value, enum operator_function function,
                           uint32_t asking)
{
    struct plan *plan = laying->plan;
    struct network *network = plan->network;
    const bool from_value = function != COMPUTES_ROWS;
    const uint32_t maker = laying->makers[value];
    const struct plan_group *group = &plan->groups[asking];
    const uint32_t served = group->nodes[group_main(plan, group)];
    const uint32_t other = laying->others[value];
    const uint64_t bytes = shape_count(&network_value(network, value)->type.shape) *
                           element_size(network_value(network, value)->type.element);
    uint32_t *ends = arena_allocate(&network->arena, 2 * sizeof *ends);
    ends[0] = from_value ? value : other;
    ends[1] = from_value ? other : value;
    const uint32_t id = network_node_add(network, 0);
    struct network_node *node = network_node(network, id);
    *node = *network_node(network, served);
    node->definition = operator_computing(function);
    node->type = view_of(node->definition->name);
    node->domain = VIEW_LITERAL("");
    node->version = 1;
    node->inputs = ends;
    node->outputs = ends + 1;
    node->input_count = node->output_count = 1;
    node->attributes = (struct attributes){0};
    node->work = (struct work){.known = true,
                               .elements = shape_count(&network_value(network, value)->type.shape),
                               .bytes_read = bytes,
                               .bytes_written = bytes};
    network_value(network, ends[1])->producer = id;
    plan_stands_for(plan, plan_original(plan, served));
    laying->additions = memory_grow(laying->additions, laying->addition_count,
                                    &laying->addition_capacity, sizeof *laying->additions);
    laying->additions[laying->addition_count++] =
        maker != PLAN_NONE ? (struct addition){id, asking, maker, true}
                           : (struct addition){id, asking, asking, false};
}

// The rows keep the value's id: inputs and outputs of the network, and graphs inside it, know it
// by that.
static void lay_out(struct laying *laying, uint32_t value)
{
    const struct plan *plan = laying->plan;
    const bool made = made_in_tiles(laying, value);
    add_other(laying, value, "tiles");
    if (!is_constant(laying, value) && made)
        add_conversion(laying, value, COMPUTES_ROWS, laying->makers[value]);
    else if (!is_constant(laying, value))
        add_conversion(laying, value,
                       is_weights(laying, value) ? COMPUTES_WEIGHT_TILES : COMPUTES_TILES,
                       first_in_tiles(laying, value));
    if (made)
        use_other(laying, &plan->groups[laying->makers[value]], value);
    for (uint32_t i = laying->first[value]; i < laying->first[value + 1]; i++) {
        if (laying->tiles[laying->readers[i]])
            use_other(laying, &plan->groups[laying->readers[i]], value);
    }
}

// Whether a value is a constant in blocks that one group multiplies by, near what unpacks it.
static bool is_unpacked(const struct laying *laying, uint32_t value)
{
    const struct plan *plan = laying->plan;
    if (!is_constant(laying, value) || !group_value(plan, value)->constant->blocked ||
        !matters(laying, value) || laying->first[value] + 1 != laying->first[value + 1])
        return false;
    const struct plan_group *group = &plan->groups[laying->readers[laying->first[value]]];
    return group->engine != TARGET_NONE && group_is_local(plan, group);
}

static void unpack(struct laying *laying, uint32_t value)
{
    const uint32_t reader = laying->readers[laying->first[value]];
    add_other(laying, value, "reals");
    network_value(laying->plan->network, laying->others[value])->constant = NULL;
    add_conversion(laying, value, COMPUTES_UNPACKED, reader);
    use_other(laying, &laying->plan->groups[reader], value);
    laying->packed[value] = true;
}

// Groups -----------------------------------------------------------------------------------

static void append_group(struct plan *plan, const struct addition *addition,
                         struct plan_group *group)
{
    const struct network_node *node = network_node(plan->network, addition->node);
    const struct plan_group *asking = &plan->groups[addition->asking];
    const struct plan_group *beside = &plan->groups[addition->beside];
    *group = (struct plan_group){.type = strchr(node->definition->name, '.') + 1,
                                 .name = asking->name,
                                 .node_count = 1,
                                 .first_unit = beside->first_unit,
                                 .unit_most = beside->unit_most};
    group->nodes = arena_allocate(&plan->arena, sizeof *group->nodes);
    group->nodes[0] = addition->node;
}

// Those that stand there, of the additions from `*next` on.
static uint32_t append_beside(const struct laying *laying, uint32_t beside, bool after,
                              size_t *next, struct plan_group *groups, uint32_t count)
{
    for (; *next < laying->addition_count; (*next)++) {
        const struct addition *addition = &laying->additions[*next];
        if (addition->beside != beside || addition->after != after)
            break;
        append_group(laying->plan, addition, &groups[count++]);
    }
    return count;
}

static void add_nodes(struct laying *laying)
{
    struct network *network = laying->plan->network;
    struct network_graph *graph = network_graph(network, 0);
    const size_t count = graph->node_count + laying->addition_count;
    uint32_t *nodes = arena_allocate(&network->arena, (count + 1) * sizeof *nodes);
    memcpy(nodes, graph->nodes, graph->node_count * sizeof *nodes);
    for (size_t i = 0; i < laying->addition_count; i++)
        nodes[graph->node_count++] = laying->additions[i].node;
    graph->nodes = nodes;
}

static int compare_additions(const void *a, const void *b)
{
    const struct addition *left = a;
    const struct addition *right = b;
    if (left->beside != right->beside)
        return left->beside < right->beside ? -1 : 1;
    if (left->after != right->after)
        return left->after ? 1 : -1;
    return left->node < right->node ? -1 : left->node > right->node;
}

static void rebuild_groups(struct laying *laying)
{
    struct plan *plan = laying->plan;
    struct plan_group *groups = arena_allocate(
        &plan->arena, (plan->group_count + laying->addition_count + 1) * sizeof *groups);
    uint32_t count = 0;
    size_t next = 0;
    add_nodes(laying);
    sort_items(laying->additions, laying->addition_count, sizeof *laying->additions,
               compare_additions);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        count = append_beside(laying, g, false, &next, groups, count);
        groups[count++] = plan->groups[g];
        count = append_beside(laying, g, true, &next, groups, count);
    }
    plan->groups = groups;
    plan->group_count = count;
    plan_find_images(plan);
    uint32_t *readers = group_count_readers(plan->network);
    for (uint32_t g = 0; g < count; g++) {
        group_connect(plan, &groups[g], readers);
        if (groups[g].reason == NULL)
            place_group(plan, &groups[g]);
    }
    free(readers);
}

// By value, when all are there: what groups in tiles read and give.
static void note_tiles(struct laying *laying, const struct plan_group *group)
{
    const struct plan *plan = laying->plan;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t k = 0; k < node->input_count + node->output_count; k++) {
            const uint32_t value =
                k < node->input_count ? node->inputs[k] : node->outputs[k - node->input_count];
            if (value != NETWORK_NONE && matters(laying, value))
                plan->tiled[value] = true;
        }
    }
}

status pass_layout(struct plan *plan)
{
    struct laying laying;
    if (!target_has_layouts(plan->target))
        return STATUS_OK;
    unlaid_keep(plan);
    laying_start(&laying, plan);
    decide(&laying);
    for (uint32_t v = 0; v < laying.value_count; v++) {
        if (is_unpacked(&laying, v)) {
            unpack(&laying, v);
            continue;
        }
        const bool constant_in_both = is_constant(&laying, v) && matters(&laying, v) &&
                                      read_in(&laying, v, false) && read_in(&laying, v, true);
        if (constant_in_both || lies_in_both(&laying, v))
            lay_out(&laying, v);
    }
    plan->tiled = memory_allocate_zeroed(plan->network->values.count + 1, sizeof *plan->tiled);
    plan->packed = memory_allocate_zeroed(plan->network->values.count + 1, sizeof *plan->packed);
    memcpy(plan->packed, laying.packed, laying.value_count * sizeof *laying.packed);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        if (laying.tiles[g])
            note_tiles(&laying, &plan->groups[g]);
    }
    rebuild_groups(&laying);
    laying_free(&laying);
    return STATUS_OK;
}
