// What a command may take of the machine, for files that nobody vouches for.

#ifndef OPSCOPE_CLI_LIMITS_H
#define OPSCOPE_CLI_LIMITS_H

#include "options.h"

// For the table of a command that computes a network.
#define LIMITS_OPTIONS                                                                             \
    {"max-time", 0, OPTION_ONE, "TIME", "when it is ended (3600s; 0: never)"}, LIMITS_OF_MEMORY

// The same for one that has no end.
#define LIMITS_OF_MEMORY                                                                           \
    {                                                                                              \
        "max-memory", 0, OPTION_ONE, "SIZE", "what it may take (7/8 of all; 0: all)"               \
    }

// Sets what --max-unpacked and, of commands that have them, --max-time and --max-memory say. Time
// is that of the clock, of the whole command; when it is over the program ends with a message and
// exit code 1, and nothing stays half written. Memory beyond the limit is not to be had.
status limits_apply(const struct command *command, const struct arguments *arguments);

#endif
