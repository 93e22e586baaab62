// Which parts of its inputs an operator needs for a part of its outputs.
//
// The rules are those of tiling: what a tile computes on these parts, with the
// attributes that go with them, is bit for bit what the whole operator has at
// that place. Convolutions and matrix products of reals may differ by the order in
// which kernels add up.

#ifndef OPSCOPE_COMPILER_REGION_H
#define OPSCOPE_COMPILER_REGION_H

#include "plan.h"

struct region_request {
    const struct network *network;
    const struct network_node *node;
    const struct plan_box *output; // of output 0; the only one that may be a part
};

struct region_answer {
    struct plan_box *inputs;       // `node->input_count` of them; of those left out: undefined
    struct plan_override override; // count 0: none
    struct plan_override groups;   // of channels, another one; count 0: none
};

// Whether a rule is known; TILED_NOT has none.
bool region_has_rule(enum operator_tiling tiling);

// False when the operator can only be computed as a whole.
bool region_find(const struct region_request *request, struct region_answer *answer);

// The dimension of the channels of a convolution that computes each of them from one alone, so
// that they can be cut without a halo; its rank or more for everything else.
uint32_t region_apart_axis(const struct network *network, const struct network_node *node);

// Which dimensions of output 0 may be cut, outermost first, best first: their
// number, 0 when the operator can only be computed as a whole.
uint32_t region_axes(const struct network *network, const struct network_node *node,
                     uint32_t axes[SHAPE_RANK_MOST]);

#endif
