// The equation of an Einsum, taken apart.

#ifndef OPSCOPE_NETWORK_ONNX_EINSUM_H
#define OPSCOPE_NETWORK_ONNX_EINSUM_H

#include "network/shape.h"

enum {
    EINSUM_OPERANDS_MOST = 16,
    EINSUM_LETTERS = 52,
    // Letters, and the dimensions that an ellipsis stands for, counted from the last one.
    EINSUM_LABELS = EINSUM_LETTERS + SHAPE_RANK_MOST,
};

struct einsum_term {
    uint32_t rank;
    uint8_t labels[SHAPE_RANK_MOST];
};

struct einsum {
    uint32_t operand_count;
    struct einsum_term operands[EINSUM_OPERANDS_MOST];
    struct einsum_term output;
    int64_t lengths[EINSUM_LABELS]; // of each label; SHAPE_UNKNOWN where a shape does not tell
};

// `shapes` are those of the operands. Fails for an equation that is none, that does
// not fit the ranks, and for lengths that contradict one another (1 broadcasts).
status einsum_parse(struct view equation, uint32_t count, const struct shape *const *shapes,
                    struct einsum *out_einsum);

#endif
