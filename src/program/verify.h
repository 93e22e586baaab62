// Proves that a program does what a program must, from its tables alone:
//
// - no lane of an engine is given a task before the one before has been waited for;
// - every dependency has been waited for when a task starts, and so has everything
//   that touches the same bytes, listed or not;
// - what is read has been written before, to the last element;
// - no two buffers in use at the same time share an address, and each lies within
//   its memory and is used only while it is in use;
// - every element of every output, and of every value between groups, is written
//   exactly once;
// - transfers copy boxes of the same shape and type.

#ifndef OPSCOPE_PROGRAM_VERIFY_H
#define OPSCOPE_PROGRAM_VERIFY_H

#include "program.h"

struct verify_counts {
    uint64_t tasks, steps, dependencies, buffers, values;
};

// The first thing that is wrong, by task, buffer or value. `target` is the one
// that the program was compiled for.
status program_verify(const struct program *program, const struct target *target,
                      struct verify_counts *out_counts);

#endif
