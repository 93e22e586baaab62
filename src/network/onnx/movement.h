// Where the operators that move elements take them from: for those who infer
// shapes and those who copy.

#ifndef OPSCOPE_NETWORK_ONNX_MOVEMENT_H
#define OPSCOPE_NETWORK_ONNX_MOVEMENT_H

#include "lists.h"

// The lists of Slice, and for each dimension of the data where it begins and how
// far the next element is.
struct slice {
    struct list starts, ends, axes, steps;
    int64_t first[SHAPE_RANK_MOST];
    int64_t step[SHAPE_RANK_MOST];
};

// Fills `first` and `step` and gives the shape of the result. All dimensions of
// `data` that are sliced and all lists are known; others give SHAPE_UNKNOWN.
status movement_slice(struct slice *slice, const struct shape *data, struct shape *out_shape);

// Lengths along the axis of the outputs of Split of a dimension of `length`
// (SHAPE_UNKNOWN: not known). `list` may have more items than a list of a rank,
// so that it comes as a constant, an attribute, or not at all.
struct split {
    uint32_t outputs;
    const struct constant *constant; // from an input
    const int64_t *items;            // from the attribute
    uint32_t count;                  // of the items
    bool given;
    bool uneven; // the last part may be shorter (num_outputs)
};

struct split movement_split(struct attributes attributes, uint32_t version, uint32_t outputs,
                            const struct constant *constant);
status movement_split_part(const struct split *split, int64_t length, uint32_t part,
                           int64_t *out_length);

// Fails unless the parts make up the whole.
status movement_split_check(const struct split *split, int64_t length);

// The order of Transpose: dimension d of the output is order[d] of the input.
status movement_order(struct attributes attributes, uint32_t rank, uint32_t order[SHAPE_RANK_MOST]);

// Elements before and after each dimension, negative where they are cut off.
struct padding {
    int64_t before[SHAPE_RANK_MOST];
    int64_t after[SHAPE_RANK_MOST];
};

enum padding_mode {
    PADDING_CONSTANT,
    PADDING_REFLECT,
    PADDING_EDGE,
    PADDING_WRAP,
};

status movement_padding_mode(struct attributes attributes, enum padding_mode *out_mode);
status movement_padding(const struct list *pads, const struct list *axes, const struct shape *data,
                        enum padding_mode mode, struct padding *out_padding,
                        struct shape *out_shape);

// How often Tile repeats each dimension. In operator set 1 `repeats` and `axes` are
// one number each.
status movement_repeats(uint32_t version, const struct list *repeats, const struct list *axis,
                        uint32_t rank, int64_t out_repeats[SHAPE_RANK_MOST]);

// The shape of CenterCropPad.
status movement_center(const struct list *lengths, const struct list *axes,
                       const struct shape *data, struct shape *out_shape);

#endif
