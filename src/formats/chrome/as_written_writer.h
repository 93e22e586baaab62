// Writes a profile that was read from a trace of a runtime as that trace: what as_written.h kept,
// every event with its own pid, tid, time, arguments, flow ids and categories.
//
// Memory: the distinct texts of the profile once more, and one event.

#ifndef OPSCOPE_FORMATS_CHROME_AS_WRITTEN_WRITER_H
#define OPSCOPE_FORMATS_CHROME_AS_WRITTEN_WRITER_H

#include "profile/profile.h"

// Whether the profile says what the trace was like.
bool as_written_is_kept(const struct profile *profile);

// Writes the stored profile to `path`.
status as_written_write(struct profile *profile, const char *path);

#endif
