// Proves that a program does what a program must, from its tables alone, in whatever order
// its streams may do their steps:
//
// - streams drive engines of their own queue and unit, and await nothing that has not been
//   signalled before in the order of the tables: so they never wait for one another for ever;
// - no lane of an engine is given a task before the one before has been waited for,
//   and the host starts nothing before the job before has been waited for;
// - a task depends on those that write what it reads and on nothing that it has
//   nothing to do with, and a wait for them and for everything else that touches the same
//   bytes happens before its start;
// - what is read has been written before, to the last element;
// - no two buffers in use at the same time share an address, and each lies within
//   its memory and is used only while it is in use;
// - every element of every output, and of every value between groups, is written
//   exactly once;
// - transfers carry a box to the same place of the same value, between memories and units that
//   their engine reaches; kernels get whole tiles of the values of their node, or rings that
//   the stages of their task fill;
// - graphs inside operators read what was made before, none contains itself, and what is made
//   when it runs stays with the host.
//
// Time grows with tasks, operands and buffers (n log n), and for signals and awaits with the
// streams of their job.
//
// docs/formats/program.md has the rules in full.

#ifndef OPSCOPE_PROGRAM_VERIFY_H
#define OPSCOPE_PROGRAM_VERIFY_H

#include "program.h"

struct verify_counts {
    uint64_t tasks, steps, dependencies, buffers, values, streams;
    uint64_t semaphore_steps; // of `steps`: signals and awaits
};

// The first thing that is wrong, by task, buffer or value. `target` is the one
// that the program was compiled for.
status program_verify(const struct program *program, const struct target *target,
                      struct verify_counts *out_counts);

#endif
