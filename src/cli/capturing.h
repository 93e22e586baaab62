// What the commands that capture share: options, the folder that a capture streams to, the summary.

#ifndef OPSCOPE_CLI_CAPTURING_H
#define OPSCOPE_CLI_CAPTURING_H

#include "capture/collect.h"
#include "options.h"

#define CAPTURING_OPTIONS                                                                          \
    {"port", 'p', OPTION_ONE, "PORT",                                                              \
     "of the one program with Tracy; without it programs choose theirs and are found"},            \
        {"disk", 0, OPTION_ONE, "SIZE",                                                            \
         "how much may be captured: 500MiB, 2GiB (half of the disk)"},                             \
    {                                                                                              \
        "linger", 0, OPTION_ONE, "TIME",                                                           \
            "how long processes may go on recording when the command has ended (10s)"              \
    }

struct capturing {
    const char *command; // of opscope's
    uint16_t port;
    uint64_t disk;
    unsigned linger_ms;
    struct capture capture;
    char *folder;
    struct profile *profile; // all of it
    struct collected collected;
};

status capturing_read_options(const struct arguments *arguments, struct capturing *capturing);

// Runs the command, collects, and says on stderr what came. The folder lies beside `output`.
status capturing_run(struct capturing *capturing, char *const *command, const char *output);

// Removes the folder; keeps it, and says where it is, when the capture could not be written.
status capturing_end(struct capturing *capturing, bool written);

// Whether any process recorded anything.
bool capturing_has_data(const struct capturing *capturing);

#endif
