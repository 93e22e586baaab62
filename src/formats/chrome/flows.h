// Flow events (s, t, f, and bind_id): which slice each of them belongs to.
//
// In a Chrome trace a flow event stands on its own, on a thread at a time; in a profile flows are
// values of spans. So flow events are kept while the trace is read, and then bound to the spans
// and put into the profile by copying its events once. Memory: the distinct pairs of category and
// name, two batches of events; the flow events (56 bytes each, 32 more when they are bound) lie in
// spools.
//
// A flow event belongs to the slice that the file had last on its thread, where that one starts
// at its time; else to the innermost one around its time (binding "e", and all of s and t), or to
// the next one that starts (f without "bp":"e"). So do Perfetto and catapult.

#ifndef OPSCOPE_FORMATS_CHROME_FLOWS_H
#define OPSCOPE_FORMATS_CHROME_FLOWS_H

#include "lanes.h"

enum chrome_flow_binding {
    CHROME_FLOW_ENCLOSING,
    CHROME_FLOW_NEXT,
    CHROME_FLOW_LAST, // the span that was added last: a flow of its own (bind_id)
};

struct chrome_flow {
    uint64_t time; // ns
    uint64_t offset;
    struct chrome_key id;
    uint32_t category; // string ids; both 0 for bind_id
    uint32_t name;
    char phase; // s, t, f; of bind_id: s, or f for flow_in alone
    enum chrome_flow_binding binding;
};

struct chrome_flow_group {
    uint32_t category;
    uint32_t name;
};

// Zero, with `points` SPOOL_EMPTY. What is kept as it is written is so because one start has
// several ends there: a graph that is launched and its kernels. Then the start is one of as many
// flows.
struct chrome_flows {
    bool as_written;
    struct spool points;
    struct chrome_flow_group *groups;
    size_t group_count;
    size_t group_capacity;
    struct hash_index index;
    status failure;
};

void chrome_flows_add(struct chrome_flows *flows, struct profile *profile,
                      const struct chrome_lane *lane, const struct chrome_flow *flow);

// Called for each flow event without a slice.
typedef void chrome_flow_unbound(void *context, uint32_t track, uint64_t offset);

// Puts the flows into the finished profile.
status chrome_flows_bind(struct chrome_flows *flows, struct profile *profile,
                         chrome_flow_unbound *unbound, void *context);

void chrome_flows_free(struct chrome_flows *flows);

#endif
