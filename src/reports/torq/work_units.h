// The work units of a program's jobs as Torq's tools list them: what the controller does in each
// of its tasks, and what it makes each engine do, with the modelled times.

#ifndef OPSCOPE_REPORTS_TORQ_WORK_UNITS_H
#define OPSCOPE_REPORTS_TORQ_WORK_UNITS_H

#include "device/sim.h"

enum work_kind {
    WORK_CFG, // a task of the controller
    WORK_CDMA,
    WORK_DMA_IN,
    WORK_DMA_OUT,
    WORK_SLICE,
    WORK_CSS,
    WORK_HOST_PROGRAM, // these two are actions, not of a job
    WORK_HOST_COPY,
    WORK_KINDS,
};

// Times are cycles. An engine works from `start` to `ready`, and is waited for at `end`: where
// nobody waits, or the engine is given more before, it has ended there.
struct work_unit {
    uint32_t kind;   // enum work_kind
    uint32_t index;  // which slice; else 0
    uint32_t task;   // of the program; of WORK_CFG the first that it starts or waits for
    uint32_t number; // of the controller's task
    uint64_t start, ready, end;
};

struct work_units {
    struct work_unit *items;
    uint32_t *first; // by job, and the end: those of job j are items[first[j]] to first[j + 1]
};

// `times` are of this program. Memory: 40 bytes for each step and each of the controller's tasks.
struct work_units work_units_of(const struct program *program, const struct target *target,
                                const struct sim_result *times);
void work_units_free(struct work_units *units);

// "Dma In", as Torq's tools begin the name of an event.
const char *work_kind_name(enum work_kind kind);

#endif
