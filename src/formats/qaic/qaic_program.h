// programqpc.bin of this project: the container of Cloud AI's tools with programs of ours inside,
// one for each specialization of the network.

#ifndef OPSCOPE_FORMATS_QAIC_QAIC_PROGRAM_H
#define OPSCOPE_FORMATS_QAIC_QAIC_PROGRAM_H

#include "networkdesc.h"
#include "qpc.h"
#include "program/program.h"
#include "target/target.h"

#define QAIC_PROGRAM_FILE "programqpc.bin"

// One choice of the lengths of the network's dimensions.
struct qaic_part {
    struct qaic_network *network; // what its description says
    uint32_t checksum;            // of the description
    struct program *program;      // NULL: another compiler made it
    struct view symbols;          // "batch_size=1 seq_len=32"; "": it was compiled as it is
    struct qaic_network **slices; // of several devices: what each has of the network; NULL: one
    uint32_t devices;
};

struct qaic_program {
    struct qpc *qpc;
    struct qaic_part *parts; // at least one
    size_t part_count;
    bool retained;         // outputs that are called so are inputs of the next inference
    struct view recipe;    // of counters that its statistics have; "": none
    struct target *target; // NULL: another compiler made it
    // Those of the first part.
    struct qaic_network *network;
    uint32_t checksum;
    struct program *program;
};

// Of a container, or of a folder that holds one of the usual name.
status qaic_program_open(const char *path, struct qaic_program *out_program);
void qaic_program_free(struct qaic_program *program);

// The part that a buffer of statistics with this checksum belongs to; NULL: none.
const struct qaic_part *qaic_program_find(const struct qaic_program *program, uint32_t checksum);

// The network that the statistics of a device are of: `device` is its number + 1, or 0 where there
// is one. NULL: it has no such device.
const struct qaic_network *qaic_part_network(const struct qaic_part *part, uint32_t device);

// What is written; `made_by` is the command line, kept inside.
struct qaic_made {
    const struct qaic_made_part {
        const struct program *program;
        const struct qaic_network *network;
        struct view symbols;
    } * parts;
    size_t part_count;
    bool retained;
    struct view recipe; // "": none
    struct view made_by;
    status (*agree)(
        void *context); // asked when all is written, before the file is there; may be NULL
    void *context;
};

// Writes folder/programqpc.bin.
status qaic_program_write(const char *folder, const struct qaic_made *made);

#endif
