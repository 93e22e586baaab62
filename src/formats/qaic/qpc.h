// programqpc.bin, the container of a compiled network: named segments in one file, as
// docs/formats/qaic.md has it. Whatever writer made it: nothing is assumed of alignment or order.

#ifndef OPSCOPE_FORMATS_QAIC_QPC_H
#define OPSCOPE_FORMATS_QAIC_QPC_H

#include "base/input.h"
#include "base/output.h"

struct qpc_segment {
    struct view name;
    struct view bytes;
    uint64_t offset; // of the second part of constants.bin; 0 elsewhere
};

struct qpc {
    struct input *input;
    struct qpc_segment *segments;
    size_t count;
};

bool qpc_recognise(struct view bytes);

// Takes over `input`, also on failure. Segments are views into it.
status qpc_read(struct input *input, struct qpc **out_qpc);
status qpc_open(const char *path, struct qpc **out_qpc);
void qpc_free(struct qpc *qpc);

// NULL: it has none of this name.
const struct qpc_segment *qpc_find(const struct qpc *qpc, const char *name);

// Writes a container; data of every segment starts at a multiple of 64 bytes. There must be a
// network.elf, and no name twice.
status qpc_write(const char *path, const struct qpc_segment *segments, size_t count);

// The same where some segments have a size but no data: `write` gives exactly as many bytes.
// `agree` is asked when all is written: unless it returns STATUS_OK the file does not come to be.
struct qpc_source {
    const void *context;
    void (*write)(const void *context, size_t segment, struct output *output);
    status (*agree)(const void *context);
};
status qpc_write_from(const char *path, const struct qpc_segment *segments, size_t count,
                      const struct qpc_source *source);

#endif
