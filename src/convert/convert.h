// From one file to another, in any format that is read and any that is written.

#ifndef OPSCOPE_CONVERT_CONVERT_H
#define OPSCOPE_CONVERT_CONVERT_H

#include "formats/format.h"
#include "formats/writers.h"

struct convert_request {
    const char *in;
    const char *out;
    const char *to; // name of a format, or of a version of Tenstorrent's report; NULL: by extension
    struct format_options reading;
    struct write_options writing;
};

// Whether there is such a format to write, before anything is done.
status convert_check(const char *to, const char *out);

// Reads into `profile`, which must be fresh, and writes it; its ledger is that of the
// conversion. A report of Tenstorrent's stays a table where a CSV is wanted; it is also made from a
// profile of its logs.
status convert_file(const struct convert_request *request, struct profile *profile);

#endif
