// Whether every index and range of a program stays within its table, and what an
// item has of another table is its own. What the program means is the verifier's
// business (verify.h).

#ifndef OPSCOPE_PROGRAM_VALIDATE_H
#define OPSCOPE_PROGRAM_VALIDATE_H

#include "program.h"

// Failures name the file, the table and the item.
status program_validate(const struct program *program);

#endif
