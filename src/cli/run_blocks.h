// The time of each block of a program in a run: what the host started, waited for or copied.

#ifndef OPSCOPE_CLI_RUN_BLOCKS_H
#define OPSCOPE_CLI_RUN_BLOCKS_H

#include "formats/torq/run_actions.h"

// A line each, in the order of the program; the median where there are several iterations.
void run_blocks_print(const struct run_actions *actions);

#endif
