// Channels of an image that are shuffled, which networks write as three operators: Reshape to
// groups of channels, Transpose of these two dimensions, Reshape to an image.

#ifndef OPSCOPE_NETWORK_CHANNEL_SHUFFLE_H
#define OPSCOPE_NETWORK_CHANNEL_SHUFFLE_H

#include "network.h"

enum { CHANNEL_SHUFFLE_NODES = 3 };

// The groups of channels of which one after the other gives its next channel; 0: the nodes do
// something else.
int64_t channel_shuffle_groups(const struct network *network,
                               const struct network_node *const nodes[CHANNEL_SHUFFLE_NODES]);

#endif
