// `opscope run PROGRAM --device sim`: real outputs, modelled times.

#ifndef OPSCOPE_CLI_RUN_SIM_H
#define OPSCOPE_CLI_RUN_SIM_H

#include "options.h"
#include "program/program.h"

// Reads the options of `opscope run`.
status run_sim(const struct arguments *arguments, const struct program *program,
               const struct target *target);

#endif
