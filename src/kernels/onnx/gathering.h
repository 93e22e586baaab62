// Kernels of the gather family that lie in other files, and indices.

#ifndef OPSCOPE_KERNELS_ONNX_GATHERING_H
#define OPSCOPE_KERNELS_ONNX_GATHERING_H

#include "moving.h"

status gathering_scatter_elements(struct kernel_call *call);
status gathering_scatter_nd(struct kernel_call *call);
status gathering_one_hot(struct kernel_call *call);
status gathering_non_zero(struct kernel_call *call);
status gathering_compress(struct kernel_call *call);
status gathering_top_k(struct kernel_call *call);
status gathering_unique(struct kernel_call *call);

// An index of i32 or i64.
static inline int64_t gathering_index(const struct tensor *indices, uint64_t i)
{
    return indices->element == ELEMENT_I32 ? ((const int32_t *)indices->data)[i]
                                           : ((const int64_t *)indices->data)[i];
}

// The place that a checked index means.
static inline int64_t gathering_place(const struct tensor *indices, uint64_t i, int64_t length)
{
    const int64_t index = gathering_index(indices, i);
    return index < 0 ? index + length : index;
}

// Fails unless all indices lie within [-length, length); `axis` is for the message.
status gathering_check(const struct tensor *indices, uint32_t axis, int64_t length);

// A walk along the rows (last dimension) of indices that name places along one axis of data.
struct gathering_rows {
    const struct tensor *indices;
    const struct shape *data;
    uint32_t axis;
};

enum { GATHERING_CHUNK = 512 };

// Offsets into the data of `count` <= GATHERING_CHUNK indices of row `row` from column `column`.
void gathering_offsets(const struct gathering_rows *rows, uint64_t row, uint64_t column,
                       uint64_t count, int64_t offsets[GATHERING_CHUNK]);

// Tuples of indices that name places along the dimensions [batch, batch + width) of
// data, batch by batch: the elements before each place, for `out_offsets` with room for
// all tuples.
status gathering_tuples(const struct tensor *indices, const struct shape *data, uint32_t batch,
                        int64_t *out_offsets);

#endif
