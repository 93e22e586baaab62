// A stored stream: what a program sent to a capture, as it came, so that nothing is lost when the
// capture or the machine is ended in the middle.
//
// "opscope tracy 2\n", u64 nanosecond of CLOCK_MONOTONIC that is time 0 (all bits set: not known),
// 64 bytes of the machine's boot id, u32 protocol, the program's greeting, then frames. Version 1
// has no protocol: it is 66.
//
// It is read twice, since names come after what they name. Memory: as of build.h, and the zones
// that are open.
//
// Read in a row, not in parts (base/parts.h): frames are packed with those before them as their
// dictionary, and times are differences.

#ifndef OPSCOPE_FORMATS_TRACY_STREAM_H
#define OPSCOPE_FORMATS_TRACY_STREAM_H

#include "base/input.h"
#include "profile/profile.h"

#define TRACY_STREAM_MAGIC "opscope tracy 2\n"
#define TRACY_STREAM_MAGIC_1 "opscope tracy 1\n"
#define TRACY_STREAM_NO_TIME UINT64_MAX

enum { TRACY_STREAM_BOOT = 64, TRACY_STREAM_HEAD = 16 + 8 + TRACY_STREAM_BOOT };

bool tracy_stream_recognise(struct view bytes);

// Into a fresh profile. A stream without its end, of a program that was killed say, gives what
// came until then: zones that are open there are lost, and the ledger says so.
status tracy_stream_read(struct input *input, struct profile *profile);

#endif
