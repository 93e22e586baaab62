// A compiled program as JSON.

#ifndef OPSCOPE_CLI_PROGRAM_JSON_H
#define OPSCOPE_CLI_PROGRAM_JSON_H

#include "program/print.h"

// `parts` as in program_print.
void program_json_write(const struct program *program, const struct target *target, unsigned parts,
                        struct output *output);

#endif
