// What the calls of each part of a run took, in the order in which they came: measurements where
// there are no iterations, or too few. Of a part with many calls those that follow one another
// are one block, which counts with the mean of its calls; so what repeats in a pattern (large and
// small ones in turn) lies in one block, and memory does not grow with the calls.
//
// Memory: at most 64 numbers a part, and 16 MiB in all.

#ifndef OPSCOPE_ANALYSIS_CALL_BLOCKS_H
#define OPSCOPE_ANALYSIS_CALL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct call_blocks {
    size_t part_count;
    uint64_t *calls; // of each part
    size_t *begins;  // of each part's blocks in `ns`, and one more at the end
    double *ns;      // a call of the block
};

// Empty blocks for parts with so many calls; takes no array.
struct call_blocks call_blocks_make(const uint64_t *calls, size_t part_count);
void call_blocks_free(struct call_blocks *blocks);

// Of the part's call number `turn`, from 0; may come in pieces.
void call_blocks_add(struct call_blocks *blocks, size_t part, uint64_t turn, double ns);

size_t call_blocks_count(const struct call_blocks *blocks, size_t part);

#endif
