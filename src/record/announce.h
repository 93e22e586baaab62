// How a process tells the capture around it (opscope profile) what it records.
//
// The capture hands its socket and its token on in the environment. A request is one line,
//     opscope-capture 1 TOKEN place NAME      where may I write?
//     opscope-capture 1 TOKEN file PATH       this is what I write
// and so is the answer: "ok PATH", or "no" and why. Recording goes on without a capture that is
// not there any more, or does not answer for ANNOUNCE_SECONDS.

#ifndef OPSCOPE_RECORD_ANNOUNCE_H
#define OPSCOPE_RECORD_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define ANNOUNCE_SOCKET "OPSCOPE_CAPTURE"
#define ANNOUNCE_TOKEN "OPSCOPE_CAPTURE_TOKEN"
#define ANNOUNCE_WORD "opscope-capture 1"
// In the folder of a capture: there once it takes no more.
#define ANNOUNCE_FULL "full"

enum { ANNOUNCE_SECONDS = 30, ANNOUNCE_LINE = 8192 };

// Whether a capture is around this process.
bool announce_is_wanted(void);

// Where a recording of this name goes that has no place of its own.
status announce_place(const char *name, char *path, size_t room);

// Hands a file that is written at `path` to the capture; where the capture says that it takes no
// more is in `full`, "" when there is none.
void announce_file(const char *path, char *full, size_t room);

#endif
