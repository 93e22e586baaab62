// A compiled program in the words of Cloud AI's tools: which operations each core's threads do,
// and the statistics of an inference.
//
// Engines of the target whose `row` is the same are one group of threads; `rank` orders them.

#ifndef OPSCOPE_FORMATS_QAIC_COLLECT_H
#define OPSCOPE_FORMATS_QAIC_COLLECT_H

#include "device/sim.h"
#include "networkdesc.h"
#include "raw_stats.h"

// Where each task of a program is found in the network's lists.
struct qaic_place {
    uint32_t core; // UINT32_MAX: it is the host's, and in no list
    uint16_t thread;
    uint16_t group;
    uint32_t ordinal;
};

struct qaic_collected {
    struct qaic_network *network;
    struct qaic_place *places; // by task
    uint32_t cores;
};

// Everything but levels and batches, which the caller sets.
status qaic_collect(const struct program *program, const struct target *target,
                    struct qaic_collected *out_collected);
void qaic_collected_free(struct qaic_collected *collected);

// The core that a task works for; false: it is the host's.
bool qaic_collect_core(const struct program *program, const struct target *target, uint32_t task,
                       uint32_t *out_core);

// Of one inference that begins at `base` ticks, with what `level` promises. Memory of the caller:
// free with qaic_stats_free.
struct qaic_raw_stats *qaic_stats_model(const struct qaic_collected *collected,
                                        const struct program *program, const struct target *target,
                                        const struct sim_result *times, uint32_t level,
                                        uint64_t base);
void qaic_stats_free(struct qaic_raw_stats *stats);

#endif
