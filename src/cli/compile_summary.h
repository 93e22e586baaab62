// What the commands that compile say of a compiled network.

#ifndef OPSCOPE_CLI_COMPILE_SUMMARY_H
#define OPSCOPE_CLI_COMPILE_SUMMARY_H

#include "compiling.h"
#include "reports/groups.h"

struct groups_report compile_summary_groups(const struct compiling *compiling);

// On the standard output: size, modelled time, memory, the slowest groups, what the host does
// and why. `groups` is a table of GROUPS_FORM.
void compile_summary_print(const struct compiling *compiling, struct table *groups);

// Each warning on a line of the standard output.
void compile_summary_warnings(const struct compiling *compiling);

// All of it, exactly, as JSON.
status compile_summary_json(const struct compiling *compiling, struct table *groups,
                            const char *output_path);

#endif
