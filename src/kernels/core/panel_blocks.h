// What panels.c and byte_panels.c share: functions that multiply some panels by some vectors, one
// for each number of vectors, so that the sums stay in registers, and how a product is made of
// them.
//
//     DEFINE_BLOCK(suffix, attributes, bytes, panels, vectors)
//
// is theirs, and makes block_SUFFIX_PANELS_VECTORS for a machine whose vectors have `bytes`.

#ifndef OPSCOPE_KERNELS_CORE_PANEL_BLOCKS_H
#define OPSCOPE_KERNELS_CORE_PANEL_BLOCKS_H

#include "panels.h"

enum { PANEL_BLOCKS_MOST = 12 }; // vectors

// The panels from that of `row` on, by vectors from `x` on; the results lie `y_stride` apart.
typedef void (*panel_block)(const struct panels_product *product, uint64_t row, const void *x,
                            float *y, uint64_t y_stride);

// What a kind of machine computes with.
struct panel_blocks {
    uint64_t most; // vectors at a time
    // Panels at a time, and what takes them, by vectors, less one; what is left over goes by single
    // ones.
    uint64_t together;
    panel_block several[PANEL_BLOCKS_MOST];
    panel_block single[PANEL_BLOCKS_MOST];
};

// The panels from that of `row` on by `count` vectors of numbers of `size` bytes.
void panel_blocks_multiply(const struct panel_blocks *blocks, const struct panels_product *product,
                           uint64_t row, uint64_t size, const void *x, uint64_t count, float *y);

// Asks for a line of panels to be brought to the cache of the second level. It need not be there:
// after the last panel comes what lies behind it, often the panels of what is computed next.
static inline void panel_blocks_ask(const void *place, uint64_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)place + ahead), 0, 2);
}

#define DEFINE_BLOCKS_TO_6(suffix, attributes, bytes, panels)                                      \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 1)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 2)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 3)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 4)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 5)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 6)

#define DEFINE_BLOCKS_TO_12(suffix, attributes, bytes, panels)                                     \
    DEFINE_BLOCKS_TO_6(suffix, attributes, bytes, panels)                                          \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 7)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 8)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 9)                                             \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 10)                                            \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 11)                                            \
    DEFINE_BLOCK(suffix, attributes, bytes, panels, 12)

// They in a list.
#define BLOCKS_TO_6(suffix, panels)                                                                \
    block_##suffix##_##panels##_1, block_##suffix##_##panels##_2, block_##suffix##_##panels##_3,   \
        block_##suffix##_##panels##_4, block_##suffix##_##panels##_5,                              \
        block_##suffix##_##panels##_6

#define BLOCKS_TO_12(suffix, panels)                                                               \
    BLOCKS_TO_6(suffix, panels), block_##suffix##_##panels##_7, block_##suffix##_##panels##_8,     \
        block_##suffix##_##panels##_9, block_##suffix##_##panels##_10,                             \
        block_##suffix##_##panels##_11, block_##suffix##_##panels##_12

#endif
