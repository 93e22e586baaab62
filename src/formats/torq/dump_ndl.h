// Loops of a dump ("NDL": counts and strides), and the cycles that the published
// compiler makes of them.

#ifndef OPSCOPE_FORMATS_TORQ_DUMP_NDL_H
#define OPSCOPE_FORMATS_TORQ_DUMP_NDL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/view.h"

// More bytes or cycles than this in one task are refused: sums over a program
// stay within 64 bits.
#define DUMP_AMOUNT_MOST (UINT64_C(1) << 40)

// The loops of a slice that count, in the order in which a dump lists their cycles.
enum dump_ndl {
    DUMP_DEDR,
    DUMP_DEWR,
    DUMP_DEBR,
    DUMP_DEQW,
    DUMP_CEDW,
    DUMP_CEDR,
    DUMP_CEWW,
    DUMP_CEWR,
    DUMP_CEPR,
    DUMP_ACBW,
    DUMP_ACBR,
    DUMP_ACPR,
    DUMP_NDLS,
};

extern const char *const DUMP_NDL_NAMES[DUMP_NDLS]; // "dedr" ...

// Cycles of each loop of a `torq_hw.slice_task`, 0 where it has none: the product
// of its H counts; memory loops of the same name are added, the last register
// loop counts. False for a count that is none, or too large.
bool dump_ndl_cycles(struct view slice_task, uint64_t cycles[DUMP_NDLS]);

// What the slice takes: its slowest path.
uint64_t dump_ndl_longest(const uint64_t cycles[DUMP_NDLS]);

// The product of the counts of "dma_ndl{dims = [[count, stride], ...]}"; false as above.
bool dump_ndl_bytes(struct view dma_ndl, uint64_t *out_bytes);

#endif
