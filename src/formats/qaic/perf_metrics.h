// What -aic-perf-metrics prints: how much a program computes, keeps and moves, in the words and
// columns of SDK 1.12. Figures are those of the program; what it does not have (tables of
// multicast groups, code) has no line.

#ifndef OPSCOPE_FORMATS_QAIC_PERF_METRICS_H
#define OPSCOPE_FORMATS_QAIC_PERF_METRICS_H

#include "base/bytes.h"
#include "program/program.h"

// Bytes that a core moves in one inference.
struct qaic_core_traffic {
    uint64_t read, read_constants; // from the DDR
    uint64_t written;
    uint64_t cast, cast_constants; // to several cores at once, counted once
    uint64_t vtcm;                 // end of the highest address in use of its memory
    uint64_t barriers;             // where all cores wait for one another
};

struct qaic_size_count {
    uint64_t elements; // that an operator gives
    uint64_t count;    // of such operators
};

struct qaic_perf_metrics {
    bool all_macs_known;
    uint64_t macs;                     // as the network has them
    struct qaic_size_count *histogram; // smallest first
    size_t histogram_count;
    uint64_t hmx_macs; // of whole blocks of the matrix unit
    uint64_t other_macs;
    uint64_t network_constants; // bytes that the network has
    uint64_t constants;         // as they lie in the DDR
    uint64_t shared_ddr;        // bytes there of inputs, outputs and what is between
    uint64_t input_bytes, output_bytes;
    struct qaic_core_traffic *cores;
    uint32_t core_count;
};

// `core_count`: that the program is for, at work or not.
void qaic_perf_metrics_find(const struct program *program, const struct target *target,
                            uint32_t core_count, struct qaic_perf_metrics *out_metrics);
void qaic_perf_metrics_free(struct qaic_perf_metrics *metrics);

void qaic_perf_metrics_print(const struct qaic_perf_metrics *metrics, const char *network,
                             struct bytes *to);

#endif
