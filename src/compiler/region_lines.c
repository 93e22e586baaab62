#include "region_lines.h"

static const struct shape *region_lines_shape(const struct network *network, uint32_t value)
{
    return &network_value(network, value)->type.shape;
}

static bool region_lines_axis(const struct network *network, const struct network_node *node,
                              uint32_t *out_axis)
{
    const struct shape *shape = region_lines_shape(network, node->inputs[0]);
    const status failure =
        shape_axis(attribute_integer(node->attributes, "axis", -1), shape->rank, out_axis);
    status_free(failure);
    return failure == STATUS_OK;
}

bool region_lines_find_along(const struct region_request *request, struct region_answer *answer)
{
    uint32_t axis;
    region_take_whole(request, answer);
    const struct shape *shape = region_lines_shape(request->network, request->node->inputs[0]);
    if (!region_lines_axis(request->network, request->node, &axis) ||
        shape->rank != request->output->rank)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i == axis)
            continue;
        answer->inputs[0].from[i] = request->output->from[i];
        answer->inputs[0].size[i] = request->output->size[i];
    }
    return true;
}

uint32_t region_lines_axes_but_one(const struct network *network, const struct network_node *node,
                                   uint32_t axes[SHAPE_RANK_MOST])
{
    uint32_t axis;
    uint32_t count = 0;
    if (!region_lines_axis(network, node, &axis))
        return 0;
    const uint32_t rank = region_lines_shape(network, node->outputs[0])->rank;
    for (uint32_t i = 0; i < rank; i++) {
        if (i != axis)
            axes[count++] = i;
    }
    return count;
}

bool region_lines_find_concat(const struct region_request *request, struct region_answer *answer)
{
    uint32_t axis;
    region_take_whole(request, answer);
    if (!attribute_given(request->node->attributes, "axis") ||
        !region_lines_axis(request->network, request->node, &axis))
        return false;
    for (uint32_t i = 0; i < request->node->input_count; i++) {
        for (uint32_t d = 0; d < request->output->rank; d++) {
            if (d == axis)
                continue;
            answer->inputs[i].from[d] = request->output->from[d];
            answer->inputs[i].size[d] = request->output->size[d];
        }
    }
    return true;
}

bool region_lines_find_without(const struct region_request *request, struct region_answer *answer)
{
    uint32_t axis;
    region_take_whole(request, answer);
    const struct shape *shape = region_lines_shape(request->network, request->node->inputs[0]);
    if (!region_lines_axis(request->network, request->node, &axis) ||
        shape->rank != request->output->rank + 1)
        return false;
    for (uint32_t i = 0, from = 0; i < shape->rank; i++) {
        if (i == axis)
            continue;
        answer->inputs[0].from[i] = request->output->from[from];
        answer->inputs[0].size[i] = request->output->size[from++];
    }
    return true;
}

bool region_lines_find(const struct region_request *request, struct region_answer *answer)
{
    region_take_whole(request, answer);
    answer->inputs[0] = *request->output;
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
