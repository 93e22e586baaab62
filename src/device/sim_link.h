// The way between the host and the device (`[link]` of the target): inputs come over it one after
// the other from the start, outputs leave over it when they are written, each way at the same
// rate. A task of the device that reads an input waits until it is there.

#ifndef OPSCOPE_DEVICE_SIM_LINK_H
#define OPSCOPE_DEVICE_SIM_LINK_H

#include "sim.h"

// By buffer, for the caller to free: when what it holds has come from the host; 0 of all else.
// Fills the times of inputs in `result`.
uint64_t *sim_link_arrivals(const struct program *program, const struct target *target,
                            const struct sim_options *options, struct sim_result *result);

// Fills the times of outputs in `result`, once those of tasks are there, and its end.
void sim_link_departures(const struct program *program, const struct target *target,
                         const struct sim_options *options, const uint64_t *arrivals,
                         struct sim_result *result);

#endif
