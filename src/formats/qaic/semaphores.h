// Semaphores that tell the host how far an inference is. A core that has read its inputs raises
// one, so that those of the next inference may come while it computes; one that has written its
// outputs raises another, so that they are fetched. Each is an operation of the thread that the
// program lets do so last.

#ifndef OPSCOPE_FORMATS_QAIC_SEMAPHORES_H
#define OPSCOPE_FORMATS_QAIC_SEMAPHORES_H

#include "device/state.h"
#include "program/program.h"
#include "target/target.h"

// Where an operation is found in the network's lists.
struct qaic_place {
    uint32_t core; // counted over all devices; UINT32_MAX: it is the host's, and in no list
    uint16_t thread;
    uint16_t group;
    uint32_t ordinal;
};

struct qaic_increment {
    struct qaic_place place; // its ordinal is the caller's to set
    bool output;             // of what was written; else of what was read
    uint64_t bytes;          // that were
};

// A task that has to end before it.
struct qaic_increment_task {
    uint32_t task, increment;
};

struct qaic_increments {
    struct qaic_increment *items; // by core, inputs first
    size_t count;
    struct qaic_increment_task *tasks;
    size_t task_count;
};

// None where the target has no link to the host, or does not know what they take. What is kept on
// the device is neither brought nor fetched. Free with qaic_increments_free.
void qaic_increments_find(const struct program *program, const struct target *target,
                          const struct device_pair *kept, size_t kept_count,
                          const struct qaic_place *places, uint32_t cores,
                          struct qaic_increments *out_increments);
void qaic_increments_free(struct qaic_increments *increments);

// By buffer, for the caller to free: 0, or 1 + the number of the input that lies in it.
uint32_t *qaic_inputs_by_buffer(const struct program *program, const struct device_pair *kept,
                                size_t kept_count);

#endif
