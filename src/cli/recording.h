// Recording what a command does (opscope/record.h), so that a signal that asks to end loses
// nothing: the recording is ended first, then the process, by that signal.

#ifndef OPSCOPE_CLI_RECORDING_H
#define OPSCOPE_CLI_RECORDING_H

#include "record/recorder.h"

// Where a capture around this process (opscope profile) wants what it records. False: there is
// none, or it refuses, which is said on stderr.
bool recording_is_captured(const char *command, const char *process, char *path, size_t room);

// Before any thread that works. Nothing may be lost: a thread whose buffer is full waits.
// `command` is for messages and must stay, like `path`.
// The recorder is for a device, until recording_stop.
status recording_start(const char *command, const char *path, const char *process,
                       struct recorder **out_recorder);

// `*out_account` is as in record/record.h; NULL: not wanted.
status recording_stop(struct profile **out_account);

#endif
