// A compiled program in the words of Cloud AI's tools: which operations each core's threads do.
//
// Engines of the target whose `row` is the same are one group of threads; `rank` orders them.
// Cores are counted over all devices that the program is for.

#ifndef OPSCOPE_FORMATS_QAIC_COLLECT_H
#define OPSCOPE_FORMATS_QAIC_COLLECT_H

#include "networkdesc.h"
#include "semaphores.h"

struct qaic_collected {
    struct qaic_network *network;
    struct qaic_place *places; // by task
    uint32_t cores, devices;
    struct qaic_increments increments;
    uint32_t *inputs; // by buffer: 0, or 1 + the number of the input that lies in it
};

// Everything but levels and batches, which the caller sets. `kept` stays on the device.
status qaic_collect(const struct program *program, const struct target *target,
                    const struct device_pair *kept, size_t kept_count,
                    struct qaic_collected *out_collected);
void qaic_collected_free(struct qaic_collected *collected);

// The core that a task works for; false: it is the host's.
bool qaic_collect_core(const struct program *program, const struct target *target, uint32_t task,
                       uint32_t *out_core);

// Whether a transfer brings something to a core's memory.
bool qaic_collect_writes_near(const struct program *program, const struct target *target,
                              const struct program_task *task);

// Whether a task only lays a value out anew, to or from D32.
bool qaic_collect_lays_out(const struct program *program, uint32_t task);

#endif
