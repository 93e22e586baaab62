// What the devices can do: worker cores, bandwidth, peak rates by math fidelity.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_ARCH_H
#define OPSCOPE_FORMATS_TENSTORRENT_ARCH_H

#include "base/view.h"

// How many passes the matrix engine makes over the mantissas.
enum fidelity {
    FIDELITY_UNKNOWN,
    FIDELITY_LOFI,
    FIDELITY_HIFI2,
    FIDELITY_HIFI3,
    FIDELITY_HIFI4,
    FIDELITIES,
};

enum fidelity fidelity_from_name(struct view name);

struct arch {
    const char *name;
    uint64_t worker_cores; // usable for operators
    uint64_t most_cores;   // that it has at all
    uint64_t dram_workers; // cores of a DRAM-sharded matmul: next to the controllers
    double clock_mhz;
    double dram_gb_s;   // 10^9 bytes a second; 0: not published
    double model_gib_s; // 2^30 bytes a second, of tt-metal's performance model; 0: it has none
    double tflops[FIDELITIES]; // of one core; 0: not published
};

// By the name that a report or a user gives (wormhole, wormhole_b0, blackhole,
// bh20, n1, grayskull, quasar, in any case); NULL when there is none.
const struct arch *arch_find(struct view name);

// What runs at this clock and has this many cores: Blackhole with 20 cores is bh20. NULL when
// nothing does, and for a clock of 0.
const struct arch *arch_from_clock(double mhz, uint64_t cores_used);

// What a report stands for that tells nothing.
const struct arch *arch_default(void);

#endif
