// Runs a command with the words of its line, and says on the standard error what went wrong.

#ifndef OPSCOPE_CLI_COMMAND_RUN_H
#define OPSCOPE_CLI_COMMAND_RUN_H

#include "options.h"

// `called` is the name that the command goes by, for its help. Returns the exit code.
int command_run(const struct command *command, const char *called, int count, char **words);

// Says what failed, which is freed, and returns the exit code. `command` may be NULL: none was
// found.
int command_report(const struct command *command, status failure);

#endif
