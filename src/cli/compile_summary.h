// What the commands that compile say of a compiled network.

#ifndef OPSCOPE_CLI_COMPILE_SUMMARY_H
#define OPSCOPE_CLI_COMPILE_SUMMARY_H

#include "compiling.h"

// On the standard output: size, modelled time, memory, the `top` slowest groups, what
// the host does and why.
void compile_summary_print(const struct compiling *compiling, unsigned top);

// Each warning on a line of the standard output.
void compile_summary_warnings(const struct compiling *compiling);

// All of it, exactly, as JSON.
status compile_summary_json(const struct compiling *compiling, const char *output_path);

#endif
