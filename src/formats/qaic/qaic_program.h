// programqpc.bin of this project: the container of Cloud AI's tools with a program of ours inside.

#ifndef OPSCOPE_FORMATS_QAIC_QAIC_PROGRAM_H
#define OPSCOPE_FORMATS_QAIC_QAIC_PROGRAM_H

#include "networkdesc.h"
#include "qpc.h"
#include "program/program.h"
#include "target/target.h"

#define QAIC_PROGRAM_FILE "programqpc.bin"

struct qaic_program {
    struct qpc *qpc;
    struct qaic_network *network; // what its description says
    uint32_t checksum;            // of the description
    struct program *program;      // NULL: another compiler made it
    struct target *target;        // the same
};

// Of a container, or of a folder that holds one of the usual name.
status qaic_program_open(const char *path, struct qaic_program *out_program);
void qaic_program_free(struct qaic_program *program);

// Writes folder/programqpc.bin. `made_by` is the command line, kept inside.
status qaic_program_write(const char *folder, const struct program *program,
                          const struct qaic_network *network, struct view made_by);

#endif
