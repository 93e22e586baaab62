// The formats that a profile is written in: one table for whoever writes one.

#ifndef OPSCOPE_FORMATS_WRITERS_H
#define OPSCOPE_FORMATS_WRITERS_H

#include "formats/torq/torq.h"
#include "profile/profile.h"

struct write_options {
    bool no_arguments; // Perfetto, Chrome: leave out the arguments of events
    uint64_t split;    // Chrome: bytes of a part; 0: one file
};

// `write` takes a finished profile that keeps its events. What the format has no place for
// goes to the profile's ledger.
struct format_writer {
    const char *name;       // "perfetto"
    const char *extensions; // ".pb .pftrace", NULL when none says it; also with .gz and .zst
    status (*write)(const struct format_writer *writer, struct profile *profile, const char *path,
                    const struct write_options *options);
    enum torq_form torq; // of Torq's CSVs
};

// The next one after `writer`, the first one after NULL; NULL at the end.
const struct format_writer *format_writer_next(const struct format_writer *writer);

// By name, or by the extension of a path when `name` is NULL. The failure says what there is.
status format_writer_find(const char *name, const char *path,
                          const struct format_writer **out_writer);

#endif
