// `opscope run PROGRAM --device sim`: real outputs, modelled times.

#ifndef OPSCOPE_CLI_RUN_SIM_H
#define OPSCOPE_CLI_RUN_SIM_H

#include "device/device.h"
#include "options.h"

// Whether the options of `opscope run` fit --timing-only, before anything is done.
status run_sim_check(const struct arguments *arguments);

// Runs what is loaded into the device `sim`, as the options of `opscope run` say, and prints.
status run_sim(const struct arguments *arguments, struct device *device,
               const struct program *program, const struct target *target);

#endif
