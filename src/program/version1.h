// Programs of version 1 of the container: of one controller, with at most 256 engines,
// memories and lanes. They are read by turning their tables into those of today
// (docs/formats/program.md).

#ifndef OPSCOPE_PROGRAM_VERSION1_H
#define OPSCOPE_PROGRAM_VERSION1_H

#include "tables.h"

enum { VERSION1_TABLE_COUNT = 20 };

// A table as it lies in a file of version 1.
struct version1_table {
    const char *name;
    uint32_t item_size;
};

// In the order in which they stand in a file.
extern const struct version1_table VERSION1_TABLES[VERSION1_TABLE_COUNT];

// Takes the tables of such a file: those that have not changed are used where they lie, the
// others are made anew and belong to the program (`converted`).
void version1_convert(const struct view tables[VERSION1_TABLE_COUNT], struct program *program);

#endif
