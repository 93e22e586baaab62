#include "verify_layouts.h"

#include "layouts.h"
#include "verify_task.h"

struct layout_check {
    const struct program *program;
    const struct target *target;
    const struct program_group *group;
    const struct program_node *node;
    const struct operator_definition *definition; // NULL: nobody knows the operator
};

static uint32_t value_at(const struct layout_check *check, uint32_t index)
{
    return check->program->node_values[check->node->first_value + index];
}

static struct shape shape_of(const struct program *program, uint32_t value)
{
    const struct program_value *item = &program->values[value];
    struct shape shape = {.rank = item->rank == PROGRAM_NONE ? 0 : item->rank};
    memcpy(shape.dims, item->dims, sizeof shape.dims);
    return shape;
}

static bool is_in_tiles(const struct program *program, uint32_t value)
{
    return program->values[value].layout == PROGRAM_TILES;
}

// Whether each value of the node that can lie in either way lies in this one.
static bool lies(const struct layout_check *check, uint32_t from, uint32_t to, bool tiles)
{
    for (uint32_t i = from; i < to; i++) {
        const uint32_t value = value_at(check, i);
        if (value == PROGRAM_NONE)
            continue;
        const struct shape shape = shape_of(check->program, value);
        if (layouts_matter(&shape) && is_in_tiles(check->program, value) != tiles)
            return false;
    }
    return true;
}

static bool lies_all(const struct layout_check *check, bool tiles)
{
    return lies(check, 0, check->node->input_count + check->node->output_count, tiles);
}

static bool is_packed(const struct layout_check *check, uint32_t index)
{
    const uint32_t value = value_at(check, index);
    return value != PROGRAM_NONE && check->program->values[value].layout == PROGRAM_PACKED;
}

// Packed weights become reals, in rows or in tiles; nothing else reads them.
static bool packs_fit(const struct layout_check *check)
{
    const bool unpacks =
        check->definition != NULL && check->definition->function == COMPUTES_UNPACKED;
    for (uint32_t i = 0; i < check->node->input_count + check->node->output_count; i++) {
        if (is_packed(check, i) != (unpacks && i == 0))
            return false;
    }
    return true;
}

// A value under another shape: of one in tiles the last two dimensions stay.
static bool is_view(const struct layout_check *check)
{
    if (check->definition->class != OPERATOR_VIEW || check->node->input_count == 0 ||
        check->node->output_count != 1 || value_at(check, 0) == PROGRAM_NONE ||
        value_at(check, check->node->input_count) == PROGRAM_NONE)
        return false;
    const struct shape from = shape_of(check->program, value_at(check, 0));
    const struct shape to = shape_of(check->program, value_at(check, check->node->input_count));
    return layouts_view(&from, &to);
}

static bool is_conversion(const struct layout_check *check)
{
    return check->definition != NULL && check->definition->class == OPERATOR_LAYOUT;
}

static status check_node(const struct layout_check *check, uint32_t index)
{
    const struct target_engine *engine = &check->target->engines[check->group->engine];
    const bool shows = check->definition != NULL && is_view(check);
    if (!packs_fit(check))
        return verify_wrong("node", index, "packed weights that it cannot read");
    if (is_conversion(check)) {
        const uint32_t in = check->node->input_count;
        const bool to_tiles = check->definition->function != COMPUTES_ROWS;
        const bool unpacks = check->definition->function == COMPUTES_UNPACKED;
        return check->group->node_count == 1 && in == 1 && check->node->output_count == 1 &&
                       (unpacks ||
                        (lies(check, 0, in, !to_tiles) && lies(check, in, in + 1, to_tiles)))
                   ? STATUS_OK
                   : verify_wrong("node", index, "it lays nothing out anew");
    }
    if (target_engine_is_tiled(engine) && !shows)
        return lies_all(check, true)
                   ? STATUS_OK
                   : verify_wrong("node", index, "its engine needs values in tiles");
    if (lies_all(check, false))
        return STATUS_OK;
    if (!lies_all(check, true))
        return verify_wrong("node", index, "some of its values lie in tiles, others in rows");
    return shows || (check->definition != NULL &&
                     layouts_either(check->target, check->group->engine, check->definition))
               ? STATUS_OK
               : verify_wrong("node", index, "its engine needs values in rows");
}

static status check_group(const struct program *program, const struct target *target,
                          uint32_t index)
{
    const struct program_group *group = &program->groups[index];
    for (uint32_t i = group->first_node; i < group->first_node + group->node_count; i++) {
        const struct program_node *node = &program->nodes[i];
        const struct layout_check check = {
            program, target, group, node,
            operator_find(view_of(program_text(program, node->domain)),
                          view_of(program_text(program, node->type)))};
        STATUS_TRY(check_node(&check, i));
    }
    return STATUS_OK;
}

static status check_ports(const struct program *program, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (program->values[values[i]].layout != PROGRAM_ROWS)
            return verify_wrong("value", values[i], "an input or output that does not lie in rows");
    }
    return STATUS_OK;
}

// Nodes of graphs inside others work on rows.
static status check_inside(const struct program *program)
{
    for (uint32_t g = 0; g < program->graph_count; g++) {
        const struct program_graph *graph = &program->graphs[g];
        for (uint32_t i = graph->first_node; i < graph->first_node + graph->node_count; i++) {
            const struct program_node *node = &program->nodes[i];
            for (uint32_t k = 0; k < node->input_count + node->output_count; k++) {
                const uint32_t value = program->node_values[node->first_value + k];
                if (value != PROGRAM_NONE && program->values[value].layout != PROGRAM_ROWS)
                    return verify_wrong("node", i, "a graph inside another does not work on rows");
            }
        }
    }
    return STATUS_OK;
}

static status check_values(const struct program *program, bool layouts)
{
    for (uint32_t i = 0; i < program->value_count; i++) {
        const struct shape shape = shape_of(program, i);
        if (is_in_tiles(program, i) && (!layouts || !layouts_matter(&shape)))
            return verify_wrong("value", i, "it cannot lie in tiles");
        if (program->values[i].layout == PROGRAM_PACKED &&
            (!layouts || program->values[i].kind != PROGRAM_VALUE_CONSTANT))
            return verify_wrong("value", i, "it cannot be packed");
    }
    return STATUS_OK;
}

status verify_layouts(const struct program *program, const struct target *target)
{
    const bool layouts = target_has_layouts(target);
    STATUS_TRY(check_values(program, layouts));
    for (uint32_t i = 0; layouts && i < program->group_count; i++)
        STATUS_TRY(check_group(program, target, i));
    STATUS_TRY(check_ports(program, program->inputs, program->input_count));
    STATUS_TRY(check_ports(program, program->outputs, program->output_count));
    return check_inside(program);
}
