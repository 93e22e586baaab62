// Operations on devices, put together from the markers of their cores.
//
// Markers with the same run host ID belong to one operation; when that ID comes
// again (a trace is replayed) it is a further run of it. A run is found by its
// time, not by counting, so that a lost marker spoils its own run only. Rows
// may come in any order of cores; those of one processor and one ID must come
// in the order of its runs.
//
// Memory: 32 bytes per run and core, about 320 per run, 80 per operation and 168
// per lane; markers are not kept.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_OPS_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_OPS_H

#include "device_dispatch.h"

// One core's part in a run.
struct device_core {
    uint32_t core;
    uint32_t seen; // bits of device_seen_bit, and DEVICE_SEEN_FIRMWARE
    struct device_extent kernel;
    uint64_t data_movement_start; // first BRISC or NCRISC kernel start
};

enum device_seen {
    DEVICE_SEEN_FW_START = 1,
    DEVICE_SEEN_FW_END = 2,
    DEVICE_SEEN_KERNEL_START = 4,
    DEVICE_SEEN_KERNEL_END = 8,
    DEVICE_SEEN_FIRMWARE = 1 << 24, // any zone with FW in its name
};

static inline uint32_t device_seen_bit(enum device_risc risc, enum device_seen what)
{
    return (uint32_t)what << (4 * (unsigned)risc);
}

// One execution of an operation on a device.
struct device_run {
    uint32_t op;
    uint32_t core_count;
    uint32_t core_most; // highest core
    size_t core_capacity;
    struct device_core *cores;
    struct device_extent window; // every marker
    struct device_extent firmware;
    struct device_extent kernel;
    struct device_extent kernel_start;        // starts only
    struct device_extent data_movement;       // BRISC, NCRISC and ERISC kernels
    struct device_extent riscs[DEVICE_RISCS]; // kernels
    uint64_t wait_front;                      // cycles summed up; 0: none
    uint64_t reserve_back;
    uint64_t line; // of its first marker
    bool traced;   // the log names trace and replay
    uint64_t trace_id;
    uint64_t trace_counter;
    struct view given; // figures that tt-metal computed itself (device_report.h); "": none
};

struct device_op {
    uint32_t session; // which of several logs in the file
    uint32_t device;
    uint64_t id; // run host ID
    uint32_t run_count;
    size_t run_capacity;
    uint32_t *runs;                 // in order of time
    struct device_extent dispatch;  // commands on BRISC of a dispatch core
    struct device_extent go_signal; // on its NCRISC
};

struct device_session {
    uint64_t megahertz;
    uint64_t most_cores;
    struct view arch;
    uint64_t line;
    bool unordered; // rows of some processor are not in order of time
};

struct device_lane_state;

struct device_ops {
    const struct device_log *log;
    struct segments sessions; // struct device_session
    struct segments ops;      // struct device_op, in order of appearance
    struct segments runs;     // struct device_run
    struct hash_index index;
    struct hash_index traced; // runs by operation, trace and replay
    struct device_lane_state *lanes;
    size_t lane_capacity;
    uint64_t slack; // cycles that cores may start apart
};

void device_ops_start(struct device_ops *ops, const struct device_log *log);
void device_ops_free(struct device_ops *ops);

// The log's first lines were read again.
void device_ops_session(struct device_ops *ops);

// Markers without a run host ID or with timer id 0 belong to no operation.
void device_ops_take(struct device_ops *ops, const struct device_log_row *row);

// After the last row: gives operations what the dispatch cores did for them.
void device_ops_finish(struct device_ops *ops);

static inline struct device_op *device_ops_op(const struct device_ops *ops, uint32_t index)
{
    return segments_get(&ops->ops, index);
}

static inline struct device_run *device_ops_run(const struct device_ops *ops, uint32_t index)
{
    return segments_get(&ops->runs, index);
}

// Lets an operation that was added be found.
void device_ops_index(struct device_ops *ops, uint32_t index);

// HASH_NONE when there is none.
uint32_t device_ops_find(const struct device_ops *ops, uint32_t session, uint32_t device,
                         uint64_t id);

// The run that a marker at `time` belongs to; HASH_NONE when there is none.
uint32_t device_ops_run_at(const struct device_ops *ops, uint32_t session, uint32_t device,
                           uint64_t id, uint64_t time);

// What the markers of a run say. A figure that a missing marker could change
// is not `known`.
struct device_span {
    bool known;
    uint64_t first;
    uint64_t last;
};

struct device_figures {
    uint32_t core_count;
    bool start_known;
    bool end_known;
    uint64_t start; // firmware, cycles
    uint64_t end;
    struct device_span firmware;
    struct device_span kernel;
    struct device_span data_movement; // its start to the last kernel marker
    struct device_span kernel_start;
    struct device_span riscs[DEVICE_RISCS];
    bool per_core_known;
    uint64_t per_core_least; // cycles
    uint64_t per_core_most;
    uint64_t per_core_sum;
    uint32_t per_core_count;
    uint64_t missing;       // markers whose counterpart is there
    char missing_text[128]; // "BRISC-FW end of 2 cores": the first of them
};

void device_run_figures(const struct device_run *run, struct device_figures *out_figures);

#endif
