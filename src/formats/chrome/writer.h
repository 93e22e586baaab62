// Writes a profile as a Chrome trace (docs/formats/chrome.md): what chrome://tracing, Perfetto and
// tracy-import-chrome read alike.
//
// Events leave as they come from the profile, in the array form: what a crash leaves can be read.
// Memory: the distinct texts of the profile once more, about 100 bytes a lane, and the windows of
// a few spools; nothing grows with the number of events.

#ifndef OPSCOPE_FORMATS_CHROME_WRITER_H
#define OPSCOPE_FORMATS_CHROME_WRITER_H

#include "profile/profile.h"

struct chrome_writer_options {
    bool no_arguments; // leave out the arguments of events
    uint64_t split;    // bytes of a part (before packing); 0: one file
};

enum { CHROME_SPLIT_LEAST = 1 << 16 };

// Writes the stored profile to `path`, or with `split` to parts: trace.json becomes
// trace-1.json, trace-2.json ..., each a trace of its own for a stretch of time. What the format
// cannot carry is noted in the profile's ledger.
status chrome_write(struct profile *profile, const char *path,
                    const struct chrome_writer_options *options);

#endif
