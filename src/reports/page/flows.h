// Flows between spans, as many as a page has room for. Where there are more, a sample is kept that
// depends on the numbers of the flows alone: every second, fourth ... of them, each as a whole.

#ifndef OPSCOPE_REPORTS_PAGE_FLOWS_H
#define OPSCOPE_REPORTS_PAGE_FLOWS_H

#include "profile/event.h"

enum { FLOWS_ENDS_MOST = 16000 };

// Where a flow touches a span.
struct flow_end {
    uint64_t flow;
    uint64_t start, end; // ns, of the span
    uint32_t lane;
    uint16_t row;
    bool out; // it goes on from here
};

struct flows {
    struct flow_end *ends; // after flows_finish: by flow and time
    size_t count, capacity;
    size_t most;      // that are kept, at most FLOWS_ENDS_MOST
    unsigned sampled; // one of 2^sampled flows is kept
    uint64_t total;   // ends, kept or not
};

// All ends of flows among the values of an event; `like` says where it lies.
void flows_add(struct flows *flows, struct view values, const struct flow_end *like);

void flows_finish(struct flows *flows);

// Whether an arrow leads from end `index` to the next one.
bool flows_linked(const struct flows *flows, size_t index);

void flows_free(struct flows *flows);

#endif
