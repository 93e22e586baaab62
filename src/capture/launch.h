// Starts the command of a capture in a session of its own, with the environment that it needs.

#ifndef OPSCOPE_CAPTURE_LAUNCH_H
#define OPSCOPE_CAPTURE_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

struct launch {
    char *const *command;           // its words, up to a NULL
    const char *const *environment; // NAME=VALUE, up to a NULL: besides what we have
    const sigset_t *signals;        // that it blocks: as we did when we were started
};

// Fails, with what the system says, when there is no such program.
status launch_start(const struct launch *launch, pid_t *out_process);

#endif
