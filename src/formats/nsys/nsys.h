// What the parts of the reader share.

#ifndef OPSCOPE_FORMATS_NSYS_NSYS_H
#define OPSCOPE_FORMATS_NSYS_NSYS_H

#include "formats/database/launches.h"
#include "formats/database/tables.h"

struct nsys {
    struct tables tables;
    struct launches launches;
    bool one_process; // work of devices does not say its process
    bool emit;        // the second time over the tables
    uint64_t last;    // end of what was seen
    uint64_t open;    // ranges that no one ended
    struct bytes text;
};

// An event of the row at hand.
static inline void nsys_add_event(struct nsys *nsys, const struct event *event)
{
    nsys->last = event->end > nsys->last ? event->end : nsys->last;
    tables_add_event(&nsys->tables, event);
}

// Processes, threads and devices are in the upper bits of a thread's number, and so are machines.
static inline uint64_t nsys_process_of(uint64_t global)
{
    return global & ~(uint64_t)0xffffff;
}

// Tracks, added where they are new ----------------------------------------------------------------

// Names that the database has for processes, threads and devices: before the first track.
void nsys_read_names(struct nsys *nsys);

uint32_t nsys_thread(struct nsys *nsys, uint64_t global);

// A lane beside a thread's for ranges that are no call stack.
uint32_t nsys_thread_ranges(struct nsys *nsys, uint64_t global);

struct nsys_stream {
    uint64_t device, process, context, stream;
};

uint32_t nsys_stream(struct nsys *nsys, const struct nsys_stream *stream);

// A lane beside a stream's for what is no work of the device.
uint32_t nsys_stream_waits(struct nsys *nsys, const struct nsys_stream *stream);

// A lane of a device for what is taken of its memory.
uint32_t nsys_memory(struct nsys *nsys, uint64_t device);

uint32_t nsys_metric(struct nsys *nsys, uint64_t type, uint64_t metric);

// Tables, first for the launches, then (`emit`) as events -----------------------------------------

status nsys_read_host(struct nsys *nsys);
status nsys_read_device(struct nsys *nsys);

// Once, as events; memory after all else.
void nsys_read_metrics(struct nsys *nsys);
status nsys_read_memory(struct nsys *nsys);

#endif
