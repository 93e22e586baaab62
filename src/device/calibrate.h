// Measures this machine and describes it as a target.
//
// Only made-up nodes are run, of sizes that the grids name (calibrate_grids.h):
// no network that is to be estimated afterwards.

#ifndef OPSCOPE_DEVICE_CALIBRATE_H
#define OPSCOPE_DEVICE_CALIBRATE_H

#include "base/bytes.h"
#include "base/status.h"
#include "probe.h"

struct calibrate_options {
    unsigned threads; // 0: one for each CPU
    bool quick;       // fewer sizes, fewer runs
    const struct probe_engine *engine;
};

struct calibrate_summary {
    uint32_t kernels; // operators, elements and ways
    uint32_t points;
    double seconds;
    double spread;       // median over all points of median / least - 1
    double spread_worst; // of nine points in ten
    unsigned threads;
};

// Appends the text of a target's file.
status calibrate(const struct calibrate_options *options, struct bytes *out_text,
                 struct calibrate_summary *out_summary);

// Memory (calibrate_memory.c) --------------------------------------------------------

struct calibrate_memory {
    uint64_t caches[3];   // bytes; 0: unknown
    double bandwidths[4]; // bytes in a nanosecond, of what fits each and of the memory
    uint64_t total;       // bytes of the machine's memory
};

// By a[i] = b[i] + s * c[i] over arrays that fit each cache, on all threads.
void calibrate_measure_memory(unsigned threads, bool quick, struct calibrate_memory *out_memory);

#endif
