#include "region_lines.h"

static const struct shape *region_lines_shape(const struct network *network, uint32_t value)
{
    return &network_value(network, value)->type.shape;
}

bool region_lines_find(const struct region_request *request, struct region_answer *answer)
{
    const struct network_node *node = request->node;
    answer->inputs[0] = *request->output;
    for (uint32_t i = 1; i < node->input_count; i++) {
        if (node->inputs[i] != NETWORK_NONE)
            answer->inputs[i] =
                plan_box_whole(region_lines_shape(request->network, node->inputs[i]));
    }
    return true;
}

bool region_lines_find_channels(const struct region_request *request, struct region_answer *answer)
{
    region_lines_find(request, answer);
    for (uint32_t i = 1; i < request->node->input_count; i++) {
        answer->inputs[i].from[0] = request->output->from[1];
        answer->inputs[i].size[0] = request->output->size[1];
    }
    return true;
}

uint32_t region_lines_axes(const struct network *network, const struct network_node *node,
                           uint32_t axes[SHAPE_RANK_MOST])
{
    const uint32_t rank = region_lines_shape(network, node->outputs[0])->rank;
    const bool one = node->definition->tiling == TILED_BUT_AXIS && node->version >= 13;
    const int64_t usual = node->definition->tiling == TILED_BUT_AXIS && !one ? 1 : -1;
    int64_t axis = attribute_integer(node->attributes, "axis", usual);
    uint32_t count = 0;
    axis += axis < 0 ? rank : 0;
    // What else it gives (means, deviations) has other shapes.
    for (uint32_t i = 0; i < rank && node->output_count == 1; i++) {
        if (i < axis || (one && i > axis))
            axes[count++] = i;
    }
    return count;
}

uint32_t region_lines_axes_channels(const struct network *network, const struct network_node *node,
                                    uint32_t axes[SHAPE_RANK_MOST])
{
    const uint32_t rank = region_lines_shape(network, node->outputs[0])->rank;
    const bool trains = attribute_integer(node->attributes, "training_mode", 0) != 0;
    if (rank < 2 || node->output_count != 1 || node->version < 9 || trains)
        return 0;
    for (uint32_t i = 0; i < rank; i++)
        axes[i] = i;
    return rank;
}
