// Whose call the work of a device is, for profilers that keep host and device in tables: ranges of
// a thread are calls of operators, a call of the device's runtime belongs to the innermost range
// around it, and what it launched, found by a number that both have, to the same. A runtime's call
// that is said to launch by itself (a graph) is an operator's call where no range is around it.
//
// First every range and every call of the runtime is added, and all work of devices; then calls are
// made; then they are asked for in the order in which they were added. Work and launch are also the
// two ends of a flow.
//
// Memory: 56 bytes a range or call and 24 a piece of work, in spools.

#ifndef OPSCOPE_FORMATS_DATABASE_LAUNCHES_H
#define OPSCOPE_FORMATS_DATABASE_LAUNCHES_H

#include "base/spool.h"
#include "profile/profile.h"

// By what a launch and its work are known: a number of a process.
struct launch_key {
    uint64_t process;
    uint64_t number; // 0: none
};

// Start with launches_start.
struct launches {
    struct profile *profile;
    struct spool items;
    struct spool works;
    struct launch_item *item; // once calls are made: in the order in which they were added
    struct launch_item *next;
    struct launch_work *work; // by key
    uint64_t item_count, work_count;
    struct launch_link *links; // launches by key
    struct spool link_spool;
    uint64_t link_count;
    uint64_t next_work;
    uint64_t first_flow; // before the number of the first flow; the reader may set it
};

// Whether a call of a runtime returns when the device has done what it was given, by its name.
bool launches_waits(struct view name);

// Whether it launches all of a graph.
bool launches_graph(struct view name);

void launches_start(struct launches *launches, struct profile *profile);

status launches_add_range(struct launches *launches, uint32_t track, uint64_t start, uint64_t end,
                          uint32_t operator_id);

// `operator_id` is 0 unless it launches by itself.
status launches_add_call(struct launches *launches, uint32_t track, uint64_t start, uint64_t end,
                         struct launch_key key, uint32_t operator_id);

status launches_add_work(struct launches *launches, struct launch_key key);

// Makes the calls.
status launches_finish(struct launches *launches);

// Of the range or call that was added next; its flows are appended to `values`.
uint32_t launches_next_call(struct launches *launches, struct bytes *values);

// Of the work that was added next.
uint32_t launches_next_work(struct launches *launches, struct launch_key key, struct bytes *values);

void launches_free(struct launches *launches);

#endif
