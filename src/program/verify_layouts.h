// Whether every engine finds values as it needs them, in rows or in tiles, and gives them so.

#ifndef OPSCOPE_PROGRAM_VERIFY_LAYOUTS_H
#define OPSCOPE_PROGRAM_VERIFY_LAYOUTS_H

#include "program.h"

// Rule 18 of docs/formats/program.md. Indices are checked before.
status verify_layouts(const struct program *program, const struct target *target);

#endif
