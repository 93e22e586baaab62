// What networks do to the channels of an image by operators that know of none.

#ifndef OPSCOPE_NETWORK_ONNX_CHANNELS_H
#define OPSCOPE_NETWORK_ONNX_CHANNELS_H

#include "network/network.h"

// Shuffled channels are three operators: Reshape to groups of channels, Transpose of these two
// dimensions, Reshape to an image.
enum { CHANNELS_SHUFFLE_NODES = 3 };

// The groups of channels of which one after the other gives its next channel; 0: the nodes do
// something else.
int64_t channels_shuffled(const struct network *network,
                          const struct network_node *const nodes[CHANNELS_SHUFFLE_NODES]);

// Whether a Slice takes some neighbouring channels of an image and nothing else, by constants: the
// first of them.
bool channels_part(const struct network *network, const struct network_node *node,
                   int64_t *out_first);

#endif
