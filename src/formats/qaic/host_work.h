// What of a program the host computes: the card's statistics have nothing of it but the waits for
// it. Times are modelled.

#ifndef OPSCOPE_FORMATS_QAIC_HOST_WORK_H
#define OPSCOPE_FORMATS_QAIC_HOST_WORK_H

#include "program/program.h"
#include "target/target.h"

struct qaic_host_work {
    struct view name; // of the group
    double us;        // of all its tasks
};

// In order of the program; `out_items` is for the caller to free. None where the program or the
// target is not known (NULL).
size_t qaic_host_work_find(const struct program *program, const struct target *target,
                           struct qaic_host_work **out_items);

#endif
