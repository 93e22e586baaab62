// The statistics buffers of a folder, by the names that Cloud AI's runner gives them: which
// program, activation, inference and device each is of, and which are missing among them.

#ifndef OPSCOPE_CLI_QAIC_BUFFERS_H
#define OPSCOPE_CLI_QAIC_BUFFERS_H

#include "base/bytes.h"
#include "base/status.h"

// "aic-profiling-program-0-activation-0-inf-213-QAicGraph-aiccyclecounts.bin"; of several devices
// "aic-profiling-program-19-inf-1-QAicGraph_slice00-aiccyclecounts_QAicGraph_slice00_.bin".
struct qaic_buffer {
    char *name;
    uint64_t program, activation, inference;
    uint32_t device;     // number + 1; 0: the name says none
    struct view network; // in the name, without its device; "": the name is of no known scheme
};

struct qaic_buffers {
    struct qaic_buffer *items; // by program, activation, network, inference and device
    size_t count;
};

// Fails where the folder has none.
status qaic_buffers_list(const char *folder, struct qaic_buffers *out_buffers);
void qaic_buffers_free(struct qaic_buffers *buffers);

// How many from `at` on are of the same inference: of one device each.
size_t qaic_buffers_together(const struct qaic_buffers *buffers, size_t at);

// Says on stderr which inferences have no buffer though those around them have, and which devices
// have none of an inference that others have. Returns how many are missing.
size_t qaic_buffers_say_missing(const struct qaic_buffers *buffers);

// "DIR/NAME.qaic-opstats.ENDING", with a NUL; the name without its mark. `merged`: of all devices.
void qaic_buffer_output(const struct qaic_buffer *buffer, const char *folder, const char *ending,
                        bool merged, struct bytes *out_path);

#endif
