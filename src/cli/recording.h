// Recording what a command does (opscope/record.h), so that a signal that asks to end loses
// nothing: the recording is ended first, then the process, by that signal.

#ifndef OPSCOPE_CLI_RECORDING_H
#define OPSCOPE_CLI_RECORDING_H

#include "record/recorder.h"

// Before any thread that works. Nothing may be lost: a thread whose buffer is full waits.
// `command` is for messages and must stay, like `path`.
// The recorder is for a device, until recording_stop.
status recording_start(const char *command, const char *path, const char *process,
                       struct recorder **out_recorder);

// `*out_account` is as in record/record.h; NULL: not wanted.
status recording_stop(struct profile **out_account);

#endif
