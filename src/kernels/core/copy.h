// Copies a box of elements from one tensor to another, each walked in steps of
// its own: slices, concatenation, transposes, reversal, repetition.

#ifndef OPSCOPE_KERNELS_CORE_COPY_H
#define OPSCOPE_KERNELS_CORE_COPY_H

#include "kernels/parallel.h"
#include "network/tensor.h"

// Twice that of shapes: a repeated dimension takes two.
enum { COPY_RANK_MOST = 2 * SHAPE_RANK_MOST };

// Steps are in elements. They may be negative, and 0 in the source: the same
// element again and again. No two places of the box may be one place of the
// target.
struct copy {
    uint32_t rank;
    uint32_t size; // bytes of an element: 1, 2, 4, 8 or 16
    uint64_t lengths[COPY_RANK_MOST];
    int64_t source_steps[COPY_RANK_MOST];
    int64_t target_steps[COPY_RANK_MOST];
};

// Row-major distances between neighbours along each dimension.
void copy_steps(const struct shape *shape, int64_t steps[SHAPE_RANK_MOST]);

// A copy over all places of `shape`, both sides walked as dense tensors of that
// shape. The caller changes what is different.
struct copy copy_over(const struct shape *shape, enum element element);

// `source` and `target` point at the element that the box begins with, and are
// aligned for elements of that size. They do not overlap.
void copy_run(struct parallel *parallel, const struct copy *copy, const void *source, void *target);

// Copies `source` into the box of `target` that begins at `at` (an index for each
// dimension), or that box of `source` into the whole of `target`. It must lie
// within the bigger one.
void copy_into(struct parallel *parallel, const struct tensor *source, struct tensor *target,
               const uint64_t *at);
void copy_from(struct parallel *parallel, const struct tensor *source, struct tensor *target,
               const uint64_t *at);

// target[i0, i1, ...] = source[..., where dimension d of the target is dimension
// order[d] of the source.
void copy_transposed(struct parallel *parallel, const struct tensor *source, struct tensor *target,
                     const uint32_t *order);

// All elements as they lie, whatever the shapes; as many in both.
void copy_all(struct parallel *parallel, const struct tensor *source, struct tensor *target);

// Sets `count` elements of `size` bytes to the one at `value`.
void copy_fill(struct parallel *parallel, void *target, uint64_t count, uint32_t size,
               const void *value);

#endif
