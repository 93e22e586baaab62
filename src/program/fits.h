// Whether what a program names of a target is there.

#ifndef OPSCOPE_PROGRAM_FITS_H
#define OPSCOPE_PROGRAM_FITS_H

#include "program.h"

// That every engine, lane, memory, queue and unit that the tables name is one of the
// target's: whoever uses a program with a target without proving it asks this first.
status program_fits(const struct program *program, const struct target *target);

// Whether an engine of that unit works with that unit of a memory: its own where both are
// there more than once, any of its device or of the machine where only the memory is.
bool program_reaches(const struct target *target, uint32_t engine, uint32_t engine_unit,
                     uint32_t memory, uint32_t memory_unit);

#endif
