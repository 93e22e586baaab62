// The logs of one Tenstorrent capture: up to three files, opened, read and
// joined. docs/formats/tenstorrent-logs.md describes them.
//
// Memory: that of device_ops.h, host_ops.h and the pieces of the log (device_pieces.h), and 48
// bytes per row joined.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_LOGS_H
#define OPSCOPE_FORMATS_TENSTORRENT_LOGS_H

#include "base/spool.h"
#include "device_ops.h"
#include "device_report.h"
#include "host_ops.h"

enum log_kind {
    LOG_UNKNOWN,
    LOG_DEVICE,    // profile_log_device.csv
    LOG_OPS_DATA,  // tracy_ops_data.csv
    LOG_OPS_TIMES, // tracy_ops_times.csv
    LOG_KINDS,
};

enum log_kind log_kind_of(struct view bytes);

// "tenstorrent-device-log" ...
const char *log_kind_name(enum log_kind kind);

// Whether a file that begins like this is one that `logs_open` takes.
bool logs_recognise(struct view beginning);

struct logs {
    struct input *inputs[LOG_KINDS]; // NULL: not given
    bool device_is_empty;            // it was given, but nothing is in it
    // The host's, where Tracy's own trace was given in place of them.
    bool has_tracy;
    uint64_t tracy_lost; // events that are missing in it
    char *tracy_loss;    // the first of them, in words; NULL: none
    struct spool made[LOG_KINDS];
    // tt-metal's own figures, in place of the device log or beside it.
    struct input *device_report_input;
    struct report *device_report; // the device log is made of it
};

// cpp_device_perf_report.csv stands for the device log where there is none.
//
// Each path is a log, or a folder that holds logs under their usual names (or
// whose folder .logs does). A .tracy file stands for both logs of the host; one
// in a folder is looked at where neither is there. Two logs of a kind, a file that is none, a
// folder without any and an empty device log on its own are errors.
status logs_open(const char *const *paths, size_t count, struct logs *out_logs);
void logs_close(struct logs *logs);

// What the logs say. The ledger (a profile) gets an account of what does not
// fit: rows that are none, messages cut off, and so on.
struct logs_record {
    const struct logs *logs;
    struct profile *ledger;
    bool has_device;
    struct device_log device;
    struct device_ops device_ops;
    struct host_ops host;
    uint64_t unread; // lines of the device log that are lost, each perhaps half of a zone
};

status logs_read(const struct logs *logs, struct profile *ledger, struct logs_record *out_record);
void logs_record_free(struct logs_record *record);

// The session that the host's files belong to: the last one, as a device log is
// appended to and the others are written anew.
uint32_t logs_session(const struct logs_record *record);

// Joining ---------------------------------------------------------------------

enum logs_row_kind {
    LOGS_ROW_OP,     // launched by the host; with or without its run
    LOGS_ROW_REPLAY, // a run of an operation that was captured into a trace
    LOGS_ROW_SIGNPOST,
    LOGS_ROW_RUN, // a run that the host does not know
};

// HASH_NONE where there is no such thing.
struct logs_row {
    uint64_t time; // ns on the host's clock, by which rows are sorted
    uint64_t call_count;
    uint64_t replay; // from 1
    bool announced;  // the host says when it replayed it: `time`
    enum logs_row_kind kind;
    uint32_t host; // index of the operation or signpost
    uint32_t run;
    uint32_t sequence;
};

struct logs_rows {
    struct logs_row *items;
    size_t count;
    size_t capacity;
};

// The rows of a report, in its order. Operations, runs and replays that have no
// counterpart are noted in the ledger. Free `items`.
struct logs_rows logs_join(struct logs_record *record);

#endif
