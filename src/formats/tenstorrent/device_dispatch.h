// What the dispatch cores of a device do: the commands that send operations to
// the workers.
//
// A dispatch core's BRISC runs commands inside zones; meta data inside a zone
// names the command (dispatch_command_type) and the operation it is for
// (workers_runtime_id). Its NCRISC sends the go signals, one after the other:
// the n-th belongs to the n-th operation that BRISC prepared. Only the first
// time that an operation is sent counts. Rows of a processor must come in the
// order of time. Memory: 40 bytes per operation and signal.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_DISPATCH_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_DISPATCH_H

#include "device_log.h"

#define DEVICE_NEVER UINT64_MAX

// First and last marker of some kind, in cycles. `first` is DEVICE_NEVER where
// there is none.
struct device_extent {
    uint64_t first;
    uint64_t last;
};

static inline void device_extent_add(struct device_extent *extent, uint64_t time)
{
    if (time < extent->first)
        extent->first = time;
    if (time > extent->last)
        extent->last = time;
}

// Time that one operation, or one signal, took on a dispatch core.
struct dispatched {
    uint64_t id; // run host ID, or which signal; 0: for no operation
    struct device_extent extent;
};

// One processor of a dispatch core, or none.
struct dispatch_lane {
    bool dispatches;
    bool inside; // a zone
    bool counts; // its command is one of CQ_DISPATCH_...
    bool done;   // the operation was handed on
    uint32_t device;
    uint32_t core;
    enum device_risc risc;
    uint64_t start; // of the zone
    uint64_t id;
    struct dispatched *items; // in order of time
    size_t count;
    size_t capacity;
    struct hash_index index; // by id
};

void dispatch_free(struct dispatch_lane *lane);

// Takes a marker of the lane, dispatch core or not; true when it is one.
bool dispatch_take(struct dispatch_lane *lane, const struct device_lane *about,
                   const struct device_zone *zone, const struct device_log_row *row);

#endif
