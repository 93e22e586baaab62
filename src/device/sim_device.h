// The device `sim` (device.h): outputs as the device `host` computes them, times by the cost rules.

#ifndef OPSCOPE_DEVICE_SIM_DEVICE_H
#define OPSCOPE_DEVICE_SIM_DEVICE_H

#include "device.h"
#include "sim.h"

// Of the last run.
const struct sim_result *sim_device_times(const struct device *device);

// How many tasks it evaluates in a second of this machine, so far; 0: nobody knows.
double sim_device_tasks_per_second(const struct device *device);

#endif
