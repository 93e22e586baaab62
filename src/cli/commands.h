// Every command of the program, one file each.

#ifndef OPSCOPE_CLI_COMMANDS_H
#define OPSCOPE_CLI_COMMANDS_H

#include "options.h"

extern const struct command COMMAND_CONVERT;
extern const struct command COMMAND_INFO;
extern const struct command COMMAND_LINKS;
extern const struct command COMMAND_OVERVIEW;
extern const struct command COMMAND_PERFETTO_LOGGER;

// In the order of the help text; ends with NULL.
extern const struct command *const COMMANDS[];

#endif
