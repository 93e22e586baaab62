// Writes a profile as a Perfetto trace (docs/formats/perfetto.md).
//
// Streams: events are written as they come. A track becomes a process, a
// thread or a plain track; spans that overlap on a track without nesting go to
// further lanes of the same name, so that no viewer drops them. Events that
// come after a later one of their track are held back, sorted and written to
// lanes of their own when the writer is closed.

#ifndef OPSCOPE_FORMATS_PERFETTO_WRITER_H
#define OPSCOPE_FORMATS_PERFETTO_WRITER_H

#include "profile/profile.h"

struct perfetto_writer;

struct perfetto_writer_options {
    bool no_arguments; // leave out the arguments of events
    bool calls;        // also operators and calls, for opscope to read again
    bool located;      // calls may be locations (CALL_LOCATED)
};

// `profile` may still be growing: its tables are read as events refer to them.
status perfetto_writer_open(const char *path, struct profile *profile,
                            const struct perfetto_writer_options *options,
                            struct perfetto_writer **out_writer);

struct event_sink *perfetto_writer_sink(struct perfetto_writer *writer);

// Whether what follows is written as plain packets, whatever the size of the
// trace, so that tools that search the file for text find it.
void perfetto_writer_plain(struct perfetto_writer *writer, bool plain);

// Also writes the tracks that have no events. `written` says whether all events came: without
// them there is no file.
status perfetto_writer_close(struct perfetto_writer *writer, status written);

// All of a stored profile at once.
status perfetto_write(struct profile *profile, const char *path,
                      const struct perfetto_writer_options *options);

#endif
