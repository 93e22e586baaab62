// Parts of operators whose outputs see a window of the input: convolutions and poolings.

#ifndef OPSCOPE_COMPILER_REGION_WINDOWS_H
#define OPSCOPE_COMPILER_REGION_WINDOWS_H

#include "region.h"

// The inputs of outputs [from, from + size), and the padding that is left.
void region_window_range(const struct region_window *window, int64_t from, int64_t size,
                         int64_t *out_from, int64_t *out_size, int64_t *out_before,
                         int64_t *out_after);

// An attribute of integers; none where it is not given.
struct region_integers {
    const int64_t *items;
    uint32_t count;
};

struct region_integers region_integers_of(const struct network_node *node, const char *name);
int64_t region_item(struct region_integers integers, uint32_t index, int64_t fallback);

// ONNX: channels after the batch. What is known of a node, the dimensions that may be cut, and
// the parts.
void region_windows_know_conv(const struct network *network, const struct network_node *node,
                              struct region_known *known);
void region_windows_know_pool(const struct network *network, const struct network_node *node,
                              struct region_known *known);
uint32_t region_windows_axes_conv(const struct network *network, const struct network_node *node,
                                  uint32_t axes[SHAPE_RANK_MOST]);
bool region_windows_find_conv(const struct region_request *request, struct region_answer *answer);
bool region_windows_find_pool(const struct region_request *request, struct region_answer *answer);

// Whether a convolution computes each channel from one alone, that of its number.
bool region_windows_are_apart(const struct network *network, const struct network_node *node);

#endif
