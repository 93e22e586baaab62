// What a modelled profile counts over time: memory in use and bandwidth.

#ifndef OPSCOPE_DEVICE_SIM_COUNTERS_H
#define OPSCOPE_DEVICE_SIM_COUNTERS_H

#include "describe.h"
#include "sim.h"

struct sim_counters {
    const struct program *program;
    const struct target *target;
    const struct sim_result *result;
    struct profile *profile;
    const struct describing_tracks *tracks;
    uint32_t clock;
    const uint32_t *owners; // by group: operator id of the profile
};

// A counter for every unit of a memory that something lies in, and a lifetime for every
// buffer.
void sim_counters_memory(const struct sim_counters *counters);

// A counter for every kind of engine that moves data: bytes a second of all its units
// together, each transfer's spread evenly over its time.
void sim_counters_bandwidth(const struct sim_counters *counters);

#endif
