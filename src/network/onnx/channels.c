#include "channels.h"

#include "lists.h"
#include "movement.h"
#include "network/operators.h"

static const struct value_type *type_of(const struct network *network, uint32_t value)
{
    return &network_value(network, value)->type;
}

static bool swaps_groups(const struct network_node *node)
{
    static const uint32_t SWAPPED[] = {0, 2, 1, 3, 4};
    uint32_t order[SHAPE_RANK_MOST];
    const status failure = movement_order(node->attributes, 5, order);
    if (failure != STATUS_OK) {
        status_free(failure);
        return false;
    }
    return memcmp(order, SWAPPED, sizeof SWAPPED) == 0;
}

int64_t channels_shuffled(const struct network *network,
                          const struct network_node *const nodes[CHANNELS_SHUFFLE_NODES])
{
    if (nodes[0]->definition->class != OPERATOR_VIEW ||
        nodes[1]->definition->function != COMPUTES_TRANSPOSE ||
        nodes[2]->definition->class != OPERATOR_VIEW)
        return 0;
    for (uint32_t i = 0; i < CHANNELS_SHUFFLE_NODES; i++) {
        if (nodes[i]->input_count == 0 || nodes[i]->inputs[0] == NETWORK_NONE ||
            nodes[i]->output_count != 1 || nodes[i]->outputs[0] == NETWORK_NONE ||
            (i > 0 && nodes[i]->inputs[0] != nodes[i - 1]->outputs[0]))
            return 0;
    }
    const struct value_type *from = type_of(network, nodes[0]->inputs[0]);
    const struct value_type *between = type_of(network, nodes[0]->outputs[0]);
    const struct value_type *to = type_of(network, nodes[2]->outputs[0]);
    if (!value_type_static(from) || !value_type_static(between) || !value_type_static(to) ||
        from->shape.rank != 4 || between->shape.rank != 5 || !shape_equal(&from->shape, &to->shape))
        return 0;
    const int64_t *dims = between->shape.dims;
    const bool fits = dims[0] == from->shape.dims[0] && dims[1] > 0 && dims[2] > 0 &&
                      dims[1] * dims[2] == from->shape.dims[1] && dims[3] == from->shape.dims[2] &&
                      dims[4] == from->shape.dims[3];
    return fits && swaps_groups(nodes[1]) ? dims[1] : 0;
}

static const struct constant *constant_of(const struct network *network,
                                          const struct network_node *node, uint32_t input)
{
    return network_value(network, node->inputs[input])->constant;
}

// The lists of a Slice; false where one is no constant.
static bool read_slice(const struct network *network, const struct network_node *node,
                       struct slice *slice)
{
    struct list *const lists[] = {NULL, &slice->starts, &slice->ends, &slice->axes, &slice->steps};
    for (uint32_t i = 1; i < node->input_count; i++) {
        if (node->inputs[i] == NETWORK_NONE)
            continue;
        const struct constant *constant = constant_of(network, node, i);
        if (constant == NULL)
            return false;
        const status failure = list_of_constant(constant, i, lists[i]);
        if (failure != STATUS_OK) {
            status_free(failure);
            return false;
        }
    }
    return slice->starts.given && slice->ends.given;
}

bool channels_part(const struct network *network, const struct network_node *node,
                   int64_t *out_first)
{
    struct slice slice = {0};
    struct shape part;
    if (node->input_count < 3 || node->input_count > 5 || node->inputs[0] == NETWORK_NONE)
        return false;
    const struct value_type *from = type_of(network, node->inputs[0]);
    if (!value_type_static(from) || from->shape.rank != 4 || !read_slice(network, node, &slice))
        return false;
    const status failure = movement_slice(&slice, &from->shape, &part);
    if (failure != STATUS_OK) {
        status_free(failure);
        return false;
    }
    *out_first = slice.first[1];
    part.dims[1] = from->shape.dims[1];
    for (uint32_t i = 0; i < 4; i++) {
        if (slice.step[i] != 1)
            return false;
    }
    return shape_equal(&part, &from->shape);
}
