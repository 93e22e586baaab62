#include "images.h"

#include "base/memory.h"
#include "network/operators.h"

enum { PASSES_MOST = 16 };

static bool works_on_images(const struct network_node *node)
{
    return node->definition->class == OPERATOR_CONVOLUTION ||
           node->definition->class == OPERATOR_POOLING;
}

// What it gives is an image where what it takes is one.
static bool keeps_images(const struct network_node *node)
{
    return node->definition->class == OPERATOR_ELEMENTWISE ||
           node->definition->class == OPERATOR_NORMALIZATION ||
           node->definition->class == OPERATOR_MOVEMENT ||
           node->definition->class == OPERATOR_LAYOUT;
}

static const struct shape *images_shape(const struct network *network, uint32_t value)
{
    return &network_value(network, value)->type.shape;
}

// Those of the same rank are alike: all of a node's values are images, or none.
// Whether anything became one.
static bool spread_over_node(const struct network *network, const struct network_node *node,
                             bool *images)
{
    bool more = false;
    bool any = works_on_images(node);
    const bool all = any;
    if (!any && !keeps_images(node))
        return false;
    const uint32_t rank = node->output_count > 0 && node->outputs[0] != NETWORK_NONE
                              ? images_shape(network, node->outputs[0])->rank
                              : 0;
    for (uint32_t i = 0; i < node->output_count; i++)
        any = any || (node->outputs[i] != NETWORK_NONE && images[node->outputs[i]]);
    for (uint32_t i = 0; i < node->input_count; i++)
        any = any || (node->inputs[i] != NETWORK_NONE && images[node->inputs[i]] &&
                      images_shape(network, node->inputs[i])->rank == rank);
    for (uint32_t i = 0; any && i < node->output_count; i++) {
        if (node->outputs[i] != NETWORK_NONE) {
            more = more || !images[node->outputs[i]];
            images[node->outputs[i]] = true;
        }
    }
    for (uint32_t i = 0; any && i < node->input_count; i++) {
        if (node->inputs[i] != NETWORK_NONE &&
            (all || images_shape(network, node->inputs[i])->rank == rank)) {
            more = more || !images[node->inputs[i]];
            images[node->inputs[i]] = true;
        }
    }
    return more;
}

bool *images_find(const struct network *network)
{
    bool *images = memory_allocate_zeroed((size_t)network->values.count + 1, sizeof *images);
    const uint32_t count = network->nodes.count;
    bool more = true;
    for (unsigned pass = 0; pass < PASSES_MOST && more; pass++) { // there and back
        more = false;
        for (uint32_t i = 0; i < count; i++)
            more |= spread_over_node(network, network_node(network, i), images);
        for (uint32_t i = count; i-- > 0;)
            more |= spread_over_node(network, network_node(network, i), images);
    }
    return images;
}
