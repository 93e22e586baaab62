// The zones of a device log as spans of a profile: a process per device, a
// group per core, a lane per processor.
//
// The log is read a second time: `device_ops` says which run a marker belongs
// to. Zones are paired by time, in whatever order the rows of a processor
// stand: markers of one time in the file's order, but an end that has no start
// yet takes one of the same time after it. A zone that starts and does not
// end, or ends and did not start, is noted in the ledger of its lane.
//
// Memory: 64 bytes per lane and 32 per open zone. Where a processor's rows are
// not in order of time the log's markers are sorted in a spool: SPOOL_WINDOW,
// and 64 bytes per row in a file without a name that is mapped.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_SPANS_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_SPANS_H

#include "device_ops.h"
#include "profile/profile.h"

struct device_process;
struct lane_spans;
struct zone_texts;

struct device_spans {
    struct profile *profile;
    const struct device_ops *ops;
    const uint32_t *run_calls; // call of a run
    struct device_process *processes;
    size_t process_count;
    size_t process_capacity;
    struct lane_spans *lanes; // of the session at hand
    size_t lane_count;
    struct zone_texts *zones;
    size_t zone_count;
    uint32_t session;
    uint32_t run_key, data_key, source_key, trace_key, meta_key, sum_key;
    struct bytes values;
    uint64_t unread; // lines that are lost already: a zone that lacks a half may lack one of these
    uint64_t explained; // zones
};

void device_spans_start(struct device_spans *spans, struct profile *profile,
                        const struct device_ops *ops, const uint32_t *run_calls);
void device_spans_free(struct device_spans *spans);

// A run that starts at `cycle` was launched at `ns` of the host's clock: the
// device's clock is placed so that this holds for every run. Before any track.
void device_spans_fit(struct device_spans *spans, uint32_t session, uint32_t device, uint64_t cycle,
                      uint64_t ns);

// The lane of a device's operations.
uint32_t device_spans_operations(struct device_spans *spans, uint32_t session, uint32_t device);

// Bad rows are skipped: whoever filled `ops` has noted them. Fails when the
// spool does.
status device_spans_read(struct device_spans *spans, const struct input *input);

#endif
