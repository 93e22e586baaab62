// Values that lie in parts, each in the memory of the core that works on it, as a program has them:
// operands of tasks with stages that are no rings.

#ifndef OPSCOPE_DEVICE_DESCRIBE_PARTS_H
#define OPSCOPE_DEVICE_DESCRIBE_PARTS_H

#include "base/bytes.h"
#include "program/program.h"
#include "target/target.h"

// How many parts there are, and how many of them lie side by side: those that begin where the
// first one does but for the last dimension.
struct describe_parts {
    uint32_t memory; // of the target
    uint32_t first;  // buffer
    uint32_t count;  // 0: the value lies as a whole
    uint32_t columns;
};

// By value, for the caller to free; NULL: all values lie as wholes.
struct describe_parts *describe_parts_find(const struct program *program);

// Those of a value, of what was found; NULL: it lies as a whole, or is PROGRAM_NONE.
const struct describe_parts *describe_parts_of(const struct describe_parts *parts, uint32_t value);

// "l1 8x4": rows and columns of parts in each core's l1; of NULL the far memory, "dram".
void describe_parts_append(const struct target *target, const struct describe_parts *parts,
                           struct bytes *to);

#endif
