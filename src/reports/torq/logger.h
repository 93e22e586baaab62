// Torq's compile and runtime CSVs as one Perfetto trace: a process for each, followed by its
// overview. What `perfetto_logger` does.
//
// Streams: compile rows are written as they are read, runtime spans (complete only at their
// end) once their file is read.

#ifndef OPSCOPE_REPORTS_TORQ_LOGGER_H
#define OPSCOPE_REPORTS_TORQ_LOGGER_H

#include "analysis/overview.h"
#include "formats/torq/torq.h"

struct logger_log {
    const char *name; // of the process; NULL: the file's, numbered when there are several
    const char *path;
    bool compile; // else runtime
};

struct logger_options {
    uint32_t num_slices; // as in torq.h
    uint64_t clock_hz;
    bool no_arguments;
};

// Writes `logs`, in this order, to `path`. All are opened and recognised before the output
// is created. `profile` must be fresh: it gets the tracks and the ledger, and keeps the inputs
// open.
status logger_write(const struct logger_log *logs, size_t count, const char *path,
                    const struct logger_options *options, struct profile *profile);

// The track of a log's process, added as logger_write adds the one of log `index`.
uint32_t logger_process_add(struct profile *profile, struct view name, bool compile, size_t index);

// Adds the overview of a process from the spans that `collector` took.
status logger_overview_add(struct profile *profile, struct overview_collector *collector,
                           uint32_t process);

#endif
