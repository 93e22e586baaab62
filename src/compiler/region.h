// Which parts of its inputs an operator needs for a part of its outputs.
//
// The rules are those of tiling: what a tile computes on these parts, with the
// attributes that go with them, is bit for bit what the whole operator has at
// that place. Convolutions and matrix products of reals may differ by the order in
// which kernels add up.

#ifndef OPSCOPE_COMPILER_REGION_H
#define OPSCOPE_COMPILER_REGION_H

#include "plan.h"

// Of a convolution or pooling, in one dimension.
struct region_window {
    int64_t kernel, stride, dilation, before, after, length;
};

// What does not depend on the part: a node is asked for many.
struct region_known {
    bool ready;    // by region_know
    uint32_t axes; // dimensions of output 0 that may be cut: a bit for each
    // Of ONNX's convolutions and poolings:
    bool has_windows;
    bool pads_given;
    bool grouped;
    bool apart; // each channel comes from one alone
    struct region_window windows[SHAPE_RANK_MOST];
};

struct region_request {
    const struct network *network;
    const struct network_node *node;
    const struct plan_box *output; // of output 0; the only one that may be a part
    const struct region_known *known;
};

struct region_answer {
    struct plan_box *inputs;       // `node->input_count` of them; of those left out: undefined
    struct plan_override override; // count 0: none
    struct plan_override groups;   // of channels, another one; count 0: none
};

// Whether a rule is known; TILED_NOT has none.
bool region_has_rule(enum operator_tiling tiling);

void region_know(const struct network *network, const struct network_node *node,
                 struct region_known *out_known);

// False when the operator can only be computed as a whole.
bool region_find(const struct region_request *request, struct region_answer *answer);

// All of every input.
void region_take_whole(const struct region_request *request, struct region_answer *answer);

// The dimension of the channels of a convolution that computes each of them from one alone, so
// that they can be cut without a halo; its rank or more for everything else.
uint32_t region_apart_axis(const struct network *network, const struct network_node *node);

// Which dimensions of output 0 may be cut, outermost first, best first: their
// number, 0 when the operator can only be computed as a whole.
uint32_t region_axes(const struct network *network, const struct network_node *node,
                     uint32_t axes[SHAPE_RANK_MOST]);

#endif
