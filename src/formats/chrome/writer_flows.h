// What each end of a flow becomes in a Chrome trace: a start, a step or an end, under a number that
// is never used again.
//
// A profile says of an event that it starts flow N or goes on with it, or that it ends it; which of
// the two is decided by the order of time. Ends of flows lie in spools, at most 80 bytes each.

#ifndef OPSCOPE_FORMATS_CHROME_WRITER_FLOWS_H
#define OPSCOPE_FORMATS_CHROME_WRITER_FLOWS_H

#include "base/spool.h"
#include "profile/profile.h"

enum writer_flow_role {
    WRITER_FLOW_NONE, // has no counterpart in its part, or ends what nobody started
    WRITER_FLOW_START,
    WRITER_FLOW_STEP,
    WRITER_FLOW_END,
};

struct writer_flow {
    uint64_t number; // in the trace
    enum writer_flow_role role;
};

// Spools are SPOOL_EMPTY at first.
struct writer_flows {
    struct spool ends;
    struct spool sorted;
    struct spool roles;
    const uint64_t *given; // in the order of the profile: number * 4 + role
    size_t count;
    uint64_t ends_without_start;
    uint64_t ends_as_read; // the same, of a trace that is written so
    uint64_t cut;          // flows that go on in another part
};

enum writer_flow_end {
    WRITER_FLOW_GOES_ON,
    WRITER_FLOW_ENDS,
    WRITER_FLOW_ENDS_AS_READ, // the trace that it was read from has ends that nothing starts
};

status writer_flows_add(struct writer_flows *flows, uint64_t ns, uint64_t flow,
                        enum writer_flow_end end);

// After the last one: gives numbers and roles. `part_of` says which part a time belongs to; NULL
// when there is one.
status writer_flows_finish(struct writer_flows *flows,
                           uint32_t (*part_of)(const void *context, uint64_t ns),
                           const void *context);

// The end at `index`, in the order in which they were added.
static inline struct writer_flow writer_flows_get(const struct writer_flows *flows, size_t index)
{
    const uint64_t given = flows->given[index];
    return (struct writer_flow){given >> 2, (enum writer_flow_role)(given & 3)};
}

void writer_flows_free(struct writer_flows *flows);

#endif
