// The statistics of an inference as the device's threads would write them: exactly what a level
// promises (docs/formats/qaic.md), from the times of the program's tasks.

#ifndef OPSCOPE_FORMATS_QAIC_STATISTICS_H
#define OPSCOPE_FORMATS_QAIC_STATISTICS_H

#include "collect.h"
#include "device/sim.h"
#include "raw_stats.h"

struct qaic_stats_request {
    uint32_t level;
    bool ddr;          // traffic, too
    unsigned counters; // bits (counters.h)
    uint64_t base;     // ticks at which the inference begins
};

// Of all devices together. Free with qaic_stats_free.
struct qaic_raw_stats *qaic_stats_model(const struct qaic_collected *collected,
                                        const struct program *program, const struct target *target,
                                        const struct sim_result *times,
                                        const struct qaic_stats_request *request);

// What one of several devices has of them, with its own cores from 0 on. Free it in the same way.
struct qaic_raw_stats *qaic_stats_slice(const struct qaic_raw_stats *stats,
                                        const struct qaic_collected *collected,
                                        const struct program *program, uint32_t device);
void qaic_stats_free(struct qaic_raw_stats *stats);

#endif
