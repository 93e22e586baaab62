// Which format a file has, by its content; and reading whatever it is.

#ifndef OPSCOPE_FORMATS_FORMAT_H
#define OPSCOPE_FORMATS_FORMAT_H

#include "formats/torq/torq.h"
#include "profile/profile.h"

enum format {
    FORMAT_UNKNOWN,
    FORMAT_PROFILE, // opscope's own
    FORMAT_PERFETTO,
    FORMAT_CHROME,             // JSON
    FORMAT_TORQ,               // a compile or runtime CSV
    FORMAT_TENSTORRENT_REPORT, // operations report
    FORMAT_TENSTORRENT_LOG,    // a device log, or the host's messages or zones
};

struct format_options {
    uint32_t num_slices; // as in torq.h
    uint64_t clock_hz;
};

enum format format_recognise(struct view bytes);

// Reads `path` into a fresh profile. Facts `format` and `source` say what it
// was; profiles made from a CSV get one process named after the file. A folder
// is read as the logs of a Tenstorrent capture that it holds.
status format_read(const char *path, const struct format_options *options, struct profile *profile);

// The same for what is open already; takes over `input`, also on failure. A profile of
// opscope's own keeps the input open.
status format_read_input(struct input *input, const struct format_options *options,
                         struct profile *profile);

#endif
