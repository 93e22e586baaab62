// Recording what a command does (opscope/record.h), so that a signal that asks to end loses
// nothing: the recording is ended first, then the process, by that signal.

#ifndef OPSCOPE_CLI_RECORDING_H
#define OPSCOPE_CLI_RECORDING_H

#include "base/status.h"

// Before any thread that works. Nothing may be lost: a thread whose buffer is full waits.
// `command` is for messages and must stay, like `path`.
status recording_start(const char *command, const char *path, const char *process);

status recording_stop(void);

#endif
