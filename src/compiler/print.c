#include "print.h"

#include <inttypes.h>

#include "group.h"
#include "network/print.h"

static void print_value(const struct plan *plan, const char *what, uint32_t value,
                        struct output *output)
{
    const struct network_value *item = group_value(plan, value);
    output_format(output, "  %-6s %%", what);
    if (item->name.size > 0)
        output_write(output, item->name.data, item->name.size);
    else
        output_format(output, "#%" PRIu32, value);
    output_text(output, ": ");
    network_print_type(&item->type, item->symbols, output);
    output_text(output, item->constant != NULL ? " (constant)\n" : "\n");
}

static void compiler_print_node(const struct plan *plan, uint32_t id, struct output *output)
{
    const struct network_node *node = network_node(plan->network, id);
    output_format(output, "  node   %.*s", VIEW_ARGUMENTS(node->type));
    if (node->name.size > 0)
        output_format(output, " \"%.*s\"", VIEW_ARGUMENTS(node->name));
    if (node->line > 0)
        output_format(output, ", line %" PRIu64, node->line);
    if (plan_original(plan, id) != id)
        output_format(output, ", a copy of node %" PRIu32, plan_original(plan, id));
    output_text(output, "\n");
}

static void print_boxes(const struct plan_box *boxes, uint32_t count, struct output *output)
{
    for (uint32_t i = 0; i < count; i++) {
        output_text(output, " [");
        for (uint32_t k = 0; k < boxes[i].rank; k++)
            output_format(output, "%s%" PRId64 "+%" PRId64, k > 0 ? ", " : "", boxes[i].from[k],
                          boxes[i].size[k]);
        output_text(output, "]");
    }
}

static void print_overrides(const struct plan_tile *tile, struct output *output)
{
    for (uint32_t i = 0; i < tile->override_count; i++) {
        const struct plan_override *override = &tile->overrides[i];
        output_format(output, ", node %" PRIu32 " %s = [", override->node, override->name);
        for (uint32_t k = 0; k < override->count; k++)
            output_format(output, "%s%" PRId64, k > 0 ? ", " : "", override->integers[k]);
        output_text(output, "]");
    }
}

static void print_tile(const struct plan_group *group, uint32_t index, struct output *output)
{
    const struct plan_tile *tile = &group->tiles[index];
    output_format(output, "  tile %" PRIu32 ":", index);
    print_boxes(tile->inputs, group->input_count, output);
    output_text(output, " ->");
    print_boxes(tile->outputs, group->output_count, output);
    if (tile->cost.macs > 0)
        output_format(output, ", %" PRIu64 " MACs", tile->cost.macs);
    print_overrides(tile, output);
    output_text(output, "\n");
}

static void print_group(const struct plan *plan, uint32_t index, struct output *output)
{
    const struct plan_group *group = &plan->groups[index];
    output_format(output, "group %" PRIu32 " %s", index, group->type);
    if (group->name.size > 0)
        output_format(output, " \"%.*s\"", VIEW_ARGUMENTS(group->name));
    if (group->reason != NULL && group->engine < plan->target->engine_count)
        output_format(output, " on %s: %s", plan->target->engines[group->engine].name,
                      group->reason);
    output_text(output, "\n");
    for (uint32_t i = 0; i < group->node_count; i++)
        compiler_print_node(plan, group->nodes[i], output);
    for (uint32_t i = 0; i < group->input_count; i++)
        print_value(plan, "input", group->inputs[i], output);
    for (uint32_t i = 0; i < group->output_count; i++)
        print_value(plan, "output", group->outputs[i], output);
    for (uint32_t i = 0; i < group->tile_count; i++)
        print_tile(group, i, output);
}

void plan_print(const struct plan *plan, struct output *output)
{
    if (plan->groups == NULL) {
        network_print(plan->network, output);
        return;
    }
    output_format(output, "plan for %s, %" PRIu32 " group%s\n", plan->target->name,
                  plan->group_count, plan->group_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < plan->group_count; i++)
        print_group(plan, i, output);
}
